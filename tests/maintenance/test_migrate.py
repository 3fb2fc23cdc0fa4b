"""Migration from every released database version to the current one, without loss of data."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from referee.maintenance.backup import back_up, restore
from referee.maintenance.data_dir import MaintenanceError
from referee.maintenance.migrate import migrate, plan_migration
from referee.match.commands import TakeSeat
from referee.match.events import Event, MatchCreated, PlayEnded
from referee.match.result import EndCause, void_result
from referee.match.setup import Player
from referee.records.signing_key import load_or_create
from referee.server.stores import DATABASE, KEY
from referee.storage.codec import MATCH_CODEC
from referee.storage.sqlite import database
from referee.storage.sqlite.database import migration_names, migrations
from referee.storage.upcasters import RENAMED_FIELDS
from tests.maintenance.data_dirs import create_data_dir, entries_in, execute_sql, finished_match, match_in_play
from tests.records.matches import all_games, decided_events, nim_setup, random_match
from tests.storage.stores import NOON_MS

CURRENT = len(migrations())
OLDER = range(1, CURRENT)

WRITTEN = {
    2: [
        "INSERT INTO bots VALUES (1, 'ada', 'lovelace', 'r', 1, 'counts', 'admin', 'a rest', 2)",
        "INSERT INTO versions VALUES (1, 1, '1.2', 1, 'first')",
        "INSERT INTO tokens VALUES (1, 'tk_1', x'01', 'bot', 'lovelace', 1, 'ada', '', NULL, NULL, 0)",
        "INSERT INTO quotas VALUES ('lovelace', 1, 2, 3, 4, 5)",
    ],
    3: ["INSERT INTO bot_log VALUES (1, 'ada', 1, 1, '1.2', 'done', 0, 0, '{}')"],
    4: ['UPDATE entries SET request = \'{"by":0,"id":"r","asked":"resign"}\' WHERE entry = 1'],
    5: ["DELETE FROM unheard_ends WHERE seat = 1"],
    6: ["UPDATE bots SET faults = 3"],
    7: [
        "INSERT INTO contests VALUES (1, 'ladder/main')",
        "INSERT INTO contest_entries VALUES (1, 1, 1, 1, '{}')",
    ],
    8: ["UPDATE quotas SET stored_bytes_at_most = 6"],
    9: ["INSERT INTO match_seats VALUES (2, 2, '')"],
    10: ["INSERT INTO undelivered_ends VALUES (1, 1, 'bob')"],
    11: ["UPDATE quotas SET max_bots = 7"],
    12: ["UPDATE bots SET consent = '{}'"],
    13: [
        "INSERT INTO invitations VALUES (1, 'in_1', x'02', 'lovelace', 'r', 1, 2, 3, 'cup', 0, 1)",
        "INSERT INTO redemptions VALUES (1, 1, 'r', 'lovelace', 'tk_1', 1)",
    ],
    14: ["UPDATE quotas SET max_contests = 8"],
    15: ["UPDATE stored_bytes SET bytes = bytes + 1"],
}
"""Data of features that were new in each version, as SQL statements."""

RENAMED = {
    "unheard_ends": "undelivered_ends",
    "matches_at_most": "max_matches",
    "streams_at_most": "max_streams",
    "bots_at_most": "max_bots",
    "tokens_at_most": "max_tokens",
    "stored_bytes_at_most": "max_stored_bytes",
}
"""New names of tables and columns, by their old names."""

FIRST_NAMES = {new: first for first, new in RENAMED_FIELDS.items()}


def create_old_data_dir(version: int, data_dir: Path) -> Path:
    """Create a data directory with a database of this version."""
    data_dir.mkdir(mode=0o700)
    load_or_create(data_dir / KEY)
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for number in range(1, version + 1):
            database.migrate(connection, migrations()[:number])
            if number == 1:
                _write(connection, "done", 1, finished_match("done"))
                _write(connection, "going on", 0, match_in_play("going on"))
            for statement in WRITTEN.get(number, []):
                connection.execute(statement)
    return data_dir


def _write(connection: sqlite3.Connection, match_id: str, over: int, events: Sequence[Event]) -> None:
    match = connection.execute("INSERT INTO matches (match_id, over) VALUES (?, ?)", (match_id, over)).lastrowid
    lines = [(match, number, NOON_MS, _as_first_written(event)) for number, event in enumerate(events, 1)]
    connection.executemany("INSERT INTO entries (match, number, at_ms, line) VALUES (?, ?, ?, ?)", lines)


def _as_first_written(event: Event) -> str:
    """Encode an event as version 1 of the codec did: without ratings, and with all terms in the setup."""
    data = {**json.loads(MATCH_CODEC.encode(event)), "v": 1}
    data.pop("ratings", None)
    if "setup" in data:
        terms = data["setup"].pop("terms")
        data["setup"] = _as_first_named({**data["setup"], **terms})
    return json.dumps(data, separators=(",", ":"))


def _as_first_named(value: Any) -> Any:
    if isinstance(value, dict):
        return {FIRST_NAMES.get(name, name): _as_first_named(field) for name, field in value.items()}
    return list(map(_as_first_named, value)) if isinstance(value, list) else value


def all_rows(data_dir: Path) -> dict[str, object]:
    """Return all rows of every table as dictionaries."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in tables}


def test_every_version_has_test_data() -> None:
    assert {1, *WRITTEN} == set(range(1, CURRENT + 1))


@pytest.mark.parametrize("version", OLDER)
def test_a_migration_loses_no_data(tmp_path: Path, version: int) -> None:
    data_dir = create_old_data_dir(version, tmp_path / "data")
    before = all_rows(data_dir)
    plan = migrate(data_dir)
    after = all_rows(data_dir)

    assert (plan.version, plan.known, plan.pending) == (version, CURRENT, tuple(migration_names()[version:]))
    assert execute_sql(data_dir, "PRAGMA user_version") == [(CURRENT,)]
    for table, rows in before.items():
        assert isinstance(rows, list)
        migrated_rows = after[RENAMED.get(table, table)]
        assert isinstance(migrated_rows, list)
        assert len(migrated_rows) == len(rows)
        renamed = [{RENAMED.get(column, column): value for column, value in row.items()} for row in rows]
        assert all(old_row.items() <= row.items() for old_row, row in zip(renamed, migrated_rows, strict=True)), table


@pytest.mark.parametrize("version", [*OLDER, CURRENT])
def test_migrated_matches_can_be_read_and_verified(tmp_path: Path, version: int) -> None:
    data_dir = create_old_data_dir(version, tmp_path / "data")
    execute_sql(data_dir, "DELETE FROM contest_entries") if version >= 7 else None
    migrate(data_dir)
    entries = entries_in(data_dir, ["done", "going on"])
    assert [entry.event for entry in entries["done"]] == finished_match("done")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new", all_games(), lambda _manifest, _one: None)
    assert (done.matches, done.unfinished, done.unverified) == (2, 1, ())


@pytest.mark.parametrize("version", OLDER)
def test_a_migrated_database_has_the_schema_of_a_new_one(tmp_path: Path, version: int) -> None:
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    old, new = create_old_data_dir(version, tmp_path / "old"), create_data_dir(tmp_path / "new")
    migrate(old)
    assert execute_sql(old, schema) == execute_sql(new, schema)


@pytest.mark.parametrize("version", range(1, min(5, CURRENT)))
def test_matches_in_play_get_undelivered_ends_for_their_bots(tmp_path: Path, version: int) -> None:
    data_dir = create_old_data_dir(version, tmp_path / "data")
    migrate(data_dir)
    assert execute_sql(data_dir, "SELECT match, seat, bot FROM undelivered_ends") == [(2, 0, "ada"), (2, 1, "bob")]


def test_the_migration_counts_the_stored_bytes_of_each_holder(tmp_path: Path) -> None:
    data_dir = create_old_data_dir(7, tmp_path / "data")
    labels = '[["title","t"],["maker","ada"]]'
    set_labels = f"UPDATE entries SET line = json_set(line, '$.setup.labels', json('{labels}')) WHERE entry = 1"
    execute_sql(data_dir, set_labels)
    execute_sql(data_dir, "UPDATE entries SET line = 'spoilt' WHERE number = 1 AND match = 2")
    execute_sql(data_dir, """UPDATE contest_entries SET line = '{"organiser":"ada"}' WHERE contest = 1""")
    migrate(data_dir)
    ((match,),) = execute_sql(data_dir, "SELECT sum(length(line)) FROM entries WHERE match = 1")
    assert isinstance(match, int)
    assert execute_sql(data_dir, "SELECT * FROM stored_bytes") == [("ada", match + len('{"organiser":"ada"}'))]


SUMMARIES = ("SELECT * FROM match_summaries ORDER BY match", "SELECT * FROM match_seats ORDER BY match, seat")


def test_migrated_matches_have_the_same_summaries_as_new_ones(tmp_path: Path, rng: Random) -> None:
    labels = {"labels": (("title", "t"), ("tournament", "cup"), ("ladder", "main"))}
    matches = [
        finished_match("rated", **labels),
        match_in_play("playing"),
        [*match_with_open_seat("waiting")],
        [*match_with_open_seat("void")],
    ]
    matches[-1].append(PlayEnded(5, void_result(EndCause.NOT_STARTED), bytes(32)))
    games = list(all_games().values())
    matches += [random_match(rng.choice(games), rng.randrange(1 << 30), 6) for _ in range(30)]
    matches_with_ids = [_with_match_id(f"m{number}", events) for number, events in enumerate(matches)]
    data_dir = create_old_data_dir(8, tmp_path / "old")
    execute_sql(data_dir, "DELETE FROM entries")
    execute_sql(data_dir, "DELETE FROM unheard_ends")
    execute_sql(data_dir, "DELETE FROM matches")
    with closing(sqlite3.connect(data_dir / DATABASE)) as connection, connection:
        for number, events in enumerate(matches_with_ids):
            _write(connection, f"m{number}", isinstance(events[-1], PlayEnded), events)
    migrate(data_dir)
    new = create_data_dir(tmp_path / "new", *matches_with_ids)
    for rows in SUMMARIES:
        assert execute_sql(data_dir, rows) == execute_sql(new, rows)
    assert len(execute_sql(data_dir, SUMMARIES[0])) == len(matches_with_ids)


def match_with_open_seat(match_id: str) -> list[Event]:
    """Return the events of a match with an open seat and one that has been taken."""
    return decided_events(nim_setup(match_id=match_id, players=(Player(),) * 2), (5, TakeSeat(1, Player("cyd", "1"))))


def _with_match_id(match_id: str, events: Sequence[Event]) -> list[Event]:
    first = events[0]
    assert isinstance(first, MatchCreated)
    return [structs.replace(first, setup=replace(first.setup, match_id=match_id)), *events[1:]]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("damaged", ["'scribble'", "CAST(x'ff' AS TEXT)", "'{}'", "substr(line, 1, 60)"])
def test_damaged_entries_do_not_stop_the_migration_of_summaries(tmp_path: Path, damaged: str, number: int) -> None:
    data_dir = create_old_data_dir(8, tmp_path / "data")
    execute_sql(data_dir, f"UPDATE entries SET line = {damaged} WHERE match = 1 AND number = {number}")
    migrate(data_dir)
    assert (2, "playing") in execute_sql(data_dir, "SELECT match, phase FROM match_summaries")


def test_planning_a_migration_changes_nothing(tmp_path: Path) -> None:
    data_dir = create_old_data_dir(4, tmp_path / "data")
    before = all_rows(data_dir)
    assert plan_migration(data_dir).pending[0] == "0005_unheard_ends"
    assert all_rows(data_dir) == before
    assert execute_sql(data_dir, "PRAGMA user_version") == [(4,)]


def test_a_current_database_has_no_pending_migrations(tmp_path: Path) -> None:
    assert migrate(create_data_dir(tmp_path / "data", finished_match("one"))).pending == ()


def test_a_migration_is_rejected_while_the_server_runs(tmp_path: Path) -> None:
    data_dir = create_old_data_dir(4, tmp_path / "data")
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as server:
        server.execute("SELECT count(*) FROM matches").fetchone()
        with pytest.raises(MaintenanceError, match=r"the database is in use .*: stop the server first"):
            migrate(data_dir)
    assert execute_sql(data_dir, "PRAGMA user_version") == [(4,)]
    assert migrate(data_dir).version == 4


def test_a_database_of_a_newer_release_is_not_migrated(tmp_path: Path) -> None:
    data_dir = create_data_dir(tmp_path / "data")
    execute_sql(data_dir, f"PRAGMA user_version = {CURRENT + 1}")
    for call in (plan_migration, migrate):
        with pytest.raises(MaintenanceError, match=f"has version {CURRENT + 1}, .* up to {CURRENT}"):
            call(data_dir)


def test_a_failed_migration_rolls_back_all_steps(tmp_path: Path) -> None:
    data_dir = create_old_data_dir(2, tmp_path / "data")
    execute_sql(data_dir, "CREATE TABLE unheard_ends (mine TEXT)")
    with pytest.raises(MaintenanceError, match="migration failed: table unheard_ends already exists"):
        migrate(data_dir)
    assert execute_sql(data_dir, "PRAGMA user_version") == [(2,)]
    assert execute_sql(data_dir, "SELECT count(*) FROM sqlite_schema WHERE name = 'bot_log'") == [(0,)]
