"""The files of deploy/postgres: one role migrates, and servers run with another one, which can do less.

The contract suites of the stores use the role of servers too, so they show that its privileges suffice.
"""

import asyncio
from itertools import count
from pathlib import Path

import asyncpg
import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.live.ports import StoreUnavailable
from referee.storage.postgres import schema
from referee.storage.postgres.database import PostgresDatabase
from tests.cluster.bus.nats import create_nats
from tests.cluster.cluster import run_cluster
from tests.deploy.tools import run_command
from tests.storage.postgres_databases import NODE, OWNER, PostgresDatabases, as_role, execute_file
from tests.storage.stores import run_with_store

_names = count(1)

TABLES = "SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
READABLE = f"{TABLES} AND has_table_privilege($1, oid, 'SELECT')"


@pytest.fixture
def empty_url(postgres_databases: PostgresDatabases) -> str:
    """The URL of a database that was prepared for the roles, and has no tables yet."""
    return postgres_databases.create_for_roles(f"for_roles_{next(_names)}")


def migrate(url: str, *flags: str) -> Result:
    return CliRunner().invoke(main, ["data", "migrate", "--database", url, *flags])


def fetch(url: str, query: str, *values: str) -> list[str]:
    async def run() -> list[str]:
        connection = await asyncpg.connect(url)
        try:
            return [str(first) for first, *_ in await connection.fetch(query, *values)]
        finally:
            await connection.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE entries",
        "ALTER TABLE entries DROP COLUMN line",
        "TRUNCATE entries",
        "DELETE FROM entries",
        "UPDATE entries SET line = ''",
        "DELETE FROM contest_entries",
        "UPDATE signing_key SET pem = ''",
        "UPDATE schema_version SET version = 0",
        "DELETE FROM coordinator",
        "CREATE TABLE more (id integer)",
        "CREATE SCHEMA more",
        "SET ROLE referee_owner",
    ],
)
def test_a_server_can_change_neither_tables_nor_logs(postgres_node_url: str, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        fetch(postgres_node_url, statement)


def test_a_server_can_read_every_table(postgres_url: str) -> None:
    """A migration that adds a table must be followed by its privileges."""
    assert set(fetch(postgres_url, READABLE, NODE)) == set(fetch(postgres_url, TABLES))


@pytest.mark.parametrize(
    ("role", "privilege", "expected"),
    [
        (OWNER, "CONNECT", "True"),
        (NODE, "CONNECT", "True"),
        ("pg_monitor", "CONNECT", "False"),
        (OWNER, "CREATE", "False"),
        (NODE, "TEMPORARY", "False"),
    ],
)
def test_only_the_two_roles_can_connect(empty_url: str, role: str, privilege: str, expected: str) -> None:
    asked = "SELECT has_database_privilege($1, current_database(), $2)"
    assert fetch(empty_url, asked, role, privilege) == [expected]


def test_one_role_migrates_and_another_one_runs(empty_url: str) -> None:
    owner, node = as_role(OWNER, empty_url), as_role(NODE, empty_url)
    with pytest.raises(
        StoreUnavailable, match=r"may not upgrade the database from version 0 .* `referee data migrate`"
    ):
        run_with_store(PostgresDatabase(node))
    pending = migrate(owner, "--dry-run")
    assert "0001_initial" in pending.output
    assert fetch(empty_url, TABLES) == []
    assert migrate(owner).exit_code == 0
    assert "nothing to do" in migrate(owner).output
    with pytest.raises(StoreUnavailable, match="permission denied for table schema_version"):
        run_with_store(PostgresDatabase(node))
    for _ in range(2):  # Once for each migration.
        execute_file("privileges.sql", owner)
    run_with_store(PostgresDatabase(node))


async def test_a_server_cannot_apply_a_later_migration(postgres_node_url: str) -> None:
    later = [*schema.migrations(), "ALTER TABLE bots ADD COLUMN more text"]
    connection = await asyncpg.connect(postgres_node_url)
    with pytest.raises(StoreUnavailable, match="must be owner of table bots"):
        await schema.migrate(connection, later)
    await connection.close()


def test_a_database_of_a_later_release_is_not_migrated(postgres_url: str) -> None:
    fetch(postgres_url, "UPDATE schema_version SET version = 1000")
    assert "1000, which this release can use" in migrate(postgres_url).output
    fetch(postgres_url, "UPDATE schema_version SET compatible_from = 1000")
    for flags in ([], ["--dry-run"]):
        refused = migrate(postgres_url, *flags)
        assert refused.exit_code == 1
        assert "1000" in refused.output


def test_a_dump_is_restored_by_the_owner_for_the_same_nodes(postgres_url: str, empty_url: str, tmp_path: Path) -> None:
    """The commands of docs/cluster.md."""
    fetch(postgres_url, "INSERT INTO contests (contest_id) VALUES ('ladder/main')")
    fetch(postgres_url, "INSERT INTO signing_key (pem) VALUES ('the key')")
    file = tmp_path / "referee.dump"
    run_command("pg_dump", "--format", "custom", "--file", file, as_role(OWNER, postgres_url))
    restore = ("pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--dbname")
    run_command(*restore, as_role(OWNER, empty_url), file)
    execute_file("privileges.sql", as_role(OWNER, empty_url))
    run_with_store(PostgresDatabase(as_role(NODE, empty_url)))
    assert fetch(empty_url, "SELECT contest_id FROM contests") == ["ladder/main"]
    assert fetch(empty_url, "SELECT pem FROM signing_key") == ["the key"]
    assert set(fetch(empty_url, READABLE, NODE)) == set(fetch(postgres_url, TABLES))


@pytest.mark.slow
def test_a_node_plays_a_ladder_without_further_privileges(tmp_path: Path, postgres_node_url: str) -> None:
    with create_nats(tmp_path) as nats:
        shared = ("--database", postgres_node_url, "--nats", nats.url, "--nats-credentials", str(nats.credentials_file))
        with run_cluster(tmp_path, nodes=2, flags=shared) as cluster:
            cluster.wait_for_ends(8)
            cluster.assert_promises_kept()
