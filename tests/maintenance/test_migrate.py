"""Migration from every released database version to the current one, without loss of data."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

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
from tests.maintenance.data_dirs import entries_in, finished, going_on, remembered, tell
from tests.records.matches import all_games, happened, nim_setup, random_match
from tests.storage.stores import NOON_MS

NOW = len(migrations())
OLDER = range(1, NOW)

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


def of_version(version: int, data_dir: Path) -> Path:
    """Create a data directory with a database of this version."""
    data_dir.mkdir(mode=0o700)
    load_or_create(data_dir / KEY)
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for number in range(1, version + 1):
            database.migrate(connection, migrations()[:number])
            if number == 1:
                _write(connection, "done", 1, finished("done"))
                _write(connection, "going on", 0, going_on("going on"))
            for said in WRITTEN.get(number, []):
                connection.execute(said)
    return data_dir


def _write(connection: sqlite3.Connection, match_id: str, over: int, events: Sequence[Event]) -> None:
    match = connection.execute("INSERT INTO matches (match_id, over) VALUES (?, ?)", (match_id, over)).lastrowid
    lines = [(match, number, NOON_MS, _as_first_written(event)) for number, event in enumerate(events, 1)]
    connection.executemany("INSERT INTO entries (match, number, at_ms, line) VALUES (?, ?, ?, ?)", lines)


def _as_first_written(event: Event) -> str:
    """Encode an event as version 1 of the codec did, which had no ratings."""
    data = {**json.loads(MATCH_CODEC.encode(event)), "v": 1}
    data.pop("ratings", None)
    return json.dumps(data, separators=(",", ":"))


def content(data_dir: Path) -> dict[str, object]:
    """Return all rows of every table as dictionaries."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in tables}


def test_what_each_version_can_write_is_known_here() -> None:
    assert {1, *WRITTEN} == set(range(1, NOW + 1))


@pytest.mark.parametrize("version", OLDER)
def test_nothing_is_lost_on_the_way(tmp_path: Path, version: int) -> None:
    data_dir = of_version(version, tmp_path / "data")
    before = content(data_dir)
    plan = migrate(data_dir)
    after = content(data_dir)

    assert (plan.version, plan.known, plan.pending) == (version, NOW, tuple(migration_names()[version:]))
    assert tell(data_dir, "PRAGMA user_version") == [(NOW,)]
    for table, rows in before.items():
        assert isinstance(rows, list)
        kept = after[RENAMED.get(table, table)]
        assert isinstance(kept, list)
        assert len(kept) == len(rows)
        renamed = [{RENAMED.get(column, column): value for column, value in row.items()} for row in rows]
        assert all(was.items() <= row.items() for was, row in zip(renamed, kept, strict=True)), table


@pytest.mark.parametrize("version", [*OLDER, NOW])
def test_its_matches_can_be_read_and_proven(tmp_path: Path, version: int) -> None:
    data_dir = of_version(version, tmp_path / "data")
    tell(data_dir, "DELETE FROM contest_entries") if version >= 7 else None
    migrate(data_dir)
    told = entries_in(data_dir, ["done", "going on"])
    assert [entry.event for entry in told["done"]] == finished("done")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new", all_games(), lambda _manifest, _one: None)
    assert (done.matches, done.unfinished, done.unverified) == (2, 1, ())


@pytest.mark.parametrize("version", OLDER)
def test_it_comes_to_the_same_database_as_a_new_one(tmp_path: Path, version: int) -> None:
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    old, new = of_version(version, tmp_path / "old"), remembered(tmp_path / "new")
    migrate(old)
    assert tell(old, schema) == tell(new, schema)


@pytest.mark.parametrize("version", range(1, min(5, NOW)))
def test_who_sits_in_a_match_that_goes_on_will_hear_of_its_end(tmp_path: Path, version: int) -> None:
    data_dir = of_version(version, tmp_path / "data")
    migrate(data_dir)
    assert tell(data_dir, "SELECT match, seat, bot FROM undelivered_ends") == [(2, 0, "ada"), (2, 1, "bob")]


def test_what_makers_had_stored_before_is_counted(tmp_path: Path) -> None:
    data_dir = of_version(7, tmp_path / "data")
    labels = '[["title","t"],["maker","ada"]]'
    made = f"UPDATE entries SET line = json_set(line, '$.setup.labels', json('{labels}')) WHERE entry = 1"
    tell(data_dir, made)
    tell(data_dir, "UPDATE entries SET line = 'spoilt' WHERE number = 1 AND match = 2")
    tell(data_dir, """UPDATE contest_entries SET line = '{"organiser":"ada"}' WHERE contest = 1""")
    migrate(data_dir)
    ((match,),) = tell(data_dir, "SELECT length(line) FROM entries WHERE match = 1 AND number = 1")
    assert isinstance(match, int)
    assert tell(data_dir, "SELECT * FROM stored_bytes") == [("ada", match + len('{"organiser":"ada"}'))]


SUMMARIES = ("SELECT * FROM match_summaries ORDER BY match", "SELECT * FROM match_seats ORDER BY match, seat")


def test_matches_from_before_there_were_summaries_have_the_same_as_new_ones(tmp_path: Path, rng: Random) -> None:
    labels = {"labels": (("title", "t"), ("tournament", "cup"), ("ladder", "main"))}
    matches = [finished("rated", **labels), going_on("playing"), [*unfilled("waiting")], [*unfilled("void")]]
    matches[-1].append(PlayEnded(5, void_result(EndCause.NOT_STARTED), bytes(32)))
    games = list(all_games().values())
    matches += [random_match(rng.choice(games), rng.randrange(1 << 30), 6) for _ in range(30)]
    named = [_named(f"m{number}", events) for number, events in enumerate(matches)]
    data_dir = of_version(8, tmp_path / "old")
    tell(data_dir, "DELETE FROM entries")
    tell(data_dir, "DELETE FROM unheard_ends")
    tell(data_dir, "DELETE FROM matches")
    with closing(sqlite3.connect(data_dir / DATABASE)) as connection, connection:
        for number, events in enumerate(named):
            _write(connection, f"m{number}", isinstance(events[-1], PlayEnded), events)
    migrate(data_dir)
    new = remembered(tmp_path / "new", *named)
    for rows in SUMMARIES:
        assert tell(data_dir, rows) == tell(new, rows)
    assert len(tell(data_dir, SUMMARIES[0])) == len(named)


def unfilled(match_id: str) -> list[Event]:
    """Return the events of a match with an open seat and one that has been taken."""
    return happened(nim_setup(match_id=match_id, players=(Player(),) * 2), (5, TakeSeat(1, Player("cyd", "1"))))


def _named(match_id: str, events: Sequence[Event]) -> list[Event]:
    first = events[0]
    assert isinstance(first, MatchCreated)
    return [replace(first, setup=replace(first.setup, match_id=match_id)), *events[1:]]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("spoilt", ["'scribble'", "CAST(x'ff' AS TEXT)", "'{}'", "substr(line, 1, 60)"])
def test_spoilt_entries_do_not_keep_a_database_from_its_summaries(tmp_path: Path, spoilt: str, number: int) -> None:
    data_dir = of_version(8, tmp_path / "data")
    tell(data_dir, f"UPDATE entries SET line = {spoilt} WHERE match = 1 AND number = {number}")
    migrate(data_dir)
    assert (2, "playing") in tell(data_dir, "SELECT match, phase FROM match_summaries")


def test_a_look_changes_nothing(tmp_path: Path) -> None:
    data_dir = of_version(4, tmp_path / "data")
    before = content(data_dir)
    assert plan_migration(data_dir).pending[0] == "0005_unheard_ends"
    assert content(data_dir) == before
    assert tell(data_dir, "PRAGMA user_version") == [(4,)]


def test_who_is_up_to_date_has_nothing_to_do(tmp_path: Path) -> None:
    assert migrate(remembered(tmp_path / "data", finished("one"))).pending == ()


def test_nothing_is_done_under_a_server_that_runs(tmp_path: Path) -> None:
    data_dir = of_version(4, tmp_path / "data")
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as server:
        server.execute("SELECT count(*) FROM matches").fetchone()
        with pytest.raises(MaintenanceError, match=r"the database is in use .*: stop the server first"):
            migrate(data_dir)
    assert tell(data_dir, "PRAGMA user_version") == [(4,)]
    assert migrate(data_dir).version == 4


def test_there_is_no_way_back(tmp_path: Path) -> None:
    data_dir = remembered(tmp_path / "data")
    tell(data_dir, f"PRAGMA user_version = {NOW + 1}")
    for way in (plan_migration, migrate):
        with pytest.raises(MaintenanceError, match=f"has version {NOW + 1}, .* up to {NOW}"):
            way(data_dir)


def test_a_step_that_fails_takes_back_the_others(tmp_path: Path) -> None:
    data_dir = of_version(2, tmp_path / "data")
    tell(data_dir, "CREATE TABLE unheard_ends (mine TEXT)")
    with pytest.raises(MaintenanceError, match="migration failed: table unheard_ends already exists"):
        migrate(data_dir)
    assert tell(data_dir, "PRAGMA user_version") == [(2,)]
    assert tell(data_dir, "SELECT count(*) FROM sqlite_schema WHERE name = 'bot_log'") == [(0,)]
