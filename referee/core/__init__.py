"""One match, pure: who owes a move, how much time is left, how it ended."""
