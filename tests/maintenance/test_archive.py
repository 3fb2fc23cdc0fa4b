"""Archiving: old matches are moved out of the database into valid records, and requests for them get an error."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Event as Signal
from threading import Thread

import pytest

from referee.contests.tournament.events import TournamentEnded as TournamentOver
from referee.live.outbox import MatchEnded
from referee.live.ports import Conflict, MatchArchived, Summaries
from referee.maintenance.archive import ArchiveResult
from referee.maintenance.archive import archive as archived
from referee.maintenance.backup import back_up
from referee.maintenance.data_dir import MaintenanceError
from referee.records.record_format import MAX_LINE_BYTES
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import load_or_create, public_hex
from referee.records.verify import verify
from referee.server.stores import DATABASE, KEY
from referee.storage.codec import CONTEST_CODEC
from referee.storage.sqlite.database import migrations
from referee.storage.sqlite.event_log import SqliteEventLog, SqliteUndeliveredEnds
from referee.storage.sqlite.store import SqliteStore
from tests.maintenance.data_dirs import DAY_MS, entries_in, finished, going_on, remembered, tell, with_tournament
from tests.records.matches import find_game
from tests.storage.stores import NOON_MS, at_noon, notes

LATER_MS = NOON_MS + DAY_MS


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Two old matches, one of them not over, and one that ended a day later."""
    old = remembered(tmp_path / "data", finished("old"), going_on("long"), at_ms=NOON_MS)
    return remembered(old, finished("new"), at_ms=LATER_MS)


def archive(data_dir: Path, to: Path, before_ms: int = LATER_MS) -> ArchiveResult:
    return archived(data_dir, before_ms, to, find_game)


def needs_archived(data_dir: Path, match_id: str) -> None:
    with pytest.raises(MatchArchived, match=f"{match_id}.jsonl"):
        entries_in(data_dir, [match_id])


def test_a_match_that_was_over_before_is_a_record_and_has_left(data_dir: Path, tmp_path: Path) -> None:
    kept = entries_in(data_dir, ["long", "new"])
    done = archive(data_dir, tmp_path / "old matches")

    key = public_hex(load_or_create(data_dir / KEY))
    assert [path.name for path in (tmp_path / "old matches").iterdir()] == ["old.jsonl"]
    assert verify(tmp_path / "old matches" / "old.jsonl", key, find_game).status is RecordStatus.FINE
    assert (done.removed, done.kept) == (1, ())
    needs_archived(data_dir, "old")
    assert entries_in(data_dir, ["long", "new"]) == kept


def test_a_match_that_ended_at_that_very_moment_stays(data_dir: Path, tmp_path: Path) -> None:
    assert archive(data_dir, tmp_path / "records", before_ms=NOON_MS).removed == 0
    assert archive(data_dir, tmp_path / "records", before_ms=NOON_MS + 1).removed == 1


def test_a_match_that_no_record_can_hold_stays_and_all_others_leave(tmp_path: Path) -> None:
    poison = finished("poison", labels=(("title", "x" * MAX_LINE_BYTES),))
    done = archive(remembered(tmp_path / "data", finished("one"), poison, finished("two")), tmp_path / "records")
    (stayed,) = done.kept
    assert (stayed.match_id, done.removed) == ("poison", 2)
    assert "does not fit into a record" in stayed.kept_because
    assert {path.name for path in (tmp_path / "records").iterdir()} == {"one.jsonl", "two.jsonl"}


def test_what_its_maker_has_stored_is_less_when_it_has_left(tmp_path: Path) -> None:
    old = finished("old", labels=(("maker", "ada"),))
    data_dir = remembered(tmp_path / "data", old, finished("other", labels=(("maker", "bob"),)), finished("unmade"))
    data_dir = remembered(data_dir, finished("new", labels=(("maker", "ada"),)), at_ms=LATER_MS)
    lines = tell(data_dir, "SELECT length(line) FROM entries WHERE number = 1 ORDER BY match")
    (old_bytes,), (other_bytes,), _, (new_bytes,) = lines
    stored = "SELECT * FROM stored_bytes ORDER BY holder"
    assert tell(data_dir, stored) == [("ada", int(str(old_bytes)) + int(str(new_bytes))), ("bob", other_bytes)]
    archive(data_dir, tmp_path / "records")
    assert tell(data_dir, stored) == [("ada", new_bytes), ("bob", 0)]


def test_nobody_can_make_an_archived_match_again_nor_find_it_in_a_list(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")

    async def look() -> None:
        log = SqliteEventLog(data_dir / DATABASE, at_noon)
        for after in (0, 6):
            with pytest.raises(Conflict):
                await log.append("old", after, notes(1, 1))
        assert [summary[0].match_id for summary in (await log.summaries()).found] == ["new", "long"]
        # A caller with a page token may have reached the match before it was archived.
        assert await log.summaries(before="old") == Summaries([])
        assert await log.unfinished() == ["long"]
        assert await log.read("never was") == []
        await log.close()

    asyncio.run(look())


def test_its_summary_has_left_too(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")
    assert tell(data_dir, "SELECT match FROM match_summaries") == [(2,), (3,)]
    assert tell(data_dir, "SELECT DISTINCT match FROM match_seats") == [(2,), (3,)]


def test_its_end_is_told_to_nobody_any_more(data_dir: Path, tmp_path: Path) -> None:
    async def unheard() -> Sequence[MatchEnded]:
        clerk = SqliteStore(data_dir / DATABASE)
        ends = await SqliteUndeliveredEnds(clerk).list_for("ada", 10)
        await clerk.close()
        return ends

    assert asyncio.run(unheard()) == [MatchEnded("old", 0), MatchEnded("new", 0)]
    archive(data_dir, tmp_path / "records")
    assert asyncio.run(unheard()) == [MatchEnded("new", 0)]


@pytest.mark.parametrize("spoil", ["DELETE FROM entries", "UPDATE entries SET line = CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize("number", [1, 3])
def test_a_match_with_an_entry_that_cannot_be_read_stays_and_the_others_leave(
    tmp_path: Path, spoil: str, number: int
) -> None:
    data_dir = remembered(tmp_path / "data", finished("spoilt"), finished("sound"))
    tell(data_dir, f"{spoil} WHERE match = 1 AND number = ?", number)
    done = archive(data_dir, tmp_path / "records")
    (stays,) = done.kept
    assert (stays.match_id, done.removed) == ("spoilt", 1)
    assert f"its entry {number} " in stays.kept_because
    needs_archived(data_dir, "sound")


def test_to_archive_again_changes_nothing(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")
    before = (tmp_path / "records" / "old.jsonl").read_bytes()
    assert archive(data_dir, tmp_path / "records").removed == 0
    assert (tmp_path / "records" / "old.jsonl").read_bytes() == before


def test_who_was_stopped_between_writing_and_removing_goes_on(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "copy", LATER_MS)
    archive(data_dir, tmp_path / "records")
    record = (tmp_path / "records" / "old.jsonl").read_bytes()
    (tmp_path / "records" / "old.part").write_bytes(record[:100])

    assert archive(tmp_path / "copy", tmp_path / "records").removed == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "records").iterdir()} == {"old.jsonl": record}


def test_what_cannot_be_proven_stays(data_dir: Path, tmp_path: Path) -> None:
    tell(
        data_dir, "UPDATE entries SET line = replace(line, '\"at_us\":', '\"at_us\":9') WHERE match = 1 AND number = 4"
    )
    kept = entries_in(data_dir, ["old"])
    done = archive(data_dir, tmp_path / "records")
    assert [(one.match_id, "rules differ" in one.kept_because) for one in done.kept] == [("old", True)]
    assert done.removed == 0
    assert entries_in(data_dir, ["old"]) == kept
    assert [*(tmp_path / "records").iterdir()] == []


def test_what_lacks_an_entry_stays(data_dir: Path, tmp_path: Path) -> None:
    tell(data_dir, "DELETE FROM entries WHERE match = 1 AND number = 4")
    done = archive(data_dir, tmp_path / "records")
    assert [(one.match_id, "entry 4 is missing" in one.kept_because) for one in done.kept] == [("old", True)]
    assert [*(tmp_path / "records").iterdir()] == []


OVER = "INSERT INTO contest_entries (contest, number, at_ms, line) VALUES (1, 2, 0, ?)"


def test_matches_of_a_tournament_stay_until_it_is_over(tmp_path: Path) -> None:
    of_cup = {"labels": (("maker", "tournament/cup"),)}
    data_dir = remembered(tmp_path / "data", finished("one", **of_cup), finished("other"))
    with_tournament(data_dir, "cup")
    done = archive(data_dir, tmp_path / "records")
    assert [(one.match_id, one.kept_because) for one in done.kept] == [("one", "tournament/cup is not over")]
    assert done.removed == 1

    tell(data_dir, OVER, "{}")  # An entry that cannot be decoded leaves it open whether the tournament is over.
    assert [one.match_id for one in archive(data_dir, tmp_path / "records").kept] == ["one"]
    tell(data_dir, "UPDATE contest_entries SET line = ? WHERE number = 2", CONTEST_CODEC.encode(TournamentOver()))
    assert archive(data_dir, tmp_path / "records").removed == 1


@pytest.mark.slow
def test_matches_go_on_meanwhile(data_dir: Path, tmp_path: Path) -> None:
    remembered(data_dir, *(finished(f"old {number}") for number in range(100)))
    written, going, enough = [0], Signal(), Signal()

    async def play_on() -> None:
        log = SqliteEventLog(data_dir / DATABASE, at_noon)
        while not enough.is_set():
            await log.append("busy", written[0], notes(1, 1))
            written[0] += 1
            going.set()
        await log.close()

    writer = Thread(target=asyncio.run, args=(play_on(),))
    writer.start()
    try:
        assert going.wait(60)
        before = written[0]
        done = archive(data_dir, tmp_path / "records")
        during = written[0] - before
    finally:
        enough.set()
        writer.join(60)
    assert (done.removed, done.kept) == (101, ())
    assert during > 10, "it had to wait for all of them"
    assert len(entries_in(data_dir, ["busy"])["busy"]) == written[0]


def test_a_backup_of_what_was_archived_from_is_whole(data_dir: Path, tmp_path: Path) -> None:
    archive(data_dir, tmp_path / "records")
    back_up(data_dir, tmp_path / "copy", LATER_MS)
    needs_archived(tmp_path / "copy", "old")


def test_the_room_that_they_took_is_free_for_others(data_dir: Path, tmp_path: Path) -> None:
    remembered(data_dir, *(finished(f"old {number}") for number in range(50)))
    assert archive(data_dir, tmp_path / "records").free_bytes > 50_000


@pytest.mark.parametrize("version", [1, len(migrations()) + 1])
def test_a_database_of_another_release_is_left_alone(data_dir: Path, tmp_path: Path, version: int) -> None:
    tell(data_dir, f"PRAGMA user_version = {version}")
    with pytest.raises(MaintenanceError, match=f"the database has version {version}, and this release requires"):
        archive(data_dir, tmp_path / "records")
    assert tell(data_dir, "PRAGMA user_version") == [(version,)]
