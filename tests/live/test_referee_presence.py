"""Presence: starts, nonces, disconnects and returns, referee delay, draining and recovery."""

import asyncio
from collections.abc import Sequence

import pytest
from referee_values import NetworkCredit, Policies

from referee.cluster.shared_matches import SharedMatches
from referee.live.loop_lag import LoopLag
from referee.live.match_request import MAKER, LiveLimits
from referee.live.match_timing import TurnUse
from referee.live.outbox import DrainNotice, MatchEnded, MatchStarted, NonceRequested, TurnNotice
from referee.live.ports import Conflict, EngineFault, SeatDelays, StoreUnavailable
from referee.live.queued_command import MatchMoving
from referee.live.referee import RefereeDraining
from referee.live.registry import LiveMatches
from referee.live.sessions import ABSENCE_DELAY_US, Hello, Session
from referee.live.stored_matches import UnplayableLog
from referee.match.clock import MS, SECOND, Untimed
from referee.match.events import MovePlayed, PlayEnded, RefereeRecovered, SeatDisconnected, SeatReconnected
from referee.match.match_errors import NonceRefused, NotWithdrawable, RequestIdReused
from referee.match.result import EndCause, void_result
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import (
    BOTS,
    GAMES,
    RefereeHarness,
    drain_outbox,
    drain_turns,
    filter_by_type,
    match_request,
)
from tests.match.setups import forfeits_after
from tests.storage.memory import MemoryEventLog, MemoryUndeliveredEnds

NIM_BOTS = BOTS[:2]


async def test_a_match_whose_bots_stay_offline_becomes_void_at_its_timeout_and_they_are_notified() -> None:
    harness = RefereeHarness(limits=LiveLimits(start_timeout_us=60 * SECOND))
    match_id = await harness.create()
    (session,) = harness.connect(BOTS[0])
    await harness.time.advance(60 * SECOND - 1)
    assert (await harness.match(match_id)).phase is MatchPhase.WAITING
    await harness.time.advance(1)
    result = (await harness.match(match_id)).result
    assert result
    assert result.cause is EndCause.NOT_STARTED
    assert drain_outbox(session) == [MatchEnded(match_id, 0)]
    assert harness.time.alarms_us == []


async def test_an_undelivered_end_is_sent_after_every_restart_until_it_is_confirmed(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match()
    harness.referee.sessions.close(sessions[1])
    await harness.referee.resign(match_id, 0)
    harness, unconfirmed = await restart_with(harness, BOTS[1])
    assert drain_outbox(unconfirmed) == [MatchEnded(match_id, 1)]
    harness, confirmed = await restart_with(harness, BOTS[1])
    assert drain_outbox(confirmed) == [MatchEnded(match_id, 1)]
    confirmed.ping()
    drain_outbox(confirmed)
    confirmed.pong(1)
    harness, later = await restart_with(harness, BOTS[1])
    assert drain_outbox(later) == []


async def restart_with(harness: RefereeHarness, player: Player) -> tuple[RefereeHarness, Session]:
    """Return the next process, and the session of that bot in it."""
    harness = await harness.restart_and_recover()
    (session,) = harness.connect(player)
    await settle()
    return harness, session


async def test_undelivered_ends_that_cannot_be_read_are_sent_in_a_later_session(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    await harness.referee.resign(match_id, 0)
    harness = await harness.restart()
    harness.undelivered_ends.error = StoreUnavailable("the disk is full")
    (early,) = harness.connect(BOTS[1])
    await settle()
    harness.undelivered_ends.error = None
    (later,) = harness.connect(BOTS[1])
    await settle()
    assert filter_by_type(drain_outbox(early), MatchEnded) == []
    assert drain_outbox(later) == [MatchEnded(match_id, 1)]
    assert harness.recorder.faults == []


async def test_an_open_version_becomes_that_of_the_bot_that_connects(harness: RefereeHarness) -> None:
    match_id = await harness.create(players=(Player("bot0"), Player("bot1", "2")))
    harness.connect(*NIM_BOTS)
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated"]
    harness.connect(Player("bot1", "2"))
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "SeatTaken", "PlayStarted"]
    assert (await harness.match(match_id)).players == (BOTS[0], Player("bot1", "2"))


async def test_a_bot_plays_only_games_it_accepts_and_as_many_matches_as_it_has_room_for(
    harness: RefereeHarness,
) -> None:
    (first,) = harness.connect(BOTS[0], hello=Hello(frozenset({"fingers"})))
    harness.connect(BOTS[1])
    matches = [await harness.create(chosen={"heap": 1}) for _ in range(3)]

    async def phases() -> list[str]:
        return [(await harness.match(match_id)).phase.value for match_id in matches]

    assert await phases() == ["waiting"] * 3
    harness.referee.sessions.update_hello(first, Hello(max_matches=2))
    await settle()
    assert await phases() == ["playing", "playing", "waiting"]
    await harness.submit_move(matches[1], 0, "1")
    assert await phases() == ["playing", "over", "playing"]
    harness.referee.sessions.update_hello(first, Hello(max_matches=0))
    await harness.submit_move(matches[0], 0, "1")
    assert harness.referee.count_in_play("bot0") == 1


async def test_nonces_are_requested_and_the_match_starts_when_all_have_arrived(harness: RefereeHarness) -> None:
    sessions = harness.connect(*NIM_BOTS)
    match_id = await harness.create(nonce_timeout_us=5 * SECOND)
    for seat, session in enumerate(sessions):
        (item,) = drain_outbox(session)
        assert isinstance(item, NonceRequested)
        assert (item.seat, item.until_us) == (seat, harness.time.us + 5 * SECOND)
    await harness.referee.give_nonce(match_id, 0, b"salt")
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "NonceAdded"]
    (again,) = harness.connect(BOTS[1])
    assert [type(item) for item in drain_outbox(again)] == [NonceRequested]
    await harness.referee.give_nonce(match_id, 1, b"")
    await settle()
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING


async def test_a_bot_that_was_withdrawn_before_play_leaves_its_seat_to_another(harness: RefereeHarness) -> None:
    (first,) = harness.connect(NIM_BOTS[0], hello=Hello(max_matches=1))
    match_id = await harness.create(nonce_timeout_us=5 * SECOND)
    harness.connect(NIM_BOTS[1])
    await harness.referee.give_nonce(match_id, 0, b"salt")
    for _ in range(2):
        assert (await harness.referee.withdraw(match_id, "bot0", "ann", "r1")).result is None
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "NonceAdded", "SeatVacated"]
    with pytest.raises(RequestIdReused):
        await harness.referee.withdraw(match_id, "bot1", "ann", "r1")
    with pytest.raises(NotWithdrawable, match="it holds no seat in this match"):
        await harness.referee.withdraw(match_id, "bot0", "ann", "r2")
    assert harness.referee.count_unfinished_of("bot0", "") == 0
    assert (await harness.match(match_id)).players[0] == Player()
    drain_outbox(first)
    await harness.referee.join(match_id, 0, NIM_BOTS[0])
    await settle()
    assert [type(item) for item in drain_outbox(first)] == [NonceRequested], "the nonce is requested again"
    for seat in (0, 1):
        await harness.referee.give_nonce(match_id, seat, b"")
    await settle()
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING


async def test_a_bot_that_is_withdrawn_while_play_begins_keeps_its_room(harness: RefereeHarness) -> None:
    harness.connect(*NIM_BOTS, hello=Hello(max_matches=1))
    match_id = await harness.create(start_timeout_us=5 * SECOND, players=(NIM_BOTS[0], Player()))
    joining = harness.referee.join(match_id, 1, NIM_BOTS[1])
    await asyncio.gather(joining, harness.referee.withdraw(match_id, "bot0", "ann", "r1"))
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "SeatTaken", "SeatVacated"]
    assert (await harness.match(match_id)).phase is MatchPhase.WAITING
    for player in NIM_BOTS:
        free = harness.referee.free_capacity(player, "nim")
        assert free
        assert free.room == 1
    await harness.time.advance(5 * SECOND)
    assert (await harness.match(match_id)).phase is MatchPhase.OVER


async def test_a_missing_nonce_is_awaited_no_longer_than_its_timeout(harness: RefereeHarness) -> None:
    harness.connect(*NIM_BOTS)
    match_id = await harness.create(nonce_timeout_us=5 * SECOND)
    await harness.time.advance(5 * SECOND)
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]
    with pytest.raises(NonceRefused, match="play has started"):
        await harness.referee.give_nonce(match_id, 0, b"too late")


async def test_a_bot_that_sends_no_nonces_delays_only_one_match(harness: RefereeHarness) -> None:
    silent, answering = harness.connect(*NIM_BOTS, hello=Hello(max_matches=9))
    first = await harness.create(nonce_timeout_us=5 * SECOND)
    await harness.referee.give_nonce(first, 1, b"salt")
    await harness.time.advance(5 * SECOND)
    assert (silent.misses_nonces, answering.misses_nonces) == (True, False)
    second = await harness.create(nonce_timeout_us=5 * SECOND)
    await settle()
    assert (await harness.match(second)).phase is MatchPhase.WAITING, "the other bot has not answered yet"
    await harness.referee.give_nonce(second, 1, b"pepper")
    await settle()
    assert (await harness.match(second)).nonces == (None, b"pepper")
    assert (await harness.match(second)).phase is MatchPhase.PLAYING
    asked = [item.match_id for item in drain_outbox(silent) if isinstance(item, NonceRequested)]
    assert asked == [first, second], "it can contribute again"
    (again,) = harness.connect(NIM_BOTS[0], hello=Hello(max_matches=9))
    third = await harness.create(nonce_timeout_us=5 * SECOND)
    await harness.referee.give_nonce(third, 1, b"sugar")
    await settle()
    assert not again.misses_nonces
    assert (await harness.match(third)).phase is MatchPhase.WAITING, "a new session is waited for"


async def test_a_bot_that_was_not_asked_in_time_has_missed_no_nonce(harness: RefereeHarness) -> None:
    (early,) = harness.connect(NIM_BOTS[0])
    (gone,) = harness.connect(NIM_BOTS[1])
    match_id = await harness.create(nonce_timeout_us=5 * SECOND)
    harness.referee.sessions.close(gone)
    await harness.time.advance(6 * SECOND)
    (back,) = harness.connect(NIM_BOTS[1])
    await settle()
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING
    assert (early.misses_nonces, back.misses_nonces) == (True, False)


async def test_a_start_that_could_not_be_written_is_retried(harness: RefereeHarness) -> None:
    match_id = await harness.create()
    harness.log.make_unavailable()
    harness.connect(*NIM_BOTS)
    await settle()
    assert (await harness.match(match_id)).phase is MatchPhase.WAITING
    harness.log.make_available()
    await harness.time.advance(SECOND)
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING
    assert harness.recorder.faults == []


async def test_a_bot_that_reconnects_gets_its_turn_again_with_the_same_token(harness: RefereeHarness) -> None:
    match_id, (first, _) = await harness.start_match()
    token = harness.turn_due(match_id, 0).turn.token
    await harness.time.advance(SECOND)
    harness.referee.sessions.close(first)
    await settle()
    await harness.time.advance(SECOND)
    (back,) = harness.connect(BOTS[0])
    assert drain_outbox(back) == [TurnNotice(match_id, 0)]
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatDisconnected", "SeatReconnected"]
    due = harness.turn_due(match_id, 0)
    assert (due.turn.token, due.repeated, due.left_us) == (token, True, 8 * SECOND)


async def test_a_bot_that_reconnects_at_once_causes_no_entry_in_its_matches(harness: RefereeHarness) -> None:
    match_id, (session, _) = await harness.start_match(controls=(Untimed(),))
    more = [await harness.create(controls=(Untimed(),)) for _ in range(31)]
    for _ in range(20):
        harness.referee.sessions.close(session)
        await harness.time.advance(ABSENCE_DELAY_US - 1)
        (session,) = harness.connect(BOTS[0])
        await harness.time.advance(0)
        assert len(drain_turns(session)) == 32
    assert {tuple(await harness.event_kinds(first)) for first in (match_id, *more)} == {("MatchCreated", "PlayStarted")}


async def test_a_bot_that_reconnects_often_causes_few_entries_with_the_true_times(harness: RefereeHarness) -> None:
    match_id, (session, _) = await harness.start_match(controls=(Untimed(),))
    for _ in range(10):
        await harness.time.advance(SECOND)
        harness.referee.sessions.close(session)
        await harness.time.advance(2 * SECOND)
        (session,) = harness.connect(BOTS[0])
    await settle()
    events = [entry.event for entry in await harness.stored.read(match_id)][2:]
    assert [(type(event), event.at_us // SECOND) for event in events] == [
        (SeatDisconnected, 1),
        (SeatReconnected, 3),
        (SeatDisconnected, 13),
        (SeatReconnected, 15),
        (SeatDisconnected, 25),
        (SeatReconnected, 27),
    ]


async def test_a_grace_period_starts_at_the_disconnect_and_not_when_it_is_written(harness: RefereeHarness) -> None:
    grace_policies = Policies(disconnect=forfeits_after(3_000))
    match_id, (session, _) = await harness.start_match(policies=grace_policies)
    await harness.time.advance(SECOND)
    harness.referee.sessions.close(session)
    await harness.time.advance(3 * SECOND - 1)
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING
    await harness.time.advance(1)
    assert (await harness.match(match_id)).forfeits[0].cause == "disconnected"


async def test_a_written_absence_continues_after_a_restart_and_an_unwritten_one_starts_again() -> None:
    for written, left_us in ((True, 2 * SECOND), (False, 3 * SECOND)):
        harness = RefereeHarness()
        grace_policies = Policies(disconnect=forfeits_after(3_000))
        match_id, (session, other) = await harness.start_match(policies=grace_policies)
        harness.referee.sessions.close(session)
        await harness.time.advance(ABSENCE_DELAY_US - (not written))
        if written:
            harness.referee.sessions.close(other)  # Cause another entry to be written later.
            await harness.time.advance(ABSENCE_DELAY_US)
        later = await harness.restart_and_recover()
        await later.time.advance(later.referee._limits.return_within_us)
        await later.time.advance(left_us - 1)
        assert (await later.match(match_id)).phase is MatchPhase.PLAYING
        await later.time.advance(1)
        assert (await later.match(match_id)).forfeits[0].cause == "disconnected"


async def test_a_takeover_is_no_absence_and_the_newer_session_continues(harness: RefereeHarness) -> None:
    match_id, (first, _) = await harness.start_match()
    (newer,) = harness.connect(BOTS[0])
    assert drain_outbox(newer) == [TurnNotice(match_id, 0)]
    (successor,) = harness.connect(Player("bot0", "2"))
    assert drain_outbox(successor) == []
    harness.referee.sessions.close(newer)
    assert drain_outbox(successor) == [TurnNotice(match_id, 0)]
    harness.referee.sessions.close(first)
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]


async def test_a_bot_that_returns_before_its_absence_is_written_is_logged_as_reconnected(
    harness: RefereeHarness,
) -> None:
    match_id, (first, _) = await harness.start_match(policies=Policies(disconnect=forfeits_after(1_000)))
    harness.log.before.clear()
    harness.referee.sessions.close(first)
    await harness.time.advance(ABSENCE_DELAY_US)
    harness.connect(BOTS[0])
    harness.log.before.set()
    await settle()
    assert (await harness.event_kinds(match_id))[2:] == ["SeatDisconnected", "SeatReconnected"]
    await harness.time.advance(5 * SECOND)
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING


async def test_referee_delay_is_credited_back_and_causes_no_flag_fall(harness: RefereeHarness) -> None:
    harness.lag.start()
    match_id, _ = await harness.start_match()
    await harness.time.advance(SECOND)
    harness.time.us += 500 * MS
    await harness.submit_move(match_id, 0, "1")
    (row,) = await harness.move_rows(match_id)
    assert row.stall_us == 490 * MS, "but for the ten milliseconds between two alarms"
    harness.time.us += 15 * SECOND
    await harness.time.advance(0)
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING
    await harness.time.advance(11 * SECOND)
    assert (await harness.match(match_id)).phase is MatchPhase.OVER
    harness.lag.stop()


async def test_network_credit_uses_the_round_trip_of_the_bots_own_stream(harness: RefereeHarness) -> None:
    match_id, (first, _) = await harness.start_match(credit=NetworkCredit(per_move_ms=1_000, per_match_ms=1_000))
    first.ping()
    drain_outbox(first)
    await harness.time.advance(30 * MS)
    first.pong(1)
    await harness.submit_move(match_id, 0, "1")
    (row,) = await harness.move_rows(match_id)
    assert (row.network_us, row.network_credit_us) == (30 * MS, 30 * MS)


async def test_after_a_restart_match_time_stands_still_until_all_bots_are_back(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    await harness.time.advance(2 * SECOND)
    await harness.submit_move(match_id, 0, "1")
    waiting = await harness.create(players=())
    later = await harness.restart()
    assert await later.referee.recover() == 2
    await settle()
    assert (await later.event_kinds(waiting))[-1] == "RefereeRecovered"
    (first,) = later.connect(BOTS[0])
    await later.time.advance(8 * SECOND)
    assert (await later.event_kinds(match_id))[-1] == "MovePlayed"
    assert later.referee.turn_due(match_id, 1) is None
    (second,) = later.connect(BOTS[1])
    await settle()
    assert drain_outbox(first) == []
    assert drain_outbox(second) == [TurnNotice(match_id, 1)]
    due = later.turn_due(match_id, 1)
    assert (due.turn.token, due.repeated, due.left_us, due.moves_since()) == ("1.1.1", True, 10 * SECOND, [(0, "1")])
    await later.submit_move(match_id, 1, "1")
    await later.referee.close()
    await harness.time.advance(60 * SECOND)


async def test_bots_that_do_not_return_after_a_restart_count_as_disconnected(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    later = await harness.restart_and_recover()
    await later.time.advance(15 * SECOND)
    assert (await later.event_kinds(match_id))[2:] == ["RefereeRecovered", "SeatDisconnected", "SeatDisconnected"]
    await later.time.advance(10 * SECOND + 1)
    assert (await later.match(match_id)).phase is MatchPhase.OVER


async def test_a_command_resumes_a_recovered_match_and_reading_does_not(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    later = await harness.restart_and_recover()
    assert (await later.referee.status(match_id)).match.ply == 0
    assert (await later.event_kinds(match_id))[-1] == "PlayStarted"
    (due,) = await later.referee.due_turns("bot0")
    await later.referee.submit(match_id, 0, due.turn.token, "1")
    assert "MovePlayed" in await later.event_kinds(match_id)


async def test_resuming_a_match_is_retried_while_the_log_is_unavailable(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    later = await harness.restart_and_recover()
    later.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await later.referee.resign(match_id, 0)
    later.log.make_available()
    await later.time.advance(SECOND)
    assert "RefereeRecovered" in await later.event_kinds(match_id)


async def test_a_match_that_another_process_ends_during_the_recovery_is_not_live(
    harness: RefereeHarness,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match_id, _ = await harness.start_match()
    later = await harness.restart()
    list_unfinished = harness.stored.unfinished

    async def end_after_listing() -> Sequence[str]:
        found = await list_unfinished()
        last = (await harness.stored.read(match_id))[-1].number
        end = PlayEnded(0, void_result(EndCause.ABORTED), bytes(32))
        await harness.stored.append(match_id, last, [end])
        return found

    monkeypatch.setattr(harness.stored, "unfinished", end_after_listing)
    assert await later.referee.recover() == 0
    assert later.referee.live_matches == []


async def test_a_match_that_its_game_cannot_replay_becomes_void_and_blocks_no_other(harness: RefereeHarness) -> None:
    removed, _ = await harness.start_match("fingers")
    broken, _ = await harness.start_match()
    playable = await harness.create("alquerque")
    move = (await harness.match(broken)).require_position().moves(0)[0]
    await harness.submit_move(broken, 0, move)
    (opened, *others) = await harness.stored.read(broken)
    illegal_move = MovePlayed(0, 1, "1.1.1", "9")
    await harness.stored.append(broken, len(others) + 1, [illegal_move])
    unreadable = await harness.create()
    await harness.stored.append("no opening", 0, [RefereeRecovered(0, 0)])
    later = await harness.restart({name: game for name, game in GAMES.items() if name != "fingers"})
    assert await later.referee.recover() == 2
    for match_id in (removed, broken):
        end = (await later.stored.read(match_id))[-1].event
        assert isinstance(end, PlayEnded)
        assert end.result.cause is EndCause.ENGINE_FAULT
    standing = await later.referee.status(broken)
    assert (standing.match.phase, standing.number) == (MatchPhase.OVER, 5)
    with pytest.raises(EngineFault):
        await later.referee.status(removed)
    listed = [standing.match.setup.match_id for standing in (await later.referee.list_matches()).matches]
    assert listed == [unreadable, playable, broken]
    assert [match_id for match_id, _ in later.recorder.faults] == [removed, broken, "no opening"]
    assert opened.number == 1


async def test_a_drain_waits_for_pending_turns_and_sends_no_new_ones(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match()
    drain_outbox(*sessions)
    draining = asyncio.create_task(harness.referee.drain(5 * SECOND, 2000))
    await settle()
    assert [drain_outbox(session) for session in sessions] == [[DrainNotice(5000, 2000)]] * 2
    with pytest.raises(RefereeDraining):
        await harness.create()
    with pytest.raises(RefereeDraining):
        await harness.referee.join(match_id, None, BOTS[0])
    assert not draining.done()
    await harness.submit_move(match_id, 0, "1")
    await draining
    assert drain_outbox(sessions[1]) == []
    await harness.referee.close()
    assert [type(session.outbox.closed) for session in sessions] == [RefereeDraining] * 2
    later = await harness.restart()
    assert await later.referee.recover() == 1
    await later.referee.close()
    assert harness.time.alarms_us == [harness.time.us + 15 * SECOND]


async def test_a_turn_that_is_not_sent_because_of_a_drain_costs_no_time(harness: RefereeHarness) -> None:
    first, _ = await harness.start_match()
    await harness.create()  # A turn is pending in another match.
    draining = asyncio.create_task(harness.referee.drain(60 * SECOND, 2000))
    await harness.submit_move(first, 0, "1")
    await harness.time.advance(9 * SECOND)
    harness.connect(BOTS[1])  # A newer session gets no turn either.
    await harness.time.advance(SECOND)
    assert (await harness.match(first)).phase is MatchPhase.PLAYING
    await harness.time.advance(10 * SECOND)
    await harness.submit_move(first, 1, "1")
    assert [row.charged_us for row in await harness.move_rows(first)] == [0, 0]
    await harness.time.advance(60 * SECOND)
    assert draining.done()


async def test_a_turn_that_is_not_sent_costs_no_time_although_another_node_has_measured_it_before() -> None:
    harness = RefereeHarness(connect=SharedMatches)
    assert isinstance(harness.live.others, SharedMatches)
    harness.live.others.coordinate(coordinates=True)
    first, _ = await harness.start_match()
    await harness.create()  # A turn is pending in another match.
    draining = asyncio.create_task(harness.referee.drain(60 * SECOND, 2000))
    await harness.submit_move(first, 0, "1")
    (turn,) = (await harness.match(first)).owing
    harness.live.others.set_uses([(first, TurnUse(turn.token, 0))])
    await harness.time.advance(20 * SECOND)
    await harness.submit_move(first, 1, "1")
    assert [row.charged_us for row in await harness.move_rows(first)] == [0, 0]
    draining.cancel()


async def test_a_turn_that_was_restored_and_is_not_sent_because_of_a_drain_costs_no_time() -> None:
    earlier = RefereeHarness()
    match_id, _ = await earlier.start_match()
    harness = await earlier.restart_and_recover()
    harness.connect(*BOTS[:2])  # The match resumes in the background.
    await harness.referee.drain(0, 2000)
    await settle()
    await harness.time.advance(20 * SECOND)
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING
    await harness.submit_move(match_id, 0, "1")
    assert [row.charged_us for row in await harness.move_rows(match_id)] == [0]


async def test_a_drain_waits_no_longer_than_its_grace_period(harness: RefereeHarness) -> None:
    await harness.start_match()
    draining = asyncio.create_task(harness.referee.drain(5 * SECOND, 2000))
    await harness.time.advance(5 * SECOND - 1)
    assert not draining.done()
    await harness.time.advance(1)
    assert draining.done()


async def test_an_observer_that_fails_stops_no_match(harness: RefereeHarness) -> None:
    def fail(*_: object) -> None:
        raise KeyError("counting")

    harness.recorder.on_entries = fail  # type: ignore[method-assign, assignment]  # Simulates a bug in the observer.
    match_id, sessions = await harness.start_match()
    assert filter_by_type(drain_outbox(sessions[0]), MatchStarted) == [MatchStarted(match_id, 0)]
    assert [type(fault) for _, fault in harness.recorder.faults] == [KeyError] * 2


async def test_a_match_that_starts_while_the_referee_closes_is_in_the_log(harness: RefereeHarness) -> None:
    match_id = await harness.create()
    harness.log.before.clear()
    first, _ = harness.connect(*NIM_BOTS)
    await settle()
    closing = asyncio.create_task(harness.referee.close())
    await settle()
    harness.referee.sessions.close(first)
    harness.log.before.set()
    await closing
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]
    assert drain_outbox(first) == []
    assert harness.recorder.faults == []


async def test_an_unexpected_exception_is_reported_as_a_fault(harness: RefereeHarness) -> None:
    match_id, (first, _) = await harness.start_match()
    harness.log.error = KeyError("a bug")
    harness.referee.sessions.close(first)
    await harness.time.advance(ABSENCE_DELAY_US)
    assert [(where, type(fault)) for where, fault in harness.recorder.faults] == [(match_id, KeyError)]
    harness.log.make_available()
    with pytest.raises(KeyError):
        await harness.referee.create(match_request(labels={MAKER: "x"}, adjudication=BrokenTerms()))
    await settle()
    assert len(harness.recorder.faults) == 2


class BrokenTerms:
    """Terms that break the code that reads them."""

    def __getattr__(self, name: str) -> None:
        raise KeyError(name)


async def test_a_log_that_raises_an_unexpected_exception_does_not_stop_the_recovery(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    later = await harness.restart()
    later.log.error = ValueError("no event of ours")
    assert await later.referee.recover() == 0
    assert [where for where, _ in later.recorder.faults] == [match_id]
    later.log.make_available()
    with pytest.raises(MatchMoving):
        await later.referee.resign(match_id, 0)


async def test_a_conflict_while_declaring_a_match_void_is_reported(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match("fingers")
    later = await harness.restart(games={"nim": GAMES["nim"]})
    later.log.before.clear()
    recovering = asyncio.create_task(later.referee.recover())
    await settle()
    await later.stored.append(match_id, 2, [RefereeRecovered(0, 0)])
    later.log.before.set()
    assert await recovering == 0
    assert [type(fault) for _, fault in later.recorder.faults] == [UnplayableLog, Conflict]


async def test_callbacks_for_a_match_that_is_not_live_have_no_effect() -> None:
    log = MemoryEventLog(int)
    live_matches = LiveMatches(log, MemoryUndeliveredEnds(log), FakeTime(), GAMES, str, LoopLag(FakeTime()))
    assert live_matches.seat_delays("m", 0) == SeatDelays()
    live_matches.on_stopped("m")
    live_matches.on_fault("m", KeyError())
    await live_matches.close(KeyError())
