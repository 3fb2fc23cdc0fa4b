"""A record of a finished match is written line by line."""

import pytest
from msgspec import structs

from referee.live.ports import LogDamaged
from referee.match.commands import StartPlay
from referee.match.events import PlayEnded
from referee.records.record_format import NotOver, format_record
from tests.records.forgery import KEY, record_of
from tests.records.matches import decided_events, entries_of, nim_setup, short_match
from tests.storage.examples import RATED_END


def test_an_unfinished_match_has_no_record() -> None:
    goes_on = entries_of(decided_events(nim_setup(), (10, StartPlay())))
    with pytest.raises(NotOver, match="match nim-1 is not over"):
        format_record(goes_on, KEY, "0.1.0")


@pytest.mark.parametrize("number", [1, 3])
def test_a_log_without_one_of_its_entries_has_no_record(number: int) -> None:
    entries = [entry for entry in entries_of(short_match()) if entry.number != number]
    with pytest.raises(LogDamaged, match=f"its entry {number} is missing"):
        format_record(entries, KEY, "0.1.0")


def test_a_record_consists_of_complete_lines_of_ascii() -> None:
    lines = list(format_record(entries_of(short_match(labels=(("title", "Größe\n"),))), KEY, "0.1.0"))
    assert len(lines) == 1 + 6 + 1
    assert all(line.endswith(b"}\n") and line.count(b"\n") == 1 and line.isascii() for line in lines)


def test_equal_matches_have_identical_records() -> None:
    assert record_of(short_match()) == record_of(short_match())


def test_a_record_does_not_contain_ratings() -> None:
    unrated = short_match()
    *before, end = unrated
    assert isinstance(end, PlayEnded)
    rated = [*before, structs.replace(end, ratings=RATED_END.ratings)]
    assert record_of(rated) == record_of(unrated)
    assert b"ratings" not in record_of(rated)
