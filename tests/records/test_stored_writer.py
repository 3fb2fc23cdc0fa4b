"""What the writer of stored records makes is what packing makes of the usual record, byte for byte."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from referee.live.ports import Entry
from referee.match.events import Event, MatchCreated, MovePlayed, MoveSource
from referee.records import packed_format
from referee.records.packed_format import StoredRecord, restore_record, store_record
from referee.records.packed_reader import id_of_record
from referee.records.record_format import LineTooLong, format_record
from referee.records.stored_writer import StoredRecordWriter
from tests.records.forgery import KEY
from tests.records.matches import all_games, find_game, random_match, short_match

BEGAN_MS = 1_790_000_000_000


def record_of(events: Sequence[Event]) -> bytes:
    name = events[0].setup.match_id if isinstance(events[0], MatchCreated) else ""
    entries = [Entry(name, number, BEGAN_MS + event.at_us // 1000, event) for number, event in enumerate(events, 1)]
    return b"".join(format_record(entries, KEY, "0.1.0"))


def written(events: Sequence[Event]) -> StoredRecord:
    return StoredRecordWriter(KEY, "0.1.0").write(events, BEGAN_MS)


def packed(events: Sequence[Event]) -> StoredRecord:
    record = record_of(events)
    return store_record(id_of_record(record) or "", record)


@pytest.mark.parametrize("name", all_games())
@pytest.mark.parametrize("seed", range(3))
def test_the_record_of_any_match_is_stored_as_if_it_were_packed(name: str, seed: int) -> None:
    events = random_match(find_game(name), seed)
    assert written(events) == packed(events)


MOVES = ["12", "a1-a2", "1.5", "a[3]", '"', "\\", "\u00fc", "\x7f", "%d %", "", "0", "007", "a" * 900, "9" * 30]
UNUSUAL: list[dict[str, object]] = [
    {},
    {"source": MoveSource.RANDOM},
    {"row": None},
    {"request_id": "r1"},
    {"at_us": -5},
]


@pytest.mark.parametrize("move", MOVES, ids=range(len(MOVES)))
@pytest.mark.parametrize("more", UNUSUAL, ids=range(len(UNUSUAL)))
def test_any_text_of_a_move_is_stored_as_if_it_were_packed(move: str, more: dict[str, object]) -> None:
    events = [
        structs.replace(event, move=move, **more) if isinstance(event, MovePlayed) else event for event in short_match()
    ]
    assert written(events) == packed(events)


def test_a_record_that_cannot_be_shortened_is_stored_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_format, "_MAX_NUMBERS", 20)
    stored = written(short_match())
    assert (stored.whole, stored.content) == (True, record_of(short_match()))
    assert stored.full_bytes == len(stored.content)


def test_the_size_of_the_record_is_stated() -> None:
    stored = written(short_match())
    assert len(restore_record(stored.content)) == stored.full_bytes


def test_a_line_that_no_record_may_have_is_an_error() -> None:
    events = [
        structs.replace(event, move="a" * (1 << 20)) if isinstance(event, MovePlayed) else event
        for event in short_match()
    ]
    with pytest.raises(LineTooLong):
        written(events)
