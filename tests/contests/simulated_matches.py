"""Random matches of bots with known strengths."""

import math
from collections.abc import Iterable, Iterator, Sequence

from referee.contests.strength.elo import ELO_SCALE
from referee.contests.strength.rating import FinishOrder


def random_seats(bots: Iterable[int], seats: int, draws: Iterator[float]) -> list[int]:
    """Draw the players of a match."""
    return sorted(bots, key=lambda _: next(draws))[:seats]


def simulated_match(strengths: Sequence[float], bots: Sequence[int], draws: Iterator[float]) -> FinishOrder[int]:
    """Return the result of a match: each bot performs at its strength plus noise. One match in ten is a draw."""
    performances = [strengths[bot] - ELO_SCALE * gumbel(draws) for bot in bots]
    drawn = next(draws) < 0.1
    ranks = tuple(1 if drawn else 1 + sum(other > mine for other in performances) for mine in performances)
    return FinishOrder(tuple((bot,) for bot in bots), ranks)


def gauss(draws: Iterator[float]) -> float:
    return math.sqrt(-2 * math.log(next(draws))) * math.cos(2 * math.pi * next(draws))


def gumbel(draws: Iterator[float]) -> float:
    """Return a Gumbel variable. The difference of two is logistic, as the expected score is."""
    return math.log(-math.log(next(draws)))
