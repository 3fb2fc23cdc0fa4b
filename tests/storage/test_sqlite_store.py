"""The SQLite stores beyond their contract: durability, concurrent use, and faults of disk and file."""

import asyncio
import sqlite3
from functools import partial
from pathlib import Path
from threading import Event as Signal

import pytest

from referee.accounts.account_errors import NoSuchBot
from referee.accounts.tokens import Quota
from referee.live.ports import StoreUnavailable
from referee.storage.sqlite.bot_log import INSERT, SqliteBotLog
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.sqlite.store import SqliteStore
from tests.storage.account_stores import HIGH_LIMITS, AccountStores, in_sqlite, organiser_token
from tests.storage.stores import events_of, noon_ms, notes, other_connection, run_with_store
from tests.storage.test_bot_log_contract import note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.db"


def add(number: int, file: sqlite3.Connection) -> int:
    """Run a distinguishable write."""
    file.execute(INSERT, ("b", number, 0, "", "", None, None, ""))
    return number


def numbers(file: sqlite3.Connection) -> list[int]:
    return [number for (number,) in file.execute("SELECT number FROM bot_log ORDER BY number")]


class BlockingWrite:
    """A write that blocks the writing thread until it is released."""

    def __init__(self) -> None:
        self.started = Signal()
        self.released = Signal()

    def __call__(self, file: sqlite3.Connection) -> int:
        self.started.set()
        self.released.wait(60)  # With a timeout: a bug should fail the test, not block it.
        return add(0, file)


def test_reopened_account_stores_are_equal(path: Path) -> None:
    async def write(account_stores: AccountStores) -> None:
        await account_stores.register("ada", description="plays")
        await account_stores.add_versions("ada", "1", "2")
        await account_stores.tokens.add_token(organiser_token("s"), 100)
        await account_stores.quotas.set_quota("ann", Quota(1))
        await account_stores.bot_log.append("ada", [note(number) for number in range(9)])
        before.extend(await read_all(account_stores))

    async def read(account_stores: AccountStores) -> None:
        assert await read_all(account_stores) == before
        repeated = await account_stores.register("ada", description="plays", limit=HIGH_LIMITS)
        assert repeated.repeated

    async def read_all(account_stores: AccountStores) -> list[object]:
        return [
            await account_stores.accounts.bots(),
            await account_stores.accounts.versions("ada"),
            await account_stores.tokens.tokens(),
            await account_stores.quotas.quota("ann"),
            await account_stores.bot_log.read("ada"),
        ]

    before: list[object] = []
    run_with_store(in_sqlite(path), write)
    run_with_store(in_sqlite(path), read)


def test_the_database_contains_no_secret(path: Path) -> None:
    async def write(account_stores: AccountStores) -> None:
        await account_stores.tokens.add_token(organiser_token("rf_the-secret-itself"), 100)

    run_with_store(in_sqlite(path), write)
    assert all(b"rf_" not in file.read_bytes() for file in path.parent.iterdir())


def test_account_stores_and_match_log_can_share_a_database(path: Path) -> None:
    async def write() -> None:
        log, store = SqliteEventLog(path, noon_ms), SqliteStore(path)
        bot_log = SqliteBotLog(store, max_lines=5)
        appends = (log.append(f"m{number}", 0, notes(1, 3)) for number in range(30))
        others = (bot_log.append(f"bot{number}", [note(number)]) for number in range(30))
        await asyncio.gather(*appends, *others)
        assert await events_of(log, "m29") == notes(1, 3)
        assert len(await bot_log.read("bot29")) == 1
        await store.close()
        await log.close()

    asyncio.run(write())


def test_a_failed_write_does_not_affect_the_others_of_its_batch(path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(path)
        blocking_write = BlockingWrite()
        first = asyncio.ensure_future(store.write(blocking_write))
        await asyncio.to_thread(blocking_write.started.wait)
        others = [asyncio.ensure_future(store.write(write)) for write in (add_one, failing, add_two)]
        await asyncio.sleep(0)
        blocking_write.released.set()
        assert await first == 0
        answers = await asyncio.gather(*others, return_exceptions=True)
        assert answers[0] == 1
        assert isinstance(answers[1], NoSuchBot)
        assert answers[2] == [0, 1, 2]
        assert await store.read(numbers) == [0, 1, 2]
        await store.close()

    def add_one(file: sqlite3.Connection) -> int:
        return add(1, file)

    def add_two(file: sqlite3.Connection) -> list[int]:
        add(2, file)
        return numbers(file)

    def failing(file: sqlite3.Connection) -> int:
        add(99, file)
        raise NoSuchBot("nobody")

    asyncio.run(check())


def test_closing_executes_pending_writes_and_rejects_later_ones(path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(path)
        writes = [asyncio.ensure_future(store.write(partial(add, number))) for number in range(20)]
        await asyncio.sleep(0)
        await store.close()
        assert await asyncio.gather(*writes) == list(range(20))
        await store.close()
        with pytest.raises(StoreUnavailable, match="closed"):
            await store.write(lambda file: add(99, file))
        with pytest.raises(StoreUnavailable, match="closed"):
            await store.read(numbers)

    asyncio.run(check())
    with other_connection(path) as other:
        assert numbers(other) == list(range(20))
