"""Who finished where: all that a rating needs to know of a match."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

from referee.core.result import Kind, Result

Player = TypeVar("Player", bound=Hashable)
"""Whatever is rated: a version of a bot, or partners who stand together."""


@dataclass(frozen=True, slots=True)
class Finish(Generic[Player]):
    """Sides with their ranks, from 1; equal ranks are shared. A void match has no finish.

    A player may not meet itself, nor sit twice on one side: that would say nothing about it.
    """

    sides: tuple[tuple[Player, ...], ...]
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.sides) == len(self.ranks) > 1:
            raise ValueError("there are two sides at least, and every side has its rank")
        if len(set(self.players)) < len(self.players):
            raise ValueError("nobody meets itself")

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(player for side in self.sides for player in side)

    def pairs(self) -> Iterator[tuple[tuple[Player, ...], tuple[Player, ...], float]]:
        """Every two sides, with what the first scored against the second: 1, a half or 0."""
        for (one, its), (other, theirs) in combinations(zip(self.sides, self.ranks, strict=True), 2):
            yield one, other, ((its < theirs) + (its <= theirs)) / 2


def finish_of(result: Result, sides: tuple[tuple[Player, ...], ...]) -> Finish[Player] | None:
    """Where a match left its sides. None if it became void: then it counts for nothing."""
    return None if result.kind is Kind.VOID else Finish(sides, result.side_ranks)


def worth_of_a_pair(sides: int) -> float:
    """How much each pair out of one match says, compared with a match of just these two.

    A match of k sides has k (k - 1) / 2 pairs, but these follow from one order of finish. For equal players the
    number of opponents that one is ahead of varies (k + 1) / 3 times as much as if each pair had been played
    for itself, and so each is worth only the inverse of that.
    """
    return 3 / (sides + 1)
