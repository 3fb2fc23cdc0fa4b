"""A second implementation, written from `docs/` alone, that computes records of ladders and Swiss tournaments again.

Its modules import nothing of the referee and its engines; only the tests do, which produce the records. It covers what
these records contain: ladders of matches between two single bots, and Swiss tournaments of single matches.
"""
