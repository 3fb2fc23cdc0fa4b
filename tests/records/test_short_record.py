"""What a writer makes of the events of a match is the short form of its record, and the record is restored from it."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from referee.live.ports import Entry
from referee.match.events import Event, MatchCreated, MovePlayed, MoveSource
from referee.records.packed_format import restore_record
from referee.records.record_format import format_record, parse_header, split_line
from referee.records.short_record import RAW, max_full_bytes, shorten, write_short
from tests.records.forgery import KEY, lines_of, record_of, rehashed
from tests.records.matches import all_games, find_game, random_match, short_match

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
