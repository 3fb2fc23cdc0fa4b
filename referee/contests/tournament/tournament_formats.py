"""Formats of tournaments, and the schedules of those formats whose pairings are known from the start."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from referee.contests.pairing import Pairing, Sides
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.systems.schedule import (
    gauntlet_cycle_length,
    gauntlet_pairings,
    round_robin_cycle_length,
    round_robin_pairings,
)
from referee.contests.tables.standings import TieBreak


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every entrant meets every other one."""

    cycles: int = 1


@dataclass(frozen=True, slots=True)
class Swiss:
    """In each round, entrants with similar points meet. No two meet twice."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Elimination:
    """A single or double knock-out."""

    twice: bool = False
    """Whether an entrant is out after two losses rather than one."""
    matches: int = 1
    """Matches in each pairing. In duplicate play, this and `extra` are rounded up to whole sets."""
    extra: int = 2
    """Maximum number of further matches while a pairing is level. Then the better seed advances."""
    third_place: bool = False


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The challengers meet all other entrants, who do not meet each other."""

    challengers: tuple[str, ...]
    cycles: int = 1


@dataclass(frozen=True, slots=True)
class Pools:
    """Tables of several entrants, mixed anew in each round."""

    rounds: int
    at_a_table: int
    sides: Sides = ()
    """Partners, as positions at a table. Empty: each entrant plays alone."""


class OutcomeModel(Enum):
    """What an SPRT trial counts."""

    TRINOMIAL = "trinomial"
    """Single matches: lost, drawn, won."""
    PENTANOMIAL = "pentanomial"
    """Sets of two matches with the seats exchanged: 0, 0.5, 1, 1.5 or 2 points."""


@dataclass(frozen=True, slots=True)
class SprtTrial:
    """Two entrants play set after set until a sequential test shows whether the first is better than the second.

    In a game with more than two sides, the first entrant holds one side and the second all others. Then there is no
    verdict; only the difference in strength is estimated.
    """

    test: SprtParameters
    model: OutcomeModel = OutcomeModel.PENTANOMIAL
    at_a_table: int = 2
    sides: Sides = ()
    """Partners, as positions at a table. Empty: each seat is a side."""

    @property
    def side_count(self) -> int:
        return len(self.sides) or self.at_a_table

    @property
    def has_verdict(self) -> bool:
        """Whether the test can be decided, which takes exactly two sides."""
        return self.side_count == 2

    @property
    def counts_sets(self) -> bool:
        """Whether sets are counted rather than single matches."""
        return self.model is OutcomeModel.PENTANOMIAL or not self.has_verdict


TournamentFormat = RoundRobin | Swiss | Elimination | Gauntlet | Pools | SprtTrial

DEFAULT_TIE_BREAKS: dict[type[TournamentFormat], tuple[TieBreak, ...]] = {
    RoundRobin: (TieBreak.DIRECT_ENCOUNTER, TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
    Swiss: (TieBreak.BUCHHOLZ, TieBreak.MEDIAN_BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.DIRECT_ENCOUNTER),
    Elimination: (),
    Gauntlet: (TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
    Pools: (TieBreak.WINS, TieBreak.BUCHHOLZ),
    SprtTrial: (),
}


ScheduledFormat = RoundRobin | Gauntlet


def cycle_length(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of rounds in one cycle."""
    if isinstance(form, RoundRobin):
        return round_robin_cycle_length(entrants)
    return gauntlet_cycle_length(entrants, len(set(form.challengers)))


def count_rounds(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of rounds in all cycles."""
    return form.cycles * cycle_length(form, entrants)


def count_pairings(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of pairings in all cycles."""
    if isinstance(form, RoundRobin):
        return form.cycles * entrants * (entrants - 1) // 2
    challengers = len(set(form.challengers))
    return form.cycles * challengers * (entrants - challengers)


def schedule_round(form: ScheduledFormat, entrants: Sequence[str], number: int) -> list[Pairing]:
    """Return the pairings of a round, at least one. Rounds count from 1."""
    if isinstance(form, RoundRobin):
        return round_robin_pairings(entrants, number)
    return gauntlet_pairings(entrants, form.challengers, number)
