"""Any changed byte of a record is detected, and the error names its line."""

import random
import re

import pytest

from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.records.record_reader import RecordStatus
from tests.records.forgery import record_of, trouble_in
from tests.records.matches import all_games, happened, nim_setup, random_match
from tests.strangers_games.strangers_games import NIM

SMALL = record_of(
    happened(
        nim_setup(settings=NIM.settings({"heap": 1})),
        (10, StartPlay()),
        (1_010, SubmitMove(0, "0.0.1", "1", TurnMeasurement(1_000, 300))),
    )
)
NOTICED = {RecordStatus.EDITED, RecordStatus.NO_RECORD, RecordStatus.SIGNATURE_WRONG}


def _is_noticed(record: bytes, place: int, byte: int) -> None:
    changed = record[:place] + bytes([byte]) + record[place + 1 :]
    trouble = trouble_in(changed)
    assert trouble is not None, (place, byte)
    assert trouble.status in NOTICED, (place, byte, trouble)
    named = re.search(r"\bline (\d+)\b", trouble.sentence)
    assert named, trouble
    assert int(named[1]) == record.count(b"\n", 0, place) + 1, (place, byte, trouble)


def test_the_small_record_is_whole() -> None:
    assert trouble_in(SMALL) is None


@pytest.mark.parametrize("bit", range(8))
def test_every_bit_of_a_record_counts(bit: int) -> None:
    for place, byte in enumerate(SMALL):
        _is_noticed(SMALL, place, byte ^ (1 << bit))


@pytest.mark.parametrize("byte", b'\n \t\r0a"}\x00\xff')
def test_no_byte_can_become_another_one(byte: int) -> None:
    for place, was in enumerate(SMALL):
        if byte != was:
            _is_noticed(SMALL, place, byte)


def test_no_byte_can_be_taken_out_or_put_in() -> None:
    for place in range(len(SMALL)):
        assert trouble_in(SMALL[:place] + SMALL[place + 1 :])
        assert trouble_in(SMALL[:place] + b" " + SMALL[place:])
        assert trouble_in(SMALL[:place] + b"\n" + SMALL[place:])
    assert trouble_in(SMALL + b"\n")
    assert trouble_in(SMALL + b" ")


def test_a_record_that_ends_early_is_truncated_wherever_it_ends() -> None:
    for length in range(1, len(SMALL)):
        trouble = trouble_in(SMALL[:length])
        assert trouble
        assert trouble.status is RecordStatus.TRUNCATED, (length, trouble)


@pytest.mark.slow
@pytest.mark.parametrize("records", [8, pytest.param(100, marks=pytest.mark.soak)])
def test_random_bytes_of_many_records_count_too(records: int, rng: random.Random) -> None:
    games = list(all_games().values())
    for number in range(records):
        record = record_of(random_match(games[number % len(games)], rng.getrandbits(32)))
        for place in rng.sample(range(len(record)), 100):
            _is_noticed(record, place, record[place] ^ rng.randrange(1, 256))
