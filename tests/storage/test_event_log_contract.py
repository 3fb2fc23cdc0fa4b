"""Promises of all event logs."""

import asyncio

import pytest

from referee.live.ports import Conflict, Entry, EventLog, LogUnavailable, Request
from tests.storage.examples import END, EXAMPLES
from tests.storage.stores import NOON_MS, events_of, note, notes, with_every_log


@with_every_log
async def test_entries_are_numbered_from_one_and_dated(log: EventLog) -> None:
    first = await log.append("m", 0, notes(1, 2))
    second = await log.append("m", 2, notes(3, 3))
    assert first == [Entry("m", 1, NOON_MS, note(1)), Entry("m", 2, NOON_MS, note(2))]
    assert second == [Entry("m", 3, NOON_MS, note(3))]
    assert await log.read("m") == first + second


@with_every_log
async def test_a_request_stands_beside_the_last_entry_of_what_it_brought_about(log: EventLog) -> None:
    of_seat, of_person = (
        Request(1, "r", "Resign(seat=1)"),
        Request("\N{SNOWMAN}", "r", ""),
    )
    entries = await log.append("m", 0, notes(1, 2), of_seat)
    entries += await log.append("m", 2, notes(3, 3))
    entries += await log.append("m", 3, notes(4, 4), of_person)
    assert [entry.request for entry in entries] == [None, of_seat, None, of_person]
    assert await log.read("m") == entries


@with_every_log
async def test_every_kind_of_event_is_read_as_it_was_written(log: EventLog) -> None:
    await log.append("m", 0, EXAMPLES)
    assert await events_of(log, "m") == list(EXAMPLES)


@with_every_log
async def test_matches_have_logs_of_their_own(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 2))
    await log.append("n", 0, notes(7, 7))
    assert await events_of(log, "m") == notes(1, 2)
    assert await events_of(log, "n") == notes(7, 7)


@with_every_log
async def test_an_unknown_match_has_an_empty_log(log: EventLog) -> None:
    assert await log.read("nobody") == []
    assert await log.read("nobody", 5, 1) == []


@with_every_log
async def test_reading_starts_after_a_number_and_stops_when_there_is_enough(log: EventLog) -> None:
    entries = await log.append("m", 0, notes(1, 9))
    assert await log.read("m", 4) == entries[4:]
    assert await log.read("m", 4, 2) == entries[4:6]
    assert await log.read("m", 4, 100) == entries[4:]
    assert await log.read("m", limit=0) == []
    assert await log.read("m", 9) == []
    assert await log.read("m", 10) == []


@with_every_log
async def test_a_conflict_says_how_long_the_log_is(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 3))
    for wrong in (0, 2, 4):
        with pytest.raises(Conflict) as conflict:
            await log.append("m", wrong, notes(4, 6))
        assert (conflict.value.of, conflict.value.after, conflict.value.last) == ("m", wrong, 3)
    with pytest.raises(Conflict) as conflict:
        await log.append("nobody", 1, notes(1, 1))
    assert conflict.value.last == 0


@with_every_log
async def test_a_conflict_changes_nothing(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 3))
    for match_id, wrong in (("m", 1), ("nobody", 1)):
        with pytest.raises(Conflict):
            await log.append(match_id, wrong, notes(2, 9))
    assert await events_of(log, "m") == notes(1, 3)
    assert await log.read("nobody") == []
    assert await log.unfinished() == ["m"]


@with_every_log
async def test_of_many_who_write_the_same_entry_one_wins(log: EventLog) -> None:
    for after in (0, 2):
        racing = (log.append("m", after, [note(racer), note(-racer)]) for racer in range(50))
        answers = await asyncio.gather(*racing, return_exceptions=True)
        (won,) = (answer for answer in answers if isinstance(answer, list))
        lost = [answer for answer in answers if isinstance(answer, Conflict)]
        assert len(lost) == 49
        assert {conflict.last for conflict in lost} == {after + 2}
        assert await log.read("m", after) == won


@with_every_log
async def test_a_conflict_does_not_hurt_those_beside_it(log: EventLog) -> None:
    answers = await asyncio.gather(
        log.append("m", 0, notes(1, 2)),
        log.append("m", 0, notes(1, 2)),
        log.append("n", 5, notes(6, 6)),
        log.append("m", 2, notes(3, 3)),
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [list, Conflict, Conflict, list]
    assert await events_of(log, "m") == notes(1, 3)


@with_every_log
async def test_who_appends_nothing_writes_nothing(log: EventLog) -> None:
    assert await log.append("m", 0, []) == []
    assert await log.unfinished() == []
    await log.append("m", 0, notes(1, 1))
    assert await log.append("m", 1, []) == []
    with pytest.raises(Conflict):
        await log.append("m", 0, [])


@with_every_log
async def test_what_was_appended_does_not_change_with_the_list(log: EventLog) -> None:
    events = notes(1, 2)
    appending = asyncio.ensure_future(log.append("m", 0, events))
    await asyncio.sleep(0)
    events.clear()
    await appending
    assert await events_of(log, "m") == notes(1, 2)


@with_every_log
async def test_matches_are_unfinished_until_their_end_in_the_order_of_their_opening(log: EventLog) -> None:
    for match_id in ("z", "a", "m"):
        await log.append(match_id, 0, notes(1, 1))
    await log.append("z", 1, notes(2, 2))
    assert await log.unfinished() == ["z", "a", "m"]
    await log.append("a", 1, [note(2), END])
    assert await log.unfinished() == ["z", "m"]
    await log.append("b", 0, [note(1), END])
    assert await log.unfinished() == ["z", "m"]


@with_every_log
async def test_many_matches_are_written_at_the_same_time(log: EventLog) -> None:
    async def play(match_id: str) -> None:
        for after in range(0, 20, 2):
            await log.append(match_id, after, notes(after + 1, after + 2))

    matches = [f"match {number}" for number in range(100)]
    await asyncio.gather(*map(play, matches))
    for match_id in matches:
        assert [entry.number for entry in await log.read(match_id)] == list(range(1, 21))
        assert await events_of(log, match_id) == notes(1, 20)


@pytest.mark.soak
@with_every_log
async def test_ten_thousand_matches(log: EventLog) -> None:
    matches = [f"match {number}" for number in range(10_000)]
    await asyncio.gather(*(log.append(match_id, 0, [note(number)]) for number, match_id in enumerate(matches)))
    assert await log.unfinished() == matches
    await asyncio.gather(*(log.append(match_id, 1, [END]) for match_id in matches[1:]))
    assert await log.unfinished() == matches[:1]
    assert await events_of(log, "match 7654") == [note(7654), END]


@with_every_log
async def test_a_reader_sees_whole_appends_and_no_gaps(log: EventLog) -> None:
    async def write() -> None:
        for after in range(0, 300, 3):
            await log.append("m", after, notes(after + 1, after + 3))

    writing = asyncio.ensure_future(write())
    known = 0
    while known < 300:
        entries = await log.read("m", known)
        assert len(entries) % 3 == 0
        assert [entry.number for entry in entries] == list(range(known + 1, known + 1 + len(entries)))
        known += len(entries)
        await asyncio.sleep(0)
    await writing


@with_every_log
async def test_what_was_appended_can_be_read_at_once(log: EventLog) -> None:
    for number in range(20):
        (entry,) = await log.append("m", number, [note(number)])
        assert await log.read("m", number) == [entry]


@with_every_log
async def test_who_is_cancelled_leaves_all_or_nothing(log: EventLog) -> None:
    appending = asyncio.ensure_future(log.append("m", 0, notes(1, 5)))
    await asyncio.sleep(0)
    appending.cancel()
    await asyncio.wait([appending])
    await log.append("n", 0, notes(1, 1))
    assert await events_of(log, "m") in ([], notes(1, 5))


@with_every_log
async def test_a_closed_log_is_not_written(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 1))
    await log.close()
    await log.close()
    with pytest.raises(LogUnavailable, match="closed"):
        await log.append("m", 1, notes(2, 2))
    with pytest.raises(LogUnavailable, match="closed"):
        await log.read("m")
    with pytest.raises(LogUnavailable, match="closed"):
        await log.unfinished()
