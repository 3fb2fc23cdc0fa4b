"""A PostgreSQL database is used by one server, by one migration, or by the nodes of one cluster."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseInUse, DatabaseLock
from referee.storage.postgres.key_store import add_key, read_key


def with_database(url: str, check: Callable[[PostgresDatabase], Awaitable[None]]) -> None:
    async def run() -> None:
        database = PostgresDatabase(url)
        await database.open()
        try:
            await check(database)
        finally:
            await database.close()

    asyncio.run(run())


def test_one_server_excludes_another_and_the_nodes_of_a_cluster_share_the_lock(postgres_url: str) -> None:
    async def check(database: PostgresDatabase) -> None:
        server = await DatabaseLock.acquire(database)
        for shared in (False, True):
            with pytest.raises(DatabaseInUse, match="a server already uses this database"):
                await DatabaseLock.acquire(database, shared=shared)
        await release(server)
        nodes = [await DatabaseLock.acquire(database, shared=True) for _ in range(2)]
        with pytest.raises(DatabaseInUse):
            await DatabaseLock.acquire(database)
        for node in nodes:
            await release(node)
        await release(await DatabaseLock.acquire(database))

    async def release(lock: DatabaseLock) -> None:
        await lock.release()
        await lock.release()

    with_database(postgres_url, check)


def test_the_first_key_that_a_node_adds_stays(postgres_url: str) -> None:
    async def check(database: PostgresDatabase) -> None:
        assert await database.read(read_key) is None
        added = await asyncio.gather(*(database.write(partial(add_key, pem=b"%d" % number)) for number in range(9)))
        assert len(set(added)) == 1
        assert await database.read(read_key) == added[0]

    with_database(postgres_url, check)
