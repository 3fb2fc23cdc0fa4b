"""One node on SQLite keeps every promise although it is killed or frozen while matches are played."""

import random
from pathlib import Path

import pytest

from tests.cluster.cluster import hold, run_cluster

pytestmark = pytest.mark.slow

DOWN_S = 3
"""Longer than the tolerance of the checker, so that time charged for it is noticed."""
FREEZE_S = 4
LONG_FREEZE_S = 10
"""Longer than a bot has for its match, so that a clock that runs meanwhile costs the match."""


def test_a_node_without_faults(tmp_path: Path) -> None:
    with run_cluster(tmp_path) as cluster:
        cluster.wait_for_ends(8)
        cluster.assert_promises_kept()


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.soak)])
def test_a_node_that_is_killed(tmp_path: Path, rng: random.Random, kills: int) -> None:
    with run_cluster(tmp_path) as cluster:
        for _ in range(kills):
            cluster.wait_for_moves(rng.randint(50, 150))
            cluster.nodes[0].kill()
            hold(DOWN_S)
            cluster.restart(cluster.nodes[0])
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.parametrize("freeze_s", [FREEZE_S, pytest.param(LONG_FREEZE_S, marks=pytest.mark.soak)])
def test_a_node_that_is_frozen(tmp_path: Path, freeze_s: float) -> None:
    with run_cluster(tmp_path) as cluster:
        cluster.wait_for_moves(100)
        with cluster.nodes[0].frozen():
            hold(freeze_s)
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


def test_a_node_whose_disk_is_full(tmp_path: Path) -> None:
    with run_cluster(tmp_path) as cluster:
        cluster.wait_for_moves(100)
        with cluster.nodes[0].full_disk():
            hold(DOWN_S)
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.parametrize("shift_s", [-60, pytest.param(60, marks=pytest.mark.soak)])
def test_a_node_whose_clock_is_set_by_a_minute(tmp_path: Path, shift_s: float) -> None:
    with run_cluster(tmp_path) as cluster:
        cluster.wait_for_moves(100)
        cluster.nodes[0].kill()
        cluster.restart(cluster.nodes[0], shift_s)
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()
