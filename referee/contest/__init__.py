"""Many matches, pure: how strong the players are, who meets whom, and who is ahead."""
