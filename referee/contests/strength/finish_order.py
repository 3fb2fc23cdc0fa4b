"""The ranks in which the sides of a match finished: all that ratings use of a match."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

from referee.match.result import EndKind, Result

Player = TypeVar("Player", bound=Hashable)
"""Any rated identity, such as a version of a bot, or partners."""


@dataclass(frozen=True, slots=True)
class FinishOrder(Generic[Player]):
    """Sides with their ranks, from 1; equal ranks are shared. A void match has none.

    A player cannot play for two sides, nor twice for one.
    """

    sides: tuple[tuple[Player, ...], ...]
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.sides) == len(self.ranks) > 1:
            raise ValueError("there must be at least two sides, and one rank for each")
        if len(set(self.players)) < len(self.players):
            raise ValueError("a player cannot play twice in one match")

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(player for side in self.sides for player in side)

    def side_pairs(self) -> Iterator[tuple[tuple[Player, ...], tuple[Player, ...], float]]:
        """Yield all pairs of sides, with the score of the first against the second: 1, 0.5 or 0."""
        for (one, its), (other, theirs) in combinations(zip(self.sides, self.ranks, strict=True), 2):
            yield one, other, ((its < theirs) + (its <= theirs)) / 2


def finish_order_of(result: Result, sides: tuple[tuple[Player, ...], ...]) -> FinishOrder[Player] | None:
    """Return the finish order of a match, or None if it is void."""
    return None if result.kind is EndKind.VOID else FinishOrder(sides, result.side_ranks)


def pair_weight(sides: int) -> float:
    """Return the weight of each pair of sides in a match, relative to a match of two.

    A match of k sides has k (k - 1) / 2 pairs, but all follow from one order of finish. For equal players, the number
    of opponents that one is ahead of varies (k + 1) / 3 times as much as if each pair had been played separately, so
    each pair has the inverse of that as its weight.
    """
    return 3 / (sides + 1)
