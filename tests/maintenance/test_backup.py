"""Backups are complete and consistent during concurrent writes, and a failed one leaves nothing behind.

Restored data equal the backup and are verified; an incomplete backup is rejected with an error.
"""

import asyncio
import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from threading import Event as Signal
from threading import Thread

import pytest

from referee.live.match_timing import LoopTime
from referee.maintenance.backup import MANIFEST, Manifest, Restored, back_up, checksum, read_manifest, write_manifest
from referee.maintenance.backup import restore as restored
from referee.maintenance.data_dir import MaintenanceError
from referee.maintenance.doctor.data_checks import data
from referee.maintenance.doctor.finding import Severity
from referee.maintenance.integrity_check import MatchCheck
from referee.records.record_format import MAX_LINE_BYTES
from referee.server.settings import Settings
from referee.server.stores import DATABASE, KEY, StartupError, open_stores
from referee.storage.sqlite.database import migrations
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.maintenance.data_dirs import entries_in, finished, going_on, remembered, scribble, tell, with_ladder
from tests.records.matches import all_games, random_match
from tests.storage.stores import NOON_MS, at_noon, notes


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return remembered(tmp_path / "data", finished("one"), going_on("two"))


def test_a_backup_holds_everything_in_three_files_that_nobody_else_can_read(data_dir: Path, tmp_path: Path) -> None:
    manifest = back_up(data_dir, tmp_path / "copy", NOON_MS)

    files = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "copy").iterdir()}
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
    assert files.keys() == {DATABASE, KEY, MANIFEST}
    assert files[DATABASE] == files[KEY] == 0o600
    assert (manifest.matches, manifest.unfinished, manifest.at_ms) == (2, 1, NOON_MS)
    assert entries_in(tmp_path / "copy", ["one", "two"]) == entries_in(data_dir, ["one", "two"])
    assert (tmp_path / "copy" / KEY).read_bytes() == (data_dir / KEY).read_bytes()


def test_what_is_written_while_it_is_copied_is_there_whole_or_not_at_all(data_dir: Path, tmp_path: Path) -> None:
    acknowledged, going, enough = [0], Signal(), Signal()

    async def write_on() -> None:
        log = SqliteEventLog(data_dir / DATABASE, at_noon)
        while not enough.is_set():
            await log.append("busy", acknowledged[0], notes(1, 3))
            acknowledged[0] += 3
            going.set()
        await log.close()

    writer = Thread(target=asyncio.run, args=(write_on(),))
    writer.start()
    try:
        assert going.wait(60)
        told = []
        for number in range(5):
            before = acknowledged[0]
            back_up(data_dir, tmp_path / f"copy {number}", NOON_MS)
            told.append((before, acknowledged[0]))
    finally:
        enough.set()
        writer.join(60)

    for number, (before, after) in enumerate(told):
        numbers = [entry.number for entry in entries_in(tmp_path / f"copy {number}", ["busy"])["busy"]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert before <= len(numbers) <= after + 3
        assert len(numbers) % 3 == 0


def test_the_manifest_counts_what_the_copy_holds(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    told = json.loads((tmp_path / "copy" / MANIFEST).read_text())
    ((entries,),) = tell(tmp_path / "copy", "SELECT count(*) FROM entries")
    assert told["entries"] == entries
    assert told["files"][DATABASE]["size_bytes"] == (tmp_path / "copy" / DATABASE).stat().st_size


@pytest.mark.parametrize("spoiled", [DATABASE, KEY])
def test_what_was_written_is_read_back(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoiled: str
) -> None:
    def write_to_a_bad_disk(manifest: Manifest, folder: Path) -> None:
        write_manifest(manifest, folder)
        scribble(folder / spoiled, 40)

    monkeypatch.setattr("referee.maintenance.backup.write_manifest", write_to_a_bad_disk)
    with pytest.raises(MaintenanceError, match=f"the backup is damaged: the checksum of {spoiled} does not match"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert not (tmp_path / "copy").exists()


def test_an_empty_folder_may_be_there_already(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert (tmp_path / "copy" / MANIFEST).is_file()


def test_nothing_is_ever_overwritten(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    before = (tmp_path / "copy" / MANIFEST).read_bytes()
    with pytest.raises(MaintenanceError, match="copy is not empty"):
        back_up(data_dir, tmp_path / "copy", NOON_MS + 1)
    assert (tmp_path / "copy" / MANIFEST).read_bytes() == before


def test_a_file_is_no_folder(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("mine")
    with pytest.raises(MaintenanceError, match="copy is not a directory"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)


@pytest.mark.parametrize("missing", [DATABASE, KEY])
def test_half_a_memory_is_not_backed_up(data_dir: Path, tmp_path: Path, missing: str) -> None:
    (data_dir / missing).unlink()
    with pytest.raises(MaintenanceError, match=f"no {missing} in .*: is it the data directory of a referee"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert not (tmp_path / "copy").exists()


def test_a_damaged_database_is_not_backed_up_and_nothing_is_left_behind(data_dir: Path, tmp_path: Path) -> None:
    with sqlite3.connect(data_dir / DATABASE) as connection:
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").fetchone()
    connection.close()
    content = bytearray((data_dir / DATABASE).read_bytes())
    content[(root - 1) * page_bytes : root * page_bytes] = b"\xff" * page_bytes
    (data_dir / DATABASE).write_bytes(content)

    with pytest.raises(MaintenanceError, match=r"backup failed: .*(malformed|damaged)"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert not (tmp_path / "copy").exists()


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    data_dir = remembered(tmp_path / "data", finished("one"), going_on("two"))
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    return tmp_path / "copy"


def restore(backup: Path, to: Path) -> Restored:
    return restored(backup, to, all_games(), lambda _manifest, _one: None)


def test_what_is_restored_is_what_was_there(backup: Path, tmp_path: Path) -> None:
    done = restore(backup, tmp_path / "new")
    assert entries_in(tmp_path / "new", ["one", "two"]) == entries_in(tmp_path / "data", ["one", "two"])
    assert (tmp_path / "new" / KEY).read_bytes() == (tmp_path / "data" / KEY).read_bytes()
    assert {path.name for path in (tmp_path / "new").iterdir()} == {DATABASE, KEY}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "new", *(tmp_path / "new").iterdir()))
    assert (done.matches, done.unfinished, done.unverified) == (2, 1, ())
    assert done.damaged == ()


def test_every_match_of_every_game_is_played_again(tmp_path: Path) -> None:
    matches = [random_match(game, seed) for game in all_games().values() for seed in (1, 2)]
    back_up(remembered(tmp_path / "data", *matches), tmp_path / "copy", NOON_MS)
    heard: list[MatchCheck] = []
    done = restored(tmp_path / "copy", tmp_path / "new", all_games(), lambda _, one: heard.append(one))
    assert (done.matches, len(heard), done.unverified) == (len(matches), len(matches), ())


@pytest.mark.parametrize("number", [4, 6])
def test_a_match_that_tells_what_cannot_be_is_named_and_restored_as_it_was(tmp_path: Path, number: int) -> None:
    data_dir = remembered(tmp_path / "data", finished("one"), finished("two"))
    lie = "UPDATE entries SET line = replace(line, '\"at_us\":', '\"at_us\":9') WHERE match = 2 AND number = ?"
    tell(data_dir, lie, number)
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    (doubted,) = restore(tmp_path / "copy", tmp_path / "new").unverified
    assert (doubted.match_id, doubted.over) == ("two", True)
    assert "rules differ: entry" in doubted.problem
    assert entries_in(tmp_path / "new", ["two"]) == entries_in(data_dir, ["two"])


def test_a_match_that_lacks_an_entry_is_named_and_restored_as_it_was(tmp_path: Path) -> None:
    data_dir = remembered(tmp_path / "data", finished("one"), finished("two"))
    tell(data_dir, "DELETE FROM entries WHERE match = 2 AND number = 4")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    (doubted,) = restore(tmp_path / "copy", tmp_path / "new").unverified
    assert (doubted.match_id, "entry 4 is missing" in doubted.problem) == ("two", True)
    assert entries_in(tmp_path / "new", ["two"]) == entries_in(data_dir, ["two"])


@pytest.mark.parametrize("spoil", ["DELETE FROM entries", "UPDATE entries SET line = CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize("number", [1, 2])
def test_a_match_with_an_entry_that_cannot_be_read_is_named_and_restored_as_it_was(
    tmp_path: Path, spoil: str, number: int
) -> None:
    data_dir = remembered(tmp_path / "data", finished("one"), finished("two"), going_on("three"))
    tell(data_dir, f"{spoil} WHERE match > 1 AND number = ?", number)
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new")
    assert [(one.match_id, one.over) for one in done.unverified] == [("three", False), ("two", True)]
    assert all(f"entry {number} " in one.problem for one in done.unverified)
    assert (done.matches, done.unfinished) == (3, 1)
    everything = "SELECT match, number, CAST(line AS BLOB) FROM entries ORDER BY match, number"
    assert tell(tmp_path / "new", everything) == tell(data_dir, everything)


def test_a_match_that_no_record_can_hold_is_named_and_all_others_are_proven(tmp_path: Path) -> None:
    poison = finished("poison", labels=(("title", "x" * MAX_LINE_BYTES),))
    back_up(remembered(tmp_path / "data", finished("one"), poison, finished("two")), tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new")
    (doubted,) = done.unverified
    assert (doubted.match_id, doubted.over, done.matches) == ("poison", True, 3)
    assert "does not fit into a record; the limit is 1048576" in doubted.problem


def test_a_match_in_play_that_tells_what_cannot_be_is_named(tmp_path: Path) -> None:
    data_dir = remembered(tmp_path / "data", going_on("two"))
    tell(data_dir, 'UPDATE entries SET line = replace(line, \'"move":"1"\', \'"move":"9"\')')
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    (doubted,) = restore(tmp_path / "copy", tmp_path / "new").unverified
    assert (doubted.match_id, doubted.over) == ("two", False)
    assert doubted.problem.startswith("entry ")


def test_a_ladder_whose_log_cannot_be_followed_is_named_and_restored_as_it_was(tmp_path: Path) -> None:
    data_dir = with_ladder(with_ladder(remembered(tmp_path / "data", finished("one")), "main"), "other")
    tell(data_dir, "UPDATE contest_entries SET line = '{}' WHERE contest = 1 AND number = 2")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new")
    (damaged,) = done.damaged
    assert (damaged.contest, "entry 2 of ladder/main" in damaged.why) == ("ladder/main", True)
    assert (done.matches, done.unverified) == (1, ())
    everything = "SELECT * FROM contest_entries ORDER BY entry"
    assert tell(tmp_path / "new", everything) == tell(data_dir, everything)


def test_a_match_of_a_game_that_is_not_here_is_named(backup: Path, tmp_path: Path) -> None:
    done = restored(backup, tmp_path / "new", {}, lambda _manifest, _one: None)
    assert [(one.match_id, "unknown game" in one.problem) for one in done.unverified] == [("two", True), ("one", True)]


def refused(backup: Path, to: Path, sentence: str) -> None:
    """Assert that the restore fails with this error and leaves no files behind."""
    with pytest.raises(MaintenanceError, match=sentence):
        restore(backup, to)
    assert not to.exists()


def test_a_folder_that_is_no_backup(tmp_path: Path) -> None:
    refused(tmp_path, tmp_path / "new", "no manifest.json in .*: not a backup, or an incomplete one")


@pytest.mark.parametrize("missing", [DATABASE, KEY])
def test_a_backup_with_a_file_missing(backup: Path, tmp_path: Path, missing: str) -> None:
    (backup / missing).unlink()
    refused(backup, tmp_path / "new", f"the backup is incomplete: there is no {missing}")


@pytest.mark.parametrize("damaged", [DATABASE, KEY])
def test_a_backup_of_which_a_byte_has_changed(backup: Path, tmp_path: Path, damaged: str) -> None:
    scribble(backup / damaged, 40)
    refused(backup, tmp_path / "new", f"the backup is damaged: the checksum of {damaged} does not match")


def test_a_backup_that_was_cut_off(backup: Path, tmp_path: Path) -> None:
    size = (backup / DATABASE).stat().st_size
    with (backup / DATABASE).open("r+b") as file:
        file.truncate(size - 1)
    refused(backup, tmp_path / "new", f"{DATABASE} has {size - 1} bytes, expected {size}")


def test_a_manifest_that_was_edited(backup: Path, tmp_path: Path) -> None:
    told = json.loads((backup / MANIFEST).read_text())
    (backup / MANIFEST).write_text(json.dumps({**told, "matches": 3}))
    refused(backup, tmp_path / "new", "manifest.json has been modified")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"backup": 2}'])
def test_a_manifest_that_is_none(backup: Path, tmp_path: Path, text: str) -> None:
    (backup / MANIFEST).write_text(text)
    refused(backup, tmp_path / "new", "manifest.json")


def test_a_damaged_database_with_a_fitting_manifest(backup: Path, tmp_path: Path) -> None:
    scribble(backup / DATABASE, 4096 + 8)
    manifest = read_manifest(backup)
    write_manifest(replace(manifest, files={name: checksum(backup / name) for name in manifest.files}), backup)
    refused(backup, tmp_path / "new", "restore failed")


def test_a_backup_of_a_later_release(tmp_path: Path) -> None:
    data_dir = remembered(tmp_path / "data", finished("one"))
    tell(data_dir, f"PRAGMA user_version = {len(migrations()) + 1}")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    refused(tmp_path / "copy", tmp_path / "new", "restore failed: the database has version")


def test_a_folder_that_is_half_restored_is_not_served_and_the_doctor_says_so(backup: Path, tmp_path: Path) -> None:
    """A restore that was killed leaves the same state as one that is still running."""
    data_dir, doubts = tmp_path / "new", list[str]()

    def troubles() -> list[str]:
        return [found.sentence for found in data(data_dir) if (found.about, found.state) == ("data", Severity.BAD)]

    def look(_manifest: Manifest, _one: MatchCheck) -> None:
        with pytest.raises(StartupError, match="new is partially restored"):
            open_stores(Settings(data_dir=data_dir), LoopTime(), lambda _: None)
        doubts.extend(troubles())

    restored(backup, data_dir, all_games(), look)
    assert doubts == [f"{data_dir} is partially restored"] * 2
    assert troubles() == []


def test_a_folder_with_something_in_it_is_left_as_it_is(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / DATABASE).write_text("dear to somebody")
    with pytest.raises(MaintenanceError, match="new is not empty"):
        restore(backup, tmp_path / "new")
    assert (tmp_path / "new" / DATABASE).read_text() == "dear to somebody"


def test_an_empty_folder_stays_when_nothing_is_restored(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    shutil.rmtree(backup)
    with pytest.raises(MaintenanceError):
        restore(backup, tmp_path / "new")
    assert [*(tmp_path / "new").iterdir()] == []
