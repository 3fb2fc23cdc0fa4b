"""Everything is copied from a data directory to PostgreSQL and back, or nothing."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from random import Random

import asyncpg
import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.live.match_timing import LoopTime
from referee.live.ports import Entry
from referee.server.maintenance.backup import back_up, restore
from referee.server.maintenance.copied_tables import KEY_TABLE, TABLES, UNCOPIED_TABLES, CopiedTable, Row, TableStore
from referee.server.maintenance.postgres_tables import PostgresTables
from referee.server.maintenance.sqlite_tables import SqliteTables
from referee.server.settings import Settings
from referee.server.stores import DATABASE, KEY, StartupError, open_stores
from referee.storage.postgres import database_lock, schema
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseLock
from referee.storage.sqlite.database import ARCHIVE_LOCK, SERVER_LOCK, DataDirLock, migrations
from tests.records.matches import all_games
from tests.server.maintenance.any_rows import add_any_rows
from tests.server.maintenance.data_dirs import (
    create_data_dir,
    entries_in,
    execute_sql,
    finished_match,
    match_in_play,
    with_ladder,
    with_tournament,
)
from tests.storage.postgres_databases import NODE, OWNER, PostgresDatabases, as_role, execute_file
from tests.storage.stores import NOON_MS, OwningPostgresLog, opened

_numbers = count(1)


@pytest.fixture
def empty_url(postgres_databases: PostgresDatabases) -> str:
    """The URL of a database without tables."""
    return postgres_databases.create_empty(f"migrate_to_{next(_numbers)}")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data directory with a finished match, one in play, and open contests."""
    created = create_data_dir(tmp_path / "data", finished_match("done"), match_in_play("going on"))
    return with_tournament(with_ladder(created, "main"), "cup")


def migrate_to(to: str | Path, *flags: str | Path) -> Result:
    return CliRunner().invoke(main, ["data", "migrate-to", str(to), *map(str, flags)])


def to_postgres(data_dir: Path, url: str) -> Result:
    return migrate_to(url, "--data-dir", data_dir)


def to_folder(url: str, folder: Path) -> Result:
    return migrate_to(folder, "--database", url)


def execute(url: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Execute a statement, without regard to foreign keys, and return its rows."""

    async def run() -> list[tuple[object, ...]]:
        connection = await asyncpg.connect(url, server_settings={"session_replication_role": "replica"})
        try:
            return [tuple(row) for row in await connection.fetch(statement, *values)]
        finally:
            await connection.close()

    return asyncio.run(run())


def contents(data_dir: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of every table, except for the numbers of entries in the order of their commits."""
    return {table: sorted_rows(data_dir, table) for table in sqlite_tables(data_dir)}


def sqlite_tables(data_dir: Path) -> list[str]:
    return [str(name) for (name,) in execute_sql(data_dir, "SELECT name FROM sqlite_schema WHERE type = 'table'")]


def sqlite_columns(data_dir: Path, table: str) -> list[str]:
    columns = execute_sql(data_dir, "SELECT name FROM pragma_table_info(?)", table)
    return [str(name) for (name,) in columns if name != "entry"]


def sorted_rows(data_dir: Path, table: str) -> list[tuple[object, ...]]:
    columns = sqlite_columns(data_dir, table)
    numbers = ", ".join(str(number) for number, _ in enumerate(columns, 1))
    return execute_sql(data_dir, f"SELECT {', '.join(columns)} FROM {table} ORDER BY {numbers}")


def tables_of(url: str) -> set[object]:
    return {name for (name,) in execute(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}


def assert_refused(result: Result, sentence: str) -> None:
    assert result.exit_code == 1, result.output
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("migrated_before", [False, True])
def test_a_round_trip_copies_every_row_of_every_table(
    tmp_path: Path, data_dir: Path, empty_url: str, postgres_url: str, rng: Random, migrated_before: bool
) -> None:
    url = postgres_url if migrated_before else empty_url
    add_any_rows(data_dir, rng, rows=1_200)
    before = contents(data_dir)
    assert {name for name, rows in before.items() if not rows} == set()
    there = to_postgres(data_dir, url)
    assert there.exit_code == 0, there.output
    back = to_folder(url, tmp_path / "back")
    assert back.exit_code == 0, back.output
    assert contents(tmp_path / "back") == contents(data_dir) == before
    assert (tmp_path / "back" / KEY).read_bytes() == (data_dir / KEY).read_bytes()
    assert there.stdout.splitlines()[:-1] == back.stdout.splitlines()[:-1], "the digests are equal"


def test_matches_and_records_are_the_same_in_both_databases(tmp_path: Path, data_dir: Path, empty_url: str) -> None:
    matches = ["done", "going on"]
    before = entries_in(data_dir, matches)
    assert to_postgres(data_dir, empty_url).exit_code == 0
    assert entries_in_postgres(empty_url, matches) == before
    assert to_folder(empty_url, tmp_path / "back").exit_code == 0
    assert entries_in(tmp_path / "back", matches) == before
    back_up(tmp_path / "back", tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "restored", all_games(), lambda _manifest, _one: None)
    assert (done.matches, done.unfinished, done.unverified, done.damaged) == (2, 1, (), ())


def entries_in_postgres(url: str, matches: Sequence[str]) -> dict[str, list[Entry]]:
    async def read() -> dict[str, list[Entry]]:
        async with opened(log := OwningPostgresLog(url)):
            return {match_id: await log.read(match_id) for match_id in matches}

    return asyncio.run(read())


def test_a_new_data_directory_has_the_schema_of_any_other(tmp_path: Path, data_dir: Path, empty_url: str) -> None:
    to_postgres(data_dir, empty_url)
    to_folder(empty_url, tmp_path / "back")
    everything = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    assert execute_sql(tmp_path / "back", everything) == execute_sql(data_dir, everything)
    assert execute_sql(tmp_path / "back", "PRAGMA user_version") == execute_sql(data_dir, "PRAGMA user_version")
    modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "back").iterdir()}
    assert modes == {DATABASE: 0o600, KEY: 0o600}


def test_new_rows_follow_those_that_were_copied(data_dir: Path, empty_url: str) -> None:
    to_postgres(data_dir, empty_url)
    ((last,),) = execute(empty_url, "SELECT max(match) FROM matches")
    ((new,),) = execute(empty_url, "INSERT INTO matches (match_id) VALUES ('new') RETURNING match")
    assert (last, new) == (2, 3)


def test_the_output_names_every_table_and_the_progress_is_on_standard_error(data_dir: Path, empty_url: str) -> None:
    done = to_postgres(data_dir, empty_url)
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [[KEY_TABLE, "1"], ["matches", "2"]]
    assert len(lines) == 1 + 1 + len(TABLES) + 1
    assert lines[-1].endswith("all tables were read back and are equal")
    for table in TABLES:
        assert f"rows of {table.name} read back: " in done.stderr
    assert "start no server on it any more" in done.stderr


def test_passwords_are_not_shown(data_dir: Path, empty_url: str) -> None:
    done = to_postgres(data_dir, as_role(OWNER, empty_url).replace("secret-of-tests", "wrong-secret-of-tests"))
    assert "secret-of-tests" not in done.output


def test_every_table_and_column_is_copied_or_stays_behind_for_a_reason(tmp_path: Path, postgres_url: str) -> None:
    """Add a new table to TABLES, or to UNCOPIED_TABLES if its rows mean nothing to another database."""
    data_dir = create_data_dir(tmp_path / "new")
    assert set(sqlite_tables(data_dir)) == {table.name for table in TABLES}
    assert tables_of(postgres_url) == {KEY_TABLE, *UNCOPIED_TABLES, *(table.name for table in TABLES)}
    for table in TABLES:
        assert set(sqlite_columns(data_dir, table.name)) == set(table.columns), table.name
        in_postgres = "SELECT column_name FROM information_schema.columns WHERE table_name = $1"
        assert {name for (name,) in execute(postgres_url, in_postgres, table.name)} == set(table.postgres_columns)
        assert set(table.key) <= set(table.columns)


@pytest.mark.usefixtures("no_wait")
def test_a_source_in_use_is_refused(tmp_path: Path, data_dir: Path, empty_url: str) -> None:
    for name in (SERVER_LOCK, ARCHIVE_LOCK):
        with DataDirLock(data_dir, name):
            assert_refused(to_postgres(data_dir, empty_url), f"process {os.getpid()} already uses it")
    to_postgres(data_dir, empty_url)
    for shared in (False, True):
        result = while_locked(empty_url, shared, lambda: to_folder(empty_url, tmp_path / "back"))
        assert_refused(result, "a server already uses this database")
    assert not (tmp_path / "back").exists()


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands refuse a database in use at once."""
    monkeypatch.setattr(database_lock, "START_WAIT_S", 0)


def while_locked(url: str, shared: bool, call: Callable[[], Result]) -> Result:
    async def run() -> Result:
        lock = await DatabaseLock.acquire(PostgresDatabase(url), shared=shared)
        try:
            return await asyncio.to_thread(call)
        finally:
            await lock.release()

    return asyncio.run(run())


@pytest.mark.usefixtures("no_wait")
def test_a_target_in_use_is_refused(data_dir: Path, empty_url: str) -> None:
    result = while_locked(empty_url, False, lambda: to_postgres(data_dir, empty_url))
    assert_refused(result, "a server already uses this database")


def test_a_target_that_is_not_empty_is_refused(tmp_path: Path, data_dir: Path, empty_url: str) -> None:
    to_postgres(data_dir, empty_url)
    assert_refused(to_postgres(data_dir, empty_url), "the database is not empty (table matches)")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    assert_refused(to_folder(empty_url, tmp_path / "other"), "other is not empty: choose a new folder")
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["file"]


def test_rows_of_any_table_make_a_database_non_empty(data_dir: Path, empty_url: str, rng: Random) -> None:
    add_any_rows(data_dir, rng, rows=20)
    assert to_postgres(data_dir, empty_url).exit_code == 0
    for table in [*(table.name for table in TABLES), KEY_TABLE]:
        assert_refused(to_postgres(data_dir, empty_url), f"the database is not empty (table {table})")
        execute(empty_url, f"DELETE FROM {table}")
    assert to_postgres(data_dir, empty_url).exit_code == 0


def test_databases_of_others_are_refused(tmp_path: Path, data_dir: Path, empty_url: str, postgres_url: str) -> None:
    execute(empty_url, "CREATE TABLE mine (a integer)")
    for result in (to_postgres(data_dir, empty_url), to_folder(empty_url, tmp_path / "back")):
        assert_refused(result, "the database is not that of a referee")
    execute(postgres_url, "CREATE TABLE mine (a integer)")
    assert_refused(to_postgres(data_dir, postgres_url), "tables of somebody else (mine)")
    assert not (tmp_path / "back").exists()


def test_files_of_others_are_refused(tmp_path: Path, empty_url: str) -> None:
    assert_refused(to_postgres(tmp_path, empty_url), f"there is no {DATABASE} in {tmp_path}")
    (tmp_path / KEY).touch()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        connection.execute("CREATE TABLE mine (a)")
    assert_refused(to_postgres(tmp_path, empty_url), "is not the database of a referee")
    (tmp_path / DATABASE).write_bytes(b"anything" * 1_000)
    assert_refused(to_postgres(tmp_path, empty_url), "file is not a database")


def test_other_versions_are_refused(tmp_path: Path, data_dir: Path, postgres_url: str) -> None:
    current = len(schema.migrations())
    for version, sentence in (
        (current - 1, "run `referee data migrate`"),
        (current + 1, f"supports versions up to {current}"),
    ):
        execute(postgres_url, "UPDATE schema_version SET version = $1", version)
        for result in (to_postgres(data_dir, postgres_url), to_folder(postgres_url, tmp_path / "back")):
            assert_refused(result, f"has version {version}")
            assert sentence in result.stderr
    execute_sql(data_dir, f"PRAGMA user_version = {len(migrations()) - 1}")
    assert_refused(to_postgres(data_dir, postgres_url), "run `referee data migrate`")


def test_the_same_kind_of_database_is_refused(tmp_path: Path, data_dir: Path, postgres_url: str) -> None:
    assert_refused(migrate_to(tmp_path / "back", "--data-dir", data_dir), "use `referee backup`")
    assert_refused(migrate_to(postgres_url, "--database", postgres_url), "copy it with pg_dump")
    assert migrate_to("postgres://ada@db.example.org/p@ss").exit_code == 2


def test_text_that_one_database_cannot_store_is_refused(data_dir: Path, empty_url: str) -> None:
    execute_sql(data_dir, "UPDATE entries SET request = CAST(x'6100' AS TEXT) WHERE entry = 2")
    assert "in the table entries contains the character NUL" in to_postgres(data_dir, empty_url).stderr
    execute_sql(data_dir, "UPDATE entries SET request = CAST(x'61ff' AS TEXT) WHERE entry = 2")
    assert "a text in the table entries is not UTF-8" in to_postgres(data_dir, empty_url).stderr
    assert tables_of(empty_url) == set()


def test_a_role_that_does_not_own_the_tables_is_refused_in_one_sentence(data_dir: Path, postgres_node_url: str) -> None:
    result = to_postgres(data_dir, postgres_node_url)
    assert "use the role that owns the tables" in result.stderr
    assert result.exit_code == 1


def test_the_owner_of_the_tables_can_migrate_and_its_nodes_can_use_the_result(
    data_dir: Path, postgres_databases: PostgresDatabases
) -> None:
    url = postgres_databases.create_for_roles(f"migrate_to_{next(_numbers)}")
    assert to_postgres(data_dir, as_role(OWNER, url)).exit_code == 0
    execute_file("privileges.sql", as_role(OWNER, url))
    assert list(entries_in_postgres(as_role(NODE, url), ["done"])) == ["done"]


def write_with(change: Callable[[CopiedTable, Sequence[Row]], Sequence[Row]], kind: type[TableStore]) -> object:
    """Return a method `write` that changes the rows before it does what that of `kind` does."""
    usual = kind.write

    async def write(self: TableStore, table: CopiedTable, rows: Sequence[Row]) -> None:
        await usual(self, table, change(table, rows))

    return write


def test_rows_that_are_not_stored_as_they_were_read_undo_the_migration(
    tmp_path: Path, data_dir: Path, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_one(table: CopiedTable, rows: Sequence[Row]) -> Sequence[Row]:
        return rows[1:] if table.name == "contest_entries" else rows

    with monkeypatch.context() as patch:
        patch.setattr(PostgresTables, "write", write_with(lose_one, PostgresTables))
        result = to_postgres(data_dir, empty_url)
    assert "the table contest_entries was not copied exactly" in result.stderr
    assert tables_of(empty_url) == set()
    to_postgres(data_dir, empty_url)
    monkeypatch.setattr(SqliteTables, "write", write_with(lose_one, SqliteTables))
    assert "was not copied exactly" in to_folder(empty_url, tmp_path / "back").stderr
    assert not (tmp_path / "back").exists()


@pytest.mark.slow
def test_a_killed_migration_to_postgres_can_be_repeated(data_dir: Path, postgres_url: str, rng: Random) -> None:
    add_any_rows(data_dir, rng, rows=20)
    with killed_at_bots(postgres_url, "SHARE", postgres_url, "--data-dir", str(data_dir)):
        pass
    done = to_postgres(data_dir, postgres_url)
    assert done.exit_code == 0, done.output


@pytest.mark.slow
def test_no_server_starts_in_what_a_killed_migration_has_left(
    tmp_path: Path, data_dir: Path, empty_url: str, rng: Random
) -> None:
    add_any_rows(data_dir, rng, rows=20)
    to_postgres(data_dir, empty_url)
    back = tmp_path / "back"
    with killed_at_bots(empty_url, "ACCESS EXCLUSIVE", str(back), "--database", empty_url):
        assert_refused(to_folder(empty_url, back), "back is not empty: choose a new folder")
        with pytest.raises(StartupError, match="back is incomplete"):
            open_stores(Settings(data_dir=back), LoopTime(), lambda _: None)
    shutil.rmtree(back)
    assert to_folder(empty_url, back).exit_code == 0


@contextmanager
def killed_at_bots(url: str, mode: str, *arguments: str) -> Iterator[None]:
    """Run the command until it waits for a lock on the table `bots`, and kill it. The lock is held within the block."""
    command = [sys.executable, "-m", "referee", "data", "migrate-to", *arguments]
    with locked_bots(url, mode):
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            assert process.stderr
            assert any(line.startswith("rows of stored_bytes copied: ") for line in process.stderr)
            process.kill()
        yield


@contextmanager
def locked_bots(url: str, mode: str) -> Iterator[None]:
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        try:
            runner.run(connection.execute(f"BEGIN; LOCK TABLE bots IN {mode} MODE"))
            yield
        finally:
            runner.run(connection.close())
