"""What parts entrants with equal points.

The definitions are those of FIDE's C.07, the edition in force since 1 March 2026. Rounds not played follow
its article 16: to the opponents, a round off at the end counts as a draw; to oneself, a round not played is a
game against a dummy with one's own points, but no more than half a point a round, or than the opponent who
did not come has. Where everybody meets everybody (15.2), such a pairing counts as played.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from referee.contest.encounters import DRAW, Encounter, How, Table, exact, score


class TieBreak(Enum):
    BUCHHOLZ = "buchholz"
    MEDIAN_BUCHHOLZ = "median_buchholz"
    SONNEBORN_BERGER = "sonneborn_berger"
    DIRECT_ENCOUNTER = "direct_encounter"
    WINS = "wins"
    PROGRESSIVE = "progressive"


@dataclass(frozen=True, slots=True)
class Met:
    """One opponent, in somebody's eyes."""

    score: float
    points: float
    """Against it."""
    voluntary: bool = False
    """The round was given away."""


@dataclass(frozen=True, slots=True)
class Field:
    """A table, and whether everybody was to meet everybody from the start."""

    table: Table
    predetermined: bool = False

    def met(self, name: str) -> list[Met]:
        """Round by round, those it met, or the dummy in their place."""
        return [met for encounter in self.table[name] for met in self._met(name, encounter)]

    def _met(self, name: str, encounter: Encounter) -> list[Met]:
        if encounter.how is How.PLAYED or self.predetermined:
            return [Met(self._adjusted(other), points) for other, points in encounter.against]
        return [Met(self._dummy(name, encounter), encounter.points, encounter.how.voluntary)]

    def _adjusted(self, name: str) -> float:
        """The entrant's score in the eyes of those it met (16.3)."""
        encounters = self.table[name]
        if self.predetermined:
            return score(encounters)
        return exact(sum(DRAW if gone else it.points for it, gone in zip(encounters, _gone(encounters), strict=True)))

    def _dummy(self, name: str, encounter: Encounter) -> float:
        """16.4, with the limits of 2026."""
        if encounter.against:
            most = max(self._adjusted(other) for other in encounter.opponents)
        else:
            most = DRAW * len(self.table[name])
        return min(score(self.table[name]), most)


def buchholz(field: Field, name: str) -> float:
    """8.1: the sum of the opponents' scores."""
    return exact(sum(it.score for it in field.met(name)))


def median_buchholz(field: Field, name: str) -> float:
    """14.3: the same without the lowest and then the highest. Of rounds given away the lowest goes first (16.5)."""
    left = sorted(field.met(name), key=lambda it: it.score)
    if left:
        left.remove(next((it for it in left if it.voluntary), left[0]))
    return exact(sum(it.score for it in left[:-1]))


def sonneborn_berger(field: Field, name: str) -> float:
    """9.1: each opponent's score, times the points against it."""
    return exact(sum(it.score * it.points for it in field.met(name)))


def wins(field: Field, name: str) -> float:
    """7.2: won by playing."""
    return sum(encounter.wins for encounter in field.table[name])


def progressive(field: Field, name: str) -> float:
    """7.5: the sum of the scores after each round."""
    return exact(sum(accumulate(encounter.points for encounter in field.table[name])))


def direct_encounter(field: Field, name: str, tied: Sequence[str]) -> float:
    """6.1: the points among those who are tied; who met more than once counts the average."""
    return exact(sum(_between(field, name, other) or 0.0 for other in tied if other != name))


OF_ONE: dict[TieBreak, Callable[[Field, str], float]] = {
    TieBreak.BUCHHOLZ: buchholz,
    TieBreak.MEDIAN_BUCHHOLZ: median_buchholz,
    TieBreak.SONNEBORN_BERGER: sonneborn_berger,
    TieBreak.WINS: wins,
    TieBreak.PROGRESSIVE: progressive,
}


def value(tie_break: TieBreak, field: Field, name: str, tied: Sequence[str]) -> float:
    """The number that a table shows. `tied` are all with the same points, the entrant included."""
    if tie_break is TieBreak.DIRECT_ENCOUNTER:
        return direct_encounter(field, name, tied)
    return OF_ONE[tie_break](field, name)


def part(tie_break: TieBreak, field: Field, tied: Sequence[str]) -> list[list[str]]:
    """The tied in groups, the best first; who is in the same group is still tied."""
    if tie_break is TieBreak.DIRECT_ENCOUNTER:
        return _part_by_encounter(field, tied)
    of_one = OF_ONE[tie_break]
    return _grouped(tied, {name: of_one(field, name) for name in tied})


def _part_by_encounter(field: Field, tied: Sequence[str]) -> list[list[str]]:
    sums = {name: direct_encounter(field, name, tied) for name in tied}
    missing = {name: sum(_between(field, name, other) is None for other in tied if other != name) for name in tied}
    if any(missing.values()):
        return _part_by_what_is_certain(field, tied, sums, missing)
    groups = _grouped(tied, sums)
    if len(groups) == 1:
        return groups
    return [smaller for group in groups for smaller in _part_by_encounter(field, group)]


def _part_by_what_is_certain(
    field: Field, tied: Sequence[str], sums: dict[str, float], missing: dict[str, int]
) -> list[list[str]]:
    """6.3: who would be alone on top whatever the games not played had brought, is."""
    top = max(tied, key=lambda name: sums[name])
    rest = [name for name in tied if name != top]
    if not rest or any(sums[name] + missing[name] >= sums[top] for name in rest):
        return [list(tied)]
    return [[top], *_part_by_encounter(field, rest)]


def _between(field: Field, name: str, other: str) -> float | None:
    """The average of a match between two; None if they played none."""
    met = [
        (points, encounter.matches)
        for encounter in field.table[name]
        if encounter.how is How.PLAYED or field.predetermined
        for opponent, points in encounter.against
        if opponent == other
    ]
    return sum(points for points, _ in met) / sum(matches for _, matches in met) if met else None


def _grouped(tied: Sequence[str], values: dict[str, float]) -> list[list[str]]:
    return [[name for name in tied if values[name] == best] for best in sorted(set(values.values()), reverse=True)]


def _gone(encounters: Sequence[Encounter]) -> list[bool]:
    """Which rounds off were followed by no more play (16.2.5)."""
    last_there = max((number for number, it in enumerate(encounters) if not it.how.voluntary), default=-1)
    return [number > last_there and it.how in {How.EXCUSED, How.MISSED} for number, it in enumerate(encounters)]
