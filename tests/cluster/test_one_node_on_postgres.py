"""One node on PostgreSQL keeps every promise although either of them is killed, frozen, slow or cut off."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster, run_cluster
from tests.cluster.faults import (
    FAULTS,
    Fault,
    cut_off_the_database,
    kill_the_database,
    kill_the_node,
    slow_down_the_database,
)
from tests.cluster.shared_services import SharedDatabase, run_shared_database

pytestmark = pytest.mark.slow

FAULT_S = 3
"""Longer than the tolerance of the checker, so that time charged for it is noticed."""
LONG_FAULT_S = 10
"""Longer than a bot has for its match, so that a clock that runs meanwhile costs the match."""


@contextmanager
def running(folder: Path) -> Iterator[tuple[Cluster, SharedDatabase]]:
    with run_shared_database() as database, run_cluster(folder, own_flags=database.flags) as cluster:
        yield cluster, database


def assert_survives(folder: Path, fault: Fault, seconds: float) -> None:
    with running(folder) as (cluster, database):
        cluster.wait_for_moves(100)
        fault(cluster, database, 0, seconds)
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()


@pytest.mark.soak
def test_a_node_without_faults(tmp_path: Path) -> None:
    with running(tmp_path) as (cluster, _):
        cluster.wait_for_ends(8)
        cluster.assert_promises_kept()


@pytest.mark.parametrize("fault", [kill_the_node, kill_the_database, cut_off_the_database, slow_down_the_database])
def test_a_fault(tmp_path: Path, fault: Fault) -> None:
    assert_survives(tmp_path, fault, FAULT_S)


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [FAULT_S, LONG_FAULT_S])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_short_and_a_long_fault(tmp_path: Path, fault: Fault, seconds: float) -> None:
    assert_survives(tmp_path, fault, seconds)


@pytest.mark.soak
def test_many_faults(tmp_path: Path, rng: random.Random) -> None:
    with running(tmp_path) as (cluster, database):
        for _ in range(8):
            cluster.wait_for_moves(rng.randint(50, 150))
            rng.choice(FAULTS)(cluster, database, 0, rng.uniform(0.1, LONG_FAULT_S))
        cluster.wait_for_ends(16)
        cluster.assert_promises_kept()
