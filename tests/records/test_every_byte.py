"""Any changed byte of a record is detected, and the error names its line."""

import random
import re

import pytest

from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.records.record_reader import RecordStatus
from tests.records.forgery import format_error, lines_of, record_of, rehashed, sealed_record
from tests.records.matches import all_games, decided_events, nim_setup, random_match
from tests.third_party_games.third_party_games import NIM

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
