"""The only writer of one live match: decide, store, apply, notify.

Commands of all callers enter one queue and are decided one at a time, in order of arrival. The resulting events are
appended to the log, then applied, then announced. A queued command is decided even if its caller disconnects.

While the log is unavailable nothing happens and match time stands still, as during a restart; `MatchResumed` in the
log says for how long. If another process has written to the log, this runner stops.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from engines.api import Game, Seat
from referee.live.loop_lag import HOLDER, MessageArrival
from referee.live.match_timing import Deadline, DeadlineTimer, MatchTime, RefereeDelays, deadlines
from referee.live.ports import Conflict, LogUnavailable, Request, RunnerDependencies, RunnerObserver, SeatDelays
from referee.live.rated_end import append_decision
from referee.match.clock import MS, SECOND, Micros
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, EndGracePeriod, FallFlag, ResumeMatch, SubmitMove
from referee.match.decision import Decision
from referee.match.events import MatchCreated
from referee.match.setup import Setup
from referee.match.state import Match, create_match

FIRST_RETRY_US = 100 * MS
LAST_RETRY_US = 10 * SECOND
"""Delays before a failed write to the log is retried: the first and the longest."""


class NotRunHere(Exception):
    """The runner has stopped. If the match is not over, another one runs it, now or soon."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not run here any more")
        self.match_id = match_id


class QueuedCommand(NamedTuple):
    """A command in the queue of a runner, and the future of its caller."""

    command: Command
    caller: asyncio.Future[Decision]
    request: Request | None = None
    """Stored with the answer, so that a repeated request finds it."""
    holder: str = ""
    """The holder on whose behalf it is decided."""
    since_us: Micros | None = None
    """When the reported event happened, in monotonic time; None: now."""

    def answer(self, decided: Decision) -> None:
        if not self.caller.done():  # It is done if the caller was cancelled.
            self.caller.set_result(decided)

    def refuse(self, error: Exception) -> None:
        if not self.caller.done():
            self.caller.set_exception(error)


class MatchRunner:
    """One live match on one event loop, made by `open` or `resume`."""

    def __init__(self, match: Match, dependencies: RunnerDependencies) -> None:
        """`match` must be the state by its log, and no other runner may run it."""
        self.match = match
        self._dependencies = dependencies
        self._time = MatchTime(dependencies.time, match.at_us)
        # Without a reference to the runner: only the garbage collector could free such a cycle.
        self._read_delays = partial(_delays, dependencies.observer, match.setup.match_id)
        self._delays = RefereeDelays(match, match.at_us, partial(_lag_us, dependencies.observer, match.setup.match_id))
        self._retry_us = FIRST_RETRY_US
        self._closed = False
        self._queue: asyncio.Queue[QueuedCommand | None] = asyncio.Queue()
        """Commands to decide. None: check the deadlines."""
        inbox = self._queue  # Again without a reference to the runner.
        self._timer = DeadlineTimer(dependencies.time, lambda: inbox.put_nowait(None))
        self._set_timer()
        self._task = asyncio.create_task(self._run())

    @classmethod
    async def open(cls, setup: Setup, game: Game, dependencies: RunnerDependencies) -> "MatchRunner":
        """Create a match. Raises an error of its terms, Conflict if its id is taken, or LogUnavailable.

        If the caller is cancelled, the match may be in the log nevertheless, and can be resumed.
        """
        setup.check(game)
        event = MatchCreated(0, setup)
        entries = await dependencies.log.append(setup.match_id, 0, [event])
        runner = cls(create_match(event, game), dependencies)
        runner._notify(dependencies.observer.on_entries, None, entries, runner.match)
        return runner

    @classmethod
    async def resume(cls, match: Match, at_ms: int, dependencies: RunnerDependencies) -> "MatchRunner":
        """Resume a match that no runner runs; `at_ms` is when its last entry was written.

        Match time has stood still since then and runs from now on, so bots should be back first.
        Raises Conflict if another process resumes it too, or LogUnavailable.
        """
        down_ms = max(0, dependencies.time.wall_ms() - at_ms)  # The wall clock may have been set back.
        back = dependencies.decide(match, ResumeMatch(down_ms), match.at_us)
        if not back.events:  # The match is over. It still returns verdicts for repeated answers.
            return cls(match, dependencies)
        entries = await dependencies.log.append(match.setup.match_id, match.number, back.events)
        runner = cls(back.match, dependencies)
        runner._notify(dependencies.observer.on_entries, match, entries, runner.match)
        return runner

    @property
    def match_id(self) -> str:
        return self.match.setup.match_id

    def match_now(self) -> Micros:
        """Return the current match time."""
        return self._time.now_us()

    def submit(
        self, command: Command, request: Request | None = None, since_us: Micros | None = None
    ) -> asyncio.Future[Decision]:
        """Queue `command`; the future has the decision once it is stored.

        A `request` is stored with it, so that it can be found again. `since_us` is when the reported event happened, in
        monotonic time; the event gets this time, but none before the last entry.

        If no event follows, nothing is written; the match holds the verdict on a repeated answer. The future raises an
        error of the command, LogUnavailable, or NotRunHere if the runner stops; then nothing has changed. Raises
        NotRunHere if the runner has stopped already.
        """
        if self._closed:
            raise NotRunHere(self.match_id)
        queued = QueuedCommand(command, asyncio.get_running_loop().create_future(), request, HOLDER.get(), since_us)
        self._queue.put_nowait(queued)
        return queued.caller

    def measure(self, seat: Seat, arrival: MessageArrival | None = None) -> TurnMeasurement:
        """Return the measurement of an answer of `seat` that arrived then; None: now."""
        delays = self._read_delays(seat)
        if arrival is None:
            return TurnMeasurement(self.match_now(), delays.network_us, self._delays.delay_us(seat, self.match_now()))
        at_us = self._time.at_us(arrival.at_us)
        return TurnMeasurement(at_us, delays.network_us, self._delays.delay_us(seat, at_us, arrival.lag_us))

    def delay_us(self, seat: Seat) -> Micros:
        """Return the referee delay of the turn of `seat` so far."""
        return self._delays.delay_us(seat, self.match_now())

    def withhold(self, seat: Seat, token: str) -> None:
        """Charge no time for this turn from now on, since it is not sent although its bot is online."""
        if self._is_current_turn(seat, token):
            self._delays.withhold(seat, self.match_now())

    async def close(self) -> None:
        """Accept nothing more, decide what is queued, and stop."""
        self._closed = True
        self._queue.put_nowait(None)
        await asyncio.wait([self._task])  # A plain await would cancel the task if the caller is cancelled.

    async def _run(self) -> None:
        try:
            while not (self._closed and self._queue.empty()):
                queued = await self._queue.get()
                await (self._answer(queued) if queued else self._check_deadlines())
                self._set_timer()
        except Exception as fault:
            self._refuse_queued()
            if not isinstance(fault, Conflict):
                self._report_fault(fault)
            self._notify(self._dependencies.observer.on_stopped, self.match_id)
        finally:
            self._refuse_queued()

    async def _answer(self, queued: QueuedCommand) -> None:
        HOLDER.set(queued.holder)
        try:
            decided = await self._handle(queued.command, queued.request, queued.since_us)
        except LogUnavailable as error:
            self._credit_delay(queued.command)
            queued.refuse(error)
        except (Conflict, asyncio.CancelledError):
            queued.refuse(NotRunHere(self.match_id))
            raise
        except Exception as error:
            queued.refuse(error)
        else:
            queued.answer(decided)

    async def _check_deadlines(self) -> None:
        """Decide what is due. It stays due if it cannot be stored."""
        HOLDER.set("")
        self._timer.stop()
        try:
            if self._time.stopped:
                await self._resume()
            for late in [late for late in self._deadlines() if late.at_us <= self.match_now()]:
                await self._handle(
                    EndGracePeriod(late.seat) if late.of_grace else FallFlag(late.seat, self.measure(late.seat))
                )
        except LogUnavailable:
            self._retry_us = min(2 * self._retry_us, LAST_RETRY_US)

    async def _handle(
        self, command: Command, request: Request | None = None, since_us: Micros | None = None
    ) -> Decision:
        """Decide and commit."""
        if self._time.stopped:
            await self._resume()
        at_us = self.match_now() if since_us is None else max(self.match.at_us, self._time.at_us(since_us))
        decided = self._dependencies.decide(self.match, command, at_us)
        return await self._commit(command, decided, request) if decided.events else decided

    async def _resume(self) -> None:
        """Resume after the log was unavailable. Raises LogUnavailable if it still is."""
        resume = ResumeMatch(self._time.stopped_ms())
        await self._commit(resume, self._dependencies.decide(self.match, resume, self.match_now()))
        self._time.resume()
        self._delays.resume()
        self._retry_us = FIRST_RETRY_US

    async def _commit(self, command: Command, decided: Decision, request: Request | None = None) -> Decision:
        """Store, apply, notify. Return the decision as it was stored, with rating changes."""
        before = self.match
        try:
            decided, entries = await append_decision(self._dependencies, before.number, decided, request)
        except LogUnavailable:
            self._time.stop()
            self._delays.stop()
            raise
        self._credit_delay(command)
        self.match = after = decided.match
        self._delays.update_turns(before, after, self.match_now())
        self._notify(self._dependencies.observer.on_entries, before, entries, after)
        if decided.fault:
            self._report_fault(decided.fault)
        return decided

    def _credit_delay(self, command: Command) -> None:
        """Count the time from the arrival of an answer until its rejection was stored, or failed to be, as delay."""
        if isinstance(command, SubmitMove) and self._is_current_turn(command.seat, command.token):
            measured = command.measured
            self._delays.add_wait(command.seat, measured.arrived_us, measured.stall_us, self.match_now())

    def _is_current_turn(self, seat: Seat, token: str) -> bool:
        turn = self.match.turns[seat] if 0 <= seat < len(self.match.turns) else None
        return turn is not None and turn.token == token

    def _set_timer(self) -> None:
        """Set the timer to the next deadline; or to the next retry, while the log is unavailable."""
        if self._time.stopped:
            self._timer.set(self._dependencies.time.monotonic_us() + self._retry_us)
            return
        if self._timer.fires_by(self._soonest_us(deadlines(self.match, lambda _: 0))):  # Usually: no delay is read.
            return
        self._timer.set(self._soonest_us(self._deadlines()))

    def _deadlines(self) -> list[Deadline]:
        """Return the current deadlines. Turns that are withheld have none."""
        return [late for late in deadlines(self.match, self.delay_us) if not self._delays.is_withheld(late.seat)]

    def _soonest_us(self, found: list[Deadline]) -> Micros | None:
        """Return the next deadline in monotonic time. None: there is none."""
        soonest_us = min([deadline.at_us for deadline in found], default=None)
        return None if soonest_us is None else self._time.monotonic_us(soonest_us)

    def _refuse_queued(self) -> None:
        self._closed = True
        self._timer.stop()
        while not self._queue.empty():
            queued = self._queue.get_nowait()
            if queued:
                queued.refuse(NotRunHere(self.match_id))

    def _notify(self, observe: Callable[..., None], *news: Any) -> None:
        """Call an observer. Its exceptions are reported and undo nothing."""
        try:
            observe(*news)
        except Exception as fault:
            self._report_fault(fault)

    def _report_fault(self, fault: Exception) -> None:
        _report_fault(self._dependencies.observer, self.match_id, fault)


def _delays(observer: RunnerObserver, match_id: str, seat: Seat) -> SeatDelays:
    try:
        return observer.seat_delays(match_id, seat)
    except Exception as fault:
        _report_fault(observer, match_id, fault)
        return SeatDelays()


def _lag_us(observer: RunnerObserver, match_id: str, seat: Seat) -> Micros:
    return _delays(observer, match_id, seat).lag_us


def _report_fault(observer: RunnerObserver, match_id: str, fault: Exception) -> None:
    with suppress(Exception):  # A failure to report cannot be reported.
        observer.on_fault(match_id, fault)
