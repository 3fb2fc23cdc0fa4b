"""Tables of tournaments: standings, cross table, export, and the phase of a pairing.

Those of a large tournament take seconds: they are computed outside of the event loop, once for each state.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar, TypeVarTuple, Unpack

from referee.app.contests.held import Held
from referee.app.contests.refusals import TournamentNotStarted
from referee.app.contests.sending import pickle_parts
from referee.app.worker_pool import Run
from referee.contest.cross_table import cross_table as points_against
from referee.contest.estimate import Estimate
from referee.contest.estimates import estimates
from referee.contest.pairing import Course
from referee.contest.standings import Standing
from referee.contest.tournament import Phase, Tournament

MAX_PAIRINGS_HERE = 100
"""The tables of a tournament of so many pairings take some milliseconds; the event loop computes them itself."""

MAX_CPU_S = 120.0
"""For one table."""

TABLES_CACHE_SIZE = 64

T = TypeVar("T")
Args = TypeVarTuple("Args")


class PairingPhase(Enum):
    PLANNED = "planned"
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a tournament's table."""

    standing: Standing
    forfeits: int
    estimate: Estimate | None
    """None while there are too few results."""


@dataclass(frozen=True, slots=True)
class Cell:
    opponent: str
    points: float
    match_ids: tuple[str, ...]
    """In order; void ones are left out."""


def phase_of(course: Course) -> PairingPhase:
    if course.done:
        return PairingPhase.DONE
    return PairingPhase.PLAYING if course.playing else PairingPhase.PLANNED


def rows(held: Held, after_round: int = 0) -> list[Row]:
    """The table, the best first: now, or after a round. `held.tournament.test` says how an SPRT stands.

    Raises TournamentNotStarted.
    """
    tournament = _begun(held)
    until = after_round or None
    strengths, forfeits = estimates(tournament, until), tournament.forfeits()
    return [Row(row, forfeits[row.entrant], strengths.get(row.entrant)) for row in tournament.standings(until)]


def cross_table(held: Held) -> list[tuple[str, list[Cell]]]:
    """For each entrant, the best first, what it scored against each that it met. Raises TournamentNotStarted."""
    tournament = _begun(held)
    names = [row.entrant for row in tournament.standings()]
    played = _played(tournament)
    return [
        (
            name,
            [
                Cell(other, points, tuple(played.get(frozenset((name, other)), ())))
                for other, points in zip(names, line, strict=True)
                if points is not None
            ],
        )
        for name, line in zip(names, points_against(tournament.table(), names), strict=True)
    ]


class TournamentTables:
    """The tables of all tournaments of a process, with a cache of the latest ones."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._cache: OrderedDict[tuple[object, ...], asyncio.Task[Any]] = OrderedDict()

    async def rows(self, held: Held, after_round: int = 0) -> list[Row]:
        """See `rows`. Raises TournamentNotStarted."""
        past = after_round if after_round < _begun(held).round else 0
        return await self._cached(rows, held, past)

    async def cross_table(self, held: Held) -> list[tuple[str, list[Cell]]]:
        """See `cross_table`. Raises TournamentNotStarted."""
        _begun(held)
        return await self._cached(cross_table, held)

    async def export(self, held: Held, function: Callable[[Held], str]) -> str:
        """A report of a tournament. Raises TournamentNotStarted, or what the function raises."""
        _begun(held)
        return await self._cached(function, held)

    async def _cached(self, function: Callable[[Held, Unpack[Args]], T], held: Held, *args: *Args) -> T:
        """The result of a function of a state, computed once for all who ask while it is in the cache."""
        key = function, held.contest, held.number, *args
        if key not in self._cache:
            task = asyncio.create_task(self._computed(function, held, *args))
            task.add_done_callback(lambda done: self._drop_failed(key, done))
            self._cache[key] = task
            if len(self._cache) > TABLES_CACHE_SIZE:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return await asyncio.shield(self._cache[key])

    async def _computed(self, function: Callable[[Held, Unpack[Args]], T], held: Held, *args: *Args) -> T:
        if len(held.tournament.courses) <= MAX_PAIRINGS_HERE:
            return function(held, *args)
        await pickle_parts(held.tournament)
        return await self._run(function, held, *args, max_cpu_s=MAX_CPU_S)

    def _drop_failed(self, key: tuple[object, ...], done: asyncio.Task[Any]) -> None:
        if done.cancelled() or done.exception():
            self._cache.pop(key, None)


def _begun(held: Held) -> Tournament:
    if held.tournament.phase is Phase.ENTRY:
        raise TournamentNotStarted(held.name)
    return held.tournament


def _played(tournament: Tournament) -> dict[frozenset[str], list[str]]:
    """The matches that counted, by the two who met."""
    found: dict[frozenset[str], list[str]] = {}
    for course in tournament.courses.values():
        counted = [
            match_id
            for (number, attempt), match_id in sorted(course.match_ids.items())
            if number in course.scores and attempt == course.attempt(number)
        ]
        names = course.pairing.names
        for pair in {frozenset((one, other)) for one in names for other in names if one != other}:
            found.setdefault(pair, []).extend(counted)
    return found
