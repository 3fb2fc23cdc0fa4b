"""A ladder goes on after it was migrated to PostgreSQL and back between two moves, and every promise is kept."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli import main
from tests.cluster.cluster import run_cluster
from tests.server.maintenance.data_dirs import execute_sql
from tests.storage.postgres_databases import PostgresDatabases

pytestmark = pytest.mark.slow


def migrate_to(to: str | Path, *flags: str | Path) -> None:
    done = CliRunner().invoke(main, ["data", "migrate-to", str(to), *map(str, flags)])
    assert done.exit_code == 0, done.output


def unfinished_matches(data_dir: Path) -> object:
    ((count,),) = execute_sql(data_dir, "SELECT count(*) FROM matches WHERE over = 0")
    return count


def test_a_ladder_goes_on_in_postgres_and_back_in_a_data_directory(
    tmp_path: Path, postgres_databases: PostgresDatabases
) -> None:
    url = postgres_databases.create_empty("ladder")
    with run_cluster(tmp_path) as cluster:
        node = cluster.nodes[0]
        usual = node.flags
        cluster.wait_for_moves(200)
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
        cluster.wait_for_ends(12)
        cluster.assert_promises_kept()
