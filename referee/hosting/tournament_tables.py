"""Tables of tournaments: standings, cross table, exports, and the phase of a pairing.

Tables of a large tournament take seconds, so they are computed in a worker process, and cached for each state.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeVar, TypeVarTuple, Unpack

from msgspec import Struct
from referee_values import ExportFormat, PairingPhase

from referee.contests.contest_errors import TournamentNotStarted
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.elo import EloEstimate
from referee.contests.tables.round_result import build_cross_table as points_against
from referee.contests.tables.standings import StandingsRow
from referee.contests.tournament.state import Tournament
from referee.contests.tournament.tournament_export import estimate_strengths, to_csv, to_json
from referee.contests.tournament.trf import to_trf
from referee.hosting.tournament_state import TournamentState, pickle_parts
from referee.live.worker_pool import RunFunction

MAX_PAIRINGS_HERE = 100
"""Tables of up to that many pairings take some milliseconds, and are computed on the event loop."""

MAX_CPU_S = 120.0
"""CPU limit for one table."""

TABLES_CACHE_SIZE = 64

T = TypeVar("T")
Args = TypeVarTuple("Args")


class TournamentRow(Struct, frozen=True, gc=False):
    """One row of the standings of a tournament."""

    standing: StandingsRow
    forfeits: int
    estimate: EloEstimate | None
    """None: there are too few results."""
    no_shows: int = 0


class CrossTableCell(Struct, frozen=True, gc=False):
    opponent: str
    points: float
    match_ids: tuple[str, ...]
    """Matches that counted, in order."""
    no_shows: int = 0
    """Pairings that one of the two or both lost by absence."""


def phase_of(course: PairingProgress) -> PairingPhase:
    if course.is_done:
        return "done"
    return "playing" if course.matches_in_play else "planned"


class PairingFilter(Struct, frozen=True, gc=False):
    """Which pairings of a tournament to list; all conditions must hold."""

    round: int = 0
    entrant: str = ""
    phase: PairingPhase | None = None

    def matches(self, progress: PairingProgress) -> bool:
        pairing = progress.pairing
        return (
            self.round in (0, pairing.round)
            and (not self.entrant or self.entrant in pairing.entrants)
            and self.phase in (None, phase_of(progress))
        )


ANY_PAIRING = PairingFilter()


def rows(state: TournamentState, after_round: int = 0) -> list[TournamentRow]:
    """Return the standings, best first, now or after a round. For an SPRT trial see `Tournament.trial_state`.

    Raises TournamentNotStarted.
    """
    tournament = _started(state)
    until = after_round or None
    strengths, forfeits = estimate_strengths(tournament, until), tournament.pairings.forfeit_counts()
    no_shows = tournament.pairings.no_show_counts()
    return [
        TournamentRow(row, forfeits[row.entrant], strengths.get(row.entrant), no_shows[row.entrant])
        for row in tournament.standings(until)
    ]


def cross_table(state: TournamentState) -> list[tuple[str, list[CrossTableCell]]]:
    """Return what each entrant, best first, scored against each that it met. Raises TournamentNotStarted."""
    tournament = _started(state)
    names = [row.entrant for row in tournament.standings()]
    played, no_shows = _counted_matches(tournament), _count_no_shows(tournament)
    return [
        (
            name,
            [
                CrossTableCell(other, points, tuple(played.get(pair, ())), no_shows[pair])
                for other, points in zip(names, line, strict=True)
                if points is not None
                for pair in [frozenset((name, other))]
            ],
        )
        for name, line in zip(names, points_against(tournament.round_results(), names), strict=True)
    ]


class TournamentTables:
    """Computes tables of all tournaments, with an LRU cache."""

    def __init__(self, run: RunFunction) -> None:
        self._run = run
        self._cache: OrderedDict[tuple[object, ...], asyncio.Task[Any]] = OrderedDict()

    async def rows(self, state: TournamentState, after_round: int = 0) -> list[TournamentRow]:
        """See `rows`. Raises TournamentNotStarted."""
        past = after_round if after_round < _started(state).round else 0
        return await self._cached(rows, state, past)

    async def cross_table(self, state: TournamentState) -> list[tuple[str, list[CrossTableCell]]]:
        """See `cross_table`. Raises TournamentNotStarted."""
        _started(state)
        return await self._cached(cross_table, state)

    async def export(self, state: TournamentState, function: Callable[[TournamentState], str]) -> str:
        """Return the result of an export function. Raises TournamentNotStarted, or what the function raises."""
        _started(state)
        return await self._cached(function, state)

    async def _cached(
        self, function: Callable[[TournamentState, Unpack[Args]], T], state: TournamentState, *args: *Args
    ) -> T:
        """Return the result of a function of a state; calls at the same time share one computation."""
        key = function, state.contest, state.number, *args
        if key not in self._cache:
            task = asyncio.create_task(self._computed(function, state, *args))
            task.add_done_callback(lambda done: self._drop_failed(key, done))
            self._cache[key] = task
            if len(self._cache) > TABLES_CACHE_SIZE:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return await asyncio.shield(self._cache[key])

    async def _computed(
        self, function: Callable[[TournamentState, Unpack[Args]], T], state: TournamentState, *args: *Args
    ) -> T:
        if len(state.tournament.pairings) <= MAX_PAIRINGS_HERE:
            return function(state, *args)
        await pickle_parts(state.tournament)
        return await self._run(function, state, *args, max_cpu_s=MAX_CPU_S)

    def _drop_failed(self, key: tuple[object, ...], done: asyncio.Task[Any]) -> None:
        if done.cancelled() or done.exception():
            self._cache.pop(key, None)


def _started(state: TournamentState) -> Tournament:
    if state.tournament.phase == "entry":
        raise TournamentNotStarted(state.name)
    return state.tournament


def _counted_matches(tournament: Tournament) -> dict[frozenset[str], list[str]]:
    """Return the matches that counted, by pair of entrants."""
    found: dict[frozenset[str], list[str]] = {}
    for course in tournament.pairings.values():
        if course.pairing.round > tournament.main_rounds:
            continue  # The cross table has no points of a play-off.
        counted = [
            match_id
            for (number, attempt), match_id in sorted(course.match_ids.items())
            if number in course.scores and attempt == course.current_attempt(number)
        ]
        names = course.pairing.participants
        for pair in {frozenset((name, other)) for name in names for other in names if name != other}:
            found.setdefault(pair, []).extend(counted)
    return found


def _count_no_shows(tournament: Tournament) -> Counter[frozenset[str]]:
    """Return how many pairings of each pair of entrants were lost by absence."""
    return Counter(
        frozenset((name, other))
        for course in tournament.pairings.values()
        if course.absent and course.pairing.round <= tournament.main_rounds
        for name, other in combinations(course.pairing.participants, 2)
    )


def _csv(state: TournamentState) -> str:
    return to_csv(state.tournament)


def _json(state: TournamentState) -> str:
    return to_json(state.tournament)


def _trf(state: TournamentState) -> str:
    return to_trf(state.tournament, state.title)


EXPORTS: dict[ExportFormat, Callable[[TournamentState], str]] = {
    "csv": _csv,
    "json": _json,
    "trf": _trf,
}
