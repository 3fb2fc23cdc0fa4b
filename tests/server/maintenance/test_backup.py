"""Backups are complete and consistent during concurrent writes, and a failed one leaves nothing behind.

Restored data equal the backup and are verified; an incomplete backup is rejected with an error.
"""

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.live.match_timing import LoopTime
from referee.records.record_format import MAX_LINE_BYTES
from referee.server.maintenance.backup import (
    MANIFEST,
    Manifest,
    Restored,
    back_up,
    checksum,
    read_manifest,
    write_manifest,
)
from referee.server.maintenance.backup import restore as run_restore
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.doctor.data_checks import data
from referee.server.maintenance.doctor.finding import Severity
from referee.server.maintenance.integrity_check import MatchCheck
from referee.server.settings import Settings
from referee.server.stores import DATABASE, KEY, StartupError, open_stores
from referee.storage.sqlite.database import migrations
from tests.records.matches import all_games, random_match
from tests.server.maintenance.data_dirs import (
    create_data_dir,
    entries_in,
    execute_sql,
    finished_match,
    flip_bit,
    match_in_play,
    with_ladder,
    written_meanwhile,
)
from tests.storage.stores import NOON_MS


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return create_data_dir(tmp_path / "data", finished_match("one"), match_in_play("two"))


def test_a_backup_consists_of_three_files_that_only_the_owner_can_read(data_dir: Path, tmp_path: Path) -> None:
    manifest = back_up(data_dir, tmp_path / "copy", NOON_MS)

    files = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "copy").iterdir()}
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
    assert files.keys() == {DATABASE, KEY, MANIFEST}
    assert files[DATABASE] == files[KEY] == 0o600
    assert (manifest.matches, manifest.unfinished, manifest.at_ms) == (2, 1, NOON_MS)
    assert entries_in(tmp_path / "copy", ["one", "two"]) == entries_in(data_dir, ["one", "two"])
    assert (tmp_path / "copy" / KEY).read_bytes() == (data_dir / KEY).read_bytes()


def test_an_append_during_a_backup_is_copied_completely_or_not_at_all(data_dir: Path, tmp_path: Path) -> None:
    written_counts = []
    with written_meanwhile(data_dir, 3) as acknowledged:
        for number in range(5):
            before = acknowledged[0]
            back_up(data_dir, tmp_path / f"copy {number}", NOON_MS)
            written_counts.append((before, acknowledged[0]))

    for number, (before, after) in enumerate(written_counts):
        numbers = [entry.number for entry in entries_in(tmp_path / f"copy {number}", ["busy"])["busy"]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert before <= len(numbers) <= after + 3
        assert len(numbers) % 3 == 0


def test_the_manifest_has_the_counts_of_the_copy(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    manifest = json.loads((tmp_path / "copy" / MANIFEST).read_text())
    ((entries,),) = execute_sql(tmp_path / "copy", "SELECT count(*) FROM entries")
    assert manifest["entries"] == entries
    assert manifest["files"][DATABASE]["size_bytes"] == (tmp_path / "copy" / DATABASE).stat().st_size


@pytest.mark.parametrize("damaged_file", [DATABASE, KEY])
def test_a_backup_is_read_back_and_verified(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged_file: str
) -> None:
    def write_to_a_bad_disk(manifest: Manifest, folder: Path) -> None:
        write_manifest(manifest, folder)
        flip_bit(folder / damaged_file, 40)

    monkeypatch.setattr("referee.server.maintenance.backup.write_manifest", write_to_a_bad_disk)
    with pytest.raises(MaintenanceError, match=f"the backup is damaged: the checksum of {damaged_file} does not match"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert not (tmp_path / "copy").exists()


def test_a_backup_can_be_written_to_an_empty_folder(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert (tmp_path / "copy" / MANIFEST).is_file()


def test_a_backup_never_overwrites_another(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    before = (tmp_path / "copy" / MANIFEST).read_bytes()
    with pytest.raises(MaintenanceError, match="copy is not empty"):
        back_up(data_dir, tmp_path / "copy", NOON_MS + 1)
    assert (tmp_path / "copy" / MANIFEST).read_bytes() == before


def test_a_backup_cannot_be_written_to_a_file(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("mine")
    with pytest.raises(MaintenanceError, match="copy is not a directory"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)


@pytest.mark.parametrize("missing", [DATABASE, KEY])
def test_an_incomplete_data_directory_is_not_backed_up(data_dir: Path, tmp_path: Path, missing: str) -> None:
    (data_dir / missing).unlink()
    with pytest.raises(MaintenanceError, match=f"no {missing} in .*: is it the data directory of a referee"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert not (tmp_path / "copy").exists()


def test_a_damaged_database_is_not_backed_up_and_no_files_remain(data_dir: Path, tmp_path: Path) -> None:
    with sqlite3.connect(data_dir / DATABASE) as connection:
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        (root_page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").fetchone()
    connection.close()
    content = bytearray((data_dir / DATABASE).read_bytes())
    content[(root_page - 1) * page_bytes : root_page * page_bytes] = b"\xff" * page_bytes
    (data_dir / DATABASE).write_bytes(content)

    with pytest.raises(MaintenanceError, match=r"backup failed: .*(malformed|damaged)"):
        back_up(data_dir, tmp_path / "copy", NOON_MS)
    assert not (tmp_path / "copy").exists()


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    data_dir = create_data_dir(tmp_path / "data", finished_match("one"), match_in_play("two"))
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    return tmp_path / "copy"


def restore(backup: Path, to: Path) -> Restored:
    return run_restore(backup, to, all_games(), lambda _manifest, _one: None)


def test_restored_data_equal_the_original(backup: Path, tmp_path: Path) -> None:
    done = restore(backup, tmp_path / "new")
    assert entries_in(tmp_path / "new", ["one", "two"]) == entries_in(tmp_path / "data", ["one", "two"])
    assert (tmp_path / "new" / KEY).read_bytes() == (tmp_path / "data" / KEY).read_bytes()
    assert {path.name for path in (tmp_path / "new").iterdir()} == {DATABASE, KEY}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "new", *(tmp_path / "new").iterdir()))
    assert (done.matches, done.unfinished, done.unverified) == (2, 1, ())
    assert done.damaged == ()


def test_a_restore_verifies_every_match_of_every_game(tmp_path: Path) -> None:
    matches = [random_match(game, seed) for game in all_games().values() for seed in (1, 2)]
    back_up(create_data_dir(tmp_path / "data", *matches), tmp_path / "copy", NOON_MS)
    checks: list[MatchCheck] = []
    done = run_restore(tmp_path / "copy", tmp_path / "new", all_games(), lambda _, match: checks.append(match))
    assert (done.matches, len(checks), done.unverified) == (len(matches), len(matches), ())


ALL_ROWS = "SELECT match, number, CAST(line AS BLOB) FROM entries ORDER BY match, number"


@pytest.mark.parametrize(
    ("statement", "number", "problem"),
    [
        ("""UPDATE entries SET line = replace(line, '"at_us":', '"at_us":9')""", 4, "rules differ: entry"),
        ("""UPDATE entries SET line = replace(line, '"at_us":', '"at_us":9')""", 6, "rules differ: entry"),
        ("DELETE FROM entries", 4, "entry 4 is missing"),
    ],
)
def test_a_damaged_match_is_reported_and_restored_unchanged(
    tmp_path: Path, statement: str, number: int, problem: str
) -> None:
    data_dir = create_data_dir(tmp_path / "data", finished_match("one"), finished_match("two"))
    execute_sql(data_dir, f"{statement} WHERE match = 2 AND number = ?", number)
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    (unverified_match,) = restore(tmp_path / "copy", tmp_path / "new").unverified
    assert (unverified_match.match_id, unverified_match.over) == ("two", True)
    assert problem in unverified_match.problem
    assert execute_sql(tmp_path / "new", ALL_ROWS) == execute_sql(data_dir, ALL_ROWS)


@pytest.mark.parametrize("damage", ["DELETE FROM entries", "UPDATE entries SET line = CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize("number", [1, 2])
def test_matches_with_an_unreadable_entry_are_reported_and_restored_unchanged(
    tmp_path: Path, damage: str, number: int
) -> None:
    data_dir = create_data_dir(tmp_path / "data", finished_match("one"), finished_match("two"), match_in_play("three"))
    execute_sql(data_dir, f"{damage} WHERE match > 1 AND number = ?", number)
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new")
    assert [(match.match_id, match.over) for match in done.unverified] == [("three", False), ("two", True)]
    assert all(f"entry {number} " in match.problem for match in done.unverified)
    assert (done.matches, done.unfinished) == (3, 1)
    assert execute_sql(tmp_path / "new", ALL_ROWS) == execute_sql(data_dir, ALL_ROWS)


def test_a_match_that_is_too_large_for_a_record_is_reported_and_others_are_verified(tmp_path: Path) -> None:
    too_large = finished_match("poison", labels=(("title", "x" * MAX_LINE_BYTES),))
    back_up(
        create_data_dir(tmp_path / "data", finished_match("one"), too_large, finished_match("two")),
        tmp_path / "copy",
        NOON_MS,
    )
    done = restore(tmp_path / "copy", tmp_path / "new")
    (unverified_match,) = done.unverified
    assert (unverified_match.match_id, unverified_match.over, done.matches) == ("poison", True, 3)
    assert "does not fit into a record; the limit is 1048576" in unverified_match.problem


def test_a_falsified_match_in_play_is_reported(tmp_path: Path) -> None:
    data_dir = create_data_dir(tmp_path / "data", match_in_play("two"))
    execute_sql(data_dir, 'UPDATE entries SET line = replace(line, \'"move":"1"\', \'"move":"9"\')')
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    (unverified_match,) = restore(tmp_path / "copy", tmp_path / "new").unverified
    assert (unverified_match.match_id, unverified_match.over) == ("two", False)
    assert unverified_match.problem.startswith("entry ")


def test_a_damaged_ladder_is_reported_and_restored_unchanged(tmp_path: Path) -> None:
    data_dir = with_ladder(with_ladder(create_data_dir(tmp_path / "data", finished_match("one")), "main"), "other")
    execute_sql(data_dir, "UPDATE contest_entries SET line = '{}' WHERE contest = 1 AND number = 2")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    done = restore(tmp_path / "copy", tmp_path / "new")
    (damaged,) = done.damaged
    assert (damaged.contest, "entry 2 of ladder/main" in damaged.why) == ("ladder/main", True)
    assert (done.matches, done.unverified) == (1, ())
    all_rows = "SELECT * FROM contest_entries ORDER BY entry"
    assert execute_sql(tmp_path / "new", all_rows) == execute_sql(data_dir, all_rows)


def test_a_match_of_an_unknown_game_is_reported(backup: Path, tmp_path: Path) -> None:
    done = run_restore(backup, tmp_path / "new", {}, lambda _manifest, _one: None)
    assert [(match.match_id, "unknown game" in match.problem) for match in done.unverified] == [
        ("two", True),
        ("one", True),
    ]


def edit_manifest(backup: Path) -> None:
    manifest = json.loads((backup / MANIFEST).read_text())
    (backup / MANIFEST).write_text(json.dumps({**manifest, "matches": 3}))


def truncate(backup: Path) -> None:
    with (backup / DATABASE).open("r+b") as file:
        file.truncate((backup / DATABASE).stat().st_size - 1)


def damage_with_checksums(backup: Path) -> None:
    """Damage the database, and write a manifest that matches."""
    flip_bit(backup / DATABASE, 4096 + 8)
    manifest = read_manifest(backup)
    write_manifest(replace(manifest, files={name: checksum(backup / name) for name in manifest.files}), backup)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda backup: (backup / MANIFEST).unlink(), "no manifest.json in .*: not a backup, or an incomplete one"),
        (lambda backup: (backup / DATABASE).unlink(), f"the backup is incomplete: there is no {DATABASE}"),
        (lambda backup: (backup / KEY).unlink(), f"the backup is incomplete: there is no {KEY}"),
        (lambda backup: flip_bit(backup / DATABASE, 40), f"damaged: the checksum of {DATABASE} does not match"),
        (lambda backup: flip_bit(backup / KEY, 40), f"damaged: the checksum of {KEY} does not match"),
        (truncate, rf"{DATABASE} has \d+99 bytes, expected \d+00|{DATABASE} has \d+ bytes, expected \d+"),
        (edit_manifest, "manifest.json has been modified"),
        *(
            (lambda backup, text=text: (backup / MANIFEST).write_text(text), "manifest.json")
            for text in ("", "[]", "{}", '{"backup": 2}')
        ),
        (damage_with_checksums, "restore failed"),
    ],
)
def test_a_damaged_backup_is_rejected_and_leaves_no_files(
    backup: Path, tmp_path: Path, damage: Callable[[Path], object], sentence: str
) -> None:
    damage(backup)
    with pytest.raises(MaintenanceError, match=sentence):
        restore(backup, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_backup_of_a_newer_release_is_rejected(tmp_path: Path) -> None:
    data_dir = create_data_dir(tmp_path / "data", finished_match("one"))
    execute_sql(data_dir, f"PRAGMA user_version = {len(migrations()) + 1}")
    back_up(data_dir, tmp_path / "copy", NOON_MS)
    with pytest.raises(MaintenanceError, match="restore failed: the database has version"):
        restore(tmp_path / "copy", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_partially_restored_folder_is_not_served_and_is_reported_by_the_doctor(backup: Path, tmp_path: Path) -> None:
    """A restore that was killed leaves the same state as one that is still running."""
    data_dir, problems = tmp_path / "new", list[str]()

    def data_problems() -> list[str]:
        return [found.sentence for found in data(data_dir) if (found.about, found.state) == ("data", Severity.BAD)]

    def check(_manifest: Manifest, _one: MatchCheck) -> None:
        with pytest.raises(StartupError, match="new is incomplete"):
            open_stores(Settings(data_dir=data_dir), LoopTime(), lambda _: None)
        problems.extend(data_problems())

    run_restore(backup, data_dir, all_games(), check)
    assert problems == [f"{data_dir} is incomplete"] * 2
    assert data_problems() == []


def test_a_restore_does_not_change_a_folder_that_is_not_empty(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / DATABASE).write_text("dear to somebody")
    with pytest.raises(MaintenanceError, match="new is not empty"):
        restore(backup, tmp_path / "new")
    assert (tmp_path / "new" / DATABASE).read_text() == "dear to somebody"


def test_an_empty_folder_remains_when_the_restore_fails(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    shutil.rmtree(backup)
    with pytest.raises(MaintenanceError):
        restore(backup, tmp_path / "new")
    assert [*(tmp_path / "new").iterdir()] == []
