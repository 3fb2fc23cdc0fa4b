"""Faults of nodes and of the database that they share."""

from collections.abc import Callable
from typing import TypeAlias

from tests.cluster.cluster import Cluster, hold
from tests.cluster.shared_services import SharedDatabase

SLOW_S = 0.2
"""Delay of each part of the data in each direction; a commit takes several."""

Fault: TypeAlias = Callable[[Cluster, SharedDatabase, int, float], None]
"""Lets something fail for some seconds, for one node or for all, after which it works again."""


def kill_the_node(cluster: Cluster, _database: SharedDatabase, node: int, seconds: float) -> None:
    cluster.nodes[node].kill()
    hold(seconds)
    cluster.restart(cluster.nodes[node])


def kill_the_database(_cluster: Cluster, database: SharedDatabase, _node: int, seconds: float) -> None:
    database.server.kill()
    hold(seconds)
    database.server.start()


def freeze_the_node(cluster: Cluster, _database: SharedDatabase, node: int, seconds: float) -> None:
    with cluster.nodes[node].frozen():
        hold(seconds)


def freeze_the_database(_cluster: Cluster, database: SharedDatabase, _node: int, seconds: float) -> None:
    with database.frozen():
        hold(seconds)


def cut_off_the_database(_cluster: Cluster, database: SharedDatabase, node: int, seconds: float) -> None:
    database.proxies[node].cut()
    hold(seconds)
    database.proxies[node].heal()


def lose_the_route_to_the_database(_cluster: Cluster, database: SharedDatabase, node: int, seconds: float) -> None:
    database.proxies[node].stall()
    hold(seconds)
    database.proxies[node].heal()


def slow_down_the_database(_cluster: Cluster, database: SharedDatabase, node: int, seconds: float) -> None:
    database.proxies[node].slow_down(SLOW_S)
    hold(seconds)
    database.proxies[node].heal()


FAULTS: tuple[Fault, ...] = (
    kill_the_node,
    kill_the_database,
    freeze_the_node,
    freeze_the_database,
    cut_off_the_database,
    lose_the_route_to_the_database,
    slow_down_the_database,
)
