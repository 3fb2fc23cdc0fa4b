"""The table of nodes in PostgreSQL when connections break, calls are cancelled, and the server is killed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from deploy.cluster_demo.postgres_server import PrivatePostgres
from referee.cluster.membership.postgres_nodes import JOIN_LOCK, PostgresNodes
from referee.live.ports import LogUnavailable
from referee.storage.postgres.database import PostgresDatabase
from tests.cluster.membership.members import profile
from tests.storage.postgres_databases import run_postgres

END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"


@asynccontextmanager
async def open_nodes(url: str) -> AsyncIterator[tuple[PostgresNodes, PostgresDatabase]]:
    database = PostgresDatabase(url)
    await database.open()
    nodes = PostgresNodes(database)
    try:
        async with asyncio.timeout(60):  # A bug should fail the test, not block it.
            yield nodes, database
    finally:
        await nodes.close()
        await database.close()


async def read_at_last(nodes: PostgresNodes) -> None:
    """Return when the table can be read again."""
    while True:
        try:
            await nodes.read()
        except LogUnavailable:
            await asyncio.sleep(0)
        else:
            return


@pytest.fixture
def server() -> Iterator[PrivatePostgres]:
    with run_postgres() as server:
        yield server


def test_a_broken_connection_is_replaced(postgres_url: str) -> None:
    async def test() -> None:
        async with open_nodes(postgres_url) as (nodes, database):
            await nodes.join(profile(node_id="a"))
            await database.read(lambda connection: connection.fetch(END_ALL))
            with pytest.raises(LogUnavailable):
                await nodes.renew("a", 1, 0, False)
            assert await nodes.renew("a", 1, 0, False)

    asyncio.run(test())


def test_a_cancelled_call_does_not_disturb_the_next_one(postgres_url: str) -> None:
    async def test() -> None:
        async with open_nodes(postgres_url) as (nodes, database):
            await nodes.read()
            blocker = await database.connect()
            await blocker.execute("SELECT pg_advisory_lock($1)", JOIN_LOCK)
            joining = asyncio.ensure_future(nodes.join(profile(node_id="a")))
            while not await blocker.fetch("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
                pass
            joining.cancel()
            assert (await nodes.read()).nodes == ()
            await blocker.close()
            await nodes.join(profile(node_id="b"))
            assert [node.id for node in (await nodes.read()).nodes if node.id != "a"] == ["b"]

    asyncio.run(test())


def test_other_queries_of_the_process_do_not_delay_a_renewal(postgres_url: str) -> None:
    """All connections of the pool wait for something."""

    async def test() -> None:
        async with open_nodes(postgres_url) as (nodes, database):
            await nodes.join(profile(node_id="a"))
            slow = [
                asyncio.ensure_future(database.read(lambda connection: connection.fetch("SELECT pg_sleep(60)")))
                for _ in range(20)
            ]
            await asyncio.sleep(0)
            assert await nodes.renew("a", 1, 0, False)
            for query in slow:
                query.cancel()
            await asyncio.gather(*slow, return_exceptions=True)

    asyncio.run(test())


@pytest.mark.slow
def test_no_election_is_undone_when_postgresql_is_killed(server: PrivatePostgres) -> None:
    async def test() -> None:
        async with open_nodes(server.url()) as (nodes, _):
            for epoch in range(1, 4):
                await nodes.join(profile(node_id=f"n{epoch}"))
                await nodes.renew(f"n{epoch}", 1, epoch, False)
                assert await nodes.elect(f"n{epoch}")
                server.kill()
                with pytest.raises(LogUnavailable):
                    await nodes.read()
                server.start()
                await read_at_last(nodes)
                state = await nodes.read()
                assert (state.coordinator, state.epoch) == (f"n{epoch}", epoch)
                await nodes.leave(f"n{epoch}")

    asyncio.run(test())
