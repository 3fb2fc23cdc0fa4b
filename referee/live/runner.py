"""Runs one live match: decide, store, apply, notify.

A command for an idle match is decided at once, without a task or a future: it is the path of nearly all moves. While a
decision is being written, further commands queue up and are decided in order of arrival by a task that lives as long as
the queue, even if their callers disconnect. Both ways give the same log. While the log is unavailable match time stands
still, as during a restart; `RefereeRecovered` in the log says for how long.

Other processes may write to the same log. A decision that loses the race for a number is not written: the runner
applies what the other process wrote, and decides the command again. See `docs/decisions/shared-log.md`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any
from weakref import WeakMethod

from engines.api import Seat
from referee.live.engine_calls import call_engine
from referee.live.loop_lag import HOLDER
from referee.live.match_history import MatchStep, match_steps, steps_of_entries
from referee.live.match_timing import MatchTime, MatchTimer, RefereeDelays
from referee.live.ports import Append, Conflict, Entry, Request, StoreUnavailable, settle
from referee.live.queued_command import DecisionCallback, MatchMoving, QueuedCommand
from referee.live.rated_end import append_decision, is_rated
from referee.live.runner_dependencies import RunnerDependencies
from referee.match.clock import MS, SECOND, Micros
from referee.match.commands import Command, EndGracePeriod, FallFlag, ResumeMatch, SubmitMove
from referee.match.decision import Decision
from referee.match.events import MovePlayed, PlayEnded
from referee.match.state import Match

FIRST_RETRY_US = 100 * MS
LAST_RETRY_US = 10 * SECOND
"""Delays before a failed write to the log is retried: the first and the longest."""


class MatchRunner:
    """One live match on one event loop."""

    def __init__(self, match: Match, dependencies: RunnerDependencies) -> None:
        """`match` must be a state by its log. Other processes may run it, too, but no other runner of this one."""
        self.match = match
        self.match_id = match.setup.match_id
        self._dependencies = dependencies
        self._time = MatchTime(dependencies.time, match.at_us)
        self.match_now = self._time.now_us
        self.delays = RefereeDelays(match, self._time, partial(dependencies.seat_delays, match.setup.match_id))
        self.measure = self.delays.measure
        self._retry_us = FIRST_RETRY_US
        self._closed = False
        self._busy = False
        """Whether a decision is being written, or the queue worked off."""
        self._queue: list[QueuedCommand | None] = []
        """Commands to decide. None: check the deadlines. A list, since an empty deque takes 760 bytes."""
        self._behind = False
        """Whether the log may have entries of other processes that are not applied yet."""
        self._task: asyncio.Task[None] | None = None
        self._idle: asyncio.Event | None = None
        """Set when the runner is idle again. None: nobody waits."""
        delay_us = dependencies.others.decision_delay_us
        self._timer = MatchTimer(self._time, self.delays, dependencies.time, WeakMethod(self._on_timer), delay_us)
        self._set_timer()

    def submit(
        self, command: Command, request: Request | None = None, since_us: Micros | None = None
    ) -> asyncio.Future[Decision]:
        """Execute `command`; the future has the result of `execute`. Raises MatchMoving if the runner has stopped."""
        decided: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self.execute(command, partial(settle, decided), request, since_us)
        return decided

    def execute(
        self, command: Command, done: DecisionCallback, request: Request | None = None, since_us: Micros | None = None
    ) -> None:
        """Decide `command`, and call `done` with the decision once it is stored, perhaps before this returns.

        A `request` is stored with it, so that it can be found again. `since_us` is when the reported event happened, in
        monotonic time. If no event follows, nothing is written. `done` gets an error of the command, StoreUnavailable,
        or MatchMoving if nothing has changed. Raises MatchMoving if the runner has stopped already.
        """
        if self._closed:
            raise MatchMoving(self.match_id)
        if self._busy or self._time.stopped or self.match.game.is_slow:
            self._enqueue(QueuedCommand(command, done, request, HOLDER.get(), since_us))
            return
        try:
            decided = self._decide(command, since_us)
            if decided.events:
                self._begin_commit(QueuedCommand(command, done, request, HOLDER.get(), since_us), decided)
        except Exception as error:
            self.notify(done, error)
        else:
            if not decided.events:
                self.notify(done, decided)

    def withhold(self, seat: Seat, token: str) -> None:
        """Charge no time for this turn from now on, since it is not sent although its bot is online."""
        if self.match.is_due(seat, token):
            self.delays.withhold(seat, self.match_now())

    def receive(self, entries: Sequence[Entry]) -> None:
        """Handle the news, perhaps late or repeated, that another process has stored these entries."""
        if self._closed or entries[-1].number <= self.match.number:
            return
        if self._busy or entries[0].number > self.match.number + 1 or self.match.game.is_slow:
            self.catch_up()
            return
        try:
            self._apply_received(steps_of_entries(self.match, entries))
            self._set_timer()
        except Exception as fault:
            self._stop_after(fault)

    def catch_up(self) -> None:
        """Read what other processes have stored, and apply it. Does not wait for it."""
        if not self._closed:
            self._behind = True
            self._enqueue(None)

    def stop(self) -> None:
        """Accept nothing more. What is queued is still decided."""
        self._closed = True
        self._timer.stop()

    async def close(self) -> None:
        """Accept nothing more, decide what is queued, and stop."""
        self.stop()
        await self.wait_until_idle()

    async def wait_until_idle(self) -> None:
        """Wait until everything is decided and applied that is queued now."""
        if self._busy:
            self._idle = self._idle or asyncio.Event()
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

    def _begin_commit(self, asked: QueuedCommand, decided: Decision) -> None:
        """Store, apply and notify in callbacks. The end of a rated match needs a task."""
        dependencies = self._dependencies
        if type(decided.events[-1]) is PlayEnded and is_rated(dependencies, decided):
            self._start_task(self._commit_and_answer(asked, decided))
            return
        append = Append(self.match_id, self.match.number, decided.events, asked.request)
        dependencies.log.begin_append(append, partial(self._on_written, asked, decided))
        self._busy = True

    def _on_written(self, asked: QueuedCommand, decided: Decision, written: list[Entry] | Exception) -> None:
        try:
            if isinstance(written, Exception):
                self._on_append_failed(asked, written)
            else:
                self.notify(asked.done, self._apply(asked.command, decided, written))
        except Exception as fault:
            self._stop_after(fault)
        self._on_idle()

    def _on_append_failed(self, queued: QueuedCommand, error: Exception) -> None:
        if isinstance(error, Conflict):
            self._decide_again(queued)
            return
        if isinstance(error, StoreUnavailable):
            self._suspend()
            self._credit_delay(queued.command)
        self.notify(queued.done, error)

    def _decide_again(self, queued: QueuedCommand | None) -> None:
        """Decide a command again, before others, once what another process wrote is applied. None: the deadlines."""
        self._behind = True
        self._queue.insert(0, queued)

    async def _read_on(self) -> None:
        """Apply what other processes have stored. Raises StoreUnavailable."""
        try:
            if self._behind:
                entries = await self._dependencies.log.read(self.match_id, self.match.number)
                self._apply_received(await call_engine(self.match.game, steps_of_entries, self.match, entries))
                self._behind = False
        except StoreUnavailable:
            self._suspend()
            raise

    def _apply_received(self, steps: Sequence[MatchStep]) -> None:
        """Apply steps of another process. No seat is charged for the time that they took to arrive."""
        if not steps:
            return
        before, self.match = self.match, (after := steps[-1].state)
        self.delays.shift(self._time.advance(after.at_us))
        self.delays.update_turns(before, after, self.match_now())
        self.notify(self._dependencies.observer.on_received, steps)

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
            self._idle = None

    async def _run(self, first: Coroutine[Any, Any, None] | None = None) -> None:
        """Work off the queue, after `first`."""
        try:
            if first:
                await first
            while self._queue:
                queued = self._queue.pop(0)
                await (self._answer(queued) if queued else self._check_deadlines())
        except Exception as fault:
            self._stop_after(fault)
        self._on_idle()

    def _stop_after(self, fault: Exception) -> None:
        """Stop because of a bug or a damaged log."""
        self.stop()
        while self._queue:
            if queued := self._queue.pop(0):
                self.notify(queued.done, MatchMoving(self.match_id))
        self._dependencies.report_fault(self.match_id, fault)
        self.notify(self._dependencies.observer.on_stopped, self.match_id)

    async def _answer(self, asked: QueuedCommand) -> None:
        HOLDER.set(asked.holder)
        try:
            if not await self._is_ready(asked):
                return
        except Exception:
            self.notify(asked.done, MatchMoving(self.match_id))
            raise
        try:
            decided = await call_engine(self.match.game, self._decide, asked.command, asked.since_us)
        except Exception as error:
            self.notify(asked.done, error)
            return
        if decided.events:
            await self._commit_and_answer(asked, decided)
        else:
            self.notify(asked.done, decided)

    async def _is_ready(self, asked: QueuedCommand) -> bool:
        """Return whether the command can be decided now; otherwise it has its answer, or is decided again."""
        try:
            await self._read_on()
            if self._time.stopped:
                await self._resume()
            return True
        except Conflict:
            self._decide_again(asked)
        except StoreUnavailable as error:
            self._credit_delay(asked.command)
            self.notify(asked.done, error)
        return False

    async def _commit_and_answer(self, queued: QueuedCommand, decided: Decision) -> None:
        try:
            self.notify(queued.done, await self._commit(queued.command, decided, queued.request))
        except Exception as error:
            self._on_append_failed(queued, error)

    async def _check_deadlines(self) -> None:
        """Decide what is due. It stays due if it cannot be stored."""
        HOLDER.set("")
        self._timer.stop()
        try:
            await self._read_on()
            if self._time.stopped:
                await self._resume()
            for late in self._timer.due(self.match):
                check = EndGracePeriod(late.seat) if late.of_grace else FallFlag(late.seat, self.measure(late.seat))
                decided = await call_engine(self.match.game, self._decide, check)
                if decided.events:
                    await self._commit(check, decided)
        except Conflict:
            self._decide_again(None)
        except StoreUnavailable:
            self._retry_us = min(2 * self._retry_us, LAST_RETRY_US)

    def _decide(self, command: Command, since_us: Micros | None = None) -> Decision:
        at_us = self.match_now() if since_us is None else max(self.match.at_us, self._time.at_us(since_us))
        return self._dependencies.decide(self.match, command, at_us)

    async def _resume(self) -> None:
        """Resume after the log was unavailable. Raises StoreUnavailable if it still is."""
        resume = ResumeMatch(self._time.stopped_ms())
        await self._commit(resume, self._decide(resume))
        self._time.resume()
        self.delays.resume()
        self._retry_us = FIRST_RETRY_US

    async def _commit(self, command: Command, decided: Decision, request: Request | None = None) -> Decision:
        """Store, apply, notify. Return the decision as it was stored, with rating changes."""
        try:
            decided, entries = await append_decision(self._dependencies, self.match.number, decided, request)
        except StoreUnavailable:
            self._suspend()
            raise
        return self._apply(command, decided, entries)

    def _suspend(self) -> None:
        """Stop match time, since the log is unavailable."""
        self._time.stop()
        self.delays.stop()

    def _apply(self, command: Command, decided: Decision, entries: Sequence[Entry]) -> Decision:
        before = self.match
        if type(decided.events[0]) is not MovePlayed:  # Otherwise the seat has no turn any more.
            self._credit_delay(command)
        self.match = after = decided.match
        self.delays.update_turns(before, after, self.match_now())
        self.notify(self._dependencies.observer.on_stored, match_steps(before, entries, decided.states))
        if decided.fault:
            self._dependencies.report_fault(self.match_id, decided.fault)
        return decided

    def _credit_delay(self, command: Command) -> None:
        """Count the time from the arrival of an answer until its rejection was stored, or failed to be, as delay."""
        if type(command) is SubmitMove and self.match.is_due(command.seat, command.token):
            self.delays.add_wait(command.seat, command.measured, self.match_now())

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
