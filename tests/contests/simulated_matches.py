"""Random matches of bots with known strengths, from random numbers with a seed."""

import math
import random
from collections.abc import Iterator, Sequence

from referee.contests.strength.elo import ELO_SCALE
from referee.contests.strength.rating import FinishOrder


def random_numbers(seed: str) -> Iterator[float]:
    """Yield numbers from 0 to 1. Python's generator is used for speed: a simulation takes millions."""
    draw = random.Random(seed).random
    while True:
        yield draw()


DRAWN = 0.2
"""Probability that a match is a draw in which two performances of the bots contradict each other."""


def simulated_match(strengths: Sequence[float], bots: Sequence[int], draws: Iterator[float]) -> FinishOrder[int]:
    """Return the result of a match: each bot performs at its strength plus noise.

    The bots perform twice. A draw is possible only if the second order is the reverse of the first, so it replaces wins
    and losses equally often: the expected score stays that of the scale, and a larger lead means fewer draws. One of
    ten matches between two equal bots is a draw.
    """
    order, second = _finish(strengths, bots, draws), _finish(strengths, bots, draws)
    drawn = next(draws) < DRAWN and order == second[::-1]
    ranks = tuple(1 if drawn else 1 + order.index(place) for place in range(len(bots)))
    return FinishOrder(tuple((bot,) for bot in bots), ranks)


def _finish(strengths: Sequence[float], bots: Sequence[int], draws: Iterator[float]) -> list[int]:
    """Return the places of the bots in the order of their performances, best first."""
    performances = [strengths[bot] - ELO_SCALE * gumbel(draws) for bot in bots]
    return sorted(range(len(bots)), key=lambda place: -performances[place])


def gauss(draws: Iterator[float]) -> float:
    return math.sqrt(-2 * math.log(next(draws))) * math.cos(2 * math.pi * next(draws))


def gumbel(draws: Iterator[float]) -> float:
    """Return a Gumbel variable. The difference of two is logistic, as the expected score is."""
    return math.log(-math.log(next(draws)))
