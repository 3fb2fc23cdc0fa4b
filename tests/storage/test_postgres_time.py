"""The wall clock of PostgreSQL as the clock of a process."""

import asyncio

import pytest

from referee.live.match_timing import LoopTime
from referee.storage.postgres import database_time
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_time import DatabaseTime

HOUR_MS = 3_600_000
PAST = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000"
TOLERANCE_MS = HOUR_MS // 4
"""Far more than a test can take, and far less than the clocks differ."""


def test_the_clock_of_a_machine_does_not_count(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = LoopTime.wall_ms
    monkeypatch.setattr(LoopTime, "wall_ms", lambda time: right(time) + HOUR_MS)

    async def run() -> None:
        time, database = DatabaseTime(), PostgresDatabase(postgres_url)
        assert time.wall_ms() - right(time) > HOUR_MS - TOLERANCE_MS  # Of this machine, before the database is known.
        await database.open()
        await time.open(database)
        assert abs(time.wall_ms() - right(time)) < TOLERANCE_MS
        time.close()
        await database.close()

    asyncio.run(run())


def test_the_clock_of_postgres_is_read_again(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_time, "COMPARE_INTERVAL_US", 1)

    async def run() -> None:
        time, database = DatabaseTime(), PostgresDatabase(postgres_url)
        await database.open()
        await time.open(database)
        monkeypatch.setattr(database_time, "SELECT_NOW_MS", PAST)
        right = LoopTime()
        async with asyncio.timeout(60):
            while right.wall_ms() - time.wall_ms() < HOUR_MS - TOLERANCE_MS:
                await asyncio.sleep(0)
        time.close()
        await database.close()

    asyncio.run(run())
