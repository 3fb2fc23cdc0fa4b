"""Contests on one machine: the referee embedded, its bots as processes, every match a record in a folder."""
