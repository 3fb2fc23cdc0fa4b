"""Fields of simulated bots whose strengths are known."""

import math
from collections.abc import Iterable, Iterator, Sequence

from referee.contest.elo import SCALE
from referee.contest.finish import Finish


def anybody(bots: Iterable[int], seats: int, draws: Iterator[float]) -> list[int]:
    """Who meets."""
    return sorted(bots, key=lambda _: next(draws))[:seats]


def played(strengths: Sequence[float], who: Sequence[int], draws: Iterator[float]) -> Finish[int]:
    """A match in which each bot shows its strength and its luck; one in ten is a draw."""
    shown = [strengths[bot] - SCALE * gumbel(draws) for bot in who]
    drawn = next(draws) < 0.1
    ranks = tuple(1 if drawn else 1 + sum(other > mine for other in shown) for mine in shown)
    return Finish(tuple((bot,) for bot in who), ranks)


def gauss(draws: Iterator[float]) -> float:
    return math.sqrt(-2 * math.log(next(draws))) * math.cos(2 * math.pi * next(draws))


def gumbel(draws: Iterator[float]) -> float:
    """The difference of two of them is logistic: what a match of two lets one expect."""
    return math.log(-math.log(next(draws)))
