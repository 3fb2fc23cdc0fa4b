"""The SQLite log of matches and contests beyond the contract: durability, sharing, and tolerance of faults."""

import asyncio
import resource
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Signal

import pytest

from referee.live.ports import CoAppend, Conflict, EventLog, LogDamaged, StoreUnavailable
from referee.storage.codec import MalformedEntry
from referee.storage.sqlite import database
from referee.storage.sqlite.database import NewerDatabase, migrate, migrations, transaction
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.stored_event_log import SELECT_UNFINISHED
from tests.storage.examples import END, EXAMPLES
from tests.storage.stores import (
    LADDER,
    NOON_MS,
    contest_events,
    events_of,
    match_started,
    matches_started,
    noon_ms,
    note,
    notes,
    opened,
    other_connection,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def open_log(path: Path) -> SqliteEventLog:
    """Open a log that does not wait for locks."""
    return SqliteEventLog(path, noon_ms, busy_ms=0)


@pytest.fixture
def log(path: Path) -> SqliteEventLog:
    return open_log(path)


# Durability


async def test_a_reopened_log_is_equal(path: Path, log: SqliteEventLog) -> None:
    async def contents(log: SqliteEventLog) -> object:
        return await log.read("m"), await log.read("n"), await log.unfinished()

    await log.append("m", 0, EXAMPLES)
    await log.append("n", 0, notes(1, 3))
    before = await contents(log)
    await log.close()
    async with opened(reopened := open_log(path)):
        assert await contents(reopened) == before
        await reopened.append("n", 3, notes(4, 4))


async def test_closing_writes_pending_appends(path: Path, log: SqliteEventLog) -> None:
    append_task = [asyncio.ensure_future(log.append(f"match {number}", 0, notes(1, 3))) for number in range(100)]
    await asyncio.sleep(0)
    await log.close()
    assert [len(entries) for entries in await asyncio.gather(*append_task)] == [3] * 100
    async with opened(reopened := open_log(path)):
        assert len(await reopened.unfinished()) == 100


DUPLICATES = (
    "INSERT INTO entries (match, number, at_ms, line) SELECT match, number, 0, '' FROM entries",
    "INSERT INTO contest_entries SELECT entry + 1, contest, number, at_ms, line FROM contest_entries",
)


@pytest.mark.parametrize("duplicate", DUPLICATES)
async def test_the_database_schema_rejects_a_duplicate_number(path: Path, log: SqliteEventLog, duplicate: str) -> None:
    await log.append("m", 0, notes(1, 1), None, CoAppend(LADDER, 0, (match_started(1),)))
    with other_connection(path) as connection, pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        connection.execute(duplicate)


def test_unfinished_matches_have_an_index(path: Path) -> None:
    asyncio.run(open_log(path).close())
    with other_connection(path) as connection:
        ((*_, plan),) = connection.execute(f"EXPLAIN QUERY PLAN {SELECT_UNFINISHED}")
    assert "unfinished_matches" in plan
    assert "TEMP" not in plan


# Group commit


class BlockingClock:
    """Wall clock that blocks the writing thread, which reads it once per batch, until it is released."""

    def __init__(self) -> None:
        self.blocked = Signal()
        self.released = Signal()
        self.groups = 0

    def __call__(self) -> int:
        self.blocked.set()
        self.released.wait(60)  # With a timeout: a bug should fail the test, not block it.
        self.groups += 1
        return NOON_MS + self.groups


async def test_the_log_reports_the_number_of_appends_per_transaction(path: Path) -> None:
    clock, groups = BlockingClock(), list[int]()
    async with opened(log := SqliteEventLog(path, clock, committed=groups.append)):
        first = asyncio.ensure_future(log.append("first", 0, notes(1, 1)))
        await asyncio.to_thread(clock.blocked.wait)
        others = [asyncio.ensure_future(log.append(match_id, 0, notes(1, 1))) for match_id in ("a", "b", "a")]
        await asyncio.sleep(0)
        clock.released.set()
        await first
        answers = await asyncio.gather(*others, return_exceptions=True)
        assert [type(answer) for answer in answers] == [list, list, Conflict]
        with pytest.raises(Conflict):
            await log.append("a", 7, notes(1, 1))
        assert groups == [1, 2]


async def test_reading_does_not_wait_for_the_writer(path: Path) -> None:
    clock = BlockingClock()
    async with opened(log := SqliteEventLog(path, clock)):
        append_task = asyncio.ensure_future(log.append("m", 0, notes(1, 1)))
        await asyncio.to_thread(clock.blocked.wait)
        assert await log.read("m") == []
        clock.released.set()
        await append_task


async def test_a_cancelled_append_that_is_already_pending_is_written(path: Path) -> None:
    clock = BlockingClock()
    async with opened(log := SqliteEventLog(path, clock)):
        append_task = asyncio.ensure_future(log.append("m", 0, notes(1, 5)))
        await asyncio.to_thread(clock.blocked.wait)
        append_task.cancel()
        await asyncio.wait([append_task])
        clock.released.set()
        await log.append("n", 0, notes(1, 1))
        assert await events_of(log, "m") == notes(1, 5)


# Sharing


def test_several_event_loops_share_a_log(path: Path) -> None:
    async def append_notes(match_id: str) -> None:
        for after in range(50):
            await shared.append(match_id, after, [note(after)])

    shared = open_log(path)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda match_id: asyncio.run(append_notes(match_id)), "abcd"))

    async def read() -> None:
        async with opened(shared):
            for match_id in "abcd":
                assert await events_of(shared, match_id) == notes(0, 49)

    asyncio.run(read())


def test_a_closed_event_loop_does_not_stop_the_others(path: Path) -> None:
    async def check() -> None:
        append_task.append(asyncio.ensure_future(log.append("m", 0, notes(1, 2))))
        await asyncio.to_thread(clock.blocked.wait)

    append_task: list[object] = []
    clock = BlockingClock()
    log = SqliteEventLog(path, clock)
    asyncio.run(check())
    clock.released.set()

    async def write_more() -> None:
        async with opened(log):
            await log.append("m", 2, notes(3, 3))
            assert await events_of(log, "m") == notes(1, 3)

    asyncio.run(write_more())


async def test_an_append_of_another_process_causes_a_conflict_and_does_not_affect_other_matches(
    log: SqliteEventLog, path: Path
) -> None:
    other = open_log(path)
    await log.append("m", 0, notes(1, 1))
    await log.append("n", 0, notes(1, 1))
    await other.append("m", 1, notes(2, 3))
    answers = await asyncio.gather(
        log.append("m", 1, notes(9, 9)), log.append("n", 1, notes(2, 2)), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [Conflict, list]
    await log.append("m", 3, notes(4, 4))
    await other.append("n", 2, notes(3, 3))
    await log.append("n", 3, notes(4, 4))
    assert await events_of(log, "m") == await events_of(other, "n") == notes(1, 4)
    await other.close()


async def test_one_of_two_logs_on_one_database_wins_each_entry(path: Path) -> None:
    logs = (SqliteEventLog(path, noon_ms), SqliteEventLog(path, noon_ms))
    for after in range(50):
        answers = await asyncio.gather(*(log.append("m", after, [note(after)]) for log in logs), return_exceptions=True)
        assert sorted(type(answer).__name__ for answer in answers) == ["Conflict", "list"]
    for log in logs:
        assert await events_of(log, "m") == notes(0, 49)
        await log.close()


# Faults


async def check_append_rejected(log: EventLog, cause: str) -> None:
    """Check that nothing can be written now, that nothing changes, and that the log can be read."""
    with pytest.raises(StoreUnavailable, match=cause):
        await log.append("m", 1, notes(2, 3000))
    assert await events_of(log, "m") == notes(1, 1)


async def write_more(log: EventLog) -> None:
    await log.append("m", 1, notes(2, 3000))
    assert await events_of(log, "m") == notes(1, 3000)
    await log.append("m", 3000, [END])
    assert await log.unfinished() == []


async def test_all_appends_are_rejected_while_the_database_is_locked(path: Path, log: SqliteEventLog) -> None:
    await log.append("m", 0, notes(1, 1))
    with other_connection(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        await check_append_rejected(log, "database is locked")
        append_task = (log.append(f"match {number}", 0, notes(1, 1)) for number in range(50))
        answers = await asyncio.gather(*append_task, return_exceptions=True)
        other.execute("ROLLBACK")
    assert {type(answer) for answer in answers} == {StoreUnavailable}
    assert await log.unfinished() == ["m"]
    await write_more(log)


async def test_an_append_waits_for_a_short_lock(path: Path) -> None:
    clock = BlockingClock()
    clock.released.set()
    async with opened(log := SqliteEventLog(path, clock)):
        await log.append("m", 0, notes(1, 1))
        with other_connection(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            clock.blocked.clear()
            append_task = asyncio.ensure_future(log.append("m", 1, notes(2, 2)))
            await asyncio.to_thread(clock.blocked.wait)
            other.execute("ROLLBACK")
            await append_task


PRAGMAS = {"readonly": ("query_only = 1", "query_only = 0"), "full": ("max_page_count = 1", "max_page_count = 1000000")}
"""By the error: how SQLite is made to believe in this fault, and the end of the fault.

The user who runs the tests may write any file, and no database has fewer pages than it has already.
"""


@pytest.mark.parametrize("fault", PRAGMAS)
async def test_nothing_is_written_to_a_read_only_database_or_a_full_disk(log: SqliteEventLog, fault: str) -> None:
    await log.append("m", 0, notes(1, 1))
    begin, end = PRAGMAS[fault]
    log._threads.writing.execute(f"PRAGMA {begin}")
    await check_append_rejected(log, fault)
    log._threads.writing.execute(f"PRAGMA {end}")
    await write_more(log)


@contextmanager
def max_file_size(length: int) -> Iterator[None]:
    """Limit the size of files that this process writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("more", [0, 1, 4_000, 50_000])
async def test_nothing_is_written_beyond_the_file_size_limit(path: Path, log: SqliteEventLog, more: int) -> None:
    await log.append("m", 0, notes(1, 1))
    with max_file_size(Path(f"{path}-wal").stat().st_size + more):
        await check_append_rejected(log, "disk")
    await write_more(log)


async def test_an_invalid_event_is_rejected_without_affecting_other_appends(log: SqliteEventLog) -> None:
    answers = await asyncio.gather(
        log.append("m", 0, notes(1, 1)),
        log.append("n", 0, [note(1), note(2.5)]),  # type: ignore[arg-type]  # the mistake that is shown
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [list, MalformedEntry]
    assert await log.unfinished() == ["m"]


DAMAGES = (
    "UPDATE entries SET line = 'scribble' WHERE number = ?",
    "UPDATE entries SET line = CAST(x'ff' || CAST(line AS BLOB) AS TEXT) WHERE number = ?",
)
"""Faults as a disk causes them; the second leaves no text."""


@pytest.mark.parametrize("damage", DAMAGES)
async def test_the_error_names_an_entry_that_cannot_be_read(path: Path, log: SqliteEventLog, damage: str) -> None:
    await log.append("m", 0, notes(1, 3))
    await log.append("n", 0, notes(1, 1))
    with other_connection(path) as other:
        other.execute(damage, (2,))
    with pytest.raises(LogDamaged, match=r"log of match m is damaged: its entry 2 cannot be read") as damaged:
        await log.read("m")
    assert "invalid JSON" in str(damaged.value.__cause__)
    assert await events_of(log, "n") == notes(1, 1)


@pytest.mark.parametrize("name", ["log.db", "log.db-wal"])
async def test_nothing_is_written_if_a_database_file_was_replaced(path: Path, log: SqliteEventLog, name: str) -> None:
    file, moved_file = path.with_name(name), path.with_name("aside")
    await log.append("m", 0, notes(1, 1))
    assert await events_of(log, "m") == notes(1, 1)  # From now on the log can be read without opening a file.
    file.rename(moved_file)
    await check_append_rejected(log, f"{name} has been removed or replaced")
    file.write_bytes(moved_file.read_bytes())
    await check_append_rejected(log, f"{name} has been removed or replaced")
    moved_file.replace(file)
    await write_more(log)


# Contests in the same file


async def test_a_failed_co_append_is_not_written_in_part(log: SqliteEventLog, path: Path) -> None:
    """While the contest's table is missing, the match is not written either; its log continues afterwards."""
    with other_connection(path) as connection:
        connection.execute("ALTER TABLE contest_entries RENAME TO elsewhere")
    with pytest.raises(StoreUnavailable, match="contest_entries"):
        await log.append("m", 0, [END], None, CoAppend(LADDER, 0, (match_started(1),)))
    assert await events_of(log, "m") == []
    with other_connection(path) as connection:
        connection.execute("ALTER TABLE elsewhere RENAME TO contest_entries")
    await log.append("m", 0, [END], None, CoAppend(LADDER, 0, (match_started(1),)))
    assert await contest_events(log.contests) == [match_started(1)]


async def test_the_error_names_an_entry_of_a_contest_that_cannot_be_read(path: Path, log: SqliteEventLog) -> None:
    await log.contests.append(LADDER, 0, matches_started(1, 2))
    with other_connection(path) as connection:
        connection.execute("UPDATE contest_entries SET line = '' WHERE number = 2")
    with pytest.raises(MalformedEntry, match="entry 2 of ladder/main: cannot read this entry: invalid JSON"):
        await log.contests.read(LADDER)


# Opening


def test_a_log_cannot_be_opened_at_an_invalid_path(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="unable to open"):
        open_log(tmp_path)
    with pytest.raises(StoreUnavailable, match="No such file"):
        open_log(tmp_path / "nowhere" / "log.db")


def test_a_file_that_is_no_database_cannot_be_opened(path: Path) -> None:
    path.write_text("Dear diary, today I lost at trox." * 100, encoding="ascii")
    with pytest.raises(StoreUnavailable, match="not a database"):
        open_log(path)


@pytest.mark.parametrize("begin", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
def test_a_locked_database_cannot_be_opened(path: Path, begin: str) -> None:
    with other_connection(path) as other:
        other.execute(begin)
        with pytest.raises(StoreUnavailable, match="locked"):
            open_log(path)
        other.execute("ROLLBACK")
    asyncio.run(open_log(path).close())


def test_an_in_memory_sqlite_database_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # The log creates a file of this name.
    with pytest.raises(StoreUnavailable, match="no write-ahead log is possible here"):
        open_log(Path(":memory:"))


def test_a_database_of_a_newer_release_is_rejected_and_not_changed(path: Path) -> None:
    with other_connection(path) as newer:
        newer.execute("PRAGMA user_version = 99")
        known = len(migrations())
        with pytest.raises(NewerDatabase, match=f"version 99, and this release supports versions up to {known}"):
            open_log(path)
        assert newer.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


def test_only_missing_migrations_are_applied(path: Path) -> None:
    steps = ["CREATE TABLE t (n);\n\nINSERT INTO t VALUES (1);", "UPDATE t SET n = 10 * n + 2"]
    with other_connection(path) as connection:
        for known in (1, 1, 2, 2):
            migrate(connection, steps[:known])
        assert connection.execute("SELECT n FROM t").fetchall() == [(12,)]
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_failed_migration_is_not_applied_in_part(path: Path) -> None:
    with other_connection(path) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, ["CREATE TABLE t (n)", "CREATE TABLE u (n);\n\nINSERT INTO nothing VALUES (1)"])
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


def test_a_new_database_can_be_opened_concurrently(path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        logs = list(pool.map(lambda _: SqliteEventLog(path, noon_ms, busy_ms=60_000), range(8)))
    for log in logs:
        asyncio.run(log.close())


def test_opening_a_new_database_waits_for_another_process_that_writes_to_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with other_connection(path) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(database, "sleep", lambda _: other.execute("ROLLBACK"))
        log = SqliteEventLog(path, noon_ms, busy_ms=60_000)
    asyncio.run(log.close())


def test_a_transaction_is_all_or_nothing(path: Path) -> None:
    with other_connection(path) as connection:
        connection.execute("CREATE TABLE t (n)")
        with pytest.raises(sqlite3.OperationalError), transaction(connection):
            connection.executemany("INSERT INTO t VALUES (abs(?))", [(1,), (-(2**63),)])
        assert connection.execute("SELECT * FROM t").fetchall() == []
