"""What a tournament is played by, and what of it cannot be."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from engines.chance import Chance
from referee.contest.duplicate import Duplicate
from referee.contest.formats import Elimination, Format, Gauntlet, Model, Pools, RoundRobin, Swiss, Trial
from referee.contest.pairing import Places
from referee.contest.refusals import BadTerms
from referee.contest.tiebreak import TieBreak

OFTEN = 1000
"""The most rounds, cycles, or matches in a pairing; further than anybody plays, and near enough to be planned."""

SEATS = 8
"""The most at a table."""


class Seeding(Enum):
    ENTRY = "entry"
    RATING = "rating"
    LOT = "lot"


@dataclass(frozen=True, slots=True)
class Terms:
    """Raises BadTerms, which names the field and what would be right."""

    format: Format
    seed: bytes
    """All chance of the tournament: lots, the first colour, tables, starts."""
    tie_breaks: tuple[TieBreak, ...] | None = None
    """None: the format's own."""
    seeding: Seeding = Seeding.ENTRY
    matches_at_once: int | None = None
    late_entry_rounds: int = 0
    """Until which round entrants may still come in."""
    duplicate: Duplicate | None = None
    """Every pairing is played in sets. None: in single matches, but for a trial that counts sets."""

    def __post_init__(self) -> None:
        CHECKS[type(self.format)](self.format)
        _check_duplicate(self)
        if self.matches_at_once is not None:
            _at_least_one("matches_at_once", self.matches_at_once)
        if len(set(self.tie_breaks or ())) < len(self.tie_breaks or ()):
            raise BadTerms("tie_breaks", "name one twice; each can part only once")
        _check_late_entry(self)
        if isinstance(self.format, Trial) and self.seeding is not Seeding.ENTRY:
            raise BadTerms("seeding", "must be the order of entry: it is the first entrant that is tested")

    @property
    def chance(self) -> Chance:
        return Chance(self.seed)

    @property
    def sets(self) -> Duplicate | None:
        """How pairings are played in sets; None: they are not."""
        if self.duplicate is None and isinstance(self.format, Trial) and self.format.by_sets:
            return Duplicate(self.format.many_sides)
        return self.duplicate

    @property
    def arrangements(self) -> int:
        """How many matches a set has."""
        return self.sets.arrangements if self.sets else 1

    @property
    def matches(self) -> int:
        """In each pairing: whole sets."""
        return self._whole(self.format.matches if isinstance(self.format, Elimination) else 1)

    @property
    def extra(self) -> int:
        """In each pairing, while it is level: whole sets."""
        return self._whole(self.format.extra if isinstance(self.format, Elimination) else 0)

    def _whole(self, matches: int) -> int:
        return -(-matches // self.arrangements) * self.arrangements


def _check_round_robin(form: RoundRobin) -> None:
    _at_least_one("cycles", form.cycles)


def _check_swiss(form: Swiss) -> None:
    _at_least_one("rounds", form.rounds)


def _check_elimination(form: Elimination) -> None:
    _at_least_one("matches_per_pairing", form.matches)
    _within("extra_matches_at_most", form.extra, 0, OFTEN)


def _check_gauntlet(form: Gauntlet) -> None:
    if not form.challengers:
        raise BadTerms("challengers", "are nobody; name at least one entrant")
    if len(set(form.challengers)) < len(form.challengers):
        raise BadTerms("challengers", "name somebody twice")
    _at_least_one("cycles", form.cycles)


def _check_pools(form: Pools) -> None:
    _at_least_one("rounds", form.rounds)
    _check_table(form.at_a_table, form.sides)


def _check_trial(form: Trial) -> None:
    _check_table(form.at_a_table, form.sides)
    if form.test.matches_at_most is None and not form.decides:
        raise BadTerms("matches_at_most", "must be given: with more than two sides nothing else would end the test")


def _check_table(at_a_table: int, sides: Places) -> None:
    _within("seats at a table", at_a_table, 2, SEATS)
    if sides and sorted(place for side in sides for place in side) != list(range(at_a_table)):
        raise BadTerms("sides", "must hold every place at the table once")
    turned = {frozenset((place + 1) % at_a_table for place in side) for side in sides}
    if turned != {frozenset(side) for side in sides}:
        raise BadTerms("sides", "must be such that partners stay partners when everybody moves up one seat")


def _check_duplicate(terms: Terms) -> None:
    sets, form = terms.sets, terms.format
    if sets is None:
        return
    _within("arrangements", sets.arrangements, 2, form.at_a_table if isinstance(form, Pools | Trial) else 2)
    _within("number of openings", sets.openings, 0, OFTEN)
    if isinstance(form, Trial):
        _check_sets(form, sets)


def _check_sets(form: Trial, sets: Duplicate) -> None:
    if form.decides and form.model is Model.PENTANOMIAL and sets.arrangements != 2:
        raise BadTerms("arrangements", "must be 2 in a pentanomial test: it counts the points of two matches")
    if form.test.matches_at_most is not None and form.test.matches_at_most < sets.arrangements:
        raise BadTerms("matches_at_most", f"must be at least {sets.arrangements}: so many make a set")


def _check_late_entry(terms: Terms) -> None:
    if isinstance(terms.format, Swiss | Pools):
        _within("late_entry_rounds", terms.late_entry_rounds, 0, terms.format.rounds - 1)
    elif terms.late_entry_rounds:
        raise BadTerms("late_entry_rounds", "must be 0: only a Swiss and pools take entrants after the start")


def _at_least_one(field: str, number: int) -> None:
    _within(field, number, 1, OFTEN)


def _within(field: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise BadTerms(field, f"must be {least}" if least == most else f"must be from {least} to {most}")


CHECKS: dict[type[Format], Callable[[Any], None]] = {
    RoundRobin: _check_round_robin,
    Swiss: _check_swiss,
    Elimination: _check_elimination,
    Gauntlet: _check_gauntlet,
    Pools: _check_pools,
    Trial: _check_trial,
}
