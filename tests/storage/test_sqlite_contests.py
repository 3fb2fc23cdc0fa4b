"""Contest logs in a SQLite file: one file, with one writer in each process."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from referee.live.ports import CoAppend, Conflict, StoreUnavailable
from referee.storage.codec import MalformedEntry
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.examples import END
from tests.storage.stores import (
    LADDER,
    Store,
    contest_events,
    events_of,
    match_started,
    matches_started,
    noon_ms,
    other_connection,
    run_with_store,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def open_log(path: Path) -> SqliteEventLog:
    return SqliteEventLog(path, noon_ms)


def test_a_contest_can_be_read_in_another_process(path: Path) -> None:
    async def write(log: Store) -> None:
        await log.contests.append(LADDER, 0, matches_started(1, 2))
        await log.append("m", 0, [END], None, CoAppend(LADDER, 2, (match_started(3),)))

    async def read(log: Store) -> None:
        assert await contest_events(log.contests) == matches_started(1, 3)
        assert [entry.contest for entry in await log.contests.first_entries("ladder")] == [LADDER]

    run_with_store(open_log(path), write)
    run_with_store(open_log(path), read)


def test_two_processes_on_one_database_use_no_number_twice(path: Path) -> None:
    """An append that comes too late is rejected; the process reads and tries again; nothing is lost between the two."""

    async def append_starts(log: SqliteEventLog, numbers: range) -> None:
        for number in numbers:
            written = False
            while not written:
                after = len(await log.contests.read(LADDER))
                with suppress(Conflict):
                    await log.append(f"m{number}", 0, [END], None, CoAppend(LADDER, after, (match_started(number),)))
                    written = True

    async def check(log: Store) -> None:
        assert isinstance(log, SqliteEventLog)
        other = open_log(path)
        await asyncio.gather(append_starts(log, range(0, 30)), append_starts(other, range(30, 60)))
        await other.close()
        entries = await log.contests.read(LADDER)
        assert [entry.number for entry in entries] == list(range(1, 61))
        assert sorted(map(repr, await contest_events(log.contests))) == sorted(map(repr, matches_started(0, 59)))
        assert [await events_of(log, f"m{number}") for number in range(60)] == [[END]] * 60

    run_with_store(open_log(path), check)


def test_the_database_schema_rejects_a_duplicate_number(path: Path) -> None:
    async def write(log: Store) -> None:
        await log.contests.append(LADDER, 0, matches_started(1, 1))

    run_with_store(open_log(path), write)
    insert_again = "INSERT INTO contest_entries SELECT entry + 1, contest, number, at_ms, line FROM contest_entries"
    with other_connection(path) as connection, pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        connection.execute(insert_again)


def test_a_failed_co_append_is_not_written_in_part(path: Path) -> None:
    """While the contest's table is missing, the match is not written either; its log continues afterwards."""

    async def write(log: Store) -> None:
        with other_connection(path) as connection:
            connection.execute("ALTER TABLE contest_entries RENAME TO elsewhere")
        with pytest.raises(StoreUnavailable, match="contest_entries"):
            await log.append("m", 0, [END], None, CoAppend(LADDER, 0, (match_started(1),)))
        assert await events_of(log, "m") == []
        with other_connection(path) as connection:
            connection.execute("ALTER TABLE elsewhere RENAME TO contest_entries")
        await log.append("m", 0, [END], None, CoAppend(LADDER, 0, (match_started(1),)))
        assert await contest_events(log.contests) == [match_started(1)]

    run_with_store(open_log(path), write)


def test_the_error_names_an_entry_that_cannot_be_read(path: Path) -> None:
    async def write(log: Store) -> None:
        await log.contests.append(LADDER, 0, matches_started(1, 2))

    async def read(log: Store) -> None:
        with pytest.raises(MalformedEntry, match="entry 2 of ladder/main: cannot read this entry: invalid JSON"):
            await log.contests.read(LADDER)

    run_with_store(open_log(path), write)
    with other_connection(path) as connection:
        connection.execute("UPDATE contest_entries SET line = '' WHERE number = 2")
    run_with_store(open_log(path), read)
