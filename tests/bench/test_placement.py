"""The simulation of where matches run."""

import random

from bench.placement import (
    add_node,
    connect_by_two_choices,
    contest_sizes,
    loads_of,
    lose_node,
    place_by_load,
    place_by_name,
    share_across,
    unevenness,
)

BOTS, NODES = 3_000, 5


def test_a_match_runs_on_the_nodes_of_its_bots() -> None:
    placement, matches = [0, 0, 1, 2], [(0, 1), (1, 2), (2, 3)]
    assert loads_of(placement, matches, 3) == [2, 2, 1]
    assert share_across(placement, matches) == 2 / 3


def test_only_the_bots_of_a_lost_node_move() -> None:
    before = connect_by_two_choices(BOTS, NODES, random.Random(1))
    after = lose_node(before, NODES, random.Random(2))
    moved = {node for node, later in zip(before, after, strict=True) if node != later}
    assert moved == {NODES - 1}
    assert set(after) == set(range(NODES - 1))


def test_a_new_node_gets_only_bots_that_reconnect() -> None:
    before = connect_by_two_choices(BOTS, NODES, random.Random(1))
    assert add_node(before, NODES, 0.0, random.Random(2)) == before
    assert NODES in add_node(before, NODES, 0.5, random.Random(2))


def test_placing_by_name_moves_contests_only_to_the_new_cluster() -> None:
    sizes = contest_sizes(100_000, 500)
    before, after = place_by_name(sizes, NODES), place_by_name(sizes, NODES + 1)
    assert {later for earlier, later in zip(before, after, strict=True) if earlier != later} == {NODES}


def test_placing_by_load_evens_out_what_can_be_divided() -> None:
    placed = place_by_load([7] * 500, NODES)
    assert unevenness([placed.count(cluster) for cluster in range(NODES)]) == 1
