"""Faults of nodes, of what they share, and of the ways between them."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from deploy.cluster_demo.nats_server import PrivateNats
from deploy.cluster_demo.postgres_server import PrivatePostgres
from tests.cluster.cluster import Cluster
from tests.cluster.faulty_proxy import FaultyProxy
from tests.cluster.shared_services import SharedServices

SLOW_S = 0.2
"""Delay of each part of the data in each direction; a commit takes several."""

Fault: TypeAlias = Callable[[Cluster, SharedServices, int], AbstractContextManager[None]]
"""Lets something fail within a block, for one node or for all, after which it works again."""


def hold(seconds: float) -> None:
    """Let a fault last: the time itself is the fault, and nothing is asserted about it."""
    time.sleep(seconds)


@contextmanager
def killed(cluster: Cluster, node: int = 0) -> Iterator[None]:
    cluster.nodes[node].kill()
    yield
    cluster.restart(cluster.nodes[node])


@contextmanager
def killed_server(server: PrivatePostgres | PrivateNats) -> Iterator[None]:
    server.kill()
    yield
    server.start()


@contextmanager
def disturbed(ways: Sequence[FaultyProxy], disturb: Callable[[FaultyProxy], None]) -> Iterator[None]:
    for way in ways:
        disturb(way)
    yield
    for way in ways:
        way.heal()


def ways_between(services: SharedServices, node: int) -> list[FaultyProxy]:
    """Return the ways between one node and the others; each side reaches PostgreSQL."""
    return [services.to_nats[node], *services.to_node]


def ways_of(services: SharedServices, node: int) -> list[FaultyProxy]:
    """Return everything over which a node can reach others, or be reached by them."""
    return [services.to_database[node], services.to_nats[node], services.to_node[node]]


ON_ONE_NODE: dict[str, Fault] = {
    "kill the node": lambda cluster, _, node: killed(cluster, node),
    "freeze the node": lambda cluster, _, node: cluster.nodes[node].frozen(),
    "kill the database": lambda _, services, __: killed_server(services.postgres),
    "cut off the database": lambda _, services, node: disturbed([services.to_database[node]], FaultyProxy.cut),
    "slow down the database": lambda _, services, __: disturbed(
        services.to_database, lambda way: way.slow_down(SLOW_S)
    ),
    "freeze the database": lambda _, services, __: services.frozen_database(),
    "lose the route to the database": lambda _, services, node: disturbed(
        [services.to_database[node]], FaultyProxy.stall
    ),
}
ON_NODES: dict[str, Fault] = {
    "kill NATS": lambda _, services, __: killed_server(services.nats),
    "cut off NATS": lambda _, services, node: disturbed([services.to_nats[node]], FaultyProxy.cut),
    "divide the nodes": lambda _, services, node: disturbed(ways_between(services, node), FaultyProxy.stall),
    "isolate a node": lambda _, services, node: disturbed(ways_of(services, node), FaultyProxy.stall),
    **{name: ON_ONE_NODE[name] for name in list(ON_ONE_NODE)[:5]},
}
