"""Contract of all contest logs."""

import asyncio

import pytest

from referee.hosting.contest_log import ContestEntry
from referee.live.ports import Conflict, StoreUnavailable
from tests.storage.contest_examples import EXAMPLES
from tests.storage.stores import (
    LADDER,
    NOON_MS,
    Store,
    contest_events,
    match_started,
    matches_started,
    notes,
    with_every_log,
)


@with_every_log
async def test_entries_have_consecutive_numbers_and_times(log: Store) -> None:
    first = await log.contests.append(LADDER, 0, matches_started(1, 2))
    second = await log.contests.append(LADDER, 2, matches_started(3, 3))
    assert first == [
        ContestEntry(LADDER, 1, NOON_MS, match_started(1)),
        ContestEntry(LADDER, 2, NOON_MS, match_started(2)),
    ]
    assert second == [ContestEntry(LADDER, 3, NOON_MS, match_started(3))]
    assert await log.contests.read(LADDER) == first + second


@with_every_log
async def test_every_kind_of_event_is_read_as_it_was_written(log: Store) -> None:
    await log.contests.append(LADDER, 0, EXAMPLES)
    assert await contest_events(log.contests) == list(EXAMPLES)


@with_every_log
async def test_contests_and_matches_have_separate_logs(log: Store) -> None:
    await log.contests.append("ladder/x", 0, matches_started(1, 1))
    await log.contests.append("tournament/x", 0, matches_started(2, 2))
    await log.append("ladder/x", 0, notes(1, 1))
    assert await contest_events(log.contests, "ladder/x") == matches_started(1, 1)
    assert await contest_events(log.contests, "tournament/x") == matches_started(2, 2)
    assert [entry.event for entry in await log.read("ladder/x")] == notes(1, 1)
    assert await contest_events(log.contests, "ladder/y") == []


@with_every_log
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


@with_every_log
async def test_reading_starts_after_a_number_and_stops_at_the_limit(log: Store) -> None:
    entries = await log.contests.append(LADDER, 0, matches_started(1, 9))
    assert await log.contests.read(LADDER, 4) == entries[4:]
    assert await log.contests.read(LADDER, 4, 2) == entries[4:6]
    assert await log.contests.read(LADDER, limit=0) == []
    assert await log.contests.read(LADDER, 9) == []


@with_every_log
async def test_a_conflict_reports_the_length_of_the_log_and_changes_nothing(log: Store) -> None:
    await log.contests.append(LADDER, 0, matches_started(1, 3))
    for wrong in (0, 2, 4):
        with pytest.raises(Conflict) as conflict:
            await log.contests.append(LADDER, wrong, matches_started(4, 6))
        assert (conflict.value.of, conflict.value.after, conflict.value.last) == (LADDER, wrong, 3)
    with pytest.raises(Conflict):
        await log.contests.append("ladder/nobody", 1, matches_started(1, 1))
    assert await contest_events(log.contests) == matches_started(1, 3)
    assert [entry.contest for entry in await log.contests.first_entries("ladder")] == [LADDER]


@with_every_log
async def test_one_of_many_concurrent_appends_of_the_same_entry_wins(log: Store) -> None:
    for after in (0, 2):
        appends = (
            log.contests.append(LADDER, after, [match_started(number), match_started(-number)]) for number in range(50)
        )
        answers = await asyncio.gather(*appends, return_exceptions=True)
        (winner,) = (answer for answer in answers if isinstance(answer, list))
        assert sum(isinstance(answer, Conflict) for answer in answers) == 49
        assert await log.contests.read(LADDER, after) == winner


@with_every_log
async def test_appending_no_events_writes_nothing(log: Store) -> None:
    assert await log.contests.append(LADDER, 0, []) == []
    assert await log.contests.first_entries("ladder") == []
    await log.contests.append(LADDER, 0, matches_started(1, 1))
    with pytest.raises(Conflict):
        await log.contests.append(LADDER, 0, [])


@with_every_log
async def test_matches_and_contests_can_be_written_concurrently(log: Store) -> None:
    async def write(contest: str) -> None:
        for after in range(0, 20, 2):
            await log.contests.append(contest, after, matches_started(after + 1, after + 2))

    async def append_notes(match_id: str) -> None:
        for after in range(0, 20, 2):
            await log.append(match_id, after, notes(after + 1, after + 2))

    names = [f"ladder/{number}" for number in range(20)]
    await asyncio.gather(*map(write, names), *map(append_notes, names))
    for name in names:
        assert await contest_events(log.contests, name) == matches_started(1, 20)
        assert [entry.event for entry in await log.read(name)] == notes(1, 20)


@with_every_log
async def test_a_closed_log_rejects_every_call(log: Store) -> None:
    await log.contests.append(LADDER, 0, matches_started(1, 1))
    await log.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.contests.append(LADDER, 1, matches_started(2, 2))
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.contests.read(LADDER)
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.contests.first_entries("ladder")
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.contests.last_entries("ladder")
