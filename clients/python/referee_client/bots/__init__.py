"""Sample bots: random, greedy, and one that searches."""
