"""How late the event loop is, and whose requests made it late.

An alarm is set every few milliseconds, and how late it rings is the lag: time of this process that no bot can
help. A lag that is still going on counts too, so that the first thing that is done after it knows of it already,
also before the alarm rings.

No holder gains by lag of its own making. Every step of every task is charged, while the loop is late, to the
holder on whose behalf the task runs (`HOLDER`): its own lag is what of the lag its steps computed. CPU time of
the loop's thread is measured and not time on a watch, so that a process that was stopped, or was not let run,
is nobody's doing. What the loop computes between two steps goes to the step after it.
"""

import asyncio
import time as machine
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from typing import Any, NamedTuple

from referee.app.ports import Alarm, Time
from referee.core.clock import MS, Micros

EVERY_US = 10 * MS
GRAIN_US = 5 * MS
"""Less is no lag: that is how late the alarms of an idle machine ring."""

STALLS_US: tuple[Micros, ...] = (10 * MS, 50 * MS, 100 * MS, 500 * MS, 1_000 * MS, 5_000 * MS)
"""By these lengths stalls are counted: times in which the loop did not come to its alarm."""

HOLDER: ContextVar[str] = ContextVar("holder", default="")
"""On whose behalf the current task runs; empty: nobody's."""


class Arrival(NamedTuple):
    """When a message was read."""

    at_us: Micros
    """By the machine's monotonic time."""
    lag_us: Micros
    """The lag until then, but for its holder's own."""


def thread_cpu_us() -> Micros:
    return machine.thread_time_ns() // 1_000


class Lag:
    """For one event loop. It measures from `start` to `stop`."""

    def __init__(self, time: Time, cpu_us: Callable[[], Micros] = thread_cpu_us) -> None:
        """`cpu_us` is the CPU time of the loop's thread."""
        self._time = time
        self._cpu_us = cpu_us
        self._past_us: Micros = 0
        self._past_own_us: Counter[str] = Counter()
        self.stalls = [0] * (len(STALLS_US) + 1)
        """How many were at most as long as each of `STALLS_US`, and longer than the one before; the longest last."""
        self._due_us: Micros | None = None
        self._alarm: Alarm | None = None
        self._charged_us: Counter[str] = Counter()
        """By holder, since the alarm was due."""
        self._cpu_charged_us: Micros = 0
        """CPU time of which somebody was charged, or nobody needs to be."""
        self._charged_until_us: Micros = 0

    def start(self) -> None:
        self._ring_in(EVERY_US)

    def stop(self) -> None:
        if self._alarm:
            self._alarm.cancel()
        self._close_interval()
        self._due_us, self._alarm = None, None

    def total_us(self) -> Micros:
        """All lag so far, the present one included. Between two moments it grows by the lag between them."""
        return self._past_us + self._late_us()

    def own_us(self, holder: str) -> Micros:
        """Part of the lag so far that requests of this holder caused."""
        self.charge()
        return self._past_own_us[holder] + min(self._late_us(), self._charged_us[holder])

    def arrival(self, holder: str) -> Arrival:
        """A message of that holder is read now."""
        return Arrival(self._time.monotonic_us(), self.total_us() - self.own_us(holder))

    def charge(self) -> None:
        """What was computed since the last time, while the loop was late, was computed for this task's holder."""
        now_us = self._time.monotonic_us()
        if self._due_us is None or now_us <= self._due_us:
            return
        cpu_us = self._cpu_us()
        if holder := HOLDER.get():
            spent_us = min(cpu_us - self._cpu_charged_us, now_us - max(self._due_us, self._charged_until_us))
            self._charged_us[holder] += spent_us
        self._cpu_charged_us, self._charged_until_us = cpu_us, now_us

    def charge_tasks(self, loop: asyncio.AbstractEventLoop) -> None:
        """Charge every step of every task of this loop that is created from now on."""

        def charged(loop: asyncio.AbstractEventLoop, steps: Any, **more: Any) -> "asyncio.Task[Any]":
            return asyncio.Task(_Charged(steps, self.charge), loop=loop, **more)

        loop.set_task_factory(charged)

    def silent_us(self) -> Micros:
        """For how long the loop has not come to its alarm. Any thread may ask."""
        due_us = self._due_us
        return 0 if due_us is None else max(0, self._time.monotonic_us() - due_us)

    def _late_us(self) -> Micros:
        late_us = 0 if self._due_us is None else self._time.monotonic_us() - self._due_us
        return late_us if late_us > GRAIN_US else 0

    def _ring_in(self, us: Micros) -> None:
        self._due_us = self._time.monotonic_us() + us
        self._alarm = self._time.call_at(self._due_us, self._rings)

    def _rings(self) -> None:
        late = self._close_interval()
        # A loop that is late is busy. Who waits for it waits for whole rounds of it, and so they are counted whole.
        self._ring_in(0 if late else EVERY_US)

    def _close_interval(self) -> bool:
        """Was the loop late?"""
        late_us = self._late_us()
        self._past_us += late_us
        if late_us:
            self.stalls[bisect_left(STALLS_US, late_us)] += 1
            for holder, charged_us in self._charged_us.items():
                self._past_own_us[holder] += min(late_us, charged_us)
        else:
            self._cpu_charged_us = self._cpu_us()
        self._charged_us.clear()
        return late_us > 0


class _Charged(Coroutine[Any, Any, Any]):
    """A coroutine each of whose steps is charged."""

    __slots__ = ("_charge", "_steps")

    def __init__(self, steps: Coroutine[Any, Any, Any], charge: Callable[[], None]) -> None:
        self._steps = steps
        self._charge = charge

    def send(self, value: Any) -> Any:
        try:
            return self._steps.send(value)
        finally:
            self._charge()

    def throw(self, *why: Any) -> Any:
        try:
            return self._steps.throw(*why)
        finally:
            self._charge()

    def close(self) -> None:
        self._steps.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps.__await__()
