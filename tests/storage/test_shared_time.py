"""The wall clock of a database as the clock of a process."""

import asyncio

import pytest

from referee.live.match_timing import LoopTime
from referee.live.ports import LogUnavailable
from referee.storage import shared_time
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_time import read_now
from referee.storage.shared_time import SharedTime

HOUR_MS = 3_600_000
TOLERANCE_MS = HOUR_MS // 4
"""Far more than a test can take, and far less than the clocks differ."""


def test_the_clock_of_a_machine_does_not_count(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = LoopTime.wall_ms
    monkeypatch.setattr(LoopTime, "wall_ms", lambda time: right(time) + HOUR_MS)

    async def run() -> None:
        time, database = SharedTime(), PostgresDatabase(postgres_url)
        assert time.wall_ms() - right(time) > HOUR_MS - TOLERANCE_MS  # Of this machine, before the database is known.
        await database.open()
        await time.open(lambda: database.read(read_now))
        assert abs(time.wall_ms() - right(time)) < TOLERANCE_MS
        time.close()
        await database.close()

    asyncio.run(run())


def test_the_clock_of_the_database_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_time, "COMPARE_INTERVAL_US", 1)
    right, clocks = LoopTime(), iter([0, -1, HOUR_MS])

    async def read() -> int:
        difference_ms = next(clocks, HOUR_MS)
        if difference_ms < 0:
            raise LogUnavailable("for a moment")
        return right.wall_ms() - difference_ms

    async def run() -> None:
        time = SharedTime()
        await time.open(read)
        async with asyncio.timeout(60):
            while right.wall_ms() - time.wall_ms() < HOUR_MS - TOLERANCE_MS:
                await asyncio.sleep(0)
        time.close()

    asyncio.run(run())
