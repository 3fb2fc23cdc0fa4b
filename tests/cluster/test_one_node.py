"""One node keeps every promise, on SQLite and on PostgreSQL, although it or its database fails during matches."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli import main
from tests.cluster.changed_node import WALL_CLOCK_SHIFT_S
from tests.cluster.cluster import Cluster, run_cluster
from tests.cluster.faults import ON_ONE_NODE, hold, killed
from tests.cluster.shared_services import SharedServices, run_shared_services
from tests.server.maintenance.data_dirs import execute_sql
from tests.storage.postgres_databases import PostgresDatabases

pytestmark = pytest.mark.slow

FAULT_S = 3
"""Longer than the tolerance of the checker, so that time charged for it is noticed."""
FREEZE_S = 4
LONG_FAULT_S = 10
"""Longer than a bot has for its match, so that a clock that runs meanwhile costs the match."""
OFTEN = ("kill the node", "kill the database", "cut off the database", "slow down the database")


@contextmanager
def on_sqlite(folder: Path, moves: int = 100, ends: int = 8) -> Iterator[Cluster]:
    """Run a node; the block causes a fault after some moves, and the promises are checked after it."""
    with run_cluster(folder) as cluster:
        cluster.wait_for_moves(moves)
        yield cluster
        cluster.wait_for_ends(ends)
        cluster.assert_promises_kept()


@contextmanager
def on_postgres(folder: Path) -> Iterator[tuple[Cluster, SharedServices]]:
    with run_shared_services(folder) as services, run_cluster(folder, own_flags=services.flags) as cluster:
        cluster.wait_for_moves(100)
        yield cluster, services
        cluster.wait_for_ends(8)
        cluster.assert_promises_kept()


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.soak)])
def test_a_node_that_is_killed(tmp_path: Path, rng: random.Random, kills: int) -> None:
    with on_sqlite(tmp_path) as cluster:
        for _ in range(kills):
            cluster.wait_for_moves(rng.randint(1, 50))
            with killed(cluster):
                hold(FAULT_S)


@pytest.mark.parametrize("freeze_s", [FREEZE_S, pytest.param(LONG_FAULT_S, marks=pytest.mark.soak)])
def test_a_node_that_is_frozen(tmp_path: Path, freeze_s: float) -> None:
    with on_sqlite(tmp_path) as cluster, cluster.nodes[0].frozen():
        hold(freeze_s)


def test_a_node_whose_disk_is_full(tmp_path: Path) -> None:
    with on_sqlite(tmp_path) as cluster, cluster.nodes[0].full_disk():
        hold(FAULT_S)


@pytest.mark.parametrize("shift_s", ["-60", pytest.param("60", marks=pytest.mark.soak)])
def test_a_node_whose_clock_is_set_by_a_minute(tmp_path: Path, shift_s: str) -> None:
    with on_sqlite(tmp_path) as cluster:
        cluster.nodes[0].kill()
        cluster.restart(cluster.nodes[0], WALL_CLOCK_SHIFT_S, shift_s)


@pytest.mark.parametrize("seconds", [FAULT_S, pytest.param(LONG_FAULT_S, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "fault", [fault if fault in OFTEN else pytest.param(fault, marks=pytest.mark.soak) for fault in ON_ONE_NODE]
)
def test_a_fault_on_postgres(tmp_path: Path, fault: str, seconds: float) -> None:
    with on_postgres(tmp_path) as (cluster, services), ON_ONE_NODE[fault](cluster, services, 0):
        hold(seconds)


@pytest.mark.soak
def test_many_faults_on_postgres(tmp_path: Path, rng: random.Random) -> None:
    with on_postgres(tmp_path) as (cluster, services):
        for _ in range(8):
            with rng.choice(list(ON_ONE_NODE.values()))(cluster, services, 0):
                hold(rng.uniform(0.1, LONG_FAULT_S))
            cluster.wait_for_moves(rng.randint(50, 150))


def test_a_ladder_goes_on_in_postgres_and_back_in_a_data_directory(
    tmp_path: Path, postgres_databases: PostgresDatabases
) -> None:
    url = postgres_databases.create_empty("ladder")
    with on_sqlite(tmp_path, 200, 12) as cluster:
        node = cluster.nodes[0]
        usual = node.flags
        node.kill()
        assert unfinished_matches(node.data_dir)
        migrate_to(url, "--data-dir", node.data_dir)
        node.flags = (*usual, "--database", url)
        cluster.restart(node)
        cluster.wait_for_ends(12)
        node.kill()
        node.data_dir.rename(tmp_path / "before")
        migrate_to(node.data_dir, "--database", url)
        assert unfinished_matches(node.data_dir)
        node.flags = usual
        cluster.restart(node)


def migrate_to(to: str | Path, *flags: str | Path) -> None:
    done = CliRunner().invoke(main, ["data", "migrate-to", str(to), *map(str, flags)])
    assert done.exit_code == 0, done.output


def unfinished_matches(data_dir: Path) -> object:
    ((count,),) = execute_sql(data_dir, "SELECT count(*) FROM matches WHERE over = 0")
    return count
