"""Contract of all event logs."""

import asyncio

import pytest

from referee.live.ports import Conflict, Entry, EventLog, Request, StoreUnavailable
from referee.match.events import MatchCreated, PlayStarted
from referee.match.setup import Player
from tests.live.runner_harness import match_setup
from tests.storage.examples import END, EXAMPLES
from tests.storage.stores import NOON_MS, events_of, note, notes, with_every_log

ANNA, BERT = Player("anna", "1"), Player("bert", "1")


@with_every_log
async def test_entries_have_consecutive_numbers_and_times(log: EventLog) -> None:
    first = await log.append("m", 0, notes(1, 2))
    second = await log.append("m", 2, notes(3, 3))
    assert first == [Entry("m", 1, NOON_MS, note(1)), Entry("m", 2, NOON_MS, note(2))]
    assert second == [Entry("m", 3, NOON_MS, note(3))]
    assert await log.read("m") == first + second


@with_every_log
async def test_a_request_is_stored_with_the_last_entry_of_its_append(log: EventLog) -> None:
    seat_request, person_request = (
        Request(1, "r", "Resign(seat=1)"),
        Request("\N{SNOWMAN}", "r", ""),
    )
    entries = await log.append("m", 0, notes(1, 2), seat_request)
    entries += await log.append("m", 2, notes(3, 3))
    entries += await log.append("m", 3, notes(4, 4), person_request)
    assert [entry.request for entry in entries] == [None, seat_request, None, person_request]
    assert await log.read("m") == entries


@with_every_log
async def test_every_kind_of_event_is_read_as_it_was_written(log: EventLog) -> None:
    await log.append("m", 0, EXAMPLES)
    assert await events_of(log, "m") == list(EXAMPLES)


@with_every_log
async def test_each_match_has_its_own_log(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 2))
    await log.append("n", 0, notes(7, 7))
    assert await events_of(log, "m") == notes(1, 2)
    assert await events_of(log, "n") == notes(7, 7)


@with_every_log
async def test_an_unknown_match_has_an_empty_log(log: EventLog) -> None:
    assert await log.read("nobody") == []
    assert await log.read("nobody", 5, 1) == []


@with_every_log
async def test_reading_starts_after_a_number_and_stops_at_the_limit(log: EventLog) -> None:
    entries = await log.append("m", 0, notes(1, 9))
    assert await log.read("m", 4) == entries[4:]
    assert await log.read("m", 4, 2) == entries[4:6]
    assert await log.read("m", 4, 100) == entries[4:]
    assert await log.read("m", limit=0) == []
    assert await log.read("m", 9) == []
    assert await log.read("m", 10) == []


@with_every_log
async def test_whole_logs_are_read_in_the_order_asked_for_until_there_are_enough_entries(log: EventLog) -> None:
    for match_id, many in (("z", 3), ("a", 2), ("m", 4)):
        await log.append(match_id, 0, notes(1, many))
    wanted = ["m", "nobody", "z", "a"]
    logs = [await log.read(match_id) for match_id in wanted]
    assert await log.read_matches(wanted, 100) == logs
    assert await log.read_matches(wanted, 5) == logs[:3]
    assert await log.read_matches(wanted, 4) == logs[:1]
    assert await log.read_matches(wanted, 1) == logs[:1]
    assert await log.read_matches([], 100) == []


@with_every_log
async def test_bots_in_play_are_those_of_matches_that_have_begun_and_are_not_over(log: EventLog) -> None:
    for match_id in ("waits", "plays", "over"):
        setup = match_setup(match_id=match_id, players=(ANNA, BERT))
        await log.append(match_id, 0, [MatchCreated(0, setup)])
    assert await log.bots_in_play() == {}
    for match_id in ("plays", "over"):
        await log.append(match_id, 1, [PlayStarted(1, (BERT, ANNA)), note(3)])
    assert {match_id: sorted(bots) for match_id, bots in (await log.bots_in_play()).items()} == {
        "plays": ["anna", "bert"],
        "over": ["anna", "bert"],
    }
    await log.append("over", 3, [END])
    assert list(await log.bots_in_play()) == ["plays"]


@with_every_log
async def test_a_conflict_reports_the_length_of_the_log(log: EventLog) -> None:
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
async def test_one_of_many_concurrent_appends_of_the_same_entry_wins(log: EventLog) -> None:
    for after in (0, 2):
        appends = (log.append("m", after, [note(number), note(100 + number)]) for number in range(50))
        answers = await asyncio.gather(*appends, return_exceptions=True)
        (winner,) = (answer for answer in answers if isinstance(answer, list))
        conflicts = [answer for answer in answers if isinstance(answer, Conflict)]
        assert len(conflicts) == 49
        assert {conflict.last for conflict in conflicts} == {after + 2}
        assert await log.read("m", after) == winner


@with_every_log
async def test_a_conflict_does_not_affect_other_appends_of_the_batch(log: EventLog) -> None:
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
async def test_appending_no_events_writes_nothing(log: EventLog) -> None:
    assert await log.append("m", 0, []) == []
    assert await log.unfinished() == []
    await log.append("m", 0, notes(1, 1))
    assert await log.append("m", 1, []) == []
    with pytest.raises(Conflict):
        await log.append("m", 0, [])


@with_every_log
async def test_changing_the_list_after_an_append_does_not_change_the_entries(log: EventLog) -> None:
    events = notes(1, 2)
    append_task = asyncio.ensure_future(log.append("m", 0, events))
    await asyncio.sleep(0)
    events.clear()
    await append_task
    assert await events_of(log, "m") == notes(1, 2)


@with_every_log
async def test_unfinished_matches_are_listed_in_order_of_opening_until_their_end(log: EventLog) -> None:
    for match_id in ("z", "a", "m"):
        await log.append(match_id, 0, notes(1, 1))
    await log.append("z", 1, notes(2, 2))
    assert await log.unfinished() == ["z", "a", "m"]
    await log.append("a", 1, [note(2), END])
    assert await log.unfinished() == ["z", "m"]
    await log.append("b", 0, [note(1), END])
    assert await log.unfinished() == ["z", "m"]


@with_every_log
async def test_many_matches_can_be_written_concurrently(log: EventLog) -> None:
    async def append_notes(match_id: str) -> None:
        for after in range(0, 20, 2):
            await log.append(match_id, after, notes(after + 1, after + 2))

    matches = [f"match {number}" for number in range(100)]
    await asyncio.gather(*map(append_notes, matches))
    for match_id in matches:
        assert [entry.number for entry in await log.read(match_id)] == list(range(1, 21))
        assert await events_of(log, match_id) == notes(1, 20)


@pytest.mark.soak
@with_every_log
async def test_ten_thousand_matches_can_be_written_and_finished(log: EventLog) -> None:
    matches = [f"match {number}" for number in range(10_000)]
    await asyncio.gather(*(log.append(match_id, 0, [note(number)]) for number, match_id in enumerate(matches)))
    assert await log.unfinished() == matches
    await asyncio.gather(*(log.append(match_id, 1, [END]) for match_id in matches[1:]))
    assert await log.unfinished() == matches[:1]
    assert await events_of(log, "match 7654") == [note(7654), END]


@with_every_log
async def test_a_concurrent_reader_sees_whole_appends_without_gaps(log: EventLog) -> None:
    async def write() -> None:
        for after in range(0, 300, 3):
            await log.append("m", after, notes(after + 1, after + 3))

    writing = asyncio.ensure_future(write())
    read_count = 0
    while read_count < 300:
        entries = await log.read("m", read_count)
        assert len(entries) % 3 == 0
        assert [entry.number for entry in entries] == list(range(read_count + 1, read_count + 1 + len(entries)))
        read_count += len(entries)
        await asyncio.sleep(0)
    await writing


@with_every_log
async def test_the_heads_of_many_matches_are_read_at_once(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 3))
    await log.append("n", 0, notes(1, 1))
    await log.append("n", 1, [END])
    await log.append("other", 0, notes(1, 1))
    assert await log.heads(["n", "nobody", "m", "n"]) == {"m": 3, "n": 2}
    assert await log.heads([]) == {}


@with_every_log
async def test_appended_entries_can_be_read_at_once(log: EventLog) -> None:
    for number in range(20):
        (entry,) = await log.append("m", number, [note(number)])
        assert await log.read("m", number) == [entry]


@with_every_log
async def test_a_cancelled_append_is_written_completely_or_not_at_all(log: EventLog) -> None:
    append_task = asyncio.ensure_future(log.append("m", 0, notes(1, 5)))
    await asyncio.sleep(0)
    append_task.cancel()
    await asyncio.wait([append_task])
    await log.append("n", 0, notes(1, 1))
    assert await events_of(log, "m") in ([], notes(1, 5))


@with_every_log
async def test_a_closed_log_rejects_reads_and_appends(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 1))
    await log.close()
    await log.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.append("m", 1, notes(2, 2))
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.read("m")
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.unfinished()
