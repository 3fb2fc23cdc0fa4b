"""Connections, transactions, migrations and the wall clock of PostgreSQL."""

import asyncio
from typing import Any

import asyncpg
import pytest

from referee.live.match_timing import LoopTime
from referee.live.ports import StoreUnavailable
from referee.storage import shared_time
from referee.storage.postgres import database as database_module
from referee.storage.postgres import schema
from referee.storage.postgres.database import Connection, ConnectionReplaced, PostgresDatabase, write_mark
from referee.storage.postgres.database_time import read_now
from referee.storage.postgres.schema import migrations
from referee.storage.shared_time import SharedTime
from referee.storage.sqlite.database import NewerDatabase
from tests.storage.postgres_databases import execute
from tests.storage.stores import opened

COUNT = "SELECT count(*) FROM contests"
ADD = "INSERT INTO contests (contest_id) VALUES ($1)"
END_SESSIONS = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database()
"""


async def count(database: PostgresDatabase) -> Any:
    return await database.read(lambda connection: connection.fetchval(COUNT))


async def end_sessions(url: str) -> None:
    """End all other sessions of the database, as an administrator may."""
    await execute(url, END_SESSIONS)


async def test_a_write_is_one_transaction(database: PostgresDatabase) -> None:
    async def fails(connection: Connection) -> None:
        await connection.execute(ADD, "a")
        raise KeyError("by the caller")

    with pytest.raises(KeyError):
        await database.write(fails)
    assert await count(database) == 0
    await database.write(lambda connection: connection.execute(ADD, "a"))
    assert await count(database) == 1


async def test_a_failed_statement_is_store_unavailable_and_changes_nothing(database: PostgresDatabase) -> None:
    async def add_twice(connection: Connection) -> None:
        for _ in range(2):
            await connection.execute(ADD, "a")

    with pytest.raises(StoreUnavailable, match="duplicate key"):
        await database.write(add_twice)
    assert await count(database) == 0
    with pytest.raises(StoreUnavailable, match="no_such_table"):
        await database.read(lambda connection: connection.fetchval("SELECT * FROM no_such_table"))


async def test_a_write_is_completed_although_its_caller_is_cancelled(database: PostgresDatabase) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def add(connection: Connection) -> None:
        began.set()
        await go_on.wait()
        await connection.execute(ADD, "a")

    caller = asyncio.ensure_future(database.write(add))
    await began.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go_on.set()
    await database.close()
    await database.open()
    assert await count(database) == 1


async def test_broken_connections_are_replaced(database: PostgresDatabase, postgres_url: str) -> None:
    async def add_after_end(connection: Connection) -> None:
        await connection.execute(ADD, "lost")
        await end_sessions(postgres_url)
        await connection.execute(ADD, "never sent")

    assert await count(database) == 0
    with pytest.raises(StoreUnavailable):
        await database.write(add_after_end)
    assert await count(database) == 0
    await database.write(lambda connection: connection.execute(ADD, "a"))
    assert await count(database) == 1


async def test_a_broken_commit_is_answered_with_what_became_of_it(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = asyncpg.transaction.Transaction.commit

    async def lose_answer(transaction: Any) -> None:
        await commit(transaction)
        await break_connection(transaction)

    async def break_connection(transaction: Any) -> None:
        transaction._connection.terminate()  # The pool takes it back at once.
        raise ConnectionResetError

    monkeypatch.setattr(asyncpg.transaction.Transaction, "commit", lose_answer)
    await database.write(lambda connection: connection.execute(ADD, "stored"))
    monkeypatch.setattr(asyncpg.transaction.Transaction, "commit", break_connection)
    with pytest.raises(StoreUnavailable):
        await database.write(lambda connection: connection.execute(ADD, "not stored"))
    monkeypatch.undo()
    assert await database.read(lambda connection: connection.fetch("SELECT contest_id FROM contests")) == [("stored",)]


async def test_the_outcome_waits_for_a_transaction_that_still_runs_and_closes_its_connection(
    database: PostgresDatabase,
) -> None:
    slow = await database.connect()
    transaction = slow.transaction()
    await transaction.start()
    mark = slow.marks.next()
    await write_mark(slow, mark)
    asked = asyncio.ensure_future(database.find_outcome(mark, transaction_id))
    await wait_until_blocked(slow)
    assert not asked.done()
    await transaction.commit()
    assert await asked
    later = slow.marks.next()
    with pytest.raises(ConnectionReplaced):
        await write_mark(slow, later)
    assert await database.find_outcome(later, transaction_id) is None
    slow.terminate()


async def transaction_id(_: Connection, xid: str) -> str:
    return xid


async def wait_until_blocked(connection: Connection) -> None:
    """Return when another session waits for a lock."""
    while not await connection.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
        pass


async def test_a_read_that_waits_when_the_database_is_closed_is_unavailable(
    database: PostgresDatabase, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await asyncpg.connect(postgres_url)
    async with other.transaction():
        await other.execute("LOCK TABLE contests")
        waiting = asyncio.create_task(count(database))
        await wait_until_blocked(other)
        monkeypatch.setattr(database_module, "CONNECT_TIMEOUT_S", 0)  # How long closing waits for the read.
        await database.close()
        with pytest.raises(StoreUnavailable):
            await waiting
    await other.close()


async def test_several_processes_migrate_an_empty_database_at_once(postgres_url: str) -> None:
    await execute(postgres_url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    databases = [PostgresDatabase(postgres_url) for _ in range(4)]
    await asyncio.gather(*(database.open() for database in databases))
    versions = [
        await database.read(lambda connection: connection.fetchval("SELECT version FROM schema_version"))
        for database in databases
    ]
    assert versions == [len(migrations())] * 4
    await asyncio.gather(*(database.close() for database in databases))


async def migrate_later(url: str, *later: str) -> None:
    """Apply these migrations of a later release."""
    connection = await asyncpg.connect(url)
    try:
        await schema.migrate(connection, [*migrations(), *later])
    finally:
        await connection.close()


async def test_a_database_that_a_later_release_has_changed_additively_can_be_used(
    postgres_url: str, postgres_node_url: str
) -> None:
    later = "-- Additive: where a node is.\nALTER TABLE nodes ADD COLUMN zone text;\nCREATE TABLE zones (name text);"
    likes = "-- Additive: what it likes.\nALTER TABLE bots ADD COLUMN likes text DEFAULT '';"
    await migrate_later(postgres_url, later, likes)
    async with opened(database := PostgresDatabase(postgres_node_url)):
        await database.write(lambda connection: connection.execute(ADD, "a"))
        assert await count(database) == 1


@pytest.mark.parametrize("last", ["-- Additive:\nCREATE TABLE zones (name text)", "DROP TABLE quotas"])
async def test_a_database_that_a_later_release_has_changed_otherwise_is_refused(postgres_url: str, last: str) -> None:
    await migrate_later(postgres_url, "ALTER TABLE bots DROP COLUMN description", last)
    with pytest.raises(NewerDatabase, match=f"has version {len(migrations()) + 2}"):
        await PostgresDatabase(postgres_url).open()


async def test_a_release_knows_its_own_migrations_of_either_kind(postgres_url: str) -> None:
    for _ in range(2):
        await migrate_later(postgres_url, "DROP TABLE quotas", "-- Additive:\nCREATE TABLE zones (name text)")


async def test_a_migration_does_not_wait_for_a_long_transaction_while_all_others_wait_for_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "LOCK_TIMEOUT_S", 0.01)
    dumping = await asyncpg.connect(postgres_url)
    async with asyncio.timeout(60), dumping.transaction():
        await dumping.fetch("SELECT FROM bots")
        with pytest.raises(StoreUnavailable, match="another transaction has used a table"):
            await migrate_later(postgres_url, "ALTER TABLE bots ADD COLUMN likes text")
    await dumping.close()
    await migrate_later(postgres_url, "ALTER TABLE bots ADD COLUMN likes text")


@pytest.mark.parametrize(
    "url", ["postgres://referee:secret@127.0.0.1:1/x", "nonsense", "postgres://referee:secret@127.0.0.1:x/y"]
)
async def test_an_address_without_a_server_is_store_unavailable_and_the_password_is_not_shown(url: str) -> None:
    with pytest.raises(StoreUnavailable) as error:
        await PostgresDatabase(url).open()
    assert "secret" not in str(error.value)


async def test_a_closed_database_is_unavailable(database: PostgresDatabase) -> None:
    await database.close()
    with pytest.raises(StoreUnavailable):
        await count(database)


HOUR_MS = 3_600_000
TOLERANCE_MS = HOUR_MS // 4
"""Far more than a test can take, and far less than the clocks differ."""


async def test_the_clock_of_a_machine_does_not_count(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = LoopTime.wall_ms
    monkeypatch.setattr(LoopTime, "wall_ms", lambda time: right(time) + HOUR_MS)
    time, database = SharedTime(), PostgresDatabase(postgres_url)
    assert time.wall_ms() - right(time) > HOUR_MS - TOLERANCE_MS  # Of this machine, before the database is known.
    await database.open()
    await time.open(lambda: database.read(read_now))
    assert abs(time.wall_ms() - right(time)) < TOLERANCE_MS
    time.close()
    await database.close()


async def test_the_clock_of_the_database_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_time, "COMPARE_INTERVAL_US", 1)
    right, clocks = LoopTime(), iter([0, -1, HOUR_MS])

    async def read() -> int:
        difference_ms = next(clocks, HOUR_MS)
        if difference_ms < 0:
            raise StoreUnavailable("for a moment")
        return right.wall_ms() - difference_ms

    time = SharedTime()
    await time.open(read)
    async with asyncio.timeout(60):
        while right.wall_ms() - time.wall_ms() < HOUR_MS - TOLERANCE_MS:
            await asyncio.sleep(0)
    time.close()
