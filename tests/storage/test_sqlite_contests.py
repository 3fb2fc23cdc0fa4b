"""Contest logs in a SQLite file: one file, with one writer in each process."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from referee.live.ports import CoAppend, Conflict, LogUnavailable
from referee.storage.codec import MalformedEntry
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.contests import LADDER, began, beginnings, contest_events
from tests.storage.examples import END
from tests.storage.stores import Store, at_noon, events_of, stranger, tell


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def opened(path: Path) -> SqliteEventLog:
    return SqliteEventLog(path, at_noon)


def test_a_contest_outlives_its_process(path: Path) -> None:
    async def write(log: Store) -> None:
        await log.contests.append(LADDER, 0, beginnings(1, 2))
        await log.append("m", 0, [END], None, CoAppend(LADDER, 2, (began(3),)))

    async def read(log: Store) -> None:
        assert await contest_events(log.contests) == beginnings(1, 3)
        assert [entry.contest for entry in await log.contests.first_entries("ladder")] == [LADDER]

    tell(opened(path), write)
    tell(opened(path), read)


def test_two_processes_on_one_file_number_no_entry_twice(path: Path) -> None:
    """An append that comes too late is rejected; the process reads and tries again; nothing is lost between the two."""

    async def climb(log: SqliteEventLog, numbers: range) -> None:
        for number in numbers:
            written = False
            while not written:
                after = len(await log.contests.read(LADDER))
                with suppress(Conflict):
                    await log.append(f"m{number}", 0, [END], None, CoAppend(LADDER, after, (began(number),)))
                    written = True

    async def both(log: Store) -> None:
        assert isinstance(log, SqliteEventLog)
        other = opened(path)
        await asyncio.gather(climb(log, range(0, 30)), climb(other, range(30, 60)))
        await other.close()
        entries = await log.contests.read(LADDER)
        assert [entry.number for entry in entries] == list(range(1, 61))
        assert sorted(map(repr, await contest_events(log.contests))) == sorted(map(repr, beginnings(0, 59)))
        assert [await events_of(log, f"m{number}") for number in range(60)] == [[END]] * 60

    tell(opened(path), both)


def test_the_file_itself_refuses_a_number_twice(path: Path) -> None:
    async def write(log: Store) -> None:
        await log.contests.append(LADDER, 0, beginnings(1, 1))

    tell(opened(path), write)
    again = "INSERT INTO contest_entries SELECT entry + 1, contest, number, at_ms, line FROM contest_entries"
    with stranger(path) as connection, pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        connection.execute(again)


def test_what_cannot_be_written_is_not_there_by_half(path: Path) -> None:
    """While the contest's table is missing, the match is not written either; its log continues afterwards."""

    async def write(log: Store) -> None:
        with stranger(path) as connection:
            connection.execute("ALTER TABLE contest_entries RENAME TO elsewhere")
        with pytest.raises(LogUnavailable, match="contest_entries"):
            await log.append("m", 0, [END], None, CoAppend(LADDER, 0, (began(1),)))
        assert await events_of(log, "m") == []
        with stranger(path) as connection:
            connection.execute("ALTER TABLE elsewhere RENAME TO contest_entries")
        await log.append("m", 0, [END], None, CoAppend(LADDER, 0, (began(1),)))
        assert await contest_events(log.contests) == [began(1)]

    tell(opened(path), write)


def test_an_entry_that_cannot_be_read_is_named(path: Path) -> None:
    async def write(log: Store) -> None:
        await log.contests.append(LADDER, 0, beginnings(1, 2))

    async def read(log: Store) -> None:
        with pytest.raises(MalformedEntry, match="entry 2 of ladder/main: cannot read this entry: invalid JSON"):
            await log.contests.read(LADDER)

    tell(opened(path), write)
    with stranger(path) as connection:
        connection.execute("UPDATE contest_entries SET line = '' WHERE number = 2")
    tell(opened(path), read)
