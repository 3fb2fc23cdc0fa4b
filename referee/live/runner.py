"""The only writer of one live match: decide, store, apply, notify.

A command for an idle match is decided at once, without a task or a future: it is the path of nearly all moves. While
a decision is being written, further commands wait in a queue and are decided one at a time, in order of arrival, by a
task that lives as long as there is a queue. Both ways give the same log. A queued command is decided even if its caller
disconnects.

While the log is unavailable nothing happens and match time stands still, as during a restart; `MatchResumed` in the
log says for how long. If another process has written to the log, this runner stops.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakMethod

from engines.api import Seat
from referee.live.loop_lag import HOLDER, MessageArrival
from referee.live.match_timing import MatchTime, MatchTimer, RefereeDelays
from referee.live.ports import Append, Conflict, Entry, LogUnavailable, Request, RunnerDependencies, settle
from referee.live.rated_end import append_decision, is_rated
from referee.match.clock import MS, SECOND, Micros
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, EndGracePeriod, FallFlag, ResumeMatch, SubmitMove
from referee.match.decision import Decision
from referee.match.events import MovePlayed, PlayEnded
from referee.match.state import Match

FIRST_RETRY_US = 100 * MS
LAST_RETRY_US = 10 * SECOND
"""Delays before a failed write to the log is retried: the first and the longest."""


class NotRunHere(Exception):
    """The runner has stopped. If the match is not over, another one runs it, now or soon."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not run here any more")
        self.match_id = match_id


DecisionCallback: TypeAlias = Callable[[Decision | Exception], None]
"""Called once with the stored decision on a command, or with the error because of which nothing has changed."""


class QueuedCommand(NamedTuple):
    """A command that waits until the runner is idle."""

    command: Command
    done: DecisionCallback
    request: Request | None
    """Stored with the answer, so that a repeated request finds it."""
    holder: str
    """The holder on whose behalf it is decided."""
    since_us: Micros | None
    """When the reported event happened, in monotonic time; None: now."""


class MatchRunner:
    """One live match on one event loop, made by `open` or `resume`."""

    def __init__(self, match: Match, dependencies: RunnerDependencies) -> None:
        """`match` must be the state by its log, and no other runner may run it."""
        self.match = match
        self.match_id = match.setup.match_id
        self._dependencies = dependencies
        self._time = MatchTime(dependencies.time, match.at_us)
        self.match_now = self._time.now_us
        """Returns the current match time."""
        self._delays = RefereeDelays(match, match.at_us, partial(dependencies.seat_delays, match.setup.match_id))
        self._retry_us = FIRST_RETRY_US
        self._closed = False
        self._busy = False
        """Whether a decision is being written, or the queue is being worked off."""
        self._queue: deque[QueuedCommand | None] = deque()
        """Commands to decide. None: check the deadlines."""
        self._task: asyncio.Task[None] | None = None
        self._idle: asyncio.Event | None = None
        """Set when the runner is not busy any more. None: nobody waits for it."""
        self._timer = MatchTimer(self._time, self._delays, dependencies.time, WeakMethod(self._on_timer))
        self._set_timer()

    def submit(
        self, command: Command, request: Request | None = None, since_us: Micros | None = None
    ) -> asyncio.Future[Decision]:
        """Execute `command`; the future has the result of `execute`. Raises NotRunHere if the runner has stopped."""
        decided: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self.execute(command, partial(settle, decided), request, since_us)
        return decided

    def execute(
        self, command: Command, done: DecisionCallback, request: Request | None = None, since_us: Micros | None = None
    ) -> None:
        """Decide `command`, and call `done` with the decision once it is stored, perhaps before this returns.

        A `request` is stored with it, so that it can be found again. `since_us` is when the reported event happened, in
        monotonic time; the event gets this time, but none before the last entry. If no event follows, nothing is
        written; the match holds the verdict on a repeated answer. `done` gets an error of the command, LogUnavailable,
        or NotRunHere if nothing has changed. Raises NotRunHere if the runner has stopped already.
        """
        if self._closed:
            raise NotRunHere(self.match_id)
        if self._busy or self._time.stopped:
            self._enqueue(QueuedCommand(command, done, request, HOLDER.get(), since_us))
            return
        try:
            decided = self._decide(command, since_us)
            if decided.events:
                self._begin_commit(command, decided, done, request)
        except Exception as error:
            self.notify(done, error)
        else:
            if not decided.events:
                self.notify(done, decided)

    def measure(self, seat: Seat, arrival: MessageArrival | None = None) -> TurnMeasurement:
        """Return the measurement of an answer of `seat` that arrived then; None: now."""
        at_us = self._time.at_us(arrival.at_us) if arrival else self.match_now()
        stall_us = self._delays.delay_us(seat, at_us, arrival.lag_us if arrival else None)
        if arrival and arrival.network_us is not None:
            return TurnMeasurement(at_us, arrival.network_us, stall_us)
        return TurnMeasurement(at_us, self._dependencies.seat_delays(self.match_id, seat).network_us, stall_us)

    def delays_us(self, at_us: Micros) -> list[Micros]:
        """Return the referee delay of the turn of each seat up to this match time; 0: it has none."""
        return self._delays.all_us(self.match, at_us)

    def withhold(self, seat: Seat, token: str) -> None:
        """Charge no time for this turn from now on, since it is not sent although its bot is online."""
        if self._is_current_turn(seat, token):
            self._delays.withhold(seat, self.match_now())

    def stop(self) -> None:
        """Accept nothing more. What is queued is still decided."""
        self._closed = True
        self._timer.stop()

    async def close(self) -> None:
        """Accept nothing more, decide what is queued, and stop."""
        self.stop()
        if self._busy:
            self._idle = asyncio.Event()
            await self._idle.wait()

    def _enqueue(self, queued: QueuedCommand | None) -> None:
        self._queue.append(queued)
        if not self._busy:
            self._start_task()

    def _on_timer(self) -> None:
        if not self._closed:
            self._enqueue(None)

    def _start_task(self, first: Coroutine[Any, Any, None] | None = None) -> None:
        self._busy, self._task = True, asyncio.create_task(self._run(first))

    def _begin_commit(
        self, command: Command, decided: Decision, done: DecisionCallback, request: Request | None
    ) -> None:
        """Store, apply and notify in callbacks. The end of a rated match needs a task."""
        dependencies = self._dependencies
        if type(decided.events[-1]) is PlayEnded and is_rated(dependencies, decided):
            self._start_task(self._commit_and_answer(command, decided, done, request))
            return
        on_written = partial(self._on_written, command, decided, done)
        dependencies.log.begin_append(Append(self.match_id, self.match.number, decided.events, request), on_written)
        self._busy = True

    def _on_written(
        self, command: Command, decided: Decision, done: DecisionCallback, written: list[Entry] | Exception
    ) -> None:
        try:
            if isinstance(written, Exception):
                self._on_append_failed(command, done, written)
            else:
                self.notify(done, self._apply(command, decided, written))
        except Exception as fault:
            self._stop_after(fault)
        self._on_idle()

    def _on_append_failed(self, command: Command, done: DecisionCallback, error: Exception) -> None:
        """Raises Conflict."""
        if isinstance(error, LogUnavailable):
            self._suspend()
            self._credit_delay(command)
        if isinstance(error, Conflict):
            self.notify(done, NotRunHere(self.match_id))
            raise error
        self.notify(done, error)

    def _on_idle(self) -> None:
        """Continue with the queue, or else become idle."""
        if self._queue:
            self._start_task()
            return
        self._busy = False
        if not self._closed:
            try:
                self._set_timer()
            except Exception as fault:
                self._stop_after(fault)
        if self._idle:
            self._idle.set()

    async def _run(self, first: Coroutine[Any, Any, None] | None = None) -> None:
        """Work off the queue, after `first`."""
        try:
            if first:
                await first
            while self._queue:
                queued = self._queue.popleft()
                await (self._answer(queued) if queued else self._check_deadlines())
        except Exception as fault:
            self._stop_after(fault)
        self._on_idle()

    def _stop_after(self, fault: Exception) -> None:
        """Stop, since another process writes the log, or because of a bug."""
        self.stop()
        while self._queue:
            queued = self._queue.popleft()
            if queued:
                self.notify(queued.done, NotRunHere(self.match_id))
        if not isinstance(fault, Conflict):
            self._dependencies.report_fault(self.match_id, fault)
        self.notify(self._dependencies.observer.on_stopped, self.match_id)

    async def _answer(self, queued: QueuedCommand) -> None:
        HOLDER.set(queued.holder)
        command = queued.command
        try:
            if self._time.stopped:
                await self._resume()
            decided = self._decide(command, queued.since_us)
        except Conflict:
            self.notify(queued.done, NotRunHere(self.match_id))
            raise
        except Exception as error:
            if isinstance(error, LogUnavailable):
                self._credit_delay(command)
            self.notify(queued.done, error)
            return
        if decided.events:
            await self._commit_and_answer(command, decided, queued.done, queued.request)
        else:
            self.notify(queued.done, decided)

    async def _commit_and_answer(
        self, command: Command, decided: Decision, done: DecisionCallback, request: Request | None
    ) -> None:
        try:
            stored = await self._commit(command, decided, request)
        except Exception as error:
            self._on_append_failed(command, done, error)
        else:
            self.notify(done, stored)

    async def _check_deadlines(self) -> None:
        """Decide what is due. It stays due if it cannot be stored."""
        HOLDER.set("")
        self._timer.stop()
        try:
            if self._time.stopped:
                await self._resume()
            for late in self._timer.due(self.match):
                check = EndGracePeriod(late.seat) if late.of_grace else FallFlag(late.seat, self.measure(late.seat))
                decided = self._decide(check)
                if decided.events:
                    await self._commit(check, decided)
        except LogUnavailable:
            self._retry_us = min(2 * self._retry_us, LAST_RETRY_US)

    def _decide(self, command: Command, since_us: Micros | None = None) -> Decision:
        at_us = self.match_now() if since_us is None else max(self.match.at_us, self._time.at_us(since_us))
        return self._dependencies.decide(self.match, command, at_us)

    async def _resume(self) -> None:
        """Resume after the log was unavailable. Raises LogUnavailable if it still is."""
        resume = ResumeMatch(self._time.stopped_ms())
        await self._commit(resume, self._decide(resume))
        self._time.resume()
        self._delays.resume()
        self._retry_us = FIRST_RETRY_US

    async def _commit(self, command: Command, decided: Decision, request: Request | None = None) -> Decision:
        """Store, apply, notify. Return the decision as it was stored, with rating changes."""
        try:
            decided, entries = await append_decision(self._dependencies, self.match.number, decided, request)
        except LogUnavailable:
            self._suspend()
            raise
        return self._apply(command, decided, entries)

    def _suspend(self) -> None:
        """Stop match time, since the log is unavailable."""
        self._time.stop()
        self._delays.stop()

    def _apply(self, command: Command, decided: Decision, entries: Sequence[Entry]) -> Decision:
        before, after = self.match, decided.match
        if type(decided.events[0]) is not MovePlayed:  # Otherwise the seat has no turn any more.
            self._credit_delay(command)
        self.match = after
        self._delays.update_turns(before, after, self.match_now())
        self.notify(self._dependencies.observer.on_entries, before, entries, after)
        if decided.fault:
            self._dependencies.report_fault(self.match_id, decided.fault)
        return decided

    def _credit_delay(self, command: Command) -> None:
        """Count the time from the arrival of an answer until its rejection was stored, or failed to be, as delay."""
        if type(command) is SubmitMove and self._is_current_turn(command.seat, command.token):
            measured = command.measured
            self._delays.add_wait(command.seat, measured.arrived_us, measured.stall_us, self.match_now())

    def _is_current_turn(self, seat: Seat, token: str) -> bool:
        turn = self.match.turns[seat] if 0 <= seat < len(self.match.turns) else None
        return turn is not None and turn.token == token

    def _set_timer(self) -> None:
        """Set the timer to the next deadline; or to the next retry, while the log is unavailable."""
        if self._time.stopped:
            self._timer.set(self._dependencies.time.monotonic_us() + self._retry_us)
        else:
            self._timer.set_next(self.match)

    def notify(self, callback: Callable[..., None], *news: Any) -> None:
        """Call an observer or the callback of a command. Its exceptions are reported and undo nothing."""
        try:
            callback(*news)
        except Exception as fault:
            self._dependencies.report_fault(self.match_id, fault)
