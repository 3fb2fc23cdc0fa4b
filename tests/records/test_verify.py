"""Each kind of damage has its own verdict, which names its place."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.records.record_format import MAX_LINE_BYTES, RecordHeader, RecordLine, SignatureLine, hash_of
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import fingerprint, public_hex
from referee.records.verify import verify
from tests.records.forgery import (
    KEY,
    OTHER_KEY,
    format_error,
    lines_of,
    record_of,
    rehashed,
    resigned,
    sealed_record,
    verdict_on,
)
from tests.records.matches import all_games, decided_events, find_game, nim_setup, random_match, short_match
from tests.third_party_games.third_party_games import NIM

RECORD = record_of(short_match())
LINES = lines_of(RECORD)
"""The first line, six entries, the last line."""
FIRST, LAST = LINES[0], LINES[-1]
ZEROES = b"0" * 64

Damage: TypeAlias = tuple[str, bytes, RecordStatus, str]
"""What was done, the bytes that are left, and the verdict with a part of its sentence."""


def _replaced(old: bytes, new: bytes) -> list[bytes]:
    return [line.replace(old, new) for line in LINES]


def _hashed(body: bytes, signature: str = "") -> bytes:
    return RecordLine(body, hash_of(body), signature).line()


def _damages_of_each_line() -> Iterator[Damage]:
    for at, line in enumerate(LINES):
        before, behind = b"".join(LINES[:at]), b"".join(LINES[at + 1 :])
        edited = before + line.replace(b"1", b"2", 1) + behind
        sentence = f"line {at + 1} is not what was hashed when it was written"
        yield f"line {at + 1} edited", edited, RecordStatus.EDITED, sentence
        sentence = f"the file ends within line {at + 1}"
        yield f"cut off within line {at + 1}", before + line[:-1], RecordStatus.TRUNCATED, sentence
        if at > 0:
            sentence = f"the file ends with line {at}, and the line with the"
            yield f"cut off after line {at}", before, RecordStatus.TRUNCATED, sentence
        if 0 < at < len(LINES) - 1:
            sentence = f"line {at + 2} is entry {at}, where entry {at + 1} belongs"
            yield f"entry {at} repeated", before + line + line + behind, RecordStatus.REORDERED, sentence
        if 0 < at < len(LINES) - 2:
            sentence = f"line {at + 1} is entry {at + 1}, where entry {at} belongs"
            yield f"entry {at} missing", before + behind, RecordStatus.REORDERED, sentence
            exchanged = before + LINES[at + 1] + line + b"".join(LINES[at + 2 :])
            yield f"entries {at} and {at + 1} exchanged", exchanged, RecordStatus.REORDERED, sentence


def _reordered() -> Iterator[tuple[str, bytes, str]]:
    yield "first line second", LINES[1] + FIRST + b"".join(LINES[2:]), "does not begin with the first line of a record"
    yield "last line early", b"".join([*LINES[:-2], LAST, LINES[-2]]), "line 7 closes 6 entries, and 5 stand before it"
    yield "last entry missing", b"".join(LINES[:-2]) + LAST, "closes 6 entries, and 5 stand before it"
    yield "all entries missing", FIRST + LAST, "closes 6 entries, and 0 stand before it"
    yield "second first line", FIRST + RECORD, "line 2 is the first line of a record"
    yield "second last line", RECORD + LAST, "line 9 stands behind the last line of the record"
    yield "second record", RECORD + RECORD, "line 9 stands behind the last line of the record"


def _edited() -> Iterator[tuple[str, bytes, str]]:
    for more in (b"\n", b"junk", b"junk\n"):
        yield f"{more!r} at the end", RECORD + more, "line 9 does not have the form of any line of a record"
    body = LINES[4].replace(b'"charged_us":1990', b'"charged_us":1').partition(b',"hash"')[0]
    rehashed_line = b"".join([*LINES[:4], _hashed(body), *LINES[5:]])
    yield "one line rehashed", rehashed_line, "line 6 was not written after line 5 as it stands"
    other = lines_of(record_of(short_match(seed=b"\1" * 32)))[4]
    foreign = b"".join([*LINES[:4], other, *LINES[5:]])
    yield "line of another record", foreign, "line 5 was not written after line 4 as it stands"
    yield "line without an end", FIRST + b"[" * (2 * MAX_LINE_BYTES), "line 2 does not have the form"


def _wrongly_signed() -> Iterator[tuple[str, bytes, str]]:
    edited = _replaced(b'"charged_us":1990', b'"charged_us":1')
    yield "rehashed to the end", rehashed(edited), "the signature on line 8 does not fit"
    renamed = _replaced(public_hex(KEY).encode(), public_hex(OTHER_KEY).encode())
    yield "another key named", rehashed(renamed), "the signature on line 8 does not fit"


def _no_records() -> Iterator[tuple[str, bytes, str]]:
    yield "empty", b"", "the file is empty"
    strange = (b"\n", b"\xff\xfe\x00\x01" * 500, b"# A title\n\ntext\n", b'{"some":"json"}\n', b"{" * 3000)
    for number, data in enumerate((*strange, "é\n".encode("utf-16"))):
        yield f"other file {number}", data, ""
    yield "no end of the first line", b"x" * (3 * MAX_LINE_BYTES), "line 1 does not begin as a record does"
    wrong_fields = "line 1 has not the fields of the first line of a record"
    for number, body in enumerate(
        (
            b'"referee":"0.1.0","match":"m"',
            b'"referee":"0.1.0","match":"m","game":"nim","game_version":true',
            b' "referee":"0.1.0","match":"m","game":"nim","game_version":1',
            b'"referee":' + b"[" * 100_000,
            b'"referee":' + b"9" * 5_000,
            b'"referee":"\xff"',
        )
    ):
        yield f"other fields in the first line {number}", _hashed(b'{"record":1,' + body), wrong_fields
    yield "signed first line", _hashed(RecordHeader("0.1.0", "m", "nim", 1).body(), "0" * 128), wrong_fields
    says_nothing = "line 2 is hashed as it should be, but says nothing"
    for number, body in enumerate(
        (
            b'{"something":"else"',
            b'{"entry":1,"at_ms":1,"event":{"\xff":1},"after":"' + ZEROES + b'"',
            b'{"entry":1,"at_ms":1,"event":[],"after":"' + ZEROES + b'"',
            SignatureLine(1, "0" * 64, "0" * 64).body(),
        )
    ):
        yield f"unknown content {number}", FIRST + _hashed(body), says_nothing
    signed_entry = LINES[1].replace(b'"}\n', b'","signature":"' + 2 * ZEROES + b'"}\n')
    yield "signed entry", FIRST + signed_entry, says_nothing
    deep = b"{" + b'"v":{' * 1_000 + b"}" * 1_000 + b","
    for old, new, sentence in (
        (b'"kind":"play_started"', b'"kind":"play_paused"', "3: cannot read this entry: unknown kind 'play_paused'"),
        (b'"seat":1,', b'"seat":"1",', "5: cannot read this entry: Expected `int`, got `str` - at `$.seat`"),
        (b'{"v":1,', b'{"v":0,', "2: cannot read this entry: unknown version 0"),
        (b'_created","at_us":0', b'_created","at_us":-1', "2: cannot read this entry: Expected `int` >= 0"),
        (b'_created","at_us":0', b'_created","at_us":7', "2: cannot read this entry: Expected `int` <= 0"),
        (b'"max_attempts":3', b'"max_attempts":-1', "2: cannot read this entry: Expected `int` >= 0"),
        (b'nonce_timeout_us":0', b'nonce_timeout_us":-1', "2: cannot read this entry: invalid match terms: nonce_"),
        (b'start_timeout_us":0', b'start_timeout_us":-1', "2: cannot read this entry: invalid match terms: start_"),
        (b'{"v":1,', deep, "2: cannot read this entry"),
    ):
        yield f"{old.decode()} to {new[:40].decode()}", resigned(_replaced(old, new)), f"line {sentence}"


def _foreign() -> Iterator[Damage]:
    newer = resigned([FIRST.replace(b'"record":1', b'"record":2'), *LINES[1:]])
    yield "newer form", newer, RecordStatus.UNKNOWN_VERSION, "its form is version 2; known here: 1"
    later = resigned(_replaced(b'{"v":1,', b'{"v":9,'))
    yield "newer entries", later, RecordStatus.UNKNOWN_VERSION, "entry 1 is written in version 9; known here: 1"
    shogi = resigned(_replaced(b'"game":"nim"', b'"game":"shogi"'))
    sentence = "cannot be played again: unknown game 'shogi'; known: alquerque"
    yield "unknown game", shogi, RecordStatus.UNKNOWN_GAME, sentence
    changed = resigned(_replaced(b'"game_version":1', b'"game_version":2'))
    yield "newer game", changed, RecordStatus.OTHER_GAME_VERSION, "played by version 2 of nim; known here: 1"
    invalid = resigned(_replaced(b'"max_attempts":3', b'"max_attempts":1001'))
    sentence = "invalid match terms: policies.illegal_move.max_attempts"
    yield "invalid terms", invalid, RecordStatus.RULES_DIFFER, sentence


DAMAGES: list[Damage] = [
    *_damages_of_each_line(),
    *((name, data, RecordStatus.REORDERED, sentence) for name, data, sentence in _reordered()),
    *((name, data, RecordStatus.EDITED, sentence) for name, data, sentence in _edited()),
    *((name, data, RecordStatus.SIGNATURE_WRONG, sentence) for name, data, sentence in _wrongly_signed()),
    *((name, data, RecordStatus.NO_RECORD, sentence) for name, data, sentence in _no_records()),
    *_foreign(),
]


def test_rehashing_and_resigning_unchanged_lines_gives_the_same_record() -> None:
    assert rehashed(LINES) == RECORD
    assert resigned(LINES) == RECORD


@pytest.mark.parametrize(("data", "status", "words"), [damage[1:] for damage in DAMAGES], ids=[d[0] for d in DAMAGES])
def test_the_verdict_says_what_was_done_to_a_record_and_where(
    data: bytes, status: RecordStatus, words: str, tmp_path: Path
) -> None:
    verdict = verdict_on(data, tmp_path)
    assert (verdict.status, words in verdict.sentence) == (status, True), verdict


def test_a_record_signed_by_another_key_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    for lines in (LINES, _replaced(b'"referee":"0.1.0"', b'"referee":"6.6.6"')):
        verdict = verdict_on(resigned(lines, OTHER_KEY), tmp_path, public_hex(KEY))
        assert verdict.status is RecordStatus.OTHER_KEY
        mine, other = fingerprint(public_hex(KEY)), fingerprint(public_hex(OTHER_KEY))
        assert verdict.sentence == f"it is whole, but signed by {other}, not by {mine} as expected"


def test_without_an_expected_key_the_verdict_names_the_signing_key(tmp_path: Path) -> None:
    verdict = verdict_on(resigned(LINES, OTHER_KEY), tmp_path)
    assert verdict.status is RecordStatus.FINE
    assert f"signed by {fingerprint(public_hex(OTHER_KEY))}, not compared with any key" in verdict.sentence


def test_an_unreadable_file_has_a_verdict(tmp_path: Path) -> None:
    missing = verify(tmp_path / "missing", None, find_game)
    assert str(missing) == "unreadable: it cannot be read: No such file or directory"
    assert verify(tmp_path, None, find_game).status is RecordStatus.UNREADABLE


def test_every_verdict_has_its_own_exit_status_that_shells_do_not_use() -> None:
    assert len({int(status) for status in RecordStatus}) == len(RecordStatus) == 13
    assert min(status for status in RecordStatus if status is not RecordStatus.FINE) > 2


SMALL = record_of(
    decided_events(
        nim_setup(settings=NIM.settings({"heap": 1})),
        (10, StartPlay()),
        (1_010, SubmitMove(0, "0.0.1", "1", TurnMeasurement(1_000, 300))),
    )
)
SEALED = sealed_record(SMALL, 3)
"""The same one with the signature of a group."""
DETECTED = {RecordStatus.EDITED, RecordStatus.NO_RECORD, RecordStatus.SIGNATURE_WRONG}


def _check_detected(record: bytes, place: int, byte: int) -> None:
    changed = record[:place] + bytes([byte]) + record[place + 1 :]
    error = format_error(changed)
    assert error is not None, (place, byte)
    assert error.status in DETECTED, (place, byte, error)
    named = re.search(r"\bline (\d+)\b", error.sentence)
    assert named, error
    assert int(named[1]) == record.count(b"\n", 0, place) + 1, (place, byte, error)


@pytest.fixture(params=[SMALL, SEALED], ids=["alone", "in a group"])
def small(request: pytest.FixtureRequest) -> bytes:
    return bytes(request.param)


def test_the_small_record_is_valid(small: bytes) -> None:
    assert format_error(small) is None


def test_a_flipped_bit_of_every_byte_is_detected(small: bytes) -> None:
    for place, byte in enumerate(small):
        _check_detected(small, place, byte ^ (1 << place % 8))


def test_a_flipped_bit_is_detected_in_a_group_even_if_the_hashes_are_computed_anew() -> None:
    computed = [found.span() for found in re.finditer(rb'(,"after":"\w{64}")?,"hash":"\w{64}"[,}]|\n', SEALED)]
    for place, byte in enumerate(SEALED):
        if not any(begin <= place < end for begin, end in computed):
            changed = SEALED[:place] + bytes([byte ^ 1]) + SEALED[place + 1 :]
            assert format_error(rehashed(lines_of(changed))), place


@pytest.mark.soak
@pytest.mark.parametrize("bit", range(8))
def test_every_flipped_bit_is_detected(small: bytes, bit: int) -> None:
    for place, byte in enumerate(small):
        _check_detected(small, place, byte ^ (1 << bit))


@pytest.mark.parametrize(
    "byte", [*b'\n "\xff', *(pytest.param(byte, marks=pytest.mark.soak) for byte in b"\t\r0a}\x00")]
)
def test_every_replaced_byte_is_detected(small: bytes, byte: int) -> None:
    for place, original in enumerate(small):
        if byte != original:
            _check_detected(small, place, byte)


def test_every_removed_or_inserted_byte_is_detected() -> None:
    for place in range(len(SMALL)):
        assert format_error(SMALL[:place] + SMALL[place + 1 :])
        assert format_error(SMALL[:place] + b" " + SMALL[place:])
        assert format_error(SMALL[:place] + b"\n" + SMALL[place:])
    assert format_error(SMALL + b"\n")
    assert format_error(SMALL + b" ")


def test_a_record_that_ends_early_is_truncated_wherever_it_ends() -> None:
    for length in range(1, len(SMALL)):
        error = format_error(SMALL[:length])
        assert error
        assert error.status is RecordStatus.TRUNCATED, (length, error)


@pytest.mark.slow
@pytest.mark.parametrize("records", [8, pytest.param(100, marks=pytest.mark.soak)])
def test_random_changed_bytes_of_many_records_are_detected(records: int, rng: random.Random) -> None:
    games = list(all_games().values())
    for number in range(records):
        record = record_of(random_match(games[number % len(games)], rng.getrandbits(32)))
        for place in rng.sample(range(len(record)), 100):
            _check_detected(record, place, record[place] ^ rng.randrange(1, 256))
