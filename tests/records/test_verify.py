"""Each kind of damage has its own verdict, which names its place."""

from pathlib import Path

import pytest

from referee.records.record_format import MAX_LINE_BYTES, RecordHeader, RecordLine, SignatureLine, hash_of
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import fingerprint, public_hex
from referee.records.verify import verify
from tests.records.forgery import KEY, OTHER_KEY, lines_of, record_of, rehashed, resigned, verdict_on
from tests.records.matches import find_game, short_match

RECORD = record_of(short_match())
LINES = lines_of(RECORD)
"""The first line, six entries, the last line."""


def _check_verdict(data: bytes, folder: Path, status: RecordStatus, words: str) -> None:
    verdict = verdict_on(data, folder)
    assert (verdict.status, words in verdict.sentence) == (status, True), verdict


def test_rehashing_and_resigning_unchanged_lines_gives_the_same_record() -> None:
    assert rehashed(LINES) == RECORD
    assert resigned(LINES) == RECORD


@pytest.mark.parametrize("kept", range(1, len(LINES)))
def test_a_record_cut_off_after_a_line_is_truncated(kept: int, tmp_path: Path) -> None:
    _check_verdict(
        b"".join(LINES[:kept]),
        tmp_path,
        RecordStatus.TRUNCATED,
        f"the file ends with line {kept}, and the line with the",
    )


@pytest.mark.parametrize("line", range(1, len(LINES) + 1))
def test_a_record_cut_off_within_a_line_is_truncated(line: int, tmp_path: Path) -> None:
    data = b"".join(LINES[: line - 1]) + LINES[line - 1][:-1]
    _check_verdict(data, tmp_path, RecordStatus.TRUNCATED, f"the file ends within line {line}")


@pytest.mark.parametrize("at", range(1, len(LINES) - 2))
def test_exchanged_lines_are_reordered(at: int, tmp_path: Path) -> None:
    swapped = [*LINES[:at], LINES[at + 1], LINES[at], *LINES[at + 2 :]]
    _check_verdict(
        b"".join(swapped),
        tmp_path,
        RecordStatus.REORDERED,
        f"line {at + 1} is entry {at + 1}, where entry {at} belongs",
    )


def test_lines_exchanged_with_the_first_or_the_last_are_reordered(tmp_path: Path) -> None:
    first = [LINES[1], LINES[0], *LINES[2:]]
    _check_verdict(
        b"".join(first), tmp_path, RecordStatus.REORDERED, "the file does not begin with the first line of a record"
    )
    last = [*LINES[:-2], LINES[-1], LINES[-2]]
    _check_verdict(b"".join(last), tmp_path, RecordStatus.REORDERED, "line 7 closes 6 entries, and 5 stand before it")


@pytest.mark.parametrize("at", range(1, len(LINES) - 2))
def test_a_missing_line_is_detected_by_the_numbers(at: int, tmp_path: Path) -> None:
    dropped = [*LINES[:at], *LINES[at + 1 :]]
    _check_verdict(
        b"".join(dropped),
        tmp_path,
        RecordStatus.REORDERED,
        f"line {at + 1} is entry {at + 1}, where entry {at} belongs",
    )


def test_an_entry_missing_at_the_end_is_detected_by_the_last_line(tmp_path: Path) -> None:
    _check_verdict(
        b"".join([*LINES[:-2], LINES[-1]]), tmp_path, RecordStatus.REORDERED, "closes 6 entries, and 5 stand before it"
    )
    _check_verdict(LINES[0] + LINES[-1], tmp_path, RecordStatus.REORDERED, "closes 6 entries, and 0 stand before it")


@pytest.mark.parametrize("at", range(1, len(LINES) - 1))
def test_a_repeated_line_is_detected_by_the_numbers(at: int, tmp_path: Path) -> None:
    doubled = [*LINES[: at + 1], *LINES[at:]]
    _check_verdict(
        b"".join(doubled),
        tmp_path,
        RecordStatus.REORDERED,
        f"line {at + 2} is entry {at}, where entry {at + 1} belongs",
    )


def test_a_second_first_line_and_a_second_last_line_are_out_of_place(tmp_path: Path) -> None:
    _check_verdict(LINES[0] + RECORD, tmp_path, RecordStatus.REORDERED, "line 2 is the first line of a record")
    _check_verdict(
        RECORD + LINES[-1], tmp_path, RecordStatus.REORDERED, "line 9 stands behind the last line of the record"
    )
    _check_verdict(
        RECORD + RECORD, tmp_path, RecordStatus.REORDERED, "line 9 stands behind the last line of the record"
    )


def test_lines_after_the_last_line_are_not_part_of_the_record(tmp_path: Path) -> None:
    for more in (b"\n", b"junk", b"junk\n"):
        _check_verdict(
            RECORD + more, tmp_path, RecordStatus.EDITED, "line 9 does not have the form of any line of a record"
        )


@pytest.mark.parametrize("at", range(len(LINES)))
def test_the_verdict_names_an_edited_line(at: int, tmp_path: Path) -> None:
    edited = [*LINES[:at], LINES[at].replace(b"1", b"2", 1), *LINES[at + 1 :]]
    _check_verdict(
        b"".join(edited), tmp_path, RecordStatus.EDITED, f"line {at + 1} is not what was hashed when it was written"
    )


def test_an_edited_and_rehashed_line_does_not_match_the_next_one(tmp_path: Path) -> None:
    edited = LINES[4].replace(b'"charged_us":1990', b'"charged_us":1')
    body = edited[: edited.index(b',"hash"')]
    data = b"".join([*LINES[:4], RecordLine(body, hash_of(body)).line(), *LINES[5:]])
    _check_verdict(data, tmp_path, RecordStatus.EDITED, "line 6 was not written after line 5 as it stands")


def test_a_line_of_another_record_does_not_match(tmp_path: Path) -> None:
    others = lines_of(record_of(short_match(seed=b"\1" * 32)))
    data = b"".join([*LINES[:4], others[4], *LINES[5:]])
    _check_verdict(data, tmp_path, RecordStatus.EDITED, "line 5 was not written after line 4 as it stands")


def test_a_record_edited_and_rehashed_to_its_end_has_a_wrong_signature(tmp_path: Path) -> None:
    edited = [line.replace(b'"charged_us":1990', b'"charged_us":1') for line in LINES]
    _check_verdict(rehashed(edited), tmp_path, RecordStatus.SIGNATURE_WRONG, "the signature on line 8 does not fit")
    named = public_hex(OTHER_KEY).encode()
    renamed = [*LINES[:-1], LINES[-1].replace(public_hex(KEY).encode(), named)]
    _check_verdict(rehashed(renamed), tmp_path, RecordStatus.SIGNATURE_WRONG, "the signature on line 8 does not fit")


def test_a_record_signed_by_another_key_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    edited = [line.replace(b'"referee":"0.1.0"', b'"referee":"6.6.6"') for line in LINES]
    for data in (resigned(LINES, OTHER_KEY), resigned(edited, OTHER_KEY)):
        verdict = verdict_on(data, tmp_path, public_hex(KEY))
        assert verdict.status is RecordStatus.OTHER_KEY
        mine, other = fingerprint(public_hex(KEY)), fingerprint(public_hex(OTHER_KEY))
        assert verdict.sentence == f"it is whole, but signed by {other}, not by {mine} as expected"


def test_without_an_expected_key_the_verdict_names_the_signing_key(tmp_path: Path) -> None:
    verdict = verdict_on(resigned(LINES, OTHER_KEY), tmp_path)
    assert verdict.status is RecordStatus.FINE
    assert f"signed by {fingerprint(public_hex(OTHER_KEY))}, not compared with any key" in verdict.sentence


def test_a_record_of_an_unknown_version_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    newer = [LINES[0].replace(b'"record":1', b'"record":2'), *LINES[1:]]
    _check_verdict(resigned(newer), tmp_path, RecordStatus.UNKNOWN_VERSION, "its form is version 2; known here: 1")
    later = [line.replace(b'{"v":1,', b'{"v":9,') for line in LINES]
    _check_verdict(
        resigned(later), tmp_path, RecordStatus.UNKNOWN_VERSION, "entry 1 is written in version 9; known here: 1"
    )


def test_a_record_of_an_unknown_game_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    shogi = [line.replace(b'"game":"nim"', b'"game":"shogi"') for line in LINES]
    _check_verdict(
        resigned(shogi),
        tmp_path,
        RecordStatus.UNKNOWN_GAME,
        "cannot be played again: unknown game 'shogi'; known: alquerque",
    )
    newer = [line.replace(b'"game_version":1', b'"game_version":2') for line in LINES]
    _check_verdict(
        resigned(newer), tmp_path, RecordStatus.OTHER_GAME_VERSION, "played by version 2 of nim; known here: 1"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\xff\xfe\x00\x01" * 500,
        b"# A title\n\ntext\n",
        b'{"some":"json"}\n',
        b"{" * 3000,
        "é\n".encode("utf-16"),
    ],
    ids=["empty", "newline", "binary", "text", "json", "braces", "not UTF-8"],
)
def test_a_file_that_is_not_a_record_is_no_record(data: bytes, tmp_path: Path) -> None:
    _check_verdict(data, tmp_path, RecordStatus.NO_RECORD, "" if data else "the file is empty")


def test_a_line_without_an_end_is_not_read_completely(tmp_path: Path) -> None:
    _check_verdict(
        b"x" * (3 * MAX_LINE_BYTES), tmp_path, RecordStatus.NO_RECORD, "line 1 does not begin as a record does"
    )
    _check_verdict(
        LINES[0] + b"[" * (2 * MAX_LINE_BYTES), tmp_path, RecordStatus.EDITED, "line 2 does not have the form"
    )


def _hashed(body: bytes) -> bytes:
    return RecordLine(body, hash_of(body)).line()


@pytest.mark.parametrize(
    "body",
    [
        b'{"record":1,"referee":"0.1.0","match":"m"',
        b'{"record":1,"referee":"0.1.0","match":"m","game":"nim","game_version":true',
        b'{"record":1, "referee":"0.1.0","match":"m","game":"nim","game_version":1',
        b'{"record":1,"referee":' + b"[" * 100_000,
        b'{"record":1,"referee":' + b"9" * 5_000,
        b'{"record":1,"referee":"\xff"',
    ],
)
def test_a_first_line_with_other_fields_is_no_record(body: bytes, tmp_path: Path) -> None:
    _check_verdict(
        _hashed(body), tmp_path, RecordStatus.NO_RECORD, "line 1 has not the fields of the first line of a record"
    )


def test_a_first_line_is_not_signed(tmp_path: Path) -> None:
    body = RecordHeader("0.1.0", "m", "nim", 1).body()
    _check_verdict(
        RecordLine(body, hash_of(body), "0" * 128).line(), tmp_path, RecordStatus.NO_RECORD, "line 1 has not the fields"
    )


@pytest.mark.parametrize(
    "body",
    [
        b'{"something":"else"',
        b'{"entry":1,"at_ms":1,"event":{"\xff":1},"after":"' + b"0" * 64 + b'"',
        b'{"entry":1,"at_ms":1,"event":[],"after":"' + b"0" * 64 + b'"',
        SignatureLine(1, "0" * 64, "0" * 64).body(),
    ],
)
def test_a_correctly_hashed_line_with_unknown_content_is_no_entry(body: bytes, tmp_path: Path) -> None:
    _check_verdict(
        LINES[0] + _hashed(body), tmp_path, RecordStatus.NO_RECORD, "line 2 is hashed as it should be, but says nothing"
    )


def test_a_signed_entry_is_no_entry(tmp_path: Path) -> None:
    signed = LINES[1].replace(b'"}\n', b'","signature":"' + b"0" * 128 + b'"}\n')
    _check_verdict(
        LINES[0] + signed, tmp_path, RecordStatus.NO_RECORD, "line 2 is hashed as it should be, but says nothing"
    )


@pytest.mark.parametrize(
    ("before", "becomes", "words"),
    [
        (
            b'"kind":"play_started"',
            b'"kind":"play_paused"',
            "line 3: cannot read this entry: unknown kind 'play_paused'",
        ),
        (b'"seat":1,', b'"seat":"1",', "line 5: cannot read this entry: Expected `int`, got `str` - at `$.seat`"),
        (b'{"v":1,', b'{"v":0,', "line 2: cannot read this entry: unknown version 0"),
        (
            b'"match_created","at_us":0',
            b'"match_created","at_us":-1',
            "line 2: cannot read this entry: Expected `int` >= 0",
        ),
        (
            b'"match_created","at_us":0',
            b'"match_created","at_us":7',
            "line 2: cannot read this entry: Expected `int` <= 0",
        ),
        (b'"max_attempts":3', b'"max_attempts":-1', "line 2: cannot read this entry: Expected `int` >= 0"),
        (
            b'"nonce_timeout_us":0',
            b'"nonce_timeout_us":-1',
            "line 2: cannot read this entry: invalid match terms: nonce_",
        ),
        (
            b'"start_timeout_us":0',
            b'"start_timeout_us":-1',
            "line 2: cannot read this entry: invalid match terms: start_",
        ),
        (b'{"v":1,', b"{" + b'"v":{' * 1_000 + b"}" * 1_000 + b",", "line 2: cannot read this entry"),
    ],
)
def test_the_verdict_names_an_entry_that_cannot_be_parsed(
    before: bytes, becomes: bytes, words: str, tmp_path: Path
) -> None:
    _check_verdict(resigned([line.replace(before, becomes) for line in LINES]), tmp_path, RecordStatus.NO_RECORD, words)


def test_a_match_with_invalid_terms_cannot_be_opened(tmp_path: Path) -> None:
    changed = resigned([line.replace(b'"max_attempts":3', b'"max_attempts":1001') for line in LINES])
    _check_verdict(
        changed, tmp_path, RecordStatus.RULES_DIFFER, "invalid match terms: policies.illegal_move.max_attempts"
    )


def test_an_unreadable_file_has_a_verdict(tmp_path: Path) -> None:
    missing = verify(tmp_path / "missing", None, find_game)
    assert str(missing) == "unreadable: it cannot be read: No such file or directory"
    assert verify(tmp_path, None, find_game).status is RecordStatus.UNREADABLE


def test_every_verdict_has_its_own_exit_status_that_shells_do_not_use() -> None:
    assert len({int(status) for status in RecordStatus}) == len(RecordStatus) == 13
    assert min(status for status in RecordStatus if status is not RecordStatus.FINE) > 2
