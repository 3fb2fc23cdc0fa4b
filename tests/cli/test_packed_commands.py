"""`referee records pack` and `unpack`, and the commands that read packed records."""

import sys
from pathlib import Path

import pytest

from engines import registry
from referee.records.record_reader import RecordStatus
from tests.cli.runner import output_of, refusal_of, run
from tests.records.forgery import record_of
from tests.records.matches import short_match
from tests.records.test_packed_records import CONTEST

NAMES = ("a", "b", "c")
RECORDS = {name: record_of(short_match(match_id=name)) for name in NAMES}


@pytest.fixture(autouse=True)
def _install_nim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.OURS, "nim", "tests.third_party_games.third_party_games:NIM")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "records"
    folder.mkdir()
    for name, record in RECORDS.items():
        (folder / f"{name}.jsonl").write_bytes(record)
    return folder


@pytest.fixture
def packed(folder: Path, tmp_path: Path) -> Path:
    packed = tmp_path / "matches.pack"
    assert run("records", "pack", folder, "-o", packed).output == f"3 records packed into {packed}\n"
    return packed


def test_unpacked_records_are_the_files_that_were_packed(packed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("records", "unpack", packed, "-o", out).output == f"3 records unpacked to {out}\n"
    assert {file.stem: file.read_bytes() for file in out.iterdir()} == RECORDS
    assert "a.jsonl: File exists" in refusal_of("records", "unpack", packed, "-o", out, status=1)


def test_a_packed_file_is_verified_record_by_record(packed: Path) -> None:
    assert output_of("verify", packed) == f"{packed}: 3 records: 3 fine\n"
    assert output_of("verify", f"{packed}#b").startswith(f"{packed}#b: fine: match b, nim, 6 entries")
    missing = run("verify", f"{packed}#d")
    assert missing.exit_code == RecordStatus.NO_RECORD
    assert missing.output == f"{packed}#d: no record: it has no record of match d\n"


def test_the_records_of_a_packed_file_that_are_not_fine_are_named(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "some.pack"
    (folder / "b.jsonl").write_bytes(RECORDS["b"].replace(b'"ada"', b'"eva"'))
    run("records", "pack", folder, "-o", packed)
    result = run("verify", packed, folder / "a.jsonl")
    assert result.exit_code == RecordStatus.EDITED
    first, second, _, last = result.output.splitlines()
    assert first.startswith(f"{packed}#b: edited: line 2 ")
    assert second == f"{packed}: 3 records: 2 fine, 1 edited"
    assert last == "4 records: 3 fine, 1 edited"


def test_a_match_is_replayed_and_explained_from_a_packed_file_as_from_its_own(packed: Path, folder: Path) -> None:
    for command in (["replay"], ["explain", "--seat", "0"]):
        name, *options = command
        assert output_of(name, f"{packed}#c", *options) == output_of(name, folder / "c.jsonl", *options)


@pytest.mark.parametrize("command", [("replay",), ("explain", "--seat", "0")], ids=["replay", "explain"])
def test_a_command_on_one_match_asks_for_its_name(packed: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    result = run(name, packed, *options)
    assert result.exit_code != 0
    assert f"name one of them: {packed}#MATCH" in " ".join(result.output.split()).replace("- ", "-")


def test_what_is_no_record_of_a_match_is_left_out_and_named(folder: Path, tmp_path: Path) -> None:
    (folder / "cup.jsonl").write_bytes(CONTEST)
    result = run("records", "pack", folder, "-o", tmp_path / "matches.pack")
    assert result.exit_code == 3
    assert f"{folder / 'cup.jsonl'} is left out: it is not the record of a match" in result.output
    assert "3 records packed" in result.output


def test_an_existing_file_is_continued_only_when_asked_to(packed: Path, tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_bytes(record_of(short_match(match_id="d")))
    before = packed.read_bytes()
    assert run("records", "pack", file, "-o", packed).exit_code == 2
    assert packed.read_bytes() == before
    packed.write_bytes(before + before[:20])
    result = run("records", "pack", file, "-o", packed, "--append")
    assert "20 bytes at the end were not written completely: removed" in result.output
    assert "1 record packed" in result.output
    assert run("verify", packed).output == f"{packed}: 4 records: 4 fine\n"


def test_a_torn_file_is_unpacked_as_far_as_it_was_written(packed: Path, tmp_path: Path) -> None:
    data = packed.read_bytes()
    packed.write_bytes(data + data[:-1])
    shown = refusal_of("records", "unpack", packed, "-o", tmp_path / "out", status=3)
    assert f"its last {len(data) - 1} bytes are of records that were not written completely" in shown
    assert len(list((tmp_path / "out").iterdir())) == 3
    assert run("verify", packed).exit_code == RecordStatus.TRUNCATED


def test_a_packed_file_that_would_fill_the_disk_is_not_unpacked(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.cli.packed.MAX_EXPANSION", 0)
    monkeypatch.setattr("referee.cli.packed.ALWAYS_UNPACKED", 2 * len(RECORDS["a"]))
    assert "the rest is left out" in refusal_of("records", "unpack", packed, "-o", tmp_path / "out", status=1)
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_a_file_that_is_damaged_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "no.pack"
    path.write_text("no")
    refused = refusal_of("records", "unpack", path, "-o", tmp_path / "out", status=1)
    assert "no group of packed records begins at byte 0" in refused


@pytest.mark.parametrize(
    "command", [("verify",), ("replay",), ("records", "unpack", "-o", "out"), ("explain", "--seat", "0")]
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    packed: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    file = f"{packed}#a" if command[0] in {"replay", "explain"} else packed
    refused = refusal_of(*command, file, status=1)
    assert "packed records require the package zstandard: pip install 'referee[packed]'" in refused
