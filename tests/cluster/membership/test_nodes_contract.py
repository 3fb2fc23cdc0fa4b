"""The contract of the table of nodes, for all adapters, and PostgreSQL that fails."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from deploy.cluster_demo.postgres_server import PrivatePostgres
from referee.cluster.membership.compatibility import IncompatibleNode
from referee.cluster.membership.node_store import ClusterState, NodeStore
from referee.cluster.membership.postgres_nodes import JOIN_LOCK, PostgresNodes
from referee.live.ports import StoreUnavailable
from referee.storage.postgres.database import PostgresDatabase
from tests.cluster.membership.members import MemoryNodes, profile
from tests.cluster.worlds import in_world
from tests.storage.postgres_databases import run_postgres


@asynccontextmanager
async def open_nodes(url: str) -> AsyncIterator[tuple[PostgresNodes, PostgresDatabase]]:
    database = PostgresDatabase(url)
    await database.open()
    nodes = PostgresNodes(database)
    try:
        yield nodes, database
    finally:
        await nodes.close()
        await database.close()


@pytest.fixture(params=["memory", "postgres"])
def table_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty table; empty: it is in memory."""
    return "" if request.param == "memory" else str(request.getfixturevalue("postgres_node_url"))


@in_world
@asynccontextmanager
async def with_all_tables(*, table_url: str) -> AsyncIterator[tuple[NodeStore, NodeStore]]:
    """Yield an empty table of each kind, as two nodes reach it."""
    if not table_url:
        nodes = MemoryNodes()
        yield nodes, nodes
        return
    async with open_nodes(table_url) as (here, database):
        there = PostgresNodes(database)
        yield here, there
        await there.close()


@in_world
@asynccontextmanager
async def on_postgres(*, postgres_url: str) -> AsyncIterator[tuple[PostgresNodes, PostgresDatabase]]:
    async with open_nodes(postgres_url) as opened:
        yield opened


@with_all_tables
async def test_an_empty_table_has_no_nodes_and_no_coordinator(here: NodeStore, there: NodeStore) -> None:
    assert await here.read() == await there.read() == ClusterState()


@with_all_tables
async def test_nodes_are_listed_in_the_order_of_their_ids(here: NodeStore, there: NodeStore) -> None:
    nodes = [profile(f"{node_id}:1", 2, 3, node_id, 4_000_000) for node_id in ("b", "B", "a")]
    for node in nodes:
        await here.join(node)
    assert (await there.read()).nodes == (nodes[1], nodes[2], nodes[0])


@with_all_tables
async def test_a_renewal_counts_and_publishes(here: NodeStore, there: NodeStore) -> None:
    await here.join(profile(node_id="a"))
    await here.join(profile(node_id="b"))
    await here.renew("a", 1, False)
    state = await here.renew("a", 2, True)
    assert state
    assert [node.id for node in state.nodes] == ["a", "b"]
    node = (await there.read()).node("a")
    assert node
    assert (node.draining, node.renewals) == (True, 2)
    await here.renew("a", 1, False)  # A late arrival of the first one.
    assert [node.renewals for node in (await there.read()).nodes] == [2, 0]
    assert await here.renew("c", 1, False) is None


@with_all_tables
async def test_a_join_that_is_repeated_counts_as_a_renewal(here: NodeStore, there: NodeStore) -> None:
    for joins in (1, 2):
        await here.join(replace(profile(node_id="a"), renewals=joins))
    await there.renew("a", 3, False)
    await here.join(replace(profile(node_id="a"), renewals=1))  # A late arrival of the first one.
    (node,) = (await there.read()).nodes
    assert node.renewals == 3


@with_all_tables
async def test_a_node_is_removed_only_if_it_has_not_renewed(here: NodeStore, there: NodeStore) -> None:
    await here.join(profile(node_id="a"))
    (seen,) = (await there.read()).nodes
    await here.renew("a", 1, False)
    assert not await there.remove(seen)
    (seen,) = (await there.read()).nodes
    assert await there.remove(seen)
    assert not await there.remove(seen)
    assert await here.renew("a", 1, False) is None


@with_all_tables
async def test_one_member_is_elected_and_epochs_grow(here: NodeStore, there: NodeStore) -> None:
    await here.join(profile(node_id="a"))
    await there.join(profile(node_id="b"))
    assert await here.elect("a")
    assert not await there.elect("b")
    assert not await here.elect("a")
    state = await there.read()
    assert (state.coordinator, state.epoch) == ("a", 1)
    await there.resign("b")
    assert (await there.read()).coordinator == "a"
    await here.resign("a")
    assert ((await there.read()).coordinator, (await there.read()).epoch) == ("", 1)
    assert await there.elect("b")
    assert (await here.read()).epoch == 2


@with_all_tables
async def test_many_candidates_at_once_elect_one(here: NodeStore, there: NodeStore) -> None:
    await here.join(profile(node_id="a"))
    await there.join(profile(node_id="b"))
    for epoch in range(1, 21):
        elected = await asyncio.gather(here.elect("a"), there.elect("b"))
        assert sorted(elected) == [False, True]
        assert (await here.read()).epoch == epoch
        await asyncio.gather(here.resign("a"), there.resign("b"))


@with_all_tables
async def test_who_is_no_member_is_not_the_coordinator(here: NodeStore, there: NodeStore) -> None:
    assert not await here.elect("a")
    await here.join(profile(node_id="a"))
    await here.elect("a")
    await here.leave("a")
    await here.leave("a")
    assert not await there.elect("a")
    assert await there.read() == ClusterState((), "", 1)
    await here.join(profile(node_id="b"))
    await here.elect("b")
    (seen,) = (await there.read()).nodes
    assert await there.remove(seen)
    assert await there.read() == ClusterState((), "", 2)


@with_all_tables
async def test_a_node_without_a_common_protocol_does_not_join(here: NodeStore, there: NodeStore) -> None:
    await here.join(profile(oldest=3, newest=5, node_id="a"))
    await there.join(profile(oldest=5, newest=6, node_id="b"))
    with pytest.raises(IncompatibleNode, match="too old"):
        await there.join(profile(oldest=3, newest=4, node_id="c"))
    with pytest.raises(IncompatibleNode, match="too new"):
        await there.join(profile(oldest=6, newest=6, node_id="c"))
    assert len((await here.read()).nodes) == 2


@with_all_tables
async def test_of_two_incompatible_nodes_that_join_at_once_one_is_refused(here: NodeStore, there: NodeStore) -> None:
    for _ in range(10):
        joined = await asyncio.gather(
            here.join(profile(oldest=1, newest=1, node_id="old")),
            there.join(profile(oldest=2, newest=2, node_id="new")),
            return_exceptions=True,
        )
        assert [type(result) for result in joined if result] == [IncompatibleNode]
        await here.leave("old")
        await here.leave("new")


@with_all_tables
async def test_changes_are_hinted_to_all_nodes(here: NodeStore, there: NodeStore) -> None:
    hinted = asyncio.Event()
    there.on_change(hinted.set)
    await there.read()
    await here.join(profile(node_id="a"))
    await hinted.wait()
    for change in (lambda: here.elect("a"), lambda: here.resign("a"), lambda: here.elect("a"), lambda: here.leave("a")):
        hinted.clear()
        await change()
        await hinted.wait()


END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"


async def read_at_last(nodes: PostgresNodes) -> None:
    """Return when the table can be read again."""
    while True:
        try:
            await nodes.read()
        except StoreUnavailable:
            await asyncio.sleep(0)
        else:
            return


@pytest.fixture
def server() -> Iterator[PrivatePostgres]:
    with run_postgres() as server:
        yield server


@on_postgres
async def test_a_broken_connection_is_replaced(nodes: PostgresNodes, database: PostgresDatabase) -> None:
    await nodes.join(profile(node_id="a"))
    await database.read(lambda connection: connection.fetch(END_ALL))
    with pytest.raises(StoreUnavailable):
        await nodes.renew("a", 1, False)
    assert await nodes.renew("a", 1, False)


@on_postgres
async def test_a_cancelled_call_does_not_disturb_the_next_one(nodes: PostgresNodes, database: PostgresDatabase) -> None:
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


@on_postgres
async def test_other_queries_of_the_process_do_not_delay_a_renewal(
    nodes: PostgresNodes, database: PostgresDatabase
) -> None:
    """All connections of the pool wait for something."""
    await nodes.join(profile(node_id="a"))
    slow = [
        asyncio.ensure_future(database.read(lambda connection: connection.fetch("SELECT pg_sleep(60)")))
        for _ in range(20)
    ]
    await asyncio.sleep(0)
    assert await nodes.renew("a", 1, False)
    for query in slow:
        query.cancel()
    await asyncio.gather(*slow, return_exceptions=True)


@pytest.mark.slow
async def test_no_election_is_undone_when_postgresql_is_killed(server: PrivatePostgres) -> None:
    async with open_nodes(server.url()) as (nodes, _):
        for epoch in range(1, 4):
            await nodes.join(profile(node_id=f"n{epoch}"))
            await nodes.renew(f"n{epoch}", 1, False)
            assert await nodes.elect(f"n{epoch}")
            server.kill()
            with pytest.raises(StoreUnavailable):
                await nodes.read()
            server.start()
            await read_at_last(nodes)
            state = await nodes.read()
            assert (state.coordinator, state.epoch) == (f"n{epoch}", epoch)
            await nodes.leave(f"n{epoch}")
