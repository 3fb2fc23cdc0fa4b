"""Packed records: what is read from a file is what was added, whatever happens to the writer."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from msgspec import structs

from referee.live.ports import Entry
from referee.match.events import Event, MatchCreated, MovePlayed, MoveSource
from referee.records import packed_format, packed_records
from referee.records.packed_format import PackageMissing, restore_record, shorten_record, store_record
from referee.records.packed_reader import PackedFile, id_of_record, open_record, read_records, verify_packed
from referee.records.packed_records import NotPackable, PackedRecords, encode_groups
from referee.records.record_format import (
    MAX_LINE_BYTES,
    ContestHeader,
    RecordWriter,
    format_record,
    parse_header,
    split_line,
)
from referee.records.record_reader import RecordInvalid, RecordStatus
from referee.records.short_record import RAW, max_full_bytes, shorten, write_short
from tests.records.forgery import KEY, lines_of, record_of, rehashed, verdict_on
from tests.records.matches import all_games, find_game, random_match, short_match

RECORD = record_of(short_match())
CONTEST = RecordWriter(ContestHeader("0.1.0", "ladder/main"), MAX_LINE_BYTES).header


def short_record(match_id: str) -> bytes:
    return record_of(short_match(match_id=match_id))


def pack(path: Path, *records: bytes) -> Path:
    with PackedRecords(path) as packed:
        for record in records:
            packed.append(record)
    return path


def unpacked(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        return [record for _, record in PackedFile(file).records()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.pack"


@pytest.mark.parametrize("name", all_games())
def test_records_of_every_game_are_the_same_bytes_again_without_their_hashes(path: Path, name: str) -> None:
    record = record_of(random_match(find_game(name), 1))
    short = shorten_record(record)
    assert short
    assert record.splitlines()[0][-66:-2] not in short
    assert unpacked(pack(path, record)) == [record]


def test_groups_of_other_processes_are_added_whole_or_not_at_all(path: Path) -> None:
    first, second, third = (store_record(match_id, short_record(match_id)) for match_id in "abc")
    with PackedRecords(path) as packed:
        for group in encode_groups([first, second], 3):
            packed.append_group(group)
        with pytest.raises(NotPackable, match="match b is packed already"):
            packed.append_group(next(encode_groups([second, third], 3)))
        assert (len(packed), "c" in packed) == (2, False)
    assert unpacked(path) == [short_record("a"), short_record("b")]


def test_records_that_are_not_kept_are_removed_with_their_groups(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_records, "GROUP_RECORDS", 2)
    pack(path, *map(short_record, "abcdef"))
    begin = path.read_bytes()
    with PackedRecords(path) as packed:
        packed.keep_only("abcdef")
        assert path.read_bytes() == begin
        packed.keep_only("abdf")
        assert [match_id in packed for match_id in "abcdef"] == [True, True, False, True, False, True]
        packed.append(short_record("c"))
    assert unpacked(path) == [short_record(match_id) for match_id in "abdfc"]
    assert path.read_bytes()[:500] == begin[:500]


FORGED = {
    "edited": RECORD.replace(b'"ada"', b'"eva"'),
    "rehashed": rehashed(lines_of(RECORD.replace(b'"ada"', b'"eva"'))),
    "cut off": RECORD[:-40],
    "with other line ends": RECORD.replace(b"\n", b"\r\n", 3)[:300] + RECORD[300:],
    "with control characters": RECORD[:-1] + b"\1\2\n",
    "with percent signs": rehashed(lines_of(RECORD.replace(b'"bob"', b'"%d%s%%"'))),
    "with leading zeros": rehashed(lines_of(RECORD.replace(b'"at_us":10,', b'"at_us":010,'))),
    "with numbers of many digits": rehashed(lines_of(RECORD.replace(b'"at_us":10,', b'"at_us":' + b"9" * 30 + b","))),
    "without its end": b"".join(lines_of(RECORD)[:-1]),
}


@pytest.mark.parametrize("record", FORGED.values(), ids=FORGED)
def test_a_forged_record_stays_as_forged_as_it_was(path: Path, record: bytes) -> None:
    if id_of_record(record) is None:
        record = lines_of(RECORD)[0] + record
    assert unpacked(pack(path, record)) == [record]


def test_a_record_is_found_by_its_match_in_any_group(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_records, "GROUP_RECORDS", 3)
    records = {f"m-{number}": short_record(f"m-{number}") for number in range(8)}
    pack(path, *records.values())
    with path.open("rb") as file:
        assert len(list(PackedFile(file).groups())) == 3
        assert {match_id: PackedFile(file).find(match_id) for match_id in records} == records
        assert PackedFile(file).find("m-8") is None
    with open_record(f"{path}#m-7") as record:
        assert record.read() == records["m-7"]


def test_a_file_whose_name_contains_the_separator_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "a#b"
    path.write_bytes(RECORD)
    with open_record(str(path)) as record:
        assert record.read() == RECORD


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("{0}", "it has packed records; name one of them"),
        ("{0}#no", "it has no record of match no"),
        ("{0}.no#no", "it cannot be read: No such file"),
    ],
)
def test_a_record_that_is_not_there_is_an_error(path: Path, name: str, sentence: str) -> None:
    pack(path, RECORD)
    with pytest.raises(RecordInvalid, match=sentence):
        open_record(name.format(path))


def test_a_file_can_be_continued_and_says_which_matches_it_has(path: Path) -> None:
    pack(path, short_record("a"))
    with PackedRecords(path) as packed:
        assert (len(packed), "a" in packed, "b" in packed) == (1, True, False)
        packed.append(short_record("b"))
        with pytest.raises(NotPackable, match="match a is packed already"):
            packed.append(short_record("a"))
        with pytest.raises(NotPackable, match="match b is packed already"):
            packed.append(short_record("b"))
    assert unpacked(path) == [short_record("a"), short_record("b")]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (b"", "not the record of a match"),
        (b"no\n", "not the record of a match"),
        (CONTEST, "not the record of a match"),
        (short_record("../up"), "letters, digits and hyphens"),
        (RECORD + b" " * packed_format.MAX_RECORD_BYTES, "records of at most"),
    ],
    ids=["empty", "other file", "contest", "path", "large"],
)
def test_only_records_of_matches_within_the_limits_are_packed(path: Path, record: bytes, sentence: str) -> None:
    with PackedRecords(path) as packed, pytest.raises(NotPackable, match=sentence):
        packed.append(record)
    assert unpacked(path) == []


def test_of_a_file_cut_off_anywhere_all_complete_groups_are_read(path: Path) -> None:
    first = pack(path, short_record("a")).read_bytes()
    both = pack(path, short_record("b")).read_bytes()
    assert both.startswith(first)
    for size in range(len(first), len(both)):
        packed = PackedFile(BytesIO(both[:size]))
        assert [record for _, record in packed.records()] == [short_record("a")]
        assert packed.torn_bytes == size - len(first)
    path.write_bytes(both[:-1])
    *fine, (name, last) = verify_packed(path, None, find_game)
    assert [verdict.status for _, verdict in fine] == [RecordStatus.FINE]
    assert (name, last.status) == (str(path), RecordStatus.TRUNCATED)
    with PackedRecords(path) as packed_again:
        assert packed_again.dropped_bytes == len(both) - 1 - len(first)
        packed_again.append(short_record("c"))
    assert unpacked(path) == [short_record("a"), short_record("c")]


@pytest.mark.parametrize("size", [b"compressed_bytes", b"index"])
def test_good_records_behind_a_group_of_an_altered_size_are_not_removed(path: Path, size: bytes) -> None:
    first = pack(path, short_record("a")).read_bytes()
    second = pack(path, short_record("b")).read_bytes()[len(first) :]
    third = pack(path, short_record("c")).read_bytes()[len(first + second) :]
    magic, length, rest = second[:4], int.from_bytes(second[4:8], "little"), second[8:]
    if size == b"index":
        altered = magic + (length + 100_000).to_bytes(4, "little") + rest
    else:
        stated = b'"compressed_bytes":'
        altered = magic + (length + 4).to_bytes(4, "little") + rest.replace(stated, stated + b"1000", 1)
    path.write_bytes(whole := first + altered + third)
    with pytest.raises(RecordInvalid, match=f"the group at byte {len(first)} is not as long as its index states"):
        PackedRecords(path)
    assert path.read_bytes() == whole
    *fine, (_, last) = verify_packed(path, None, find_game)
    assert [verdict.status for _, verdict in fine] == [RecordStatus.FINE]
    assert last.status is RecordStatus.EDITED


KILLED = """
import os, signal, sys
from pathlib import Path
from referee.records.packed_records import PackedRecords

packed = PackedRecords(Path(sys.argv[1]))
for name in sys.argv[2:4]:
    packed.append(Path(name).read_bytes())
packed.flush()
packed.append(Path(sys.argv[4]).read_bytes())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_flushed_before_a_kill_is_read(path: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in "abc"]
    for file in files:
        file.write_bytes(short_record(file.name))
    done = subprocess.run([sys.executable, "-c", KILLED, path, *files], check=False)
    assert done.returncode == -signal.SIGKILL
    assert unpacked(path) == [short_record("a"), short_record("b")]


def test_a_group_that_cannot_be_written_completely_is_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(path, short_record("a"))
    packed = PackedRecords(path)
    packed.append(short_record("b"))

    class FullDisk:
        """Writes half of what it is given."""

        def __init__(self, file: object) -> None:
            self.file = file

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def write(self, group: bytes) -> int:
            return int(self.file.write(group[: len(group) // 2]))  # type: ignore[attr-defined]

    monkeypatch.setattr(packed, "_file", FullDisk(packed._file))
    with pytest.raises(OSError, match="could be written"):
        packed.close()
    with path.open("rb") as file:
        read = PackedFile(file)
        assert [record for _, record in read.records()] == [short_record("a")]
        assert read.torn_bytes == 0


def test_records_of_files_folders_and_packed_files_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "b.jsonl").write_bytes(short_record("b"))
    (folder / "notes.txt").write_bytes(b"not a record")
    pack(folder / "deep" / "more", short_record("c"))
    single = tmp_path / "single"
    single.write_bytes(short_record("a"))
    missing = tmp_path / "missing"
    *found, (name, trouble) = read_records([single, folder, missing])
    assert found == [
        (str(single), short_record("a")),
        (str(folder / "deep" / "b.jsonl"), short_record("b")),
        (f"{folder / 'deep' / 'more'}#c", short_record("c")),
    ]
    assert name == str(missing)
    assert isinstance(trouble, RecordInvalid)


def test_an_edited_record_that_was_packed_without_hashes_is_found_by_its_signature(tmp_path: Path) -> None:
    short = shorten_record(RECORD)
    assert short
    assert verdict_on(restore_record(short), tmp_path).status is RecordStatus.FINE
    edited = restore_record(short.replace(b'"ada"', b'"eva"'))
    assert verdict_on(edited, tmp_path).status is RecordStatus.SIGNATURE_WRONG


def test_without_the_package_the_command_that_installs_it_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(PackageMissing, match=r"require the package zstandard: pip install 'referee\[packed\]'"):
        PackedRecords(path)
    assert not os.path.lexists(path)


BEGAN_MS = 1_790_000_000_000


def bodies_of(record: bytes) -> list[bytes]:
    """Return the lines without their hashes, but for the last one."""
    return [part.body for part in map(split_line, lines_of(record)[:-1]) if part]


def undelayed_record(events: Sequence[Event]) -> bytes:
    name = events[0].setup.match_id if isinstance(events[0], MatchCreated) else ""
    entries = [Entry(name, number, BEGAN_MS + event.at_us // 1000, event) for number, event in enumerate(events, 1)]
    return b"".join(format_record(entries, KEY, "0.1.0"))


def check_written(events: Sequence[Event]) -> bytes:
    """Check that the short form of the events is that of their record, and return it."""
    header, *others = bodies_of(undelayed_record(events))
    assert parse_header(header)
    short = write_short(header, events, BEGAN_MS)
    assert short == shorten([header, *others])
    assert bodies_of(restore_record(short + b"\n" + RAW)) == [header, *others]
    return short


@pytest.mark.parametrize("name", all_games())
@pytest.mark.parametrize("seed", range(3))
def test_the_short_form_of_the_events_of_any_match_is_that_of_its_record(name: str, seed: int) -> None:
    check_written(random_match(find_game(name), seed))


MOVES = ["12", "a1-a2", "1.5", "a[3]", '"', "\\", "ü", "\x7f", "\n", "%d %", "", "007", "a" * 900, "],["]
UNUSUAL: list[dict[str, object]] = [
    {},
    {"source": MoveSource.RANDOM},
    {"row": None},
    {"request_id": "r1"},
    {"score": -30},
    {"token": "0.7.1"},
    {"at_us": -5},
]


@pytest.mark.parametrize("move", MOVES, ids=range(len(MOVES)))
@pytest.mark.parametrize("more", UNUSUAL, ids=range(len(UNUSUAL)))
def test_any_move_is_written_as_it_is_in_its_record_and_within_the_limit(move: str, more: dict[str, object]) -> None:
    events = [
        structs.replace(event, move=move, **more) if isinstance(event, MovePlayed) else event for event in short_match()
    ]
    short = check_written(events)
    assert RAW not in short
    assert len(undelayed_record(events)) <= max_full_bytes(short)


@pytest.mark.parametrize("change", [{"move": "\ud800"}, {"at_us": 1 << 60}], ids=["text", "time"])
def test_an_event_that_cannot_be_read_back_has_no_short_form(change: dict[str, object]) -> None:
    events = [structs.replace(event, **change) if isinstance(event, MovePlayed) else event for event in short_match()]
    assert write_short(b"", events, BEGAN_MS) is None


def test_a_line_that_is_written_in_another_way_or_whose_charge_is_wrong_is_kept() -> None:
    record = record_of(short_match())
    for old, new in (
        (b'"at_us":10,', b'"at_us":010,'),
        (b'"charged_us":', b'"charged_us":1'),
        (b'"late":', b' "late":'),
    ):
        changed = rehashed(lines_of(record.replace(old, new, 1)))
        assert changed != record
        bodies = bodies_of(changed)
        short = shorten(bodies)
        assert short.count(b"\n" + RAW) + short.count(b"\n[") + short.count(b'{"kind"') >= len(bodies) - 1
        assert bodies_of(restore_record(short + b"\n" + RAW)) == bodies
