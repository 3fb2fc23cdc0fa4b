"""Recovery while bots connect already: what is restored first, and what waits until everything is restored."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.live.outbox import MatchStarted, TurnNotice
from referee.live.ports import Entry, LogDamaged, StoreUnavailable
from referee.live.recovery import MAX_MATCHES
from referee.live.sessions import Hello
from referee.live.stored_matches import REPLAY_CHUNK
from referee.match.clock import SECOND
from referee.match.state import MatchPhase
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, RefereeHarness, drain_outbox, drain_turns
from tests.storage.memory import MemoryEventLog

OTHERS = BOTS[2:]


class ReadRecorder:
    """Records which logs are read, and can hold the reading of all of them."""

    def __init__(self, log: MemoryEventLog, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read_ids: list[str] = []
        self.gate = asyncio.Event()
        self._log = log
        self._read = log.read
        monkeypatch.setattr(log, "read", self.read)

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> Sequence[Entry]:
        await self.gate.wait()
        self.read_ids.append(match_id)
        return await self._read(match_id, after, limit)


async def restarted(matches: int = 1) -> tuple[RefereeHarness, list[str]]:
    """Return a process that has begun to recover, and the matches in play of the bots 0 and 1."""
    harness = RefereeHarness()
    harness.connect(*BOTS)
    match_ids = [await harness.create() for _ in range(matches)]
    later = await harness.restart()
    await later.referee.recovery.begin()
    return later, match_ids


async def test_a_bot_that_connects_during_the_recovery_gets_its_turn_when_its_match_is_restored() -> None:
    later, (match_id,) = await restarted()
    first, second = later.connect(*BOTS[:2])
    await settle()
    assert drain_outbox(first) == []
    assert later.referee.count_in_play("bot0") == 1
    await later.time.advance(60 * SECOND)
    assert await later.referee.recovery.run() == 1
    await settle()
    assert drain_outbox(first) == [TurnNotice(match_id, 0)]
    assert drain_outbox(second) == []
    due = later.turn_due(match_id, 0)
    assert (due.turn.token, due.repeated, due.left_us) == ("0.0.1", True, 10 * SECOND), "the outage costs no time"
    assert later.referee.count_in_play("bot0") == 1


async def test_what_needs_one_match_restores_it_before_all_others() -> None:
    later, (first, second, third, fourth) = await restarted(4)
    assert (await later.referee.match(second)).phase is MatchPhase.PLAYING
    assert [match.setup.match_id for match in later.referee.live_matches] == [second]
    assert later.referee.count_in_play("bot0") == 4
    await later.referee.submit(third, 0, "0.0.1", "1")
    assert (await later.referee.resign(fourth, 1)).result
    assert [match.setup.match_id for match in later.referee.live_matches] == [second, third]
    assert await later.referee.recovery.run() == 4
    assert [match.setup.match_id for match in later.referee.live_matches] == [second, third, first]


async def test_listing_the_turns_of_a_bot_restores_its_matches() -> None:
    later, match_ids = await restarted(MAX_MATCHES + 1)
    due = await later.referee.due_turns("bot0")
    assert {turn.match.setup.match_id for turn in due} == set(match_ids)
    assert await later.referee.due_turns("bot2") == []


async def test_matches_whose_bots_are_all_online_are_restored_first(
    harness: RefereeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.connect(*BOTS)
    absent = [await harness.create() for _ in range(MAX_MATCHES + 1)]
    present = await harness.create(players=OTHERS)
    later = await harness.restart()
    await later.referee.recovery.begin()
    later.connect(BOTS[0], *OTHERS)
    later.referee.sessions.close(later.connect(BOTS[1])[0])
    recorder = ReadRecorder(later.stored, monkeypatch)
    recorder.gate.set()
    assert await later.referee.recovery.run() == len(absent) + 1
    assert recorder.read_ids == [present, *absent]


async def test_no_match_starts_before_it_is_known_which_bots_have_room(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2], hello=Hello(max_matches=1))
    in_play = await harness.create()
    waiting = await harness.create()
    later = await harness.restart()
    await later.referee.recovery.begin()
    sessions = later.connect(*BOTS[:2], hello=Hello(max_matches=1))
    await later.referee._live.runner(waiting)
    await settle()
    assert (await later.match(waiting)).phase is MatchPhase.WAITING
    assert await later.referee.recovery.run() == 2
    await settle()
    assert (await later.match(waiting)).phase is MatchPhase.WAITING
    await later.referee.abort(in_play)
    await settle()
    assert (await later.match(waiting)).phase is MatchPhase.PLAYING
    assert MatchStarted(waiting, 0) in drain_outbox(sessions[0])


async def test_a_match_that_waits_for_its_start_starts_when_all_are_restored(harness: RefereeHarness) -> None:
    waiting, commanded = await harness.create(), await harness.create()
    later = await harness.restart()
    await later.referee.recovery.begin()
    await later.referee._live.runner(commanded)
    later.connect(*BOTS[:2])
    await settle()
    assert await later.referee.recovery.run() == 2
    await settle()
    for match_id in (waiting, commanded):
        assert (await later.match(match_id)).phase is MatchPhase.PLAYING


async def test_a_command_and_the_recovery_restore_a_match_once(monkeypatch: pytest.MonkeyPatch) -> None:
    later, (match_id,) = await restarted()
    recorder = ReadRecorder(later.stored, monkeypatch)
    resigned = asyncio.create_task(later.referee.resign(match_id, 0))
    recovering = asyncio.create_task(later.referee.recovery.run())
    await settle()
    recorder.gate.set()
    assert (await resigned).result
    assert await recovering == 1
    assert recorder.read_ids == [match_id]


async def test_a_match_is_restored_once_more_after_its_log_was_unavailable() -> None:
    later, (match_id,) = await restarted()
    later.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await later.referee.resign(match_id, 0)
    with pytest.raises(StoreUnavailable):
        await later.referee.recovery.run()
    later.log.make_available()
    assert (await later.referee.resign(match_id, 0)).result


async def test_one_log_that_cannot_be_read_does_not_affect_the_others_that_are_read_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later, (first, second, third) = await restarted(3)
    read = later.stored.read

    async def read_others(match_id: str, after: int = 0, limit: int | None = None) -> Sequence[Entry]:
        if match_id == first:
            raise LogDamaged(first, 1)
        if match_id == second:
            raise ValueError("no event of ours")
        return await read(match_id, after, limit)

    monkeypatch.setattr(later.stored, "read", read_others)
    assert await later.referee.recovery.run() == 1
    assert [match.setup.match_id for match in later.referee.live_matches] == [third]
    assert [where for where, _ in later.recorder.faults] == [first, second]


async def test_a_bot_gets_each_turn_once_if_it_connects_while_its_matches_are_restored() -> None:
    later, match_ids = await restarted(3 * MAX_MATCHES)
    recovering = asyncio.create_task(later.referee.recovery.run())
    while len(later.referee.live_matches) < MAX_MATCHES:
        await asyncio.sleep(0)
    first, _ = later.connect(*BOTS[:2])
    await recovering
    await settle()
    assert sorted(turn.match_id for turn in drain_turns(first)) == sorted(match_ids)


async def test_a_match_that_is_being_created_is_not_unknown(harness: RefereeHarness) -> None:
    await harness.referee.recover()
    harness.connect(*BOTS[:2])
    harness.log.after.clear()
    creating = asyncio.create_task(harness.create())
    await settle()
    unfinished = await harness.stored.unfinished()
    assert len(unfinished) == 1
    await harness.referee.recovery.restore_unknown(unfinished)
    assert harness.referee.live_matches == []
    harness.log.after.set()
    match_id = await creating
    assert [match.setup.match_id for match in harness.referee.live_matches] == [match_id]
    await harness.referee.recovery.restore_unknown(unfinished)
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]


async def test_an_unknown_match_that_cannot_be_read_is_tried_once(
    harness: RefereeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RefereeHarness()
    match_id, _ = await other.start_match()
    await harness.referee.recover()

    async def fail(match_ids: Sequence[str], _max_entries: int) -> list[list[Entry]]:
        raise LogDamaged(match_ids[0], 1)

    monkeypatch.setattr(harness.log, "read_matches", fail)
    for _ in range(2):
        await harness.referee.recovery.restore_unknown([match_id])
    assert [match for match, _ in harness.recorder.faults] == [match_id]
    assert harness.referee.live_matches == []


async def test_other_tasks_run_while_many_short_logs_are_replayed() -> None:
    later, _ = await restarted(8 * MAX_MATCHES)
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    await asyncio.sleep(0)
    await later.referee.recovery.run()
    entries = sum(match.number for match in later.referee.live_matches)
    assert turns >= entries // (2 * REPLAY_CHUNK) > 1
    counting.cancel()
