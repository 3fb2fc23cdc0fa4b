"""Maximum-weight matchings, compared with those of networkx after every change."""

from itertools import combinations
from random import Random

import networkx  # type: ignore[import-untyped]
import pytest

from referee.contests.systems.matching import Matching

Edges = dict[tuple[int, int], int]


def best_total(vertices: list[int], weights: Edges) -> int:
    """Return the maximum weight of a matching of all vertices, by networkx."""
    graph = networkx.Graph()
    graph.add_weighted_edges_from((first, other, weights[first, other]) for first, other in combinations(vertices, 2))
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    return sum(weights[min(pair), max(pair)] for pair in pairs)


def check(seed: int, max_pairs: int) -> None:
    """Draw a graph, and compare after each of five changes, some of which remove a pair."""
    rng = Random(seed)
    count = 2 * rng.randint(1, max_pairs)
    top = rng.choice([2, 5, 100, 10**30])
    forbidden = -top * count * 10
    vertices = list(range(count))
    weights = dict.fromkeys(combinations(vertices, 2), forbidden)
    matching = Matching(count, forbidden)
    for _ in range(5):
        for _ in range(rng.choice([1, 3, count * count])):
            drawn, other = sorted(rng.sample(vertices, 2))
            weights[drawn, other] = rng.choice([forbidden, rng.randint(1, top), rng.randint(1, top)])
            matching.set_weight(drawn, other, weights[drawn, other])
        partner = matching.solve()
        assert sorted(partner) == vertices
        assert all(partner[mate] == vertex for vertex, mate in partner.items())
        assert sum(weights[pair] for pair in partner.items() if pair in weights) == best_total(vertices, weights)
        if len(vertices) > 2 and rng.random() < 0.3:
            drawn = rng.choice(vertices)
            matching.remove(drawn, partner[drawn])
            vertices = [vertex for vertex in vertices if vertex not in (drawn, partner[drawn])]


@pytest.mark.parametrize(("graphs", "max_pairs"), [(80, 8), pytest.param(5, 25, marks=pytest.mark.slow)])
def test_no_matching_is_better(graphs: int, max_pairs: int) -> None:
    for seed in range(graphs):
        check(seed, max_pairs)
