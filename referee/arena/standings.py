"""The table: what everybody's matches add up to. Void matches count for nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt

from referee.arena.kept import Finish
from referee.core.result import Fault, share

CONFIDENT = 1.96
"""Standard deviations: nineteen times out of twenty, chance stays within."""


@dataclass(slots=True)
class Row:
    """One bot's matches."""

    name: str
    played: int = 0
    points: float = 0.0
    squares: float = 0.0
    """Of the points of each match."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    faults: Counter[Fault] = field(default_factory=Counter)
    points_in: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """By the label of the game."""

    @property
    def score(self) -> float:
        """Points a match: from 0 to 1."""
        return self.points / self.played

    @property
    def bounds(self) -> tuple[float, float]:
        """Wilson's interval: where its score in endless play lies, in 95 of 100 cases; within 0 and 1.

        With the spread of the points as they were. It is not empty for a bot that has won every match so far: three
        wins say less than three hundred.
        """
        spread = max(0.0, self.squares / self.played - self.score**2)
        unsure = CONFIDENT**2 / self.played
        middle = (self.score + unsure / 2) / (1 + unsure)
        half = CONFIDENT / (1 + unsure) * sqrt(spread / self.played + unsure / (4 * self.played))
        return max(0.0, middle - half), min(1.0, middle + half)

    def take(self, label: str, points: float) -> None:
        self.played += 1
        self.points += points
        self.squares += points**2
        self.points_in[label] += points


def standings(entrants: Iterable[str], finishes: Iterable[Finish]) -> list[Row]:
    """A row for each entrant, the best first."""
    rows = {name: Row(name) for name in entrants}
    for finish in finishes:
        for (name, fault), many in finish.faults.items():
            rows[name].faults[fault] += many
        if not finish.void:
            _score(rows, finish)
    return sorted(rows.values(), key=lambda row: (-row.score if row.played else 0.0, row.name))


def points(finish: Finish) -> dict[str, float]:
    """What each entrant gets: the share of its side, whatever the game's own scores were."""
    result = finish.result
    return {name: share(result.side_ranks, mine) for name, mine in zip(finish.seats, result.ranks, strict=True)}


def _score(rows: dict[str, Row], finish: Finish) -> None:
    first_alone = finish.result.side_ranks.count(1) == 1
    ranks = dict(zip(finish.seats, finish.result.ranks, strict=True))
    for name, got in points(finish).items():
        row = rows[name]
        row.take(finish.label, got)
        row.won += ranks[name] == 1 and first_alone
        row.drawn += ranks[name] == 1 and not first_alone
        row.lost += ranks[name] != 1
