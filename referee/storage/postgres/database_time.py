"""The clocks of a process whose logs are in PostgreSQL."""

import asyncio

from referee.live.match_timing import LoopTime
from referee.live.ports import LogUnavailable
from referee.match.clock import MS, SECOND, Micros
from referee.storage.postgres.database import Connection, PostgresDatabase

COMPARE_INTERVAL_US: Micros = 60 * SECOND
"""How often the clock of PostgreSQL is read. A monotonic clock is wrong by a few milliseconds in this time."""

SELECT_NOW_MS = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"


class DatabaseTime(LoopTime):
    """A `Time` whose wall clock is that of PostgreSQL, which also dates all entries.

    Clocks of nodes may differ by minutes. Whatever one node has dated, another one must be able to compare with its own
    clock: the downtime of a match, and the dates of a contest.
    """

    def __init__(self) -> None:
        self._offset_us: Micros = super().wall_ms() * MS - self.monotonic_us()
        """Time of PostgreSQL (Unix microseconds) when the monotonic clock was zero."""
        self._comparing: asyncio.Task[None] | None = None

    def wall_ms(self) -> int:
        return (self.monotonic_us() + self._offset_us) // MS

    async def open(self, database: PostgresDatabase) -> None:
        """Read the clock of an open database, and do so again until `close`. Raises LogUnavailable."""
        await self._compare(database)
        self._comparing = asyncio.create_task(self._compare_regularly(database))

    def close(self) -> None:
        if self._comparing:
            self._comparing.cancel()

    async def _compare_regularly(self, database: PostgresDatabase) -> None:
        while True:
            await asyncio.sleep(COMPARE_INTERVAL_US / SECOND)
            try:
                await self._compare(database)
            except LogUnavailable:
                continue

    async def _compare(self, database: PostgresDatabase) -> None:
        asked_us = self.monotonic_us()
        now_ms = await database.read(_select_now_ms)
        answered_us = self.monotonic_us()
        self._offset_us = now_ms * MS - (asked_us + answered_us) // 2


async def _select_now_ms(connection: Connection) -> int:
    now_ms: int = await connection.fetchval(SELECT_NOW_MS)
    return now_ms
