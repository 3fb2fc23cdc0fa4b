"""Three nodes keep every promise, whatever fails: a node, PostgreSQL, NATS, or the ways between them.

The first node is the coordinator in the beginning.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.changed_node import UNFENCED, WALL_CLOCK_SHIFT_S, migrate_to_newer
from tests.cluster.checker import report
from tests.cluster.cluster import Cluster, run_cluster
from tests.cluster.faults import ON_NODES, hold, killed_server
from tests.cluster.shared_services import Disk, SharedServices, run_shared_services

pytestmark = pytest.mark.slow

NODES = 3
FAULT_S = 3
"""Longer than the tolerance of the checker, so that time charged for it is noticed."""
LEASE_FAULT_S = 4
"""About as long as a lease: nodes can store again before they know that they have lost it."""
OUTAGE_S = 6
"""Longer than a lease, so that all nodes lose their membership."""
FREEZE_S = 5
"""Longer than the heartbeat timeout of `SHORT_HEARTBEAT` and than a lease."""
LONG_FAULT_S = 10
"""Longer than a bot has for its match, and than the lease of a node: the others take its place meanwhile."""
CUT_S = 35
"""Longer than the coordinator waits for the bots of a node that is gone, and then a bot has for its match."""
SHORT_HEARTBEAT = ("--ping-interval-ms", "500", "--heartbeat-timeout-ms", "2000")
COORDINATOR, OTHER = 0, 1
MOST_AFFECTED = {"cut off NATS": OTHER, "divide the nodes": OTHER}
"""Nodes for which a fault is worse than for the coordinator."""


@contextmanager
def running(
    folder: Path, flags: Sequence[str] = (), disk: Disk | None = None
) -> Iterator[tuple[Cluster, SharedServices]]:
    with run_shared_services(folder, NODES, disk) as services, run_cluster(folder, NODES, flags, services.flags) as run:
        yield run, services


@contextmanager
def surviving(
    folder: Path, moves: int = 100, ends: int = 8, disk: Disk | None = None
) -> Iterator[tuple[Cluster, SharedServices]]:
    """Run nodes; the block causes a fault after some moves, and the promises are checked after it."""
    with running(folder, disk=disk) as (cluster, services):
        cluster.wait_for_moves(moves)
        yield cluster, services
        cluster.wait_for_ends(ends)
        cluster.assert_promises_kept()


@pytest.mark.soak
def test_nodes_without_faults(tmp_path: Path) -> None:
    with surviving(tmp_path, 0, 8):
        pass


@pytest.mark.parametrize("fault", ON_NODES)
def test_a_fault(tmp_path: Path, fault: str) -> None:
    node = MOST_AFFECTED.get(fault, COORDINATOR)
    with surviving(tmp_path) as (cluster, services), ON_NODES[fault](cluster, services, node):
        hold(FAULT_S)


def test_a_fault_as_long_as_a_lease(tmp_path: Path) -> None:
    with surviving(tmp_path) as (_, services), killed_server(services.postgres):
        hold(LEASE_FAULT_S)


def test_no_bot_loses_on_time_at_a_node_that_cannot_reach_the_coordinator(tmp_path: Path) -> None:
    """The bots of a node that is killed meanwhile try the next one, which reaches PostgreSQL and NATS."""
    with surviving(tmp_path) as (cluster, services):
        services.to_node[COORDINATOR].stall()
        cluster.nodes[OTHER].kill()
        hold(CUT_S)
        assert [node.is_ready() for node in cluster.nodes if node.is_running] == [True, False]
        services.to_node[COORDINATOR].heal()
        cluster.restart(cluster.nodes[OTHER])


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [LEASE_FAULT_S, LONG_FAULT_S])
@pytest.mark.parametrize("node", [COORDINATOR, OTHER], ids=["coordinator", "other"])
@pytest.mark.parametrize("fault", ON_NODES)
def test_a_fault_of_any_length(tmp_path: Path, fault: str, node: int, seconds: float) -> None:
    with surviving(tmp_path) as (cluster, services), ON_NODES[fault](cluster, services, node):
        hold(seconds)


@pytest.mark.parametrize("seconds", [FAULT_S, pytest.param(LONG_FAULT_S, marks=pytest.mark.soak)])
def test_a_full_disk_of_the_database(tmp_path: Path, seconds: float) -> None:
    disk = Disk()
    with surviving(tmp_path, disk=disk) as (_, services):
        with disk.full():
            hold(seconds)
        if not services.postgres.is_running:  # It ends if it cannot continue its write-ahead log.
            services.postgres.kill()
            services.postgres.start()


@pytest.mark.soak
def test_many_faults(tmp_path: Path, rng: random.Random) -> None:
    with surviving(tmp_path) as (cluster, services):
        for _ in range(8):
            with rng.choice(list(ON_NODES.values()))(cluster, services, rng.randrange(NODES)):
                hold(rng.uniform(0.1, LONG_FAULT_S))
            cluster.wait_for_moves(rng.randint(50, 150))


def test_a_rolling_upgrade_to_a_release_with_another_schema_and_protocol(tmp_path: Path) -> None:
    with surviving(tmp_path, moves=0, ends=4) as (cluster, services):
        migrate_to_newer(services.postgres.url())
        first, *others = cluster.nodes
        cluster.upgrade(first, "1,2")
        cluster.wait_for_moves(50)
        with killed_server(services.postgres):  # All nodes start again, those of the old release too.
            hold(OUTAGE_S)
        for node in others:
            cluster.wait_for_moves(50)
            cluster.upgrade(node, "1,2")


@pytest.mark.soak
def test_a_node_that_is_too_old_says_so_and_leaves(tmp_path: Path) -> None:
    with surviving(tmp_path, moves=0, ends=4) as (cluster, _):
        for node in cluster.nodes:
            cluster.upgrade(node, "1,2")
        *newest, last = cluster.nodes
        for node in newest:
            cluster.upgrade(node, "2,3")
        cluster.wait_for_moves(50)
        last.drain()
        with pytest.raises(AssertionError, match="too old for the cluster: it understands protocols up to 1"):
            last.start()


@pytest.mark.soak
def test_clocks_that_differ_by_a_minute(tmp_path: Path) -> None:
    with surviving(tmp_path, moves=50) as (cluster, _):
        cluster.nodes[COORDINATOR].kill()
        cluster.restart(cluster.nodes[COORDINATOR], WALL_CLOCK_SHIFT_S, "60")
        cluster.wait_for_moves(100)
        cluster.nodes[OTHER].kill()  # So that matches are restored by nodes with different clocks.
        cluster.restart(cluster.nodes[OTHER], WALL_CLOCK_SHIFT_S, "-60")


@pytest.mark.soak
@pytest.mark.parametrize("change", [(), (UNFENCED, "yes")], ids=["fenced", "unfenced"])
def test_only_the_fence_of_the_log_keeps_a_node_that_wakes_up_from_rewriting_history(
    tmp_path: Path, change: Sequence[str]
) -> None:
    """The bots of the frozen node go on at others, and it wakes up with moves that it has not decided yet."""
    with running(tmp_path, (*SHORT_HEARTBEAT, *change)) as (cluster, _):
        cluster.wait_for_moves(100)
        with cluster.nodes[OTHER].frozen():
            hold(FREEZE_S)
        cluster.wait_for_ends(8)
        violations = cluster.finish()
        assert bool(violations) == bool(change), report(violations)
