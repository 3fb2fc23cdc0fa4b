"""Migration of a database by a migration of a later release."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.server.maintenance.backup import back_up, restore
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.migrate import migrate, plan_migration
from referee.server.stores import DATABASE
from referee.storage.sqlite import database
from referee.storage.sqlite.database import migration_names, migrations
from tests.records.matches import all_games
from tests.server.maintenance.data_dirs import create_data_dir, entries_in, execute_sql, finished_match, match_in_play
from tests.storage.stores import NOON_MS

CURRENT = len(migrations())
LATER = (
    "ALTER TABLE bots ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';\n\n"
    "CREATE TABLE colours (colour TEXT PRIMARY KEY);\n\n"
    "INSERT INTO colours VALUES ('grey')"
)
"""The next migration."""


@pytest.fixture
def old_data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data directory, and then become a release with one more migration."""
    data_dir = create_data_dir(tmp_path / "data", finished_match("done"), match_in_play("going on"))
    execute_sql(
        data_dir, "INSERT INTO bots VALUES (1, 'ada', 'lovelace', 'r', 1, 'counts', 'admin', 'a rest', 2, 3, '{}')"
    )
    later = tmp_path / f"{CURRENT + 1:04}_colours.sql"
    later.write_text(LATER)
    files = [*database.migration_files(), later]
    monkeypatch.setattr(database, "migration_files", lambda: files)
    return data_dir


def all_rows(data_dir: Path) -> dict[str, list[dict[str, object]]]:
    """Return all rows of every table as dictionaries."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in tables}


def test_a_migration_loses_no_data(tmp_path: Path, old_data_dir: Path) -> None:
    before = all_rows(old_data_dir)
    plan = migrate(old_data_dir)
    assert (plan.version, plan.known, plan.pending) == (CURRENT, CURRENT + 1, (f"{CURRENT + 1:04}_colours",))
    assert execute_sql(old_data_dir, "PRAGMA user_version") == [(CURRENT + 1,)]
    ((bot,), changed) = before.pop("bots"), all_rows(old_data_dir)
    assert changed == {**before, "bots": [{**bot, "colour": "grey"}], "colours": [{"colour": "grey"}]}
    entries = entries_in(old_data_dir, ["done", "going on"])
    assert [entry.event for entry in entries["done"]] == finished_match("done")
    back_up(old_data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new", all_games(), lambda _manifest, _one: None)
    assert (done.matches, done.unfinished, done.unverified) == (2, 1, ())


def test_a_migrated_database_has_the_schema_of_a_new_one(tmp_path: Path, old_data_dir: Path) -> None:
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    migrate(old_data_dir)
    assert execute_sql(old_data_dir, schema) == execute_sql(create_data_dir(tmp_path / "new"), schema)


def test_planning_a_migration_changes_nothing(old_data_dir: Path) -> None:
    before = all_rows(old_data_dir)
    assert plan_migration(old_data_dir).pending == (migration_names()[-1],)
    assert all_rows(old_data_dir) == before
    assert execute_sql(old_data_dir, "PRAGMA user_version") == [(CURRENT,)]


def test_a_current_database_has_no_pending_migrations(tmp_path: Path) -> None:
    assert migrate(create_data_dir(tmp_path / "data", finished_match("one"))).pending == ()


def test_a_migration_is_rejected_while_the_server_runs(old_data_dir: Path) -> None:
    with closing(sqlite3.connect(old_data_dir / DATABASE, isolation_level=None)) as server:
        server.execute("SELECT count(*) FROM matches").fetchone()
        with pytest.raises(MaintenanceError, match=r"the database is in use .*: stop the server first"):
            migrate(old_data_dir)
    assert execute_sql(old_data_dir, "PRAGMA user_version") == [(CURRENT,)]
    assert migrate(old_data_dir).version == CURRENT


def test_a_database_of_a_newer_release_is_not_migrated(tmp_path: Path) -> None:
    data_dir = create_data_dir(tmp_path / "data")
    execute_sql(data_dir, f"PRAGMA user_version = {CURRENT + 1}")
    for call in (plan_migration, migrate):
        with pytest.raises(MaintenanceError, match=f"has version {CURRENT + 1}, .* up to {CURRENT}"):
            call(data_dir)


def test_a_failed_migration_rolls_back_all_steps(old_data_dir: Path) -> None:
    execute_sql(old_data_dir, "CREATE TABLE colours (mine TEXT)")
    with pytest.raises(MaintenanceError, match="migration failed: table colours already exists"):
        migrate(old_data_dir)
    assert execute_sql(old_data_dir, "PRAGMA user_version") == [(CURRENT,)]
    assert execute_sql(old_data_dir, "SELECT count(*) FROM pragma_table_info('bots') WHERE name = 'colour'") == [(0,)]
