"""The worker of one ladder: pairs the entrants that are available, as long as the ladder is open.

Only what can start at once is paired, so there is no backlog. A pairing waits only if it is a challenge, if a match of
it became void, or if a bot has left in between.
"""

from collections.abc import Awaitable, Callable, Container, Sequence

from msgspec.structs import replace

from referee.contests.ladder.commands import (
    AvailableEntrant,
    FinishClosure,
    LadderCommand,
    PairEntrants,
    RecordLadderResult,
    RecordLadderVoid,
    StartLadderMatch,
)
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import LadderEvent, PairingPlanned
from referee.contests.ladder.matchmaking import select_matches_to_start
from referee.contests.ladder.state import LadderPhase
from referee.contests.pairing import DueMatch
from referee.hosting.contest_store import ContestStore
from referee.hosting.contest_worker import RETRY_US, ContestWorker, HostingDependencies
from referee.hosting.ladder_ratings import LadderRatings
from referee.hosting.ladder_state import LadderState
from referee.hosting.match_factory import MatchFactory
from referee.live.match_request import LADDER
from referee.match.clock import SECOND, Micros
from referee.match.state import Match

PAIRING_BATCH_SIZE = 16
"""Number of entrants that are paired at once: pairing hundreds takes long, and the clocks of bots run meanwhile."""
REMATCH_WAIT_US: Micros = 10 * SECOND
"""How long entrants wait for others before they are paired again with those they have just met."""


async def find_available(
    state: LadderState, factory: MatchFactory, with_busy: bool = False
) -> tuple[list[AvailableEntrant], list[str]]:
    """Return available entrants, and the names of those that would be, were they not paused.

    All bots of an available entrant are online, accept the games and are not paused. Pauses are looked up only for
    entrants that have room, unless `with_busy`.
    """
    games = {terms.game for terms in state.terms.match_terms}
    available: list[AvailableEntrant] = []
    paused: list[str] = []
    for entrant in state.ladder.entrants.values():
        found = factory.availability(entrant.bots, games, state.labels)
        if found and (found.room or with_busy) and await factory.find_paused(entrant.bots):
            paused.append(entrant.name)
        elif found:
            available.append(AvailableEntrant(entrant.name, found.players, found.room))
    return available, paused


class LadderWorker(ContestWorker[LadderState]):
    def __init__(
        self,
        store: ContestStore[LadderState],
        dependencies: HostingDependencies,
        ratings: LadderRatings,
        flush_faults: Callable[[], Awaitable[None]],
    ) -> None:
        """`flush_faults` returns when all faults of bots so far are counted: a bot that they pause is not paired."""
        super().__init__(store, store.state.seating, dependencies)
        self._ratings = ratings
        self._flush_faults = flush_faults
        self._waits_since: dict[str, Micros] = {}
        """Entrants that have room and no opponent, by name."""
        self._last_start = 0
        """Number of the entry that `_next_start_us` was computed from."""
        self._next_start_us: Micros = 0
        """When the next match may start, by the monotonic clock."""

    async def _prepare(self) -> None:
        await self._flush_faults()

    async def _advance(self) -> bool:
        if self.state.ladder.phase is LadderPhase.CLOSING and not self._has_live_matches():
            await self._execute(FinishClosure())
        elif self.state.ladder.phase is LadderPhase.OPEN and not self._referee.draining:
            await self._pair()
        return self.state.over

    def _has_live_matches(self) -> bool:
        """Return whether a match is live that is rated on this ladder, even if the ladder did not create it."""
        label = (LADDER, self.state.name)
        return any(label in match.setup.labels for match in self._referee.live_matches)

    async def _pair(self) -> None:
        """Start what can start, then pair entrants that have room. Take another step if there are new pairings."""
        delayed = frozenset(due.id for due in self.state.ladder.due_matches if self._is_delayed(due))
        unavailable: set[str] = set()
        for due in select_matches_to_start(self.state.ladder, await self._available(unavailable), delayed):
            if self._rate_allows_start():
                await self._create_match(due, unavailable)
        if self._rate_allows_start() and await self._pair_available(await self._available(unavailable), delayed):
            self.wake()

    def _rate_allows_start(self) -> bool:
        """Return whether the rate limit allows a match to start now. If not, the worker is woken when it does."""
        now_us, gap_ms = self._time.monotonic_us(), self.state.terms.gap_ms
        number, started_ms = self.state.last_start
        if self._last_start != number:
            self._last_start = number
            left_ms = started_ms + gap_ms - self._time.wall_ms()
            # Never longer than a gap, even if the wall clock was set back.
            self._next_start_us = now_us + max(0, min(gap_ms, left_ms)) * SECOND // 1_000
        if self._next_start_us > now_us:
            self._alarm.set(self._next_start_us)
        return self._next_start_us <= now_us

    async def _available(self, unavailable: Container[str]) -> list[AvailableEntrant]:
        entrants, paused = await find_available(self.state, self._factory)
        if paused:
            self._wake_in(RETRY_US)
        return [entrant for entrant in entrants if entrant.name not in unavailable]

    async def _pair_available(self, entrants: list[AvailableEntrant], delayed: frozenset[str]) -> bool:
        """Pair available entrants; return whether any were. Entrants that have waited long may meet again at once."""
        now_us = self._time.monotonic_us()
        free = [entrant for entrant in entrants if entrant.free_slots > 0]
        self._waits_since = {entrant.name: self._waits_since.get(entrant.name, now_us) for entrant in free}
        waited = tuple(entrant for entrant in free if now_us - self._waits_since[entrant.name] >= REMATCH_WAIT_US)
        if await self._pair_in_batches(PairEntrants(tuple(entrants), deferred=delayed)):
            return True
        if await self._pair_in_batches(PairEntrants(waited, allow_early_rematch=True, deferred=delayed)):
            return True
        ends_us = [since_us + REMATCH_WAIT_US for since_us in self._waits_since.values()]
        if len(free) >= self.state.ladder.terms.table_size:
            self._alarm.set(min((end_us for end_us in ends_us if end_us > now_us), default=None))
        return False

    async def _pair_in_batches(self, command: PairEntrants) -> bool:
        """Pair each entrant at most once. Return whether any were paired."""
        limited = bool(self.state.terms.gap_ms)  # One match starts at a time, so one pairing is planned.
        most = 1 if limited else max(1, PAIRING_BATCH_SIZE // self.state.ladder.terms.table_size)
        paired: set[str] = set()
        while events := await self._execute(
            replace(command, available=_without(command.available, paired), max_pairings=most)
        ):
            paired.update(
                name for event in events if isinstance(event, PairingPlanned) for name in event.pairing.entrants
            )
            if limited:
                break
        return bool(paired)

    def _decide(self, state: LadderState, command: LadderCommand) -> Sequence[LadderEvent]:
        return decide(state.ladder, command)

    def _start_command(self, due: DueMatch, match_id: str) -> LadderCommand:
        return StartLadderMatch(due.id, match_id)

    async def _result_command(self, due: DueMatch, match: Match) -> LadderCommand:
        match_id, result = match.setup.match_id, self._ratings.result_of(self.state, match)
        if result is None:
            return RecordLadderVoid(due.id, match_id)
        return RecordLadderResult(due.id, match_id, result.finish, result.forfeited)


def _without(entrants: tuple[AvailableEntrant, ...], paired: Container[str]) -> tuple[AvailableEntrant, ...]:
    """Return the same entrants, where those that are paired have no room left."""
    return tuple(replace(entrant, free_slots=0) if entrant.name in paired else entrant for entrant in entrants)
