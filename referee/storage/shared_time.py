"""The clocks of a process whose logs are in a database that other machines share."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from referee.live.match_timing import LoopTime
from referee.live.ports import StoreUnavailable
from referee.match.clock import MS, SECOND, Micros

ReadNow: TypeAlias = Callable[[], Awaitable[int]]
"""Reads the clock of the database (Unix milliseconds). Raises StoreUnavailable."""

COMPARE_INTERVAL_US: Micros = 60 * SECOND
"""How often the clock of the database is read. A monotonic clock is wrong by a few milliseconds in this time."""


class SharedTime(LoopTime):
    """A `Time` whose wall clock is that of the database, which also dates all entries.

    Clocks of nodes may differ by minutes. Whatever one node has dated, another one must be able to compare with its own
    clock: the downtime of a match, and the dates of a contest.
    """

    def __init__(self) -> None:
        self._offset_us: Micros = super().wall_ms() * MS - self.monotonic_us()
        """Time of the database (Unix microseconds) when the monotonic clock was zero."""
        self._comparing: asyncio.Task[None] | None = None

    def wall_ms(self) -> int:
        return (self.monotonic_us() + self._offset_us) // MS

    async def open(self, read_now: ReadNow) -> None:
        """Read the clock of an open database, and do so again until `close`. Raises StoreUnavailable."""
        await self._compare(read_now)
        self._comparing = asyncio.create_task(self._compare_regularly(read_now))

    def close(self) -> None:
        if self._comparing:
            self._comparing.cancel()

    async def _compare_regularly(self, read_now: ReadNow) -> None:
        while True:
            await asyncio.sleep(COMPARE_INTERVAL_US / SECOND)
            with suppress(StoreUnavailable):
                await self._compare(read_now)

    async def _compare(self, read_now: ReadNow) -> None:
        asked_us = self.monotonic_us()
        now_ms = await read_now()
        self._offset_us = now_ms * MS - (asked_us + self.monotonic_us()) // 2
