"""The SQLite log beyond the contract: durability, sharing, and tolerance of faults."""

import asyncio
import resource
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Signal

import pytest

from referee.live.ports import Conflict, EventLog, LogDamaged, LogUnavailable
from referee.storage.codec import MalformedEntry
from referee.storage.sqlite.database import NewerDatabase, migrate, migrations, transaction
from referee.storage.sqlite.event_log import SELECT_UNFINISHED, SqliteEventLog
from tests.storage.examples import END, EXAMPLES
from tests.storage.stores import NOON_MS, at_noon, events_of, note, notes, stranger, tell


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def opened(path: Path) -> SqliteEventLog:
    """Open a log that does not wait for locks."""
    return SqliteEventLog(path, at_noon, busy_ms=0)


# Durability


def test_a_reopened_log_is_equal(path: Path) -> None:
    async def write(log: EventLog) -> None:
        await log.append("m", 0, EXAMPLES)
        await log.append("n", 0, notes(1, 3))
        before.append((await log.read("m"), await log.read("n"), await log.unfinished()))

    async def read(log: EventLog) -> None:
        assert [(await log.read("m"), await log.read("n"), await log.unfinished())] == before
        await log.append("n", 3, notes(4, 4))

    before: list[object] = []
    tell(opened(path), write)
    tell(opened(path), read)


def test_closing_writes_what_is_waiting(path: Path) -> None:
    async def hang_up(log: EventLog) -> None:
        appending = [asyncio.ensure_future(log.append(f"match {number}", 0, notes(1, 3))) for number in range(100)]
        await asyncio.sleep(0)
        await log.close()
        assert [len(entries) for entries in await asyncio.gather(*appending)] == [3] * 100

    async def read(log: EventLog) -> None:
        assert len(await log.unfinished()) == 100

    tell(opened(path), hang_up)
    tell(opened(path), read)


def test_the_file_itself_refuses_a_number_twice(path: Path) -> None:
    async def write(log: EventLog) -> None:
        await log.append("m", 0, notes(1, 1))

    tell(opened(path), write)
    with stranger(path) as connection, pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        connection.execute("INSERT INTO entries (match, number, at_ms, line) SELECT match, number, 0, '' FROM entries")


def test_unfinished_matches_have_an_index(path: Path) -> None:
    asyncio.run(opened(path).close())
    with stranger(path) as connection:
        ((*_, plan),) = connection.execute(f"EXPLAIN QUERY PLAN {SELECT_UNFINISHED}")
    assert "unfinished_matches" in plan
    assert "TEMP" not in plan


# Group commit


class HeldClock:
    """Wall clock that blocks the writing thread, which reads it once per batch, until it is released."""

    def __init__(self) -> None:
        self.asked = Signal()
        self.released = Signal()
        self.groups = 0

    def __call__(self) -> int:
        self.asked.set()
        self.released.wait(60)  # With a timeout, see `tell`.
        self.groups += 1
        return NOON_MS + self.groups


def test_all_that_waits_is_written_together(path: Path) -> None:
    async def crowd(log: EventLog) -> None:
        first = asyncio.ensure_future(log.append("first", 0, notes(1, 1)))
        await asyncio.to_thread(clock.asked.wait)
        others = [asyncio.ensure_future(log.append(f"match {number}", 0, notes(1, 1))) for number in range(200)]
        await asyncio.sleep(0)
        clock.released.set()
        assert [entry.at_ms for entry in await first] == [NOON_MS + 1]
        assert {entry.at_ms for entries in await asyncio.gather(*others) for entry in entries} == {NOON_MS + 2}

    clock = HeldClock()
    tell(SqliteEventLog(path, clock), crowd)
    assert clock.groups == 2


def test_it_tells_how_many_appends_each_transaction_made_durable(path: Path) -> None:
    async def crowd(log: EventLog) -> None:
        first = asyncio.ensure_future(log.append("first", 0, notes(1, 1)))
        await asyncio.to_thread(clock.asked.wait)
        others = [asyncio.ensure_future(log.append(match_id, 0, notes(1, 1))) for match_id in ("a", "b", "a")]
        await asyncio.sleep(0)
        clock.released.set()
        await first
        told = await asyncio.gather(*others, return_exceptions=True)
        assert [type(answer) for answer in told] == [list, list, Conflict]
        with pytest.raises(Conflict):
            await log.append("a", 7, notes(1, 1))
        assert groups == [1, 2]

    clock, groups = HeldClock(), list[int]()
    tell(SqliteEventLog(path, clock, committed=groups.append), crowd)


def test_reading_does_not_wait_for_the_writer(path: Path) -> None:
    async def read_meanwhile(log: EventLog) -> None:
        appending = asyncio.ensure_future(log.append("m", 0, notes(1, 1)))
        await asyncio.to_thread(clock.asked.wait)
        assert await log.read("m") == []
        clock.released.set()
        await appending

    clock = HeldClock()
    tell(SqliteEventLog(path, clock), read_meanwhile)


def test_a_cancelled_append_that_is_already_waiting_is_written(path: Path) -> None:
    async def hang_up(log: EventLog) -> None:
        appending = asyncio.ensure_future(log.append("m", 0, notes(1, 5)))
        await asyncio.to_thread(clock.asked.wait)
        appending.cancel()
        await asyncio.wait([appending])
        clock.released.set()
        await log.append("n", 0, notes(1, 1))
        assert await events_of(log, "m") == notes(1, 5)

    clock = HeldClock()
    tell(SqliteEventLog(path, clock), hang_up)


# Sharing


def test_several_event_loops_share_a_log(path: Path) -> None:
    async def play(match_id: str) -> None:
        for after in range(50):
            await log.append(match_id, after, [note(after)])

    log = opened(path)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda match_id: asyncio.run(play(match_id)), "abcd"))

    async def read(log: EventLog) -> None:
        for match_id in "abcd":
            assert await events_of(log, match_id) == notes(0, 49)

    tell(log, read)


def test_an_event_loop_that_is_gone_does_not_stop_the_others(path: Path) -> None:
    async def hang_up() -> None:
        appending.append(asyncio.ensure_future(log.append("m", 0, notes(1, 2))))
        await asyncio.to_thread(clock.asked.wait)

    appending: list[object] = []
    clock = HeldClock()
    log = SqliteEventLog(path, clock)
    asyncio.run(hang_up())
    clock.released.set()

    async def go_on(log: EventLog) -> None:
        await log.append("m", 2, notes(3, 3))
        assert await events_of(log, "m") == notes(1, 3)

    tell(log, go_on)


def test_where_somebody_else_wrote_it_is_found_out_and_hurts_nobody_beside(path: Path) -> None:
    async def write(log: EventLog) -> None:
        other = opened(path)
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

    tell(opened(path), write)


def test_of_two_logs_on_one_file_one_wins_each_entry(path: Path) -> None:
    async def race() -> None:
        logs = (SqliteEventLog(path, at_noon), SqliteEventLog(path, at_noon))
        for after in range(50):
            answers = await asyncio.gather(
                *(log.append("m", after, [note(after)]) for log in logs), return_exceptions=True
            )
            assert sorted(type(answer).__name__ for answer in answers) == ["Conflict", "list"]
        for log in logs:
            assert await events_of(log, "m") == notes(0, 49)
            await log.close()

    asyncio.run(race())


# Faults


def writing_of(log: EventLog) -> sqlite3.Connection:
    """Return the connection by which a log writes, to cause faults that depend on the machine and the user."""
    assert isinstance(log, SqliteEventLog)
    return log._threads.writing


async def refused_append(log: EventLog, cause: str) -> None:
    """Check that nothing can be written now, that nothing changes, and that the log can be read."""
    with pytest.raises(LogUnavailable, match=cause):
        await log.append("m", 1, notes(2, 3000))
    assert await events_of(log, "m") == notes(1, 1)


async def begin(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 1))


async def go_on(log: EventLog) -> None:
    await log.append("m", 1, notes(2, 3000))
    assert await events_of(log, "m") == notes(1, 3000)
    await log.append("m", 3000, [END])
    assert await log.unfinished() == []


def test_a_locked_file(path: Path) -> None:
    async def refused(log: EventLog) -> None:
        with stranger(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            await refused_append(log, "database is locked")
            other.execute("ROLLBACK")

    tell(opened(path), begin, refused, go_on)


def test_all_who_were_to_be_written_together_are_refused_together(path: Path) -> None:
    async def crowd(log: EventLog) -> None:
        with stranger(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            appending = (log.append(f"match {number}", 0, notes(1, 1)) for number in range(50))
            answers = await asyncio.gather(*appending, return_exceptions=True)
            other.execute("ROLLBACK")
        assert {type(answer) for answer in answers} == {LogUnavailable}
        assert await log.unfinished() == ["m"]

    tell(opened(path), begin, crowd, go_on)


def test_a_lock_that_is_soon_released_is_waited_for(path: Path) -> None:
    async def held_up(log: EventLog) -> None:
        with stranger(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            clock.asked.clear()
            appending = asyncio.ensure_future(log.append("m", 1, notes(2, 2)))
            await asyncio.to_thread(clock.asked.wait)
            other.execute("ROLLBACK")
            await appending

    clock = HeldClock()
    clock.released.set()
    tell(SqliteEventLog(path, clock), begin, held_up)


def test_a_file_that_may_only_be_read(path: Path) -> None:
    async def refused(log: EventLog) -> None:
        # The user who runs the tests may write any file, so SQLite itself is set to read-only.
        writing_of(log).execute("PRAGMA query_only = 1")
        await refused_append(log, "readonly")
        writing_of(log).execute("PRAGMA query_only = 0")

    tell(opened(path), begin, refused, go_on)


def test_a_full_disk(path: Path) -> None:
    async def refused(log: EventLog) -> None:
        (pages,) = writing_of(log).execute("PRAGMA page_count").fetchone()
        writing_of(log).execute(f"PRAGMA max_page_count = {pages}")
        await refused_append(log, "full")
        writing_of(log).execute("PRAGMA max_page_count = 1000000")

    tell(opened(path), begin, refused, go_on)


@contextmanager
def files_no_longer_than(length: int) -> Iterator[None]:
    """Limit the size of files that this process writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("more", [0, 1, 4_000, 50_000])
def test_a_disk_that_takes_no_more(path: Path, more: int) -> None:
    async def refused(log: EventLog) -> None:
        with files_no_longer_than(Path(f"{path}-wal").stat().st_size + more):
            await refused_append(log, "disk")

    tell(opened(path), begin, refused, go_on)


def test_an_event_that_cannot_be_written_is_refused_alone(path: Path) -> None:
    async def crowd(log: EventLog) -> None:
        answers = await asyncio.gather(
            log.append("m", 0, notes(1, 1)),
            log.append("n", 0, [note(1), note(2.5)]),  # type: ignore[arg-type]  # the mistake that is shown
            return_exceptions=True,
        )
        assert [type(answer) for answer in answers] == [list, MalformedEntry]
        assert await log.unfinished() == ["m"]

    tell(opened(path), crowd)


SPOILING = (
    "UPDATE entries SET line = 'scribble' WHERE number = ?",
    "UPDATE entries SET line = CAST(x'ff' || CAST(line AS BLOB) AS TEXT) WHERE number = ?",
)
"""Faults as a disk causes them; the second leaves no text."""


@pytest.mark.parametrize("spoil", SPOILING)
def test_an_entry_that_cannot_be_read_is_named(path: Path, spoil: str) -> None:
    async def write(log: EventLog) -> None:
        await log.append("m", 0, notes(1, 3))
        await log.append("n", 0, notes(1, 1))

    async def read(log: EventLog) -> None:
        with pytest.raises(LogDamaged, match=r"log of match m is damaged: its entry 2 cannot be read") as damaged:
            await log.read("m")
        assert "invalid JSON" in str(damaged.value.__cause__)
        assert await events_of(log, "n") == notes(1, 1)

    tell(opened(path), write)
    with stranger(path) as other:
        other.execute(spoil, (2,))
    tell(opened(path), read)


@pytest.mark.parametrize("name", ["log.db", "log.db-wal"])
def test_nothing_is_written_where_the_files_are_not_those_that_were_opened(path: Path, name: str) -> None:
    file, aside = path.with_name(name), path.with_name("aside")

    async def refused(log: EventLog) -> None:
        assert await events_of(log, "m") == notes(1, 1)  # From now on the log can be read without opening a file.
        file.rename(aside)
        await refused_append(log, f"{name} has been removed or replaced")
        file.write_bytes(aside.read_bytes())
        await refused_append(log, f"{name} has been removed or replaced")
        aside.replace(file)

    tell(opened(path), begin, refused, go_on)


# Opening


def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match="unable to open"):
        opened(tmp_path)
    with pytest.raises(LogUnavailable, match="No such file"):
        opened(tmp_path / "nowhere" / "log.db")


def test_a_file_that_is_no_database(path: Path) -> None:
    path.write_text("Dear diary, today I lost at trox." * 100, encoding="ascii")
    with pytest.raises(LogUnavailable, match="not a database"):
        opened(path)


def test_a_file_that_is_locked_when_it_is_opened(path: Path) -> None:
    with stranger(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LogUnavailable, match="locked"):
            opened(path)
        other.execute("ROLLBACK")
    asyncio.run(opened(path).close())


def test_a_log_in_memory_is_another_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # The log creates a file of this name.
    with pytest.raises(LogUnavailable, match="no write-ahead log is possible here"):
        opened(Path(":memory:"))


def test_a_file_of_a_later_release_is_refused_and_left_alone(path: Path) -> None:
    with stranger(path) as later:
        later.execute("PRAGMA user_version = 99")
        known = len(migrations())
        with pytest.raises(NewerDatabase, match=f"version 99, and this release supports versions up to {known}"):
            opened(path)
        assert later.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


def test_a_file_takes_the_steps_that_it_has_not_taken(path: Path) -> None:
    steps = ["CREATE TABLE t (n);\n\nINSERT INTO t VALUES (1);", "UPDATE t SET n = 10 * n + 2"]
    with stranger(path) as connection:
        for known in (1, 1, 2, 2):
            migrate(connection, steps[:known])
        assert connection.execute("SELECT n FROM t").fetchall() == [(12,)]
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_step_that_fails_is_not_taken_in_part(path: Path) -> None:
    with stranger(path) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, ["CREATE TABLE t (n)", "CREATE TABLE u (n);\n\nINSERT INTO nothing VALUES (1)"])
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


def test_two_processes_may_open_a_new_file_at_once(path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        logs = list(pool.map(lambda _: SqliteEventLog(path, at_noon), range(8)))
    for log in logs:
        asyncio.run(log.close())


def test_a_transaction_is_all_or_nothing(path: Path) -> None:
    with stranger(path) as connection:
        connection.execute("CREATE TABLE t (n)")
        with pytest.raises(sqlite3.OperationalError), transaction(connection):
            connection.executemany("INSERT INTO t VALUES (abs(?))", [(1,), (-(2**63),)])
        assert connection.execute("SELECT * FROM t").fetchall() == []
