"""Bots that are worth meeting: random, greedy, and one that searches."""
