"""Measures how late the event loop is, and which holder's requests made it late.

A timer is set every few milliseconds; how late it fires is the lag, which no bot is responsible for. A lag in progress
is included, so the first task that runs after a blocking one sees it even before the timer fires.

No holder gains from lag that it has caused: while the loop is late, each step of each task is charged to the holder on
whose behalf it runs (`HOLDER`). Of steps that are not short, the CPU time of the thread is measured rather than wall
time, so suspension of the process is charged to nobody. What the loop computes between two steps is charged to the next
one.
"""

import asyncio
import time as machine
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from math import inf
from typing import Any

from msgspec import Struct

from referee.live.door_lag import DoorLag
from referee.live.late_times import LateTime, LateTimes
from referee.live.ports import Lag, Time, Timer
from referee.match.clock import MS, Micros

INTERVAL_US = 10 * MS
MIN_LAG_US = 5 * MS
"""Less is ignored: timers of an idle machine fire that late."""

SHORT_STEP_US = 300
"""A shorter step is taken to have computed all the time, if the CPU time was read lately: reading it is expensive."""

STALL_BUCKETS_US: tuple[Micros, ...] = (10 * MS, 50 * MS, 100 * MS, 500 * MS, 1_000 * MS, 5_000 * MS)
"""Upper bounds by which stalls are counted: periods in which the loop did not serve its timer."""

HOLDER: ContextVar[str] = ContextVar("holder", default="")
"""The holder on whose behalf the current task runs; empty: none."""


class MessageArrival(Struct, frozen=True, gc=False):
    """When a message was read."""

    at_us: Micros
    """When it was read, in monotonic time."""
    lag: Lag
    network_us: Micros | None = None
    """Network round trip of the stream on which it came. None: not known here."""


def thread_cpu_us() -> Micros:
    return machine.thread_time_ns() // 1_000


class LoopLag:
    """The lag of one event loop, measured from `start` to `stop`."""

    def __init__(self, time: Time, cpu_us: Callable[[], Micros] = thread_cpu_us) -> None:
        """`cpu_us` is the CPU time of the loop's thread."""
        self._time = time
        self._cpu_us = cpu_us
        self._past_us: Micros = 0
        self._past_own_us: Counter[str] = Counter()
        self._late_times = LateTimes()
        self.stalls = [0] * (len(STALL_BUCKETS_US) + 1)
        """Number of stalls by upper bound: one for each of `STALL_BUCKETS_US`, and the longer ones last."""
        self._due_us: Micros | None = None
        self.due_ns = inf
        """When the timer is due, by the clock of the machine."""
        self._late_after_us = inf
        """When the loop counts as late if the timer has not fired by then."""
        self._lags: dict[str, Lag] = {}
        """The lag of each holder, as it was read since it last grew: mostly nothing is late."""
        self._grown_us: Micros = 0
        """When any lag last grew."""
        self._timer: Timer | None = None
        self._charged_us: Counter[str] = Counter()
        """CPU time since the timer was due, by the holder that is charged for it."""
        self._cpu_charged_us: Micros = 0
        """CPU time of the thread that has been charged, or need not be."""
        self._charged_until_us: Micros = 0
        self._cpu_read_us: Micros = 0
        """When the CPU time was last read, in monotonic time."""
        self.door = DoorLag(time, lambda now_us: self._past_us + self._late_us(now_us), self._has_grown)
        """What front doors add to the lag of the loop."""

    def start(self) -> None:
        self._cpu_charged_us = self._cpu_us()  # What the process has computed before has delayed no bot.
        self._set_timer(self._time.monotonic_us() + INTERVAL_US)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._close_interval(self._time.monotonic_us())
        self._due_us, self._timer, self.due_ns, self._late_after_us = None, None, inf, inf

    def total_us(self) -> Micros:
        """Return all lag so far, including the current one."""
        return self._past_us + self._late_us(self._time.monotonic_us())

    def read(self, holder: str, now_us: Micros | None = None) -> Lag:
        """Return all lag so far, with the part that requests of this holder caused. `now_us`: if it is known.

        The lag of front doors is included, but what is not of its own doors is part of what it has caused.
        """
        now_us = self._time.monotonic_us() if now_us is None else now_us
        in_time = now_us <= self._late_after_us and now_us <= self.door.late_after_us
        if in_time and (lag := self._lags.get(holder)):
            return lag
        doors_us, foreign_us = self.door.read(holder, now_us)
        past_us, past_own_us = self._past_us + doors_us, self._past_own_us.get(holder, 0) + foreign_us
        if self._due_us is None or now_us - self._due_us <= MIN_LAG_US:
            lag = Lag(past_us, past_own_us, holder)
            if in_time:
                self._lags[holder] = lag
            return lag
        late_us = now_us - self._due_us
        self.charge()
        return Lag(past_us + late_us, past_own_us + min(late_us, self._charged_us.get(holder, 0)), holder)

    def arrival(
        self, holder: str, network_us: Micros | None = None, arrived_us: Micros | None = None
    ) -> MessageArrival:
        """Record that a message of that holder is read now. `network_us`: see `MessageArrival`.

        `arrived_us` is when it arrived at the front door, in monotonic time; None: now.
        """
        now_us = self._time.monotonic_us()
        lag = self.read(holder, now_us)
        if arrived_us is None or arrived_us >= now_us:
            return MessageArrival(now_us, lag, network_us)
        return MessageArrival(arrived_us, self._as_of(arrived_us, lag, now_us), network_us)

    def _as_of(self, at_us: Micros, lag: Lag, now_us: Micros) -> Lag:
        """Return the lag of that moment, given the present one."""
        if at_us >= self._grown_us and lag is self._lags.get(lag.holder):
            return lag
        late_us, own_us = self._late_times.after(at_us, lag.holder)
        if self._due_us is not None and self._late_us(now_us):
            more_us, more_own_us = LateTime(self._due_us, now_us, self._charged_us).after(at_us, lag.holder)
            late_us, own_us = late_us + more_us, own_us + more_own_us
        return Lag(lag.total_us - late_us - self.door.after(lag.holder, at_us, now_us), lag.own_us - own_us, lag.holder)

    def charge(self) -> None:
        """Charge the CPU time since the last call, as far as the loop was late, to the holder of this task."""
        now_us = self._time.monotonic_us()
        if self._due_us is None or now_us <= self._due_us:
            return
        spent_us = now_us - max(self._due_us, self._charged_until_us)
        if spent_us <= SHORT_STEP_US and now_us - self._cpu_read_us < INTERVAL_US:
            self._cpu_charged_us += spent_us
        else:
            cpu_us, self._cpu_read_us = self._cpu_us(), now_us
            spent_us = max(0, min(cpu_us - self._cpu_charged_us, spent_us))
            self._cpu_charged_us = cpu_us
        if holder := HOLDER.get():
            self._charged_us[holder] += spent_us
        self._charged_until_us = now_us

    def charge_step(self) -> None:
        """Do the same as `charge`, at little cost if the loop is in time, as it mostly is at the end of a step."""
        if machine.monotonic_ns() > self.due_ns:
            self.charge()

    def charge_tasks(self, loop: asyncio.AbstractEventLoop) -> None:
        """Charge every step of every task that this loop creates from now on.

        A task that is created without the loop must call `charge_step` at the end of its steps.
        """

        def charged(loop: asyncio.AbstractEventLoop, steps: Any, **more: Any) -> "asyncio.Task[Any]":
            return asyncio.Task(_Charged(steps, self), loop=loop, **more)

        loop.set_task_factory(charged)

    def unresponsive_us(self) -> Micros:
        """Return for how long the loop has not served its timer. Thread-safe."""
        due_us = self._due_us
        return 0 if due_us is None else max(0, self._time.monotonic_us() - due_us)

    def _has_grown(self) -> None:
        self._lags.clear()
        self._grown_us = self._time.monotonic_us()

    def _late_us(self, now_us: Micros) -> Micros:
        late_us = 0 if self._due_us is None else now_us - self._due_us
        return late_us if late_us > MIN_LAG_US else 0

    def _set_timer(self, due_us: Micros) -> None:
        self._due_us, self.due_ns, self._late_after_us = due_us, due_us * 1_000, due_us + MIN_LAG_US
        self._timer = self._time.call_at(due_us, self._timer_fired)

    def _timer_fired(self) -> None:
        # Read once: if the process is suspended between two readings, the second would hide the suspension.
        now_us = self._time.monotonic_us()
        late = self._close_interval(now_us)
        # A late loop is busy, and tasks wait for whole iterations of it. A timer of 0 measures each iteration in full.
        self._set_timer(now_us + (0 if late else INTERVAL_US))

    def _close_interval(self, now_us: Micros) -> bool:
        """Add the time since the timer was due to the lag; return whether the loop was late."""
        late_us = self._late_us(now_us)
        self._past_us += late_us
        if late_us:
            self._has_grown()
            self._late_times.add(LateTime(now_us - late_us, now_us, dict(self._charged_us)))
            self.stalls[bisect_left(STALL_BUCKETS_US, late_us)] += 1
            for holder, charged_us in self._charged_us.items():
                self._past_own_us[holder] += min(late_us, charged_us)
        else:
            self._cpu_charged_us = self._cpu_us()
        self._charged_us.clear()
        return late_us > 0


class _Charged(Coroutine[Any, Any, Any]):
    """A coroutine whose steps are charged to the holder of its task."""

    __slots__ = ("_lag", "_steps")

    def __init__(self, steps: Coroutine[Any, Any, Any], lag: LoopLag) -> None:
        self._steps = steps
        self._lag = lag

    def send(self, value: Any) -> Any:
        try:
            return self._steps.send(value)
        finally:
            self._lag.charge_step()

    def throw(self, *error: Any) -> Any:
        try:
            return self._steps.throw(*error)
        finally:
            self._lag.charge()

    def close(self) -> None:
        self._steps.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps.__await__()
