"""Archiving: old matches are moved out of the database into valid records, and requests for them get an error."""

from pathlib import Path

import pytest

from referee.contests.tournament.events import ScoreCorrected
from referee.contests.tournament.events import TournamentEnded as TournamentOver
from referee.live.ports import Conflict, MatchArchived, Summaries
from referee.records.record_format import MAX_LINE_BYTES
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import load_or_create, public_hex
from referee.records.verify import verify
from referee.server.maintenance.archive import ArchiveResult
from referee.server.maintenance.archive import archive as run_archive
from referee.server.maintenance.backup import back_up
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.stores import DATABASE, KEY
from referee.storage.codec import CONTEST_CODEC
from referee.storage.sqlite.database import migrations
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.contests.correction_examples import strike
from tests.records.matches import find_game
from tests.server.maintenance.data_dirs import (
    DAY_MS,
    create_data_dir,
    entries_in,
    execute_sql,
    finished_match,
    match_in_play,
    with_tournament,
    written_meanwhile,
)
from tests.storage.stores import NOON_MS, noon_ms, notes, run_with_store

LATER_MS = NOON_MS + DAY_MS


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Two old matches, one of them not over, and one that ended a day later."""
    old_match = create_data_dir(tmp_path / "data", finished_match("old"), match_in_play("long"), at_ms=NOON_MS)
    return create_data_dir(old_match, finished_match("new"), at_ms=LATER_MS)


def archive(data_dir: Path, to: Path, before_ms: int = LATER_MS) -> ArchiveResult:
    return run_archive(data_dir, before_ms, to, find_game)


def check_archived(data_dir: Path, match_id: str) -> None:
    with pytest.raises(MatchArchived, match=f"{match_id}.jsonl"):
        entries_in(data_dir, [match_id])


def test_an_old_finished_match_is_moved_from_the_database_to_a_record(data_dir: Path, tmp_path: Path) -> None:
    before = entries_in(data_dir, ["long", "new"])
    done = archive(data_dir, tmp_path / "old matches")

    key = public_hex(load_or_create(data_dir / KEY))
    assert [path.name for path in (tmp_path / "old matches").iterdir()] == ["old.jsonl"]
    assert verify(tmp_path / "old matches" / "old.jsonl", key, find_game).status is RecordStatus.FINE
    assert (done.removed, done.kept) == (1, ())
    check_archived(data_dir, "old")
    assert entries_in(data_dir, ["long", "new"]) == before


def test_a_match_that_ended_exactly_at_the_limit_stays(data_dir: Path, tmp_path: Path) -> None:
    assert archive(data_dir, tmp_path / "records", before_ms=NOON_MS).removed == 0
    assert archive(data_dir, tmp_path / "records", before_ms=NOON_MS + 1).removed == 1


def test_a_match_that_is_too_large_for_a_record_stays_and_others_are_archived(tmp_path: Path) -> None:
    too_large = finished_match("poison", labels=(("title", "x" * MAX_LINE_BYTES),))
    done = archive(
        create_data_dir(tmp_path / "data", finished_match("one"), too_large, finished_match("two")),
        tmp_path / "records",
    )
    (kept_match,) = done.kept
    assert (kept_match.match_id, done.removed) == ("poison", 2)
    assert "does not fit into a record" in kept_match.kept_because
    assert {path.name for path in (tmp_path / "records").iterdir()} == {"one.jsonl", "two.jsonl"}


def test_archiving_reduces_the_stored_bytes_of_the_holder(tmp_path: Path) -> None:
    old_match = finished_match("old", labels=(("maker", "ada"),))
    data_dir = create_data_dir(
        tmp_path / "data", old_match, finished_match("other", labels=(("maker", "bob"),)), finished_match("unmade")
    )
    data_dir = create_data_dir(data_dir, finished_match("new", labels=(("maker", "ada"),)), at_ms=LATER_MS)
    lines = execute_sql(data_dir, "SELECT sum(length(line)) FROM entries GROUP BY match ORDER BY match")
    (old_bytes,), (other_bytes,), _, (new_bytes,) = lines
    stored = "SELECT * FROM stored_bytes ORDER BY holder"
    assert execute_sql(data_dir, stored) == [("ada", int(str(old_bytes)) + int(str(new_bytes))), ("bob", other_bytes)]
    archive(data_dir, tmp_path / "records")
    assert execute_sql(data_dir, stored) == [("ada", new_bytes), ("bob", 0)]


def test_an_archived_match_cannot_be_created_again_and_is_not_listed(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")

    async def check(log: SqliteEventLog) -> None:
        for after in (0, 6):
            with pytest.raises(Conflict):
                await log.append("old", after, notes(1, 1))
        assert [summary[0].match_id for summary in (await log.summaries()).found] == ["new", "long"]
        # A caller with a page token may have reached the match before it was archived.
        assert await log.summaries(before="old") == Summaries([])
        assert await log.unfinished() == ["long"]
        assert await log.read("never was") == []

    run_with_store(SqliteEventLog(data_dir / DATABASE, noon_ms), check)


def test_the_summary_of_an_archived_match_is_removed(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")
    assert execute_sql(data_dir, "SELECT match FROM match_summaries") == [(2,), (3,)]
    assert execute_sql(data_dir, "SELECT DISTINCT match FROM match_seats") == [(2,), (3,)]


def test_undelivered_ends_of_an_archived_match_are_removed(data_dir: Path, tmp_path: Path) -> None:
    undelivered = "SELECT match, seat FROM undelivered_ends WHERE bot = 'ada' ORDER BY match"
    assert execute_sql(data_dir, undelivered) == [(1, 0), (2, 0), (3, 0)]
    archive(data_dir, tmp_path / "records")
    assert execute_sql(data_dir, undelivered) == [(2, 0), (3, 0)]


@pytest.mark.parametrize(
    ("statement", "number", "why"),
    [
        ("DELETE FROM entries", 1, "its entry 1 "),
        ("DELETE FROM entries", 3, "its entry 3 "),
        ("DELETE FROM entries", 4, "entry 4 is missing"),
        ("UPDATE entries SET line = CAST(x'ff' AS TEXT)", 1, "its entry 1 "),
        ("UPDATE entries SET line = CAST(x'ff' AS TEXT)", 3, "its entry 3 "),
        ("""UPDATE entries SET line = replace(line, '"at_us":', '"at_us":9')""", 4, "rules differ"),
    ],
)
def test_a_damaged_match_stays_as_it_is_and_others_are_archived(
    tmp_path: Path, statement: str, number: int, why: str
) -> None:
    data_dir = create_data_dir(tmp_path / "data", finished_match("spoilt"), finished_match("sound"))
    execute_sql(data_dir, f"{statement} WHERE match = 1 AND number = ?", number)
    rows = "SELECT number, CAST(line AS BLOB) FROM entries WHERE match = 1 ORDER BY number"
    before = execute_sql(data_dir, rows)
    done = archive(data_dir, tmp_path / "records")
    assert [(match.match_id, why in match.kept_because) for match in done.kept] == [("spoilt", True)]
    assert done.removed == 1
    assert execute_sql(data_dir, rows) == before
    check_archived(data_dir, "sound")
    assert [file.name for file in (tmp_path / "records").iterdir()] == ["sound.jsonl"]


def test_archiving_again_changes_nothing(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")
    before = (tmp_path / "records" / "old.jsonl").read_bytes()
    assert archive(data_dir, tmp_path / "records").removed == 0
    assert (tmp_path / "records" / "old.jsonl").read_bytes() == before


def test_archiving_continues_after_a_crash_between_writing_and_removing(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "copy", LATER_MS)
    archive(data_dir, tmp_path / "records")
    record = (tmp_path / "records" / "old.jsonl").read_bytes()
    (tmp_path / "records" / "old.part").write_bytes(record[:100])

    assert archive(tmp_path / "copy", tmp_path / "records").removed == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "records").iterdir()} == {"old.jsonl": record}


INSERT_END = "INSERT INTO contest_entries (contest, number, at_ms, line) VALUES (1, 2, 0, ?)"
UPDATE_END = "UPDATE contest_entries SET line = ? WHERE number = 2"


def test_matches_of_a_tournament_stay_until_it_is_over(tmp_path: Path) -> None:
    tournament_labels = {"labels": (("maker", "tournament/cup"),)}
    data_dir = create_data_dir(tmp_path / "data", finished_match("one", **tournament_labels), finished_match("other"))
    with_tournament(data_dir, "cup")
    done = archive(data_dir, tmp_path / "records")
    assert [(match.match_id, match.kept_because) for match in done.kept] == [("one", "tournament/cup is not over")]
    assert done.removed == 1

    # An entry that cannot be decoded leaves it open whether the tournament is over.
    execute_sql(data_dir, INSERT_END, "{}")
    assert [match.match_id for match in archive(data_dir, tmp_path / "records").kept] == ["one"]
    execute_sql(data_dir, UPDATE_END, CONTEST_CODEC.encode(TournamentOver()))
    assert archive(data_dir, tmp_path / "records").removed == 1


def test_matches_of_a_tournament_that_was_corrected_after_its_end_are_archived(tmp_path: Path) -> None:
    tournament_labels = {"labels": (("maker", "tournament/cup"),)}
    data_dir = create_data_dir(tmp_path / "data", finished_match("one", **tournament_labels))
    with_tournament(data_dir, "cup")
    corrected = CONTEST_CODEC.encode(ScoreCorrected("1.1", 1, strike("one"), None))
    execute_sql(data_dir, INSERT_END, corrected)
    assert archive(data_dir, tmp_path / "records").removed == 0
    execute_sql(data_dir, UPDATE_END, CONTEST_CODEC.encode(TournamentOver()))
    execute_sql(data_dir, INSERT_END.replace("2, 0", "3, 0"), corrected)
    assert archive(data_dir, tmp_path / "records").removed == 1


@pytest.mark.slow
def test_the_server_can_write_during_archiving(data_dir: Path, tmp_path: Path) -> None:
    create_data_dir(data_dir, *(finished_match(f"old {number}") for number in range(100)))
    with written_meanwhile(data_dir, 1) as written:
        before = written[0]
        done = archive(data_dir, tmp_path / "records")
        meanwhile = written[0] - before
    assert (done.removed, done.kept) == (101, ())
    assert meanwhile > 10, "it had to wait for all of them"
    assert len(entries_in(data_dir, ["busy"])["busy"]) == written[0]


def test_archiving_frees_space_in_the_database(data_dir: Path, tmp_path: Path) -> None:
    create_data_dir(data_dir, *(finished_match(f"old {number}") for number in range(50)))
    assert archive(data_dir, tmp_path / "records").free_bytes > 50_000


@pytest.mark.parametrize("version", [0, len(migrations()) + 1])
def test_a_database_of_another_release_is_not_archived(data_dir: Path, tmp_path: Path, version: int) -> None:
    execute_sql(data_dir, f"PRAGMA user_version = {version}")
    with pytest.raises(MaintenanceError, match=f"the database has version {version}, and this release requires"):
        archive(data_dir, tmp_path / "records")
    assert execute_sql(data_dir, "PRAGMA user_version") == [(version,)]
