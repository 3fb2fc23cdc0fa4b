"""Elo: a difference in strength, and the score it lets one expect.

A player who is 400 Elo ahead is expected to score ten points for each point of the other.
"""

from math import exp, log, log10

SCALE = 400 / log(10)
"""Elo for one unit of the logistic curve."""

EDGE = 0.001
"""Scores nearer to 0 or 1 than this say no more about a difference: 1200 Elo is the most that is told."""


def expected(elo: float) -> float:
    """The score, from 0 to 1, that is to be expected of a player who is so much ahead."""
    return 1 / (1 + exp(-elo / SCALE))


def difference(score: float) -> float:
    """How far ahead a player is who scores so much: the performance. From -1200 to 1200, about."""
    score = min(max(score, EDGE), 1 - EDGE)
    return 400 * log10(score / (1 - score))
