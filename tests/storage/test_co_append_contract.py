"""Contract of all event logs for co-appends: entries of a match and of a contest in one transaction."""

import asyncio

import pytest

from referee.hosting.contest_log import ContestEntry, ContestEvent, co_appended
from referee.live.ports import CoAppend, Conflict, Request
from tests.storage.examples import END
from tests.storage.stores import (
    LADDER,
    NOON_MS,
    Store,
    contest_events,
    events_of,
    match_started,
    matches_started,
    note,
    notes,
)


def co_append(after: int, *numbers: int) -> CoAppend[ContestEvent]:
    """Return a co-append of starts of these matches."""
    return CoAppend(LADDER, after, tuple(map(match_started, numbers)))


async def test_match_and_contest_entries_are_written_together(log: Store) -> None:
    request = Request(1, "r", "Resign(seat=1)")
    entries = await log.append("m", 0, [note(1), END], request, co_append(0, 1, 2))
    assert [(entry.number, entry.event, entry.request) for entry in entries] == [(1, note(1), None), (2, END, request)]
    assert await log.read("m") == entries
    written = await log.contests.read(LADDER)
    assert written == [
        ContestEntry(LADDER, 1, NOON_MS, match_started(1)),
        ContestEntry(LADDER, 2, NOON_MS, match_started(2)),
    ]
    assert co_appended(co_append(0, 1, 2), entries[-1].at_ms) == written, (
        "a caller can compute the entries that it has written"
    )
    await log.append("n", 0, [note(1), END], None, co_append(2, 3))
    await log.contests.append(LADDER, 3, matches_started(4, 4))
    assert await contest_events(log.contests) == matches_started(1, 4)


async def test_a_conflict_of_the_contest_rejects_both_appends(log: Store) -> None:
    await log.append("m", 0, notes(1, 1))
    await log.contests.append(LADDER, 0, matches_started(1, 2))
    for wrong in (0, 1, 3):
        with pytest.raises(Conflict) as conflict:
            await log.append("m", 1, [END], None, co_append(wrong, 3))
        assert (conflict.value.of, conflict.value.after, conflict.value.last) == (LADDER, wrong, 2)
    with pytest.raises(Conflict):
        await log.append("unknown", 0, [END], None, co_append(0, 3))
    assert await events_of(log, "m") == notes(1, 1)
    assert await log.unfinished() == ["m"], "the summaries have not changed either"
    assert await contest_events(log.contests) == matches_started(1, 2)


async def test_a_conflict_of_the_match_rejects_both_appends(log: Store) -> None:
    await log.append("m", 0, notes(1, 3))
    for contest_after in (0, 5):
        with pytest.raises(Conflict):
            await log.append("m", 2, [END], None, co_append(contest_after, 1))
    with pytest.raises(Conflict) as conflict:
        await log.append("m", 2, [END], None, co_append(0, 1))
    assert (conflict.value.of, conflict.value.after, conflict.value.last) == ("m", 2, 3)
    assert await events_of(log, "m") == notes(1, 3)
    assert await contest_events(log.contests) == []
    assert await log.contests.first_entries("ladder") == []


async def test_concurrent_co_appends_to_one_contest_are_written_if_their_numbers_follow(log: Store) -> None:
    expected, outdated = list(range(0, 60, 2)), list(range(1, 60, 2))

    async def end(number: int, after: int) -> None:
        await log.append(f"m{number}", 0, [END], None, co_append(after, number))

    # Every second one expects the number that the one before it has already used.
    answers = await asyncio.gather(*(end(number, number // 2) for number in range(60)), return_exceptions=True)
    assert [number for number, answer in enumerate(answers) if isinstance(answer, Conflict)] == outdated
    assert await contest_events(log.contests) == [match_started(number) for number in expected]
    assert [await events_of(log, f"m{number}") for number in range(60)] == [[END], []] * 30

    await asyncio.gather(*(end(number, after) for after, number in enumerate(outdated, 30)))
    assert await contest_events(log.contests) == [match_started(number) for number in expected + outdated]


async def test_a_conflict_does_not_affect_other_appends_of_the_batch(log: Store) -> None:
    answers = await asyncio.gather(
        log.append("m", 0, [END], None, co_append(0, 1)),
        log.append("n", 0, [END], None, co_append(0, 2)),
        log.append("n", 0, notes(1, 1)),
        log.append("m", 0, [END], None, co_append(1, 3)),
        log.contests.append(LADDER, 1, matches_started(4, 4)),
        log.append("n", 1, [END], None, co_append(2, 5)),
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [list, Conflict, list, Conflict, list, list]
    assert [conflict.of for conflict in answers if isinstance(conflict, Conflict)] == [LADDER, "m"]
    assert await contest_events(log.contests) == [match_started(1), match_started(4), match_started(5)]
    assert await events_of(log, "n") == [note(1), END]
