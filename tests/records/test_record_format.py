"""A record of a finished match is written line by line."""

from dataclasses import replace

import pytest

from referee.live.ports import LogDamaged
from referee.match.commands import StartPlay
from referee.match.events import PlayEnded
from referee.records.record_format import NotOver, format_record
from tests.records.forgery import KEY, record_of
from tests.records.matches import entries_of, happened, nim_setup, short_match
from tests.storage.examples import RATED_END


def test_no_record_is_written_of_a_match_that_goes_on() -> None:
    goes_on = entries_of(happened(nim_setup(), (10, StartPlay())))
    with pytest.raises(NotOver, match="match nim-1 is not over"):
        format_record(goes_on, KEY, "0.1.0")


@pytest.mark.parametrize("number", [1, 3])
def test_no_record_is_written_of_a_log_that_lacks_an_entry(number: int) -> None:
    entries = [entry for entry in entries_of(short_match()) if entry.number != number]
    with pytest.raises(LogDamaged, match=f"its entry {number} is missing"):
        format_record(entries, KEY, "0.1.0")


def test_a_record_is_lines_of_ascii_each_with_its_end() -> None:
    lines = list(format_record(entries_of(short_match(labels=(("title", "Größe\n"),))), KEY, "0.1.0"))
    assert len(lines) == 1 + 6 + 1
    assert all(line.endswith(b"}\n") and line.count(b"\n") == 1 and line.isascii() for line in lines)


def test_equal_matches_have_equal_records_to_the_last_byte() -> None:
    assert record_of(short_match()) == record_of(short_match())


def test_a_record_proves_a_game_and_says_nothing_of_ratings() -> None:
    unrated = short_match()
    *before, end = unrated
    assert isinstance(end, PlayEnded)
    rated = [*before, replace(end, ratings=RATED_END.ratings)]
    assert record_of(rated) == record_of(unrated)
    assert b"ratings" not in record_of(rated)
