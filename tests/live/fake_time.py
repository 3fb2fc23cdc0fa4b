"""A clock that a test advances by hand."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

from referee.match.clock import MS, Micros

START_WALL_MS = 1_700_000_000_000


async def settle() -> None:
    """Yield until every other task of the event loop waits for something."""
    for _ in range(200):
        await asyncio.sleep(0)


class FakeAlarm:
    def __init__(self, ring: Callable[[], None]) -> None:
        self.ring = ring
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeTime:
    """Clock that stands still, except during `advance`."""

    def __init__(self) -> None:
        self.us: Micros = 1_000_000_000
        self.wall_offset_ms = START_WALL_MS
        self._order = count()
        self._alarms: list[tuple[Micros, int, FakeAlarm]] = []

    def monotonic_us(self) -> Micros:
        return self.us

    def wall_ms(self) -> int:
        return self.us // MS + self.wall_offset_ms

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> FakeAlarm:
        alarm = FakeAlarm(ring)
        heapq.heappush(self._alarms, (at_us, next(self._order), alarm))
        return alarm

    @property
    def alarms_us(self) -> list[Micros]:
        """Return the times of all alarms that are not cancelled."""
        return sorted(at_us for at_us, _, alarm in self._alarms if not alarm.cancelled)

    async def advance_to_next_alarm(self) -> None:
        await self.advance(self.alarms_us[0] - self.us)

    async def advance(self, us: Micros) -> None:
        """Advance the clock and run the alarms that become due, with everything that follows from each."""
        end_us = self.us + us
        await settle()
        while self._alarms and self._alarms[0][0] <= end_us:
            at_us, _, alarm = heapq.heappop(self._alarms)
            if not alarm.cancelled:
                self.us = max(self.us, at_us)
                alarm.cancelled = True
                alarm.ring()
                await settle()
        self.us = end_us
        await settle()
