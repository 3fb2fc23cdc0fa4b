"""Contract of all logs of matches and contests."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pytest

from referee.live.ports import Conflict, EventLog, Request, StoreUnavailable
from referee.match.events import MatchCreated, PlayStarted
from referee.match.setup import Player
from tests.live.runner_harness import match_setup
from tests.storage import contest_examples
from tests.storage.examples import END, EXAMPLES
from tests.storage.stores import NOON_MS, Store, contest_events, events_of, matches_started, note, notes

ANNA, BERT = Player("anna", "1"), Player("bert", "1")


class LogPart(NamedTuple):
    """The log of matches or that of contests: both keep the same promises."""

    append: Callable[[str, int, Sequence[Any]], Awaitable[Sequence[Any]]]
    read: Callable[..., Awaitable[Sequence[Any]]]
    listed: Callable[[], Awaitable[Sequence[Any]]]
    """Returns one value for each log that has an entry."""
    events: Callable[[int, int], list[Any]]
    """Returns distinguishable events with these first and last numbers."""
    examples: Sequence[Any]
    close: Callable[[], Awaitable[None]]

    async def events_of(self, name: str) -> list[Any]:
        return [entry.event for entry in await self.read(name)]


def matches_of(log: Store) -> LogPart:
    return LogPart(log.append, log.read, log.unfinished, notes, EXAMPLES, log.close)


def contests_of(log: Store) -> LogPart:
    contests = log.contests
    first_entries = partial(contests.first_entries, "ladder")
    return LogPart(contests.append, contests.read, first_entries, matches_started, contest_examples.EXAMPLES, log.close)


PARTS: dict[str, Callable[[Store], LogPart]] = {"matches": matches_of, "contests": contests_of}


@pytest.fixture(params=PARTS)
def part(request: pytest.FixtureRequest, log: Store) -> LogPart:
    return PARTS[request.param](log)


M, N = "ladder/m", "ladder/n"


async def test_entries_have_consecutive_numbers_and_times(part: LogPart) -> None:
    first = await part.append(M, 0, part.events(1, 2))
    second = await part.append(M, 2, part.events(3, 3))
    assert [(entry.number, entry.at_ms) for entry in first] == [(1, NOON_MS), (2, NOON_MS)]
    assert [(entry.number, entry.at_ms) for entry in second] == [(3, NOON_MS)]
    assert await part.read(M) == [*first, *second]
    assert await part.events_of(M) == part.events(1, 3)


async def test_every_kind_of_event_is_read_as_it_was_written(part: LogPart) -> None:
    await part.append(M, 0, part.examples)
    assert await part.events_of(M) == list(part.examples)


async def test_reading_starts_after_a_number_and_stops_at_the_limit(part: LogPart) -> None:
    entries = await part.append(M, 0, part.events(1, 9))
    assert await part.read(M, 4) == entries[4:]
    assert await part.read(M, 4, 2) == entries[4:6]
    assert await part.read(M, 4, 100) == entries[4:]
    assert await part.read(M, limit=0) == []
    assert await part.read(M, 9) == []
    assert await part.read(M, 10) == []


async def test_a_conflict_reports_the_length_of_the_log_and_changes_nothing(part: LogPart) -> None:
    await part.append(M, 0, part.events(1, 3))
    for wrong in (0, 1, 2, 4):
        with pytest.raises(Conflict) as conflict:
            await part.append(M, wrong, part.events(4, 6))
        assert (conflict.value.of, conflict.value.after, conflict.value.last) == (M, wrong, 3)
    with pytest.raises(Conflict) as conflict:
        await part.append(N, 1, part.events(1, 1))
    assert conflict.value.last == 0
    assert await part.events_of(M) == part.events(1, 3)
    assert await part.read(N) == await part.read(N, 5, 1) == []
    assert len(await part.listed()) == 1


async def test_one_of_many_concurrent_appends_of_the_same_entry_wins(part: LogPart) -> None:
    for after in (0, 2):
        appends = (part.append(M, after, part.events(number, number + 1)) for number in range(50))
        answers = await asyncio.gather(*appends, return_exceptions=True)
        (winner,) = (answer for answer in answers if isinstance(answer, list))
        conflicts = [answer for answer in answers if isinstance(answer, Conflict)]
        assert len(conflicts) == 49
        assert {conflict.last for conflict in conflicts} == {after + 2}
        assert await part.read(M, after) == winner


async def test_appending_no_events_writes_nothing(part: LogPart) -> None:
    assert await part.append(M, 0, []) == []
    assert await part.listed() == []
    await part.append(M, 0, part.events(1, 1))
    assert await part.append(M, 1, []) == []
    with pytest.raises(Conflict):
        await part.append(M, 0, [])


async def test_many_matches_and_contests_can_be_written_concurrently(log: Store) -> None:
    async def write(part: LogPart, name: str) -> None:
        for after in range(0, 20, 2):
            await part.append(name, after, part.events(after + 1, after + 2))

    parts, names = (matches_of(log), contests_of(log)), [f"ladder/{number}" for number in range(60)]
    await asyncio.gather(*(write(part, name) for part in parts for name in names))
    for part in parts:
        for name in names:
            assert await part.events_of(name) == part.events(1, 20)


async def test_a_closed_log_rejects_every_call(part: LogPart) -> None:
    await part.append(M, 0, part.events(1, 1))
    await part.close()
    await part.close()
    for call in (part.append(M, 1, part.events(2, 2)), part.read(M), part.listed()):
        with pytest.raises(StoreUnavailable, match="closed"):
            await call


async def test_contests_and_matches_have_separate_logs(log: Store) -> None:
    await log.contests.append("ladder/x", 0, matches_started(1, 1))
    await log.contests.append("tournament/x", 0, matches_started(2, 2))
    await log.append("ladder/x", 0, notes(1, 1))
    assert await contest_events(log.contests, "ladder/x") == matches_started(1, 1)
    assert await contest_events(log.contests, "tournament/x") == matches_started(2, 2)
    assert [entry.event for entry in await log.read("ladder/x")] == notes(1, 1)
    assert await contest_events(log.contests, "ladder/y") == []


async def test_contests_of_a_kind_are_listed_in_order_of_creation(log: Store) -> None:
    assert await log.contests.first_entries("ladder") == []
    first, last = {}, {}
    for contest in ("ladder/z", "tournament/b", "ladder/a", "ladders/y", "tournament/a"):
        first[contest], last[contest] = await log.contests.append(contest, 0, matches_started(1, 2))
    (last["ladder/z"],) = await log.contests.append("ladder/z", 2, matches_started(3, 3))
    assert await log.contests.first_entries("ladder") == [first["ladder/z"], first["ladder/a"]]
    assert await log.contests.first_entries("tournament") == [first["tournament/b"], first["tournament/a"]]
    assert await log.contests.last_entries("ladder") == [last["ladder/z"], last["ladder/a"]]
    assert await log.contests.last_entries("nothing") == []
    await log.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.contests.last_entries("ladder")


async def test_a_request_is_stored_with_the_last_entry_of_its_append(log: EventLog) -> None:
    seat_request, person_request = (Request(1, "r", "Resign(seat=1)"), Request("\N{SNOWMAN}", "r", ""))
    entries = await log.append("m", 0, notes(1, 2), seat_request)
    entries += await log.append("m", 2, notes(3, 3))
    entries += await log.append("m", 3, notes(4, 4), person_request)
    assert [entry.request for entry in entries] == [None, seat_request, None, person_request]
    assert await log.read("m") == entries


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


async def test_changing_the_list_after_an_append_does_not_change_the_entries(log: EventLog) -> None:
    events = notes(1, 2)
    append_task = asyncio.ensure_future(log.append("m", 0, events))
    await asyncio.sleep(0)
    events.clear()
    await append_task
    assert await events_of(log, "m") == notes(1, 2)


async def test_unfinished_matches_are_listed_in_order_of_opening_until_their_end(log: EventLog) -> None:
    for match_id in ("z", "a", "m"):
        await log.append(match_id, 0, notes(1, 1))
    await log.append("z", 1, notes(2, 2))
    assert await log.unfinished() == ["z", "a", "m"]
    await log.append("a", 1, [note(2), END])
    assert await log.unfinished() == ["z", "m"]
    await log.append("b", 0, [note(1), END])
    assert await log.unfinished() == ["z", "m"]


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


async def test_the_heads_of_many_matches_are_read_at_once(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 3))
    await log.append("n", 0, notes(1, 1))
    await log.append("n", 1, [END])
    await log.append("other", 0, notes(1, 1))
    assert await log.heads(["n", "nobody", "m", "n"]) == {"m": 3, "n": 2}
    assert await log.heads([]) == {}


async def test_a_cancelled_append_is_written_completely_or_not_at_all(log: EventLog) -> None:
    append_task = asyncio.ensure_future(log.append("m", 0, notes(1, 5)))
    await asyncio.sleep(0)
    append_task.cancel()
    await asyncio.wait([append_task])
    await log.append("n", 0, notes(1, 1))
    assert await events_of(log, "m") in ([], notes(1, 5))
