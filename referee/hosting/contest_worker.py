"""The worker of one contest: creates its matches and records their results until it is over.

A worker is a task that is woken whenever something may have changed: a bot came or left, a match ended, a command was
executed. It then takes one step: it records results, and creates matches or plans pairings as its kind of contest does
(`LadderWorker`, `TournamentWorker`).

A worker keeps no state that the logs do not hold. A match is created first, under an id that follows from the contest
and the due match, and then recorded as started in the contest's log. Under that id the worker looks up each open match
after a restart, and those of which it is uncertain after a step that failed, so a match is neither lost nor created
twice.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from engines.api import Game
from referee.accounts.bots import Accounts
from referee.contests.pairing import DueMatch
from referee.hosting.contest_log import ContestEvent
from referee.hosting.contest_store import ContestStore
from referee.hosting.contest_terms import Seating
from referee.hosting.joined_matches import PairingOwners
from referee.hosting.match_factory import BotUnavailable, ContestState, MatchFactory, match_request_for
from referee.live.bot_notices import BotNotifier
from referee.live.match_request import LiveLimits
from referee.live.match_timing import DeadlineTimer
from referee.live.ports import StoreUnavailable, Time
from referee.live.referee import Referee, RefereeDraining
from referee.live.worker_pool import RunFunction, run_inline
from referee.match.clock import SECOND, Micros
from referee.match.result import EndCause, Result
from referee.match.state import Match

RETRY_US: Micros = SECOND
"""Delay before the next attempt where no event wakes the worker: the log is unavailable, or a bot is paused."""
FAULT_RETRY_US: Micros = 60 * SECOND
"""Delay after an unexpected exception."""
MAX_BACKOFF_US: Micros = 60 * SECOND
BROKEN = (EndCause.ENGINE_FAULT, EndCause.REFEREE_FAULT)

S = TypeVar("S", bound=ContestState)


@dataclass(frozen=True, slots=True)
class HostingDependencies:
    """Dependencies of the hosts and workers of all contests."""

    referee: Referee
    factory: MatchFactory
    accounts: Accounts
    time: Time
    games: Mapping[str, Game]
    limits: LiveLimits
    draw_seed: Callable[[], bytes]
    """Returns 32 random bytes."""
    report_fault: Callable[[str, Exception], None]
    """Reports an unexpected exception in a contest, by its id."""
    notifier: BotNotifier
    owners: PairingOwners
    run: RunFunction = run_inline
    """Runs computations that may take long, outside the event loop."""


class Backoff:
    """Delays before broken matches are played again: one second, then twice as long each time, up to a minute."""

    def __init__(self) -> None:
        self._failures: Counter[tuple[str, int]] = Counter()
        self._until_us: dict[tuple[str, int], Micros] = {}

    def record(self, due: DueMatch, result: Result, now_us: Micros) -> None:
        """Start a delay if the match was broken by the engine or the referee."""
        if result.cause in BROKEN:
            key = due.pairing.id, due.number
            self._until_us[key] = now_us + min(SECOND << min(self._failures[key], 10), MAX_BACKOFF_US)
            self._failures[key] += 1

    def until_us(self, due: DueMatch, now_us: Micros) -> Micros | None:
        """Return when the delay of a match ends. None: there is no delay."""
        until_us = self._until_us.get((due.pairing.id, due.number), now_us)
        return until_us if until_us > now_us else None


class ContestWorker(ABC, Generic[S]):
    def __init__(self, store: ContestStore[S], seating: Seating, dependencies: HostingDependencies) -> None:
        """Start the task of the worker."""
        self._store = store
        self._seating = seating
        self._referee = dependencies.referee
        self._factory = dependencies.factory
        self._time = dependencies.time
        self._report_fault = dependencies.report_fault
        self._ended: dict[str, Match] = {}
        """Matches of the contest that are over and not recorded yet, by id."""
        self._backoff = Backoff()
        self._recovered = False
        """Whether all matches that were created are recorded."""
        self._uncertain: set[str] | None = None
        """Ids of due matches that may have been created without being recorded. None: any may, by another process."""
        self._closed = False
        self._woken = asyncio.Event()
        self._alarm = DeadlineTimer(self._time, self.wake)
        self.task = asyncio.create_task(self._run())

    @property
    def state(self) -> S:
        return self._store.state

    def wake(self) -> None:
        """Take a step soon, because something has changed."""
        self._woken.set()

    def match_ended(self, match: Match) -> None:
        """Record the result of a match of this contest in the next step."""
        self._ended[match.setup.match_id] = match
        self.wake()

    async def close(self) -> None:
        """Finish the current step, then stop."""
        self._closed = True
        self.wake()
        await asyncio.wait([self.task])

    @abstractmethod
    async def _advance(self) -> bool:
        """Create matches or plan pairings. Return whether the work is done for good."""

    @abstractmethod
    def _decide(self, state: S, command: Any) -> Sequence[ContestEvent] | Awaitable[Sequence[ContestEvent]]:
        """Return the events that follow from a command of the pure contest."""

    @abstractmethod
    def _start_command(self, due: DueMatch, match_id: str) -> Any:
        """Return the command that records a match as started."""

    @abstractmethod
    async def _result_command(self, due: DueMatch, match: Match) -> Any:
        """Return the command that records the result of a match, or that it is void."""

    async def _prepare(self) -> None:
        """Do work that must precede the recording of results."""

    async def _run(self) -> None:
        done = False
        while not (done or self._closed):
            self._woken.clear()
            self._alarm.stop()
            try:
                done = await self._step()
            except (StoreUnavailable, RefereeDraining):
                self._retry_in(RETRY_US)
            except Exception as fault:
                self._report_fault(self._store.contest, fault)
                self._retry_in(FAULT_RETRY_US)
            if not done:
                await self._woken.wait()
        self._alarm.stop()

    async def _step(self) -> bool:
        if not self._recovered:
            await self._recover()
            self._recovered = True
        await self._prepare()
        await self._record_results()
        return await self._advance()

    def _retry_in(self, delay_us: Micros) -> None:
        """Take another step after a failure, and recover first, since it is not known what was written."""
        self._recovered = False
        self._wake_in(delay_us)

    def _wake_in(self, delay_us: Micros) -> None:
        self._alarm.set(self._time.monotonic_us() + delay_us)

    async def _recover(self) -> None:
        """Look up matches that may have been created or ended without being recorded, and record that."""
        uncertain, state = self._uncertain, self.state
        unstarted = [due for due in state.unstarted if uncertain is None or due.id in uncertain]
        for due in [*state.playing, *unstarted]:
            match = await self._factory.find(state, due)
            if match:
                await self._record_start(due, match)
        self._uncertain = set()

    async def _record_start(self, due: DueMatch, match: Match) -> None:
        await self._execute(self._start_command(due, match.setup.match_id))
        if match.result:
            self.match_ended(match)

    async def _record_results(self) -> None:
        """Record results that are not in the log yet; a rated result was written together with its ratings."""
        ended, self._ended = self._ended, {}
        for due in self.state.playing:
            match = ended.get(self.state.match_id(due) or "")
            if match and match.result:
                await self._execute(await self._result_command(due, match))
                self._backoff.record(due, match.result, self._time.monotonic_us())

    async def _create_match(self, due: DueMatch, unavailable: set[str]) -> bool:
        """Create a match; return whether it was. If not, add the entrants that prevented it to `unavailable`."""
        state = self.state
        bots = {name: state.players_of(due, name) for name in due.seats}
        request = match_request_for(state, due, self._seating.players(due, bots))
        assert self._uncertain is not None
        self._uncertain.add(due.id)
        try:
            match = await self._factory.create(request)
        except BotUnavailable as why:
            unavailable |= {name for name in due.seats if why.bot in (player.bot for player in bots[name])}
            self._uncertain.discard(due.id)
            self._wake_in(RETRY_US)
            return False
        await self._record_start(due, match)
        self._uncertain.discard(due.id)
        return True

    def _is_delayed(self, due: DueMatch) -> bool:
        """Return whether the match broke and must not start yet. The worker is woken when it may."""
        until_us = self._backoff.until_us(due, self._time.monotonic_us())
        if until_us is not None:
            self._alarm.set(until_us)
        return until_us is not None

    async def _execute(self, command: Any) -> list[ContestEvent]:
        """Return the events that were written."""
        steps = await self._store.execute(lambda state: self._decide(state, command))
        return [step.entry.event for step in steps]
