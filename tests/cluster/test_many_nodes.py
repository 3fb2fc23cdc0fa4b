"""Three nodes keep every promise, whatever fails: a node, PostgreSQL, NATS, or the ways between them.

The first node is the coordinator in the beginning.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.cluster import newer_node, unfenced_node
from tests.cluster.checker import report
from tests.cluster.cluster import Cluster, hold, run_cluster
from tests.cluster.node_services import SharedServices, run_shared_services
from tests.cluster.small_disk import Disk

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
MINUTE_S = 60
SLOW_S = 0.2
SHORT_HEARTBEAT = ("--ping-interval-ms", "500", "--heartbeat-timeout-ms", "2000")

Fault: TypeAlias = Callable[[Cluster, SharedServices, int, float], None]
"""Lets something fail for some seconds, for one node or for all, after which it works again."""


def kill_a_node(cluster: Cluster, _services: SharedServices, node: int, seconds: float) -> None:
    cluster.nodes[node].kill()
    hold(seconds)
    cluster.restart(cluster.nodes[node])


def freeze_a_node(cluster: Cluster, _services: SharedServices, node: int, seconds: float) -> None:
    with cluster.nodes[node].frozen():
        hold(seconds)


def kill_the_database(_cluster: Cluster, services: SharedServices, _node: int, seconds: float) -> None:
    services.database.server.kill()
    hold(seconds)
    services.database.server.start()


def kill_nats(_cluster: Cluster, services: SharedServices, _node: int, seconds: float) -> None:
    services.nats.kill()
    hold(seconds)
    services.nats.start()


def cut_off_the_database(_cluster: Cluster, services: SharedServices, node: int, seconds: float) -> None:
    services.database.proxies[node].cut()
    hold(seconds)
    services.database.proxies[node].heal()


def cut_off_nats(_cluster: Cluster, services: SharedServices, node: int, seconds: float) -> None:
    services.to_nats[node].cut()
    hold(seconds)
    services.to_nats[node].heal()


def divide_the_nodes(_cluster: Cluster, services: SharedServices, node: int, seconds: float) -> None:
    """Stop everything between one node and the others; each side reaches PostgreSQL."""
    ways = [services.to_nats[node], *services.to_node]
    for way in ways:
        way.stall()
    hold(seconds)
    for way in ways:
        way.heal()


def isolate_a_node(_cluster: Cluster, services: SharedServices, node: int, seconds: float) -> None:
    for way in services.ways_of(node):
        way.stall()
    hold(seconds)
    for way in services.ways_of(node):
        way.heal()


def slow_down_the_database(_cluster: Cluster, services: SharedServices, _node: int, seconds: float) -> None:
    for proxy in services.database.proxies:
        proxy.slow_down(SLOW_S)
    hold(seconds)
    for proxy in services.database.proxies:
        proxy.heal()


FAULTS: tuple[Fault, ...] = (
    kill_a_node,
    freeze_a_node,
    kill_the_database,
    kill_nats,
    cut_off_the_database,
    cut_off_nats,
    divide_the_nodes,
    isolate_a_node,
    slow_down_the_database,
)
COORDINATOR, OTHER = 0, 1
MOST_AFFECTED: dict[Fault, int] = {cut_off_nats: OTHER, divide_the_nodes: OTHER}
"""Nodes for which a fault is worse than for the coordinator."""


@contextmanager
def running(
    folder: Path, flags: Sequence[str] = (), program: str = "referee", disk: Disk | None = None
) -> Iterator[tuple[Cluster, SharedServices]]:
    services_folder = folder / "services"
    services_folder.mkdir()
    with ExitStack() as stack:
        services = stack.enter_context(run_shared_services(services_folder, NODES, disk))
        yield stack.enter_context(run_cluster(folder, NODES, flags, services.flags, program)), services


def assert_survives(folder: Path, fault: Fault, node: int, seconds: float) -> None:
    with running(folder) as (cluster, services):
        cluster.wait_for_moves(100)
        fault(cluster, services, node, seconds)
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.soak
def test_nodes_without_faults(tmp_path: Path) -> None:
    with running(tmp_path) as (cluster, _):
        cluster.wait_for_ends(8)
        cluster.assert_promises_kept()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault(tmp_path: Path, fault: Fault) -> None:
    assert_survives(tmp_path, fault, MOST_AFFECTED.get(fault, COORDINATOR), FAULT_S)


def test_a_fault_as_long_as_a_lease(tmp_path: Path) -> None:
    assert_survives(tmp_path, kill_the_database, COORDINATOR, LEASE_FAULT_S)


def test_no_bot_loses_on_time_at_a_node_that_cannot_reach_the_coordinator(tmp_path: Path) -> None:
    """The bots of a node that is killed meanwhile try the next one, which reaches PostgreSQL and NATS."""
    with running(tmp_path) as (cluster, services):
        cluster.wait_for_moves(100)
        services.to_node[COORDINATOR].stall()
        cluster.nodes[OTHER].kill()
        hold(CUT_S)
        assert [node.is_ready() for node in cluster.nodes if node.is_running] == [True, False]
        services.to_node[COORDINATOR].heal()
        cluster.restart(cluster.nodes[OTHER])
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [LEASE_FAULT_S, LONG_FAULT_S])
@pytest.mark.parametrize("node", [COORDINATOR, OTHER], ids=["coordinator", "other"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_of_any_length(tmp_path: Path, fault: Fault, node: int, seconds: float) -> None:
    assert_survives(tmp_path, fault, node, seconds)


@pytest.mark.parametrize("seconds", [FAULT_S, pytest.param(LONG_FAULT_S, marks=pytest.mark.soak)])
def test_a_full_disk_of_the_database(tmp_path: Path, seconds: float) -> None:
    disk = Disk()
    with running(tmp_path, disk=disk) as (cluster, services):
        cluster.wait_for_moves(100)
        with disk.full():
            hold(seconds)
        if not services.database.server.is_running:  # It ends if it cannot continue its write-ahead log.
            services.database.server.kill()
            services.database.server.start()
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.soak
def test_many_faults(tmp_path: Path, rng: random.Random) -> None:
    with running(tmp_path) as (cluster, services):
        for _ in range(8):
            cluster.wait_for_moves(rng.randint(50, 150))
            rng.choice(FAULTS)(cluster, services, rng.randrange(NODES), rng.uniform(0.1, LONG_FAULT_S))
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


def test_a_rolling_upgrade_to_a_release_with_another_schema_and_protocol(tmp_path: Path) -> None:
    with running(tmp_path) as (cluster, services):
        newer_node.migrate(services.database.server.url())
        first, *others = cluster.nodes
        cluster.upgrade(first, 1, 2)
        cluster.wait_for_moves(50)
        kill_the_database(
            cluster, services, COORDINATOR, OUTAGE_S
        )  # All nodes start again, those of the old release too.
        for node in others:
            cluster.wait_for_moves(50)
            cluster.upgrade(node, 1, 2)
        cluster.wait_for_ends(4)
        cluster.assert_promises_kept()


@pytest.mark.soak
def test_a_node_that_is_too_old_says_so_and_leaves(tmp_path: Path) -> None:
    with running(tmp_path) as (cluster, _):
        for node in cluster.nodes:
            cluster.upgrade(node, 1, 2)
        *newest, last = cluster.nodes
        for node in newest:
            cluster.upgrade(node, 2, 3)
        cluster.wait_for_moves(50)
        last.drain()
        with pytest.raises(AssertionError, match="too old for the cluster: it understands protocols up to 1"):
            last.start()
        cluster.wait_for_ends(4)
        cluster.assert_promises_kept()


@pytest.mark.soak
def test_clocks_that_differ_by_a_minute(tmp_path: Path) -> None:
    with running(tmp_path) as (cluster, _):
        cluster.wait_for_moves(50)
        cluster.nodes[COORDINATOR].kill()
        cluster.restart(cluster.nodes[COORDINATOR], MINUTE_S)
        cluster.wait_for_moves(100)
        cluster.nodes[OTHER].kill()  # So that matches are restored by nodes with different clocks.
        cluster.restart(cluster.nodes[OTHER], -MINUTE_S)
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.soak
@pytest.mark.parametrize("program", ["referee", unfenced_node.__name__])
def test_only_the_fence_of_the_log_keeps_a_node_that_wakes_up_from_rewriting_history(
    tmp_path: Path, program: str
) -> None:
    """The bots of the frozen node go on at others, and it wakes up with moves that it has not decided yet."""
    with running(tmp_path, ("--ping-interval-ms", "500", "--heartbeat-timeout-ms", "2000"), program) as (
        cluster,
        services,
    ):
        cluster.wait_for_moves(100)
        freeze_a_node(cluster, services, OTHER, FREEZE_S)
        cluster.wait_for_ends(8)
        violations = cluster.finish()
        assert bool(violations) == (program == unfenced_node.__name__), report(violations)
