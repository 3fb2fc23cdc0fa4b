"""Terms of a tournament that affect pairings and tables: its format with all options, and their validation."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from referee_values import Seeding, SprtModel, TieBreak

from engines.chance import Chance
from referee.contests.contest_errors import BadTerms
from referee.contests.pairing import DuplicateSets, Sides
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.systems.schedule import gauntlet_cycle_length, round_robin_cycle_length, round_robin_place
from referee.contests.tournament.tournament_times import NO_TIMES, TournamentTimes


class RoundRobin(Struct, frozen=True, gc=False, tag_field="kind", tag="round_robin"):
    """Every entrant meets every other one."""

    cycles: int = 1

    def cycle_length(self, entrants: int) -> int:
        """Return the number of rounds in one cycle."""
        return round_robin_cycle_length(entrants)

    def place_in_schedule(self, entrants: int, number: int) -> tuple[int, int]:
        """Return the cycle of a round, and which of the rounds of every cycle it is, both from 0."""
        return round_robin_place(entrants, number, self.cycles)


class Swiss(Struct, frozen=True, gc=False, tag_field="kind", tag="swiss"):
    """In each round, entrants with similar points meet. No two meet twice."""

    rounds: int
    accelerated: bool = False
    """Whether the better half of the seeds has virtual points in the first half of the rounds (FIDE, Baku)."""


class Elimination(Struct, frozen=True, gc=False, tag_field="kind", tag="elimination"):
    """A single or double knock-out."""

    twice: bool = False
    """Whether an entrant is out after two losses rather than one."""
    matches: int = 1
    """Matches in each pairing. In duplicate play, this and `max_extra_matches` are rounded up to whole sets."""
    max_extra_matches: int = 2
    """Maximum number of further matches while a pairing is level. Then the better seed advances."""
    third_place: bool = False


class Gauntlet(Struct, frozen=True, gc=False, tag_field="kind", tag="gauntlet"):
    """The challengers meet all other entrants, who do not meet each other."""

    challengers: tuple[str, ...]
    cycles: int = 1

    def cycle_length(self, entrants: int) -> int:
        """Return the number of rounds in one cycle."""
        return gauntlet_cycle_length(entrants, len(set(self.challengers)))

    def place_in_schedule(self, entrants: int, number: int) -> tuple[int, int]:
        """Return the cycle of a round, and which of the rounds of every cycle it is, both from 0."""
        return divmod(number - 1, self.cycle_length(entrants))


class Pools(Struct, frozen=True, gc=False, tag_field="kind", tag="pools"):
    """Tables of several entrants, mixed anew in each round."""

    rounds: int
    at_a_table: int
    sides: Sides = ()
    """Partners, as positions at a table. Empty: each entrant plays alone."""


class SprtTrial(Struct, frozen=True, gc=False, tag_field="kind", tag="trial"):
    """Two entrants play set after set until a sequential test shows whether the first is better than the second.

    In a game with more than two sides, the first entrant holds one side and the second all others. Then there is no
    verdict; only the difference in strength is estimated.
    """

    test: SprtParameters
    model: SprtModel = "pentanomial"
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
        return self.model == "pentanomial" or not self.has_verdict


TournamentFormat = RoundRobin | Swiss | Elimination | Gauntlet | Pools | SprtTrial

DEFAULT_TIE_BREAKS: dict[type[TournamentFormat], tuple[TieBreak, ...]] = {
    RoundRobin: ("direct_encounter", "sonneborn_berger", "wins"),
    Swiss: ("buchholz", "median_buchholz", "sonneborn_berger", "direct_encounter"),
    Elimination: (),
    Gauntlet: ("sonneborn_berger", "wins"),
    Pools: ("wins", "buchholz"),
    SprtTrial: (),
}

TEAM_TIE_BREAKS: tuple[TieBreak, ...] = ("board_points", "buchholz", "sonneborn_berger", "direct_encounter")
"""Default of tournaments of teams."""


ScheduledFormat = RoundRobin | Gauntlet


MAX_REPETITIONS = 1000
"""Limit of rounds, cycles, and matches in a pairing."""

MAX_REQUESTED_BYES = 10
"""Limit of requested byes of an entrant."""

MAX_BOARDS = 8
"""Limit of boards of a team."""

MAX_TABLE_SIZE = 8
"""Limit of entrants at a table."""


class TournamentPlayTerms(Struct, frozen=True, gc=False):
    """A format with its options. The constructor raises BadTerms, which names the field and what would be valid."""

    format: TournamentFormat
    seed: bytes
    """Source of all randomness of the tournament: lots, the first colour, tables, starts of matches."""
    tie_breaks: tuple[TieBreak, ...] | None = None
    """None: the default of the format."""
    seeding: Seeding = "entry_order"
    max_concurrent_matches: int | None = None
    last_entry_round: int = 0
    """The last round before which entrants may still enter."""
    duplicate: DuplicateSets | None = None
    """How pairings are played in sets. None: single matches, except in a trial that counts sets."""
    times: TournamentTimes = NO_TIMES
    boards: int = 0
    """Number of boards of each team, which brings a bot for each. 0: the entrants are no teams."""
    forbidden_pairs: tuple[tuple[str, str], ...] = ()
    """Entrants that never meet."""
    max_requested_byes: int = 0
    """Limit of byes that an entrant may request."""
    play_off_entrants: int = 0
    """Limit of entrants of a play-off. 0: there is none."""

    def __post_init__(self) -> None:
        CHECKS[type(self.format)](self.format)
        _check_duplicate(self)
        if self.max_concurrent_matches is not None:
            _check_positive("max_concurrent_matches", self.max_concurrent_matches)
        if len(set(self.tie_breaks or ())) < len(self.tie_breaks or ()):
            raise BadTerms("tie_breaks", "contain a repetition; each can be used only once")
        if "koya" in (self.tie_breaks or ()) and not isinstance(self.format, RoundRobin):
            raise BadTerms("tie_breaks", "contain koya, which is defined only for a round robin")
        _check_swiss_terms(self)
        _check_play_off(self)
        _check_late_entry(self)
        _check_teams(self)
        if isinstance(self.format, SprtTrial):
            _check_trial_terms(self)

    @property
    def chance(self) -> Chance:
        return Chance(self.seed)

    @property
    def duplicate_sets(self) -> DuplicateSets | None:
        """How pairings are played in sets, including those of a trial. None: single matches."""
        if self.duplicate is None and isinstance(self.format, SprtTrial) and self.format.counts_sets:
            return DuplicateSets(self.format.side_count)
        return self.duplicate

    @property
    def set_size(self) -> int:
        """Matches in each set. 1: no duplicate play."""
        return self.duplicate_sets.arrangements if self.duplicate_sets else 1

    @property
    def matches_per_pairing(self) -> int:
        """Rounded up to whole sets. Two teams play one match on each board."""
        if self.boards:
            return self.boards
        return self._whole_sets(self.format.matches if isinstance(self.format, Elimination) else 1)

    @property
    def max_extra_matches(self) -> int:
        """Further matches of a level pairing, rounded up to whole sets."""
        return self._whole_sets(self.format.max_extra_matches if isinstance(self.format, Elimination) else 0)

    def _whole_sets(self, matches: int) -> int:
        return -(-matches // self.set_size) * self.set_size


def _check_round_robin(form: RoundRobin) -> None:
    _check_positive("cycles", form.cycles)


def _check_swiss(form: Swiss) -> None:
    _check_positive("rounds", form.rounds)


def _check_elimination(form: Elimination) -> None:
    _check_positive("matches_per_pairing", form.matches)
    _check_range("max_extra_matches", form.max_extra_matches, 0, MAX_REPETITIONS)


def _check_gauntlet(form: Gauntlet) -> None:
    if not form.challengers:
        raise BadTerms("challengers", "are empty; name at least one entrant")
    if len(set(form.challengers)) < len(form.challengers):
        raise BadTerms("challengers", "contain a repetition")
    _check_positive("cycles", form.cycles)


def _check_pools(form: Pools) -> None:
    _check_positive("rounds", form.rounds)
    _check_table(form.at_a_table, form.sides)


def _check_trial(form: SprtTrial) -> None:
    _check_table(form.at_a_table, form.sides)
    if form.test.max_matches is None and not form.has_verdict:
        raise BadTerms("max_matches", "must be given: with more than two sides nothing else ends the test")


def _check_trial_terms(terms: TournamentPlayTerms) -> None:
    if terms.seeding != "entry_order":
        raise BadTerms("seeding", "must be the order of entry: the first entrant is the one that is tested")
    if terms.times.no_show_ms:
        raise BadTerms("no_show_ms", "must be 0: a test waits for its two entrants")
    if terms.times.round_break_ms:
        raise BadTerms("round_break_ms", "must be 0: a test has no rounds")


def _check_table(at_a_table: int, sides: Sides) -> None:
    _check_range("seats at a table", at_a_table, 2, MAX_TABLE_SIZE)
    if sides and sorted(place for side in sides for place in side) != list(range(at_a_table)):
        raise BadTerms("sides", "must contain each seat exactly once")
    rotated = {frozenset((place + 1) % at_a_table for place in side) for side in sides}
    if rotated != {frozenset(side) for side in sides}:
        raise BadTerms("sides", "must remain the same sides when all entrants move up one seat")


def _check_duplicate(terms: TournamentPlayTerms) -> None:
    sets, form = terms.duplicate_sets, terms.format
    if sets is None:
        return
    _check_range("arrangements", sets.arrangements, 2, form.at_a_table if isinstance(form, Pools | SprtTrial) else 2)
    _check_range("number of openings", sets.openings, 0, MAX_REPETITIONS)
    if isinstance(form, SprtTrial):
        _check_sets(form, sets)


def _check_sets(form: SprtTrial, sets: DuplicateSets) -> None:
    if form.has_verdict and form.model == "pentanomial" and sets.arrangements != 2:
        raise BadTerms("arrangements", "must be 2 in a pentanomial test, which counts the points of two matches")
    if form.test.max_matches is not None and form.test.max_matches < sets.arrangements:
        raise BadTerms("max_matches", f"must be at least {sets.arrangements}, the size of a set")


def _check_teams(terms: TournamentPlayTerms) -> None:
    if not terms.boards:
        if "board_points" in (terms.tie_breaks or ()):
            raise BadTerms("tie_breaks", "contain board points; only teams have them")
        return
    _check_range("boards", terms.boards, 2, MAX_BOARDS)
    if "koya" in (terms.tie_breaks or ()):
        raise BadTerms("tie_breaks", "contain koya, which is not defined for teams")
    if not isinstance(terms.format, Swiss | RoundRobin):
        raise BadTerms("boards", "must be 0: teams play only Swiss and round robin tournaments")
    if terms.duplicate:
        raise BadTerms("boards", "must be 0 in duplicate play: two teams play one match on each board")


def _check_swiss_terms(terms: TournamentPlayTerms) -> None:
    _check_range("max_requested_byes", terms.max_requested_byes, 0, MAX_REQUESTED_BYES)
    for field in ("forbidden_pairs", "max_requested_byes"):
        if getattr(terms, field) and not isinstance(terms.format, Swiss):
            raise BadTerms(field, "are only for Swiss tournaments")
    if any(one == other for one, other in terms.forbidden_pairs):
        raise BadTerms("forbidden_pairs", "contain an entrant with itself; name two")


def _check_play_off(terms: TournamentPlayTerms) -> None:
    if not terms.play_off_entrants:
        return
    _check_range("play_off_entrants", terms.play_off_entrants, 2, MAX_TABLE_SIZE)
    if terms.boards or not isinstance(terms.format, Swiss | RoundRobin):
        raise BadTerms("play_off_entrants", "must be 0: only Swiss and round robins of single entrants have a play-off")


def _check_late_entry(terms: TournamentPlayTerms) -> None:
    if isinstance(terms.format, Swiss | Pools):
        _check_range("last_entry_round", terms.last_entry_round, 0, terms.format.rounds - 1)
    elif terms.last_entry_round:
        raise BadTerms("last_entry_round", "must be 0: only Swiss and pools allow entry after the start")


def _check_positive(field: str, number: int) -> None:
    _check_range(field, number, 1, MAX_REPETITIONS)


def _check_range(field: str, number: int, lower: int, upper: int) -> None:
    if not lower <= number <= upper:
        raise BadTerms(field, f"must be {lower}" if lower == upper else f"must be from {lower} to {upper}")


CHECKS: dict[type[TournamentFormat], Callable[[Any], None]] = {
    RoundRobin: _check_round_robin,
    Swiss: _check_swiss,
    Elimination: _check_elimination,
    Gauntlet: _check_gauntlet,
    Pools: _check_pools,
    SprtTrial: _check_trial,
}
"""Validation of each format."""
