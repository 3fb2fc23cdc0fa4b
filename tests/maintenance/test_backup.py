"""Backups are complete and consistent during concurrent writes, and a failed backup leaves nothing behind."""

import asyncio
import json
import sqlite3
from pathlib import Path
from threading import Event as Signal
from threading import Thread

import pytest

from referee.maintenance.backup import MANIFEST, Manifest, back_up, write_manifest
from referee.maintenance.data_dir import MaintenanceError
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.maintenance.data_dirs import entries_in, finished, going_on, remembered, scribble, tell
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
