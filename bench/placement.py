"""`python -m bench.placement`: simulate where a million matches run, and what changes when nodes come and go.

Two levels: bots connect to the nodes of one cluster, each of which runs the matches of its bots; and contests belong to
one of several clusters, each with its own database.
"""

import argparse
import hashlib
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence

MATCHES, BOTS = 1_000_000, 500_000
NODES = (3, 10, 100, 1000)
CONTESTS, CLUSTERS = 2_000, (2, 10, 100)
SKEW = 1.0
"""Exponent of the sizes of contests: the second largest has half of the matches of the largest one."""

Placement = list[int]
"""The node of each bot."""


def connect_at_random(bots: int, nodes: int, rng: random.Random) -> Placement:
    """Place bots as DNS or a load balancer does that does not know the loads."""
    return rng.choices(range(nodes), k=bots)


def connect_by_two_choices(bots: int, nodes: int, rng: random.Random) -> Placement:
    """Place each bot on the less loaded of two random nodes, as a load balancer does that counts connections."""
    loads, placement = [0] * nodes, []
    for first, second in zip(rng.choices(range(nodes), k=bots), rng.choices(range(nodes), k=bots), strict=True):
        node = first if loads[first] <= loads[second] else second
        loads[node] += 1
        placement.append(node)
    return placement


def loads_of(placement: Placement, matches: Sequence[tuple[int, int]], nodes: int) -> list[int]:
    """Return how many matches each node runs: those of the bots that are connected to it."""
    loads = [0] * nodes
    for bot, other in matches:
        first, second = placement[bot], placement[other]
        loads[first] += 1
        if first != second:
            loads[second] += 1
    return loads


def share_across(placement: Placement, matches: Sequence[tuple[int, int]]) -> float:
    """Return the share of matches whose bots are connected to different nodes."""
    return sum(placement[bot] != placement[other] for bot, other in matches) / len(matches)


def lose_node(placement: Placement, nodes: int, rng: random.Random) -> Placement:
    """Let the bots of the last node reconnect to the others."""
    return [node if node < nodes - 1 else rng.randrange(nodes - 1) for node in placement]


def add_node(placement: Placement, nodes: int, reconnected: float, rng: random.Random) -> Placement:
    """Add a node, after which this share of all bots reconnects, each to any node."""
    return [rng.randrange(nodes + 1) if rng.random() < reconnected else node for node in placement]


def unevenness(loads: Sequence[int]) -> float:
    """Return the largest load in units of the mean."""
    return max(loads) * len(loads) / sum(loads)


def contest_sizes(matches: int, contests: int) -> list[int]:
    """Return the matches of each contest, the largest first."""
    weights = [1 / rank**SKEW for rank in range(1, contests + 1)]
    return [max(1, round(matches * weight / sum(weights))) for weight in weights]


def cluster_by_name(contest: int, clusters: int) -> int:
    """Return the cluster of a contest by rendezvous hashing: a new cluster takes its share and moves nothing else."""
    return max(range(clusters), key=lambda cluster: hashlib.blake2b(f"{contest} {cluster}".encode()).digest())


def place_by_name(sizes: Sequence[int], clusters: int) -> list[int]:
    return [cluster_by_name(contest, clusters) for contest in range(len(sizes))]


def place_by_load(sizes: Sequence[int], clusters: int) -> list[int]:
    """Place each contest on the least loaded cluster, in the order of their creation, which is not that of sizes."""
    loads, placed = [0] * clusters, [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda contest: hashlib.blake2b(str(contest).encode()).digest())
    for contest in order:
        cluster = min(range(clusters), key=loads.__getitem__)
        loads[cluster] += sizes[contest]
        placed[contest] = cluster
    return placed


def simulate_nodes(rng: random.Random, write: Callable[[str], object]) -> None:
    matches = [(rng.randrange(BOTS), rng.randrange(BOTS)) for _ in range(MATCHES)]
    write(f"{MATCHES:,} matches of {BOTS:,} bots on the nodes of one cluster; loads in units of the mean:\n")
    columns = ("at random", "two choices", "across nodes", "one lost", "of its bots", "one added", "a tenth back")
    write(f"{'nodes':>6}" + "".join(f"{column:>14}" for column in columns) + "\n")
    for nodes in NODES:
        placement = connect_at_random(BOTS, nodes, rng)
        loads = loads_of(placement, matches, nodes)
        balanced = loads_of(connect_by_two_choices(BOTS, nodes, rng), matches, nodes)
        lost = loads_of(lose_node(placement, nodes, rng), matches, nodes - 1)
        moved = Counter(placement)[nodes - 1] / BOTS
        fresh = loads_of(add_node(placement, nodes, 0.0, rng), matches, nodes + 1)
        later = loads_of(add_node(placement, nodes, 0.1, rng), matches, nodes + 1)
        spread = (unevenness(loads), unevenness(balanced), share_across(placement, matches))
        changed = (unevenness(lost), moved, unevenness(fresh), unevenness(later))
        write(f"{nodes:>6}" + "".join(f"{value:>14.3f}" for value in (*spread, *changed)) + "\n")


def simulate_clusters(write: Callable[[str], object]) -> None:
    sizes = contest_sizes(MATCHES, CONTESTS)
    largest = sizes[0] / sum(sizes)
    write(f"\n{MATCHES:,} matches of {CONTESTS:,} contests on clusters, the largest contest with {largest:.1%}:\n")
    columns = ("by name", "by load", "moved if one is added")
    write(f"{'clusters':>9}" + "".join(f"{column:>24}" for column in columns) + "\n")
    for clusters in CLUSTERS:
        by_name = place_by_name(sizes, clusters)
        more = place_by_name(sizes, clusters + 1)
        moved = sum(size for size, old, new in zip(sizes, by_name, more, strict=True) if old != new) / sum(sizes)
        row = (
            *(unevenness(_sums(sizes, placed, clusters)) for placed in (by_name, place_by_load(sizes, clusters))),
            moved,
        )
        write(f"{clusters:>9}" + "".join(f"{value:>24.3f}" for value in row) + "\n")


def _sums(sizes: Sequence[int], placed: Sequence[int], clusters: int) -> list[int]:
    loads = [0] * clusters
    for size, cluster in zip(sizes, placed, strict=True):
        loads[cluster] += size
    return loads


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.placement", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    rng = random.Random(parser.parse_args().seed)
    simulate_nodes(rng, sys.stdout.write)
    simulate_clusters(sys.stdout.write)


if __name__ == "__main__":
    main()
