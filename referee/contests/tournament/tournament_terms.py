"""Terms of a tournament that affect pairings and tables: the contract's value with all defaults, and its validation."""

from math import isqrt

from msgspec import Struct
from msgspec.structs import replace
from referee_values import (
    DuplicatePlay,
    Elimination,
    Gauntlet,
    RoundRobin,
    Sprt,
    SprtModel,
    Swiss,
    TieBreak,
    TournamentTerms,
    normal,
)
from referee_values.value import Timestamp

from engines.chance import Chance
from referee.contests.contest_errors import BadTerms
from referee.contests.pairing import DuplicateSets, Sides
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.systems.schedule import gauntlet_cycle_length, round_robin_cycle_length, round_robin_place
from referee.match.match_terms import filled

MAX_REPETITIONS = 1000
"""Limit of rounds, cycles, and matches in a pairing."""

MAX_ENTRANTS = 1000
"""Limit of entrants in a tournament."""

MAX_SCHEDULED_PAIRINGS = 100_000
"""Approximate limit of pairings in a round robin or gauntlet."""

MAX_REQUESTED_BYES = 10
"""Limit of requested byes of an entrant."""

MAX_BOARDS = 8
"""Limit of boards of a team."""

MAX_TABLE_SIZE = 8
"""Limit of entrants at a table."""

MAX_WAIT_MS = 30 * 24 * 3_600_000
"""Limit of a wait or a break: 30 days."""

MAX_NO_SHOWS = 1_000


class Pools(Struct, frozen=True, gc=False):
    """Tables of several entrants, mixed anew in each round."""

    rounds: int
    at_a_table: int
    sides: Sides = ()
    """Partners, as positions at a table. Empty: each entrant plays alone."""


class SprtTrial(Struct, frozen=True, gc=False):
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
        return counts_sets(self.model, self.side_count)


TournamentFormat = RoundRobin | Swiss | Elimination | Gauntlet | Pools | SprtTrial
ScheduledFormat = RoundRobin | Gauntlet

FORMATS = ("round_robin", "swiss", "elimination", "gauntlet", "pools", "sprt")
USUAL_FORMATS = {
    "round_robin": RoundRobin(cycles=1),
    "elimination": Elimination(matches_per_pairing=1, max_extra_matches=2),
    "gauntlet": Gauntlet(cycles=1),
    "sprt": Sprt(alpha=0.05, beta=0.05, model="pentanomial"),
}
DEFAULT_TIE_BREAKS: dict[str, tuple[TieBreak, ...]] = {
    "round_robin": ("direct_encounter", "sonneborn_berger", "wins"),
    "swiss": ("buchholz", "median_buchholz", "sonneborn_berger", "direct_encounter"),
    "gauntlet": ("sonneborn_berger", "wins"),
    "pools": ("wins", "buchholz"),
}
TEAM_TIE_BREAKS: tuple[TieBreak, ...] = ("board_points", "buchholz", "sonneborn_berger", "direct_encounter")
"""Default of tournaments of teams."""
USUAL = TournamentTerms(seeding="entry_order", partner_rule="individual", no_show_ms=600_000, max_no_shows=2)


def complete_terms(given: TournamentTerms, sides: int) -> TournamentTerms:
    """Return the terms with every default filled in, for a game with that many sides. Raises BadTerms."""
    kind = kind_of_format(given)
    usual = replace(
        USUAL,
        **{kind: USUAL_FORMATS.get(kind)},
        tie_breaks=TEAM_TIE_BREAKS if given.boards else DEFAULT_TIE_BREAKS.get(kind, ()),
        no_show_ms=0 if given.sprt else USUAL.no_show_ms,
    )
    completed = filled(given, usual)
    if completed.duplicate_play or (completed.sprt and counts_sets(completed.sprt.model, sides)):
        sets = filled(completed.duplicate_play or DuplicatePlay(), DuplicatePlay(arrangements=sides))
        completed = replace(completed, duplicate_play=sets)
    return normal(completed)


def kind_of_format(terms: TournamentTerms) -> str:
    """Return the name of the field that holds the format. Raises BadTerms."""
    kinds = [kind for kind in FORMATS if getattr(terms, kind) is not None]
    if len(kinds) != 1:
        raise BadTerms("format", f"must be one of {', '.join(FORMATS)}")
    return kinds[0]


def counts_sets(model: SprtModel, sides: int) -> bool:
    """Return whether an SPRT counts sets rather than single matches."""
    return model == "pentanomial" or sides != 2


def cycle_length(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of rounds in one cycle."""
    if isinstance(form, RoundRobin):
        return round_robin_cycle_length(entrants)
    return gauntlet_cycle_length(entrants, len(set(form.challengers)))


def place_in_schedule(form: ScheduledFormat, entrants: int, number: int) -> tuple[int, int]:
    """Return the cycle of a round, and which of the rounds of every cycle it is, both from 0."""
    if isinstance(form, RoundRobin):
        return round_robin_place(entrants, number, form.cycles)
    return divmod(number - 1, cycle_length(form, entrants))


class TournamentPlayTerms(Struct, frozen=True, gc=False):
    """The terms of a tournament as they are played. The constructor raises BadTerms, or BadSprt."""

    value: TournamentTerms
    """With every default filled in, but without the terms of its matches."""
    seed: bytes
    """Source of all randomness of the tournament: lots, the first colour, tables, starts of matches."""
    at_a_table: int = 2
    """Number of places at the tables of pools and of an SPRT."""
    sides: Sides = ()
    """Partners there, as positions at a table. Empty: each place is a side."""

    def __post_init__(self) -> None:
        form, value = self.format, self.value
        _check_format(form)
        _check_duplicate(self)
        if value.max_entrants:
            _check_range("max_entrants", value.max_entrants, self.min_entrants, MAX_ENTRANTS)
        _check_range("max_concurrent_matches", value.max_concurrent_matches, 0, MAX_REPETITIONS)
        _check_tie_breaks(value)
        _check_times(value)
        _check_swiss_terms(value)
        _check_play_off(value)
        _check_late_entry(value)
        _check_teams(value)
        if isinstance(form, SprtTrial):
            _check_trial_terms(value)

    @property
    def format(self) -> TournamentFormat:
        if self.value.pools:
            return Pools(self.value.pools.rounds, self.at_a_table, self.sides)
        if self.value.sprt:
            return _trial(self.value.sprt, self.at_a_table, self.sides)
        form: TournamentFormat = getattr(self.value, kind_of_format(self.value))
        return form

    @property
    def min_entrants(self) -> int:
        """How many entrants it takes to start."""
        form = self.format
        return form.at_a_table if isinstance(form, Pools) else form.rounds + 1 if isinstance(form, Swiss) else 2

    @property
    def max_entrants(self) -> int:
        form, most = self.format, self.value.max_entrants or MAX_ENTRANTS
        if isinstance(form, RoundRobin | Gauntlet):
            matches = form.cycles * (self.value.boards or 1)
            return max(2, min(most, isqrt(2 * MAX_SCHEDULED_PAIRINGS // matches)))
        return 2 if isinstance(form, SprtTrial) else most

    @property
    def max_concurrent_matches(self) -> int | None:
        return self.value.max_concurrent_matches or None

    @property
    def no_show_ms(self) -> int:
        """How long a pairing waits for an absent entrant, which then loses it. 0: for ever."""
        return self.value.no_show_ms or 0

    @property
    def chance(self) -> Chance:
        return Chance(self.seed)

    @property
    def starts_at_ms(self) -> int:
        """When the tournament starts by itself. 0: when the organiser starts it."""
        return _unix_ms(self.value.starts_at)

    @property
    def entries_close_at_ms(self) -> int:
        """When entries close. 0: at the start, or later if the terms allow late entry."""
        return _unix_ms(self.value.entries_close_at)

    @property
    def duplicate_sets(self) -> DuplicateSets | None:
        """How pairings are played in sets, including those of a trial. None: single matches."""
        sets = self.value.duplicate_play
        return DuplicateSets(sets.arrangements, len(sets.openings)) if sets else None

    @property
    def set_size(self) -> int:
        """Matches in each set. 1: no duplicate play."""
        return self.value.duplicate_play.arrangements if self.value.duplicate_play else 1

    @property
    def matches_per_pairing(self) -> int:
        """Rounded up to whole sets. Two teams play one match on each board."""
        if self.value.boards:
            return self.value.boards
        return self._whole_sets(self.value.elimination.matches_per_pairing if self.value.elimination else 1)

    @property
    def max_extra_matches(self) -> int:
        """Further matches of a level pairing, rounded up to whole sets."""
        return self._whole_sets(self.value.elimination.max_extra_matches or 0 if self.value.elimination else 0)

    def _whole_sets(self, matches: int) -> int:
        return -(-matches // self.set_size) * self.set_size


def _trial(sprt: Sprt, at_a_table: int, sides: Sides) -> SprtTrial:
    test = SprtParameters(sprt.elo1, sprt.elo0, sprt.alpha, sprt.beta, sprt.max_matches or None)
    return SprtTrial(test, sprt.model, at_a_table, sides)


def _unix_ms(time: Timestamp | None) -> int:
    return int(time.replace(microsecond=0).timestamp()) * 1000 + time.microsecond // 1000 if time else 0


def _check_format(form: TournamentFormat) -> None:
    if isinstance(form, RoundRobin | Gauntlet):
        _check_range("cycles", form.cycles, 1, MAX_REPETITIONS)
    if isinstance(form, Swiss | Pools):
        _check_range("rounds", form.rounds, 1, MAX_REPETITIONS)
    if isinstance(form, Pools | SprtTrial):
        _check_table(form.at_a_table, form.sides)
    if isinstance(form, Elimination):
        _check_range("matches_per_pairing", form.matches_per_pairing, 1, MAX_REPETITIONS)
        _check_range("max_extra_matches", form.max_extra_matches or 0, 0, MAX_REPETITIONS)
    if isinstance(form, Gauntlet) and not form.challengers:
        raise BadTerms("challengers", "are empty; name at least one entrant")
    if isinstance(form, Gauntlet) and len(set(form.challengers)) < len(form.challengers):
        raise BadTerms("challengers", "contain a repetition")
    if isinstance(form, SprtTrial) and form.test.max_matches is None and not form.has_verdict:
        raise BadTerms("max_matches", "must be given: with more than two sides nothing else ends the test")


def _check_trial_terms(terms: TournamentTerms) -> None:
    if terms.seeding != "entry_order":
        raise BadTerms("seeding", "must be the order of entry: the first entrant is the one that is tested")
    if terms.no_show_ms:
        raise BadTerms("no_show_ms", "must be 0: a test waits for its two entrants")
    if terms.round_break_ms:
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
        if isinstance(form, SprtTrial) and form.counts_sets:
            raise BadTerms("duplicate_play", "must be given in a test that counts sets")
        return
    _check_range("arrangements", sets.arrangements, 2, form.at_a_table if isinstance(form, Pools | SprtTrial) else 2)
    _check_range("number of openings", sets.openings, 0, MAX_REPETITIONS)
    if isinstance(form, SprtTrial):
        _check_sets(form, sets)


def _check_sets(form: SprtTrial, sets: DuplicateSets) -> None:
    if form.has_verdict and form.counts_sets and sets.arrangements != 2:
        raise BadTerms("arrangements", "must be 2 in a pentanomial test, which counts the points of two matches")
    if form.test.max_matches is not None and form.test.max_matches < sets.arrangements:
        raise BadTerms("max_matches", f"must be at least {sets.arrangements}, the size of a set")


def _check_teams(terms: TournamentTerms) -> None:
    if not terms.boards:
        if "board_points" in terms.tie_breaks:
            raise BadTerms("tie_breaks", "contain board points; only teams have them")
        return
    _check_range("boards", terms.boards, 2, MAX_BOARDS)
    if "koya" in terms.tie_breaks:
        raise BadTerms("tie_breaks", "contain koya, which is not defined for teams")
    if not (terms.swiss or terms.round_robin):
        raise BadTerms("boards", "must be 0: teams play only Swiss and round robin tournaments")
    if terms.duplicate_play:
        raise BadTerms("boards", "must be 0 in duplicate play: two teams play one match on each board")


def _check_tie_breaks(terms: TournamentTerms) -> None:
    if "" in terms.tie_breaks:
        raise BadTerms("tie_breaks", "contain an unspecified one; name each")
    if len(set(terms.tie_breaks)) < len(terms.tie_breaks):
        raise BadTerms("tie_breaks", "contain a repetition; each can be used only once")
    if "koya" in terms.tie_breaks and not terms.round_robin:
        raise BadTerms("tie_breaks", "contain koya, which is defined only for a round robin")


def _check_times(terms: TournamentTerms) -> None:
    _check_range("no_show_ms", terms.no_show_ms or 0, 0, MAX_WAIT_MS)
    _check_range("max_no_shows", terms.max_no_shows, 1, MAX_NO_SHOWS)
    _check_range("round_break_ms", terms.round_break_ms, 0, MAX_WAIT_MS)
    for field in ("starts_at", "entries_close_at"):
        if _unix_ms(getattr(terms, field)) < 0:
            raise BadTerms(field, "must be a time between the years 1970 and 9999")


def _check_swiss_terms(terms: TournamentTerms) -> None:
    _check_range("max_requested_byes", terms.max_requested_byes, 0, MAX_REQUESTED_BYES)
    for field in ("forbidden_pairs", "max_requested_byes"):
        if getattr(terms, field) and not terms.swiss:
            raise BadTerms(field, "are only for Swiss tournaments")
    if any(pair.first == pair.second for pair in terms.forbidden_pairs):
        raise BadTerms("forbidden_pairs", "contain an entrant with itself; name two")


def _check_play_off(terms: TournamentTerms) -> None:
    if not terms.play_off_entrants:
        return
    _check_range("play_off_entrants", terms.play_off_entrants, 2, MAX_TABLE_SIZE)
    if terms.boards or not (terms.swiss or terms.round_robin):
        raise BadTerms("play_off_entrants", "must be 0: only Swiss and round robins of single entrants have a play-off")


def _check_late_entry(terms: TournamentTerms) -> None:
    if form := terms.swiss or terms.pools:
        _check_range("last_entry_round", terms.last_entry_round, 0, form.rounds - 1)
    elif terms.last_entry_round:
        raise BadTerms("last_entry_round", "must be 0: only Swiss and pools allow entry after the start")


def _check_range(field: str, number: int, lower: int, upper: int) -> None:
    if not lower <= number <= upper:
        raise BadTerms(field, f"must be {lower}" if lower == upper else f"must be from {lower} to {upper}")
