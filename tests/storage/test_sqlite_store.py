"""The SQLite stores beyond their contract: durability, concurrent use, and faults of disk and file."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event as Signal

import pytest

from referee.accounts.account_errors import NoSuchBot
from referee.accounts.tokens import Quota
from referee.live.ports import StoreUnavailable
from referee.storage.sql import Operation, SqlConnection
from referee.storage.sqlite.connection import run_to_end
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.sqlite.store import SqliteStore
from referee.storage.stored_bot_log import INSERT, StoredBotLog
from tests.storage.account_stores import HIGH_LIMITS, AccountStores, in_sqlite, organiser_token
from tests.storage.stores import events_of, noon_ms, notes, opened, other_connection
from tests.storage.test_bot_log_contract import note
from tests.storage.test_invitations_contract import create, invitation, redeem

NORMAL, FULL = 1, 2  # Values of PRAGMA synchronous.


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.db"


async def add(number: int, connection: SqlConnection) -> int:
    """Run a distinguishable write."""
    await connection.change(INSERT, "b", number, 0, "", "", None, None, "")
    return number


async def numbers(connection: SqlConnection) -> list[int]:
    return [number for (number,) in await connection.fetch("SELECT number FROM bot_log ORDER BY number")]


class BlockingWrite:
    """A write that blocks the writing thread until it is released."""

    def __init__(self) -> None:
        self.started = Signal()
        self.released = Signal()

    async def __call__(self, connection: SqlConnection) -> int:
        self.started.set()
        self.released.wait(60)  # With a timeout: a bug should fail the test, not block it.
        return await add(0, connection)


async def test_reopened_account_stores_are_equal(path: Path) -> None:
    async def read_all(stores: AccountStores) -> list[object]:
        return [
            await stores.accounts.bots(),
            await stores.accounts.versions("ada"),
            await stores.tokens.tokens(),
            await stores.quotas.quota("ann"),
            await stores.bot_log.read("ada"),
            await stores.invitations.invitations(),
        ]

    async with opened(stores := in_sqlite(path)):
        await stores.register("ada", description="plays")
        await stores.add_versions("ada", "1", "2")
        await stores.tokens.add_token(organiser_token("s"), 100)
        await stores.quotas.set_quota("ann", Quota(1))
        await stores.bot_log.append("ada", [note(number) for number in range(9)])
        await create(stores, invitation())
        await redeem(stores, "eve", "r")
        before = await read_all(stores)
    async with opened(stores := in_sqlite(path)):
        assert await read_all(stores) == before
        assert (await stores.register("ada", description="plays", limit=HIGH_LIMITS)).repeated
        assert (await redeem(stores, "eve", "r")).repeated


async def test_the_database_contains_no_secret(path: Path) -> None:
    async with opened(stores := in_sqlite(path)):
        await stores.tokens.add_token(organiser_token("rf_the-secret-itself"), 100)
    assert all(b"rf_" not in file.read_bytes() for file in path.parent.iterdir())


async def test_account_stores_and_match_log_can_share_a_database(path: Path) -> None:
    log, store = SqliteEventLog(path, noon_ms), SqliteStore(path)
    bot_log = StoredBotLog(store, max_lines=5)
    appends = (log.append(f"m{number}", 0, notes(1, 3)) for number in range(30))
    others = (bot_log.append(f"bot{number}", [note(number)]) for number in range(30))
    await asyncio.gather(*appends, *others)
    assert await events_of(log, "m29") == notes(1, 3)
    assert len(await bot_log.read("bot29")) == 1
    await store.close()
    await log.close()


async def test_a_failed_write_does_not_affect_the_others_of_its_batch(path: Path) -> None:
    async def add_two(connection: SqlConnection) -> list[int]:
        await add(2, connection)
        return await numbers(connection)

    async def failing(connection: SqlConnection) -> int:
        await add(99, connection)
        raise NoSuchBot("nobody")

    store = SqliteStore(path)
    blocking_write = BlockingWrite()
    first = asyncio.ensure_future(store.write(blocking_write))
    await asyncio.to_thread(blocking_write.started.wait)
    writes: tuple[Operation[object], ...] = (partial(add, 1), failing, add_two)
    others = [asyncio.ensure_future(store.write(write)) for write in writes]
    await asyncio.sleep(0)
    blocking_write.released.set()
    assert await first == 0
    answers = await asyncio.gather(*others, return_exceptions=True)
    assert answers[0] == 1
    assert isinstance(answers[1], NoSuchBot)
    assert answers[2] == [0, 1, 2]
    assert await store.read(numbers) == [0, 1, 2]
    await store.close()


async def test_closing_executes_pending_writes_and_rejects_later_ones(path: Path) -> None:
    store = SqliteStore(path)
    writes = [asyncio.ensure_future(store.write(partial(add, number))) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*writes) == list(range(20))
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.write(partial(add, 99))
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.read(numbers)
    with other_connection(path) as other:
        assert run_to_end(numbers, other) == list(range(20))


@pytest.mark.parametrize(("durable", "synchronous"), [((True,), FULL), ((False,), NORMAL), ((False, True), FULL)])
async def test_only_what_must_survive_a_power_cut_waits_for_the_disk(
    path: Path, durable: Sequence[bool], synchronous: int
) -> None:
    async def read_synchronous(connection: SqlConnection) -> int:
        return int(await connection.fetchval("PRAGMA synchronous"))

    store = SqliteStore(path)
    found = await asyncio.gather(*(store.write(read_synchronous, durable=each) for each in durable))
    assert set(found) == {synchronous}
    await store.close()
