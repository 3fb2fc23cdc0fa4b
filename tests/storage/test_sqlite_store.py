"""The SQLite stores beyond their contract: durability, concurrent use, and faults of disk and file."""

import asyncio
import sqlite3
from functools import partial
from pathlib import Path
from threading import Event as Signal

import pytest

from referee.accounts.account_errors import UnknownBot
from referee.accounts.tokens import Quota
from referee.live.ports import LogUnavailable
from referee.storage.sqlite.bot_log import INSERT, SqliteBotLog
from referee.storage.sqlite.database import NewerDatabase
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.sqlite.store import SqliteStore
from tests.storage.account_stores import PLENTY, AccountStores, in_sqlite, organiser_token, tell
from tests.storage.stores import at_noon, events_of, notes, stranger
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


class Held:
    """A write that blocks the writing thread until it is released."""

    def __init__(self) -> None:
        self.begun = Signal()
        self.released = Signal()

    def __call__(self, file: sqlite3.Connection) -> int:
        self.begun.set()
        self.released.wait(60)  # With a timeout: a bug should fail the test, not block it.
        return add(0, file)


def test_nothing_is_written_where_the_file_is_not_the_one_that_was_opened(path: Path) -> None:
    async def told() -> None:
        store = SqliteStore(path)
        path.rename(path.with_suffix(".aside"))
        with pytest.raises(LogUnavailable, match=r"referee\.db has been removed or replaced"):
            await store.write(partial(add, 1))
        path.with_suffix(".aside").rename(path)
        await store.write(partial(add, 2))
        assert await store.read(numbers) == [2]
        await store.close()

    asyncio.run(told())


def test_reopened_books_are_equal(path: Path) -> None:
    async def write(account_stores: AccountStores) -> None:
        await account_stores.register("ada", description="plays")
        await account_stores.add_versions("ada", "1", "2")
        await account_stores.tokens.add_token(organiser_token("s"), 100)
        await account_stores.quotas.set_quota("ann", Quota(1))
        await account_stores.bot_log.append("ada", [note(number) for number in range(9)])
        before.extend(await all_of(account_stores))

    async def read(account_stores: AccountStores) -> None:
        assert await all_of(account_stores) == before
        again = await account_stores.register("ada", description="plays", limit=PLENTY)
        assert again.repeated

    async def all_of(account_stores: AccountStores) -> list[object]:
        return [
            await account_stores.accounts.bots(),
            await account_stores.accounts.versions("ada"),
            await account_stores.tokens.tokens(),
            await account_stores.quotas.quota("ann"),
            await account_stores.bot_log.read("ada"),
        ]

    before: list[object] = []
    tell(in_sqlite(path), write)
    tell(in_sqlite(path), read)


def test_no_secret_is_in_the_file(path: Path) -> None:
    async def write(account_stores: AccountStores) -> None:
        await account_stores.tokens.add_token(organiser_token("rf_the-secret-itself"), 100)

    tell(in_sqlite(path), write)
    assert all(b"rf_" not in file.read_bytes() for file in path.parent.iterdir())


def test_the_books_and_the_log_of_the_matches_share_a_file(path: Path) -> None:
    async def write() -> None:
        log, store = SqliteEventLog(path, at_noon), SqliteStore(path)
        bot_log = SqliteBotLog(store, max_lines=5)
        appends = (log.append(f"m{one}", 0, notes(1, 3)) for one in range(30))
        others = (bot_log.append(f"bot{one}", [note(one)]) for one in range(30))
        await asyncio.gather(*appends, *others)
        assert await events_of(log, "m29") == notes(1, 3)
        assert len(await bot_log.read("bot29")) == 1
        await store.close()
        await log.close()

    asyncio.run(write())


def test_what_waits_is_written_together_and_stands_apart(path: Path) -> None:
    async def crowd() -> None:
        store = SqliteStore(path)
        held = Held()
        first = asyncio.ensure_future(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        others = [asyncio.ensure_future(store.write(order)) for order in (one, spoilt, two)]
        await asyncio.sleep(0)
        held.released.set()
        assert await first == 0
        answers = await asyncio.gather(*others, return_exceptions=True)
        assert answers[0] == 1
        assert isinstance(answers[1], UnknownBot)
        assert answers[2] == [0, 1, 2]
        assert await store.read(numbers) == [0, 1, 2]
        await store.close()

    def one(file: sqlite3.Connection) -> int:
        return add(1, file)

    def two(file: sqlite3.Connection) -> list[int]:
        add(2, file)
        return numbers(file)

    def spoilt(file: sqlite3.Connection) -> int:
        add(99, file)
        raise UnknownBot("nobody")

    asyncio.run(crowd())


def test_a_reader_sees_only_what_is_committed_and_does_not_wait(path: Path) -> None:
    async def look() -> None:
        store = SqliteStore(path)
        held = Held()
        writing = asyncio.ensure_future(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        assert await store.read(numbers) == []
        held.released.set()
        await writing
        assert await store.read(numbers) == [0]
        await store.close()

    asyncio.run(look())


def test_who_hangs_up_does_not_take_the_order_back(path: Path) -> None:
    async def hang_up() -> None:
        store = SqliteStore(path)
        held = Held()
        writing = asyncio.ensure_future(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        writing.cancel()
        await asyncio.wait([writing])
        held.released.set()
        assert await store.write(lambda file: add(1, file)) == 1
        assert await store.read(numbers) == [0, 1]
        await store.close()

    asyncio.run(hang_up())


def test_closing_writes_what_is_waiting_and_then_nothing_more(path: Path) -> None:
    async def close() -> None:
        store = SqliteStore(path)
        orders = [asyncio.ensure_future(store.write(partial(add, one))) for one in range(20)]
        await asyncio.sleep(0)
        await store.close()
        assert await asyncio.gather(*orders) == list(range(20))
        await store.close()
        with pytest.raises(LogUnavailable, match="closed"):
            await store.write(lambda file: add(99, file))
        with pytest.raises(LogUnavailable, match="closed"):
            await store.read(numbers)

    asyncio.run(close())
    with stranger(path) as other:
        assert numbers(other) == list(range(20))


def test_a_locked_file_changes_nothing_and_is_used_again_when_it_is_free(path: Path) -> None:
    async def story() -> None:
        store = SqliteStore(path, busy_ms=0)
        with stranger(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(LogUnavailable, match="the database is unavailable: database is locked"):
                await store.write(lambda file: add(1, file))
            assert await store.read(numbers) == []
            other.execute("ROLLBACK")
        await store.write(lambda file: add(1, file))
        assert await store.read(numbers) == [1]
        await store.close()

    asyncio.run(story())


def test_a_full_disk_changes_nothing_and_the_next_order_is_done_when_there_is_room(path: Path) -> None:
    async def story() -> None:
        store = SqliteStore(path)
        (pages,) = await store.read(lambda file: file.execute("PRAGMA page_count").fetchone())
        store._threads.writing.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LogUnavailable, match="full"):
            await store.write(lambda file: [add(one, file) for one in range(5000)])
        assert await store.read(numbers) == []
        store._threads.writing.execute("PRAGMA max_page_count = 1000000")
        await store.write(lambda file: [add(one, file) for one in range(5000)])
        assert len(await store.read(numbers)) == 5000
        await store.close()

    asyncio.run(story())


def test_files_that_cannot_be_books(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match="unable to open"):
        SqliteStore(tmp_path)
    path.write_text("Dear diary, today I lost at trox." * 100, encoding="ascii")
    with pytest.raises(LogUnavailable, match="not a database"):
        SqliteStore(path)


def test_a_file_of_a_later_release_is_refused(path: Path) -> None:
    with stranger(path) as later:
        later.execute("PRAGMA user_version = 99")
        with pytest.raises(NewerDatabase):
            SqliteStore(path)
