"""Packed records from strangers: nothing that a file states makes the reader use more than its limits."""

import json
import re
import tracemalloc
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest
import zstandard

from referee.records import packed_format, packed_reader
from referee.records.packed_format import (
    ALWAYS_EXPANDED,
    MAGIC,
    MAX_EXPANSION,
    MAX_GROUP_BYTES,
    MAX_INDEX_BYTES,
    MAX_RECORD_BYTES,
    encode_group,
    restore_record,
    shorten_record,
    store_record,
)
from referee.records.packed_reader import PackedFile, verify_packed
from referee.records.packed_records import PackedRecords
from referee.records.record_reader import RecordInvalid, RecordStatus
from tests.records.forgery import lines_of, record_of, rehashed
from tests.records.matches import find_game, short_match

RECORD = record_of(short_match())
SHORT = shorten_record(RECORD) or b""
ROWS = [["nim-1", len(SHORT), False]]


def file_with(index: object, frame: bytes) -> BytesIO:
    content = index if isinstance(index, bytes) else json.dumps(index).encode()
    return BytesIO(MAGIC + len(content).to_bytes(4, "little") + content + frame)


def index_of(frame: bytes, **fields: object) -> Mapping[str, object]:
    return {"packed": 1, "compressed_bytes": len(frame), "records": ROWS, **fields}


def trouble_in(file: BytesIO) -> RecordInvalid:
    with pytest.raises(RecordInvalid) as raised:
        list(PackedFile(file).records())
    return raised.value


FRAME = zstandard.ZstdCompressor(write_checksum=True).compress(SHORT)


def test_the_file_that_the_others_are_changed_from_is_read() -> None:
    assert list(PackedFile(file_with(index_of(FRAME), FRAME)).records()) == [("nim-1", RECORD)]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"records": [["nim-1", len(SHORT) - 400, False], ["b", 400, False]]}, "cannot be restored"),
        ({"packed": 2}, "it is packed in version 2; known here: 1"),
        ({"records": []}, "sizes that are not permitted"),
        ({"records": [["nim-1", 0, False]]}, "sizes that are not permitted"),
        ({"records": [["a", len(SHORT) + 5, False], ["b", -5, False]]}, "sizes that are not permitted"),
        ({"records": [["nim-1", MAX_RECORD_BYTES + 1, False]]}, "sizes that are not permitted"),
        ({"records": [[f"m{number}", MAX_RECORD_BYTES, False] for number in range(3)]}, "sizes that are not permitted"),
        ({"compressed_bytes": -1}, "sizes that are not permitted"),
        ({"compressed_bytes": MAX_GROUP_BYTES + 1}, "sizes that are not permitted"),
        ({"records": [["../nim-1", len(SHORT), False]]}, "an id that no packed match can have"),
        ({"records": [["nim-2", len(SHORT), False]]}, "what its index calls match nim-2 is not the record"),
        ({"records": [["nim-1", len(SHORT), True]]}, "what its index calls match nim-1 is not the record"),
        ({"records": [["nim-1", len(SHORT) - 1, False]]}, "the size of a group is not what its index states"),
        ({"records": [["nim-1", 1, False], ["b", len(SHORT) - 1, False]]}, "is not the record of that match"),
        ({"records": [["a", len(SHORT) - 1, False], ["a", 1, False]]}, "two records of the same match"),
        ({"records": "many"}, "cannot be read"),
        ({"more": 1}, "cannot be read"),
    ],
)
def test_an_index_that_lies_is_rejected(fields: Mapping[str, object], sentence: str) -> None:
    assert sentence in str(trouble_in(file_with(index_of(FRAME, **fields), FRAME)))


def test_an_index_that_is_no_text_is_rejected() -> None:
    content = json.dumps(index_of(FRAME)).encode().replace(b"nim-1", b"nim-\xff")
    assert "cannot be read" in str(trouble_in(file_with(content, FRAME)))


def test_an_index_that_is_too_large_is_not_read() -> None:
    file = BytesIO(MAGIC + (MAX_INDEX_BYTES + 1).to_bytes(4, "little"))
    assert "is larger than" in str(trouble_in(file))


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff", b"{}", b"null", b"9" * 10_000])
def test_an_index_that_is_not_json_of_its_form_is_rejected(content: bytes) -> None:
    assert "the index of a group cannot be read" in str(trouble_in(file_with(content, FRAME)))


def test_more_records_than_the_limit_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_reader, "MAX_PACKED_RECORDS", 0)
    assert "more than 0 records" in str(trouble_in(file_with(index_of(FRAME), FRAME)))


def peak_bytes(file: BytesIO) -> int:
    """Return how much memory it takes to reject the file."""
    tracemalloc.start()
    try:
        trouble_in(file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BOMB = zstandard.ZstdCompressor().compress(bytes(1 << 28))
NO_SIZE = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 28))


@pytest.mark.parametrize("frame", [BOMB, NO_SIZE], ids=["stated", "not stated"])
def test_a_frame_that_would_become_larger_than_its_index_states_is_not_decompressed(frame: bytes) -> None:
    assert peak_bytes(file_with(index_of(frame), frame)) < 1 << 20


def test_a_frame_with_a_large_window_is_not_decompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_format, "_WINDOW_BYTES", zstandard.get_frame_parameters(FRAME).window_size - 1)
    assert "the size of a group" in str(trouble_in(file_with(index_of(FRAME), FRAME)))


def test_a_frame_with_a_flipped_bit_or_more_behind_it_is_rejected() -> None:
    flipped = FRAME[:-1] + bytes([FRAME[-1] ^ 1])
    longer = FRAME + b"more"
    assert "cannot be decompressed" in str(trouble_in(file_with(index_of(flipped), flipped)))
    assert "cannot be decompressed" in str(trouble_in(file_with(index_of(longer), longer)))


HEADER, CREATED, *OTHERS = SHORT.split(b"\n")
MOVE = next(line for line in OTHERS if line.startswith(b"["))


@pytest.mark.parametrize(
    "lines",
    [
        [b"}"] * 1000,
        [CREATED, b""],
        [CREATED, b"~" + b"x" * (1 << 20)],
        [CREATED, CREATED[:-1]],
        [CREATED, b"-" + b"9" * 20 + CREATED],
        [CREATED, b"[" * 100_000],
        [CREATED, MOVE.replace(b"[", b"[" + b"9" * 5000, 1)],
        [CREATED, MOVE.replace(b"[", b"[0,", 1)],
        [CREATED, re.sub(rb",\d,", b",7,", MOVE, count=1)],
        [CREATED, re.sub(rb",\d,", b",-1,", MOVE, count=1)],
        [MOVE],
        [CREATED.replace(b'"fischer":{', b'"fischer":{"main_ms":-1,"x":{')],
    ],
    ids=range(12),
)
def test_lines_that_no_writer_writes_are_rejected(lines: list[bytes]) -> None:
    assert restore_record(b"\n".join([HEADER, CREATED, MOVE]))
    with pytest.raises(RecordInvalid, match="cannot be restored"):
        restore_record(b"\n".join([HEADER, *lines]))


def test_short_lines_do_not_become_a_record_larger_than_the_limit() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(RecordInvalid, match="cannot be restored"):
            restore_record(b"\n~" * 40_000, 1 << 20)
        assert tracemalloc.get_traced_memory()[1] < 6 << 20
    finally:
        tracemalloc.stop()


def compressed(*shorts: bytes) -> BytesIO:
    """Return a file with a group of these records as they are stored."""
    frame = zstandard.ZstdCompressor(write_checksum=True).compress(b"".join(shorts))
    rows = [[f"nim-{number}", len(short), False] for number, short in enumerate(shorts, 1)]
    return file_with(index_of(frame, records=rows), frame)


def test_a_small_group_with_many_lines_is_not_decompressed() -> None:
    many = MAX_EXPANSION * len(FRAME)
    file = compressed(SHORT, b"\n~" * many)
    assert re.search(r"a group of \d+ compressed bytes has more than \d+ bytes", str(trouble_in(file)))


def test_a_small_group_with_many_short_lines_is_not_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_format, "MAX_EXPANSION", 1)
    longer = SHORT + b"\n~" * (ALWAYS_EXPANDED // 200)
    (_, record), *_ = PackedFile(compressed(longer)).records()
    assert len(record) < ALWAYS_EXPANDED
    with pytest.raises(RecordInvalid, match="cannot be restored"):
        list(PackedFile(compressed(longer, longer.replace(b"nim-1", b"nim-2"))).records())


def test_a_group_whose_lines_hardly_differ_is_stored_with_hashes_and_read_again() -> None:
    header, entry, *_ = lines_of(RECORD)
    record = rehashed([header, *[entry] * 2000])
    file = BytesIO(encode_group([store_record("nim-1", record)]))
    assert list(PackedFile(file).records()) == [("nim-1", record)]
    assert next(PackedFile(file).groups()).index.records == (("nim-1", len(record), True),)


def test_a_damaged_group_ends_the_verification_with_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "matches.pack"
    first = encode_group([store_record("nim-1", RECORD)])
    path.write_bytes(first + b"\0" * 100)
    (_, fine), (name, damaged) = verify_packed(path, None, find_game)
    assert fine.status is RecordStatus.FINE
    assert (name, damaged.status) == (str(path), RecordStatus.EDITED)
    assert damaged.sentence == f"no group of packed records begins at byte {len(first)}"


def test_a_writer_does_not_continue_a_file_that_is_no_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("something else")
    with pytest.raises(RecordInvalid, match="no group of packed records begins at byte 0"):
        PackedRecords(path)
    assert path.read_text() == "something else"
