"""Presence: starts, nonces, disconnects and returns, referee delay, draining and recovery."""

import asyncio

import pytest

from referee.live.loop_lag import LoopLag
from referee.live.match_request import MAKER, LiveLimits, MatchRequest
from referee.live.outbox import DrainNotice, MatchEnded, MatchStarted, NonceRequested, TurnNotice
from referee.live.ports import Conflict, EngineFault, LogUnavailable, SeatDelays
from referee.live.referee import RefereeDraining
from referee.live.registry import LiveMatches
from referee.live.runner import NotRunHere
from referee.live.sessions import ABSENCE_DELAY_US, Hello, Session
from referee.live.stored_matches import UnplayableLog
from referee.match.clock import MS, SECOND, TimeControl, Untimed
from referee.match.clock_charge import ClockCharge, NetworkCredit
from referee.match.events import MatchResumed, MovePlayed, PlayEnded, SeatDisconnected, SeatReconnected
from referee.match.match_errors import NonceRefused
from referee.match.result import EndCause, Fault
from referee.match.setup import DisconnectPolicy, Player, Policies
from referee.match.state import MatchPhase
from referee.storage.memory import MemoryEventLog, MemoryUndeliveredEnds
from tests.live.fake_time import StoppedTime, settled
from tests.live.referee_harness import BOTS, GAMES, Hall, asked, of_kind, told
from tests.live.runner_harness import in_loop

NIM_BOTS = BOTS[:2]


async def rows(hall: Hall, match_id: str) -> list[ClockCharge | None]:
    return [entry.event.row for entry in await hall.stored.read(match_id) if isinstance(entry.event, MovePlayed)]


@in_loop
async def test_a_match_whose_bots_do_not_come_is_void_in_time_and_they_hear_of_it() -> None:
    hall = Hall(limits=LiveLimits(start_within_us=60 * SECOND))
    match_id = await hall.create()
    (session,) = hall.come(BOTS[0])
    await hall.time.passes(60 * SECOND - 1)
    assert (await hall.match(match_id)).phase is MatchPhase.WAITING
    await hall.time.passes(1)
    result = (await hall.match(match_id)).result
    assert result
    assert result.cause is EndCause.NOT_STARTED
    assert told(session) == [MatchEnded(match_id, 0)]
    assert hall.time.alarms_us == []
    await hall.referee.close()


@in_loop
async def test_an_end_that_a_bot_missed_is_told_after_a_restart_until_it_has_arrived() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun()
    hall.referee.sessions.close(sessions[1])
    await hall.referee.resign(match_id, 0)
    hall, unheard = await after_a_crash(hall, BOTS[1])
    assert told(unheard) == [MatchEnded(match_id, 1)]
    hall, heard = await after_a_crash(hall, BOTS[1])
    assert told(heard) == [MatchEnded(match_id, 1)]
    heard.ping()
    told(heard)
    heard.pong(1)
    hall, later = await after_a_crash(hall, BOTS[1])
    assert told(later) == []
    await hall.referee.close()


async def after_a_crash(hall: Hall, player: Player) -> tuple[Hall, Session]:
    """Return the next process, and the session of that bot in it."""
    hall = await hall.crashed()
    await hall.referee.recover()
    (session,) = hall.come(player)
    await settled()
    return hall, session


@in_loop
async def test_ends_that_cannot_be_looked_up_now_are_told_in_a_later_session() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    await hall.referee.resign(match_id, 0)
    hall = await hall.crashed()
    hall.unheard.trouble = LogUnavailable("the disk is full")
    (early,) = hall.come(BOTS[1])
    await settled()
    hall.unheard.trouble = None
    (later,) = hall.come(BOTS[1])
    await settled()
    assert of_kind(told(early), MatchEnded) == []
    assert told(later) == [MatchEnded(match_id, 1)]
    assert hall.noted.faults == []
    await hall.referee.close()


@in_loop
async def test_a_version_that_was_left_open_is_that_of_the_bot_that_came() -> None:
    hall = Hall()
    match_id = await hall.create(players=(Player("bot0"), Player("bot1", "2")))
    hall.come(*NIM_BOTS)
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated"]
    hall.come(Player("bot1", "2"))
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated", "SeatTaken", "PlayStarted"]
    assert (await hall.match(match_id)).players == (BOTS[0], Player("bot1", "2"))
    await hall.referee.close()


@in_loop
async def test_a_bot_plays_only_what_it_takes_and_as_many_as_it_has_room_for() -> None:
    hall = Hall()
    (one,) = hall.come(BOTS[0], hello=Hello(frozenset({"fingers"})))
    hall.come(BOTS[1])
    matches = [await hall.create(chosen={"heap": 1}) for _ in range(3)]

    async def phases() -> list[str]:
        return [(await hall.match(match_id)).phase.value for match_id in matches]

    assert await phases() == ["waiting"] * 3
    hall.referee.sessions.update_hello(one, Hello(max_matches=2))
    await settled()
    assert await phases() == ["playing", "playing", "waiting"]
    await hall.played(matches[1], 0, "1")
    assert await phases() == ["playing", "over", "playing"]
    hall.referee.sessions.update_hello(one, Hello(max_matches=0))
    await hall.played(matches[0], 0, "1")
    assert hall.referee.count_in_play("bot0") == 1
    await hall.referee.close()


@in_loop
async def test_nonces_are_asked_for_and_the_match_begins_when_they_have_come() -> None:
    hall = Hall()
    sessions = hall.come(*NIM_BOTS)
    match_id = await hall.create(nonce_within_us=5 * SECOND)
    for seat, session in enumerate(sessions):
        (item,) = told(session)
        assert isinstance(item, NonceRequested)
        assert (item.seat, item.until_us) == (seat, hall.time.us + 5 * SECOND)
    await hall.referee.give_nonce(match_id, 0, b"salt")
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated", "NonceAdded"]
    (again,) = hall.come(BOTS[1])
    assert [type(item) for item in told(again)] == [NonceRequested]
    await hall.referee.give_nonce(match_id, 1, b"")
    await settled()
    assert (await hall.match(match_id)).phase is MatchPhase.PLAYING
    await hall.referee.close()


@in_loop
async def test_who_gives_no_nonce_is_not_waited_for_longer_than_was_said() -> None:
    hall = Hall()
    hall.come(*NIM_BOTS)
    match_id = await hall.create(nonce_within_us=5 * SECOND)
    await hall.time.passes(5 * SECOND)
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted"]
    with pytest.raises(NonceRefused, match="play has started"):
        await hall.referee.give_nonce(match_id, 0, b"too late")
    await hall.referee.close()


@in_loop
async def test_a_beginning_that_could_not_be_written_is_tried_again() -> None:
    hall = Hall()
    match_id = await hall.create()
    hall.log.goes_away()
    hall.come(*NIM_BOTS)
    await settled()
    assert (await hall.match(match_id)).phase is MatchPhase.WAITING
    hall.log.comes_back()
    await hall.time.passes(SECOND)
    assert (await hall.match(match_id)).phase is MatchPhase.PLAYING
    assert hall.noted.faults == []
    await hall.referee.close()


@in_loop
async def test_a_bot_that_leaves_and_comes_back_is_asked_again_with_the_same_token() -> None:
    hall = Hall()
    match_id, (one, _) = await hall.begun()
    token = hall.due(match_id, 0).turn.token
    await hall.time.passes(SECOND)
    hall.referee.sessions.close(one)
    await settled()
    await hall.time.passes(SECOND)
    (back,) = hall.come(BOTS[0])
    assert told(back) == [TurnNotice(match_id, 0)]
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatDisconnected", "SeatReconnected"]
    due = hall.due(match_id, 0)
    assert (due.turn.token, due.repeated, due.left_us) == (token, True, 8 * SECOND)
    await hall.referee.close()


@in_loop
async def test_a_bot_that_comes_back_at_once_leaves_no_entry_in_any_of_its_matches() -> None:
    hall = Hall()
    match_id, (session, _) = await hall.begun(controls=(Untimed(),))
    more = [await hall.create(controls=(Untimed(),)) for _ in range(31)]
    for _ in range(20):
        hall.referee.sessions.close(session)
        await hall.time.passes(ABSENCE_DELAY_US - 1)
        (session,) = hall.come(BOTS[0])
        await hall.time.passes(0)
        assert len(asked(session)) == 32
    assert {tuple(await hall.kinds(one)) for one in (match_id, *more)} == {("MatchCreated", "PlayStarted")}
    await hall.referee.close()


@in_loop
async def test_a_bot_that_comes_and_goes_has_few_entries_written_and_each_says_since_when_it_was_away() -> None:
    hall = Hall()
    match_id, (session, _) = await hall.begun(controls=(Untimed(),))
    for _ in range(10):
        await hall.time.passes(SECOND)
        hall.referee.sessions.close(session)
        await hall.time.passes(2 * SECOND)
        (session,) = hall.come(BOTS[0])
    await settled()
    events = [entry.event for entry in await hall.stored.read(match_id)][2:]
    assert [(type(event), event.at_us // SECOND) for event in events] == [
        (SeatDisconnected, 1),
        (SeatReconnected, 3),
        (SeatDisconnected, 13),
        (SeatReconnected, 15),
        (SeatDisconnected, 25),
        (SeatReconnected, 27),
    ]
    await hall.referee.close()


@in_loop
async def test_a_grace_period_counts_from_when_the_bot_went_and_not_from_when_that_was_written() -> None:
    hall = Hall()
    grace = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=3 * SECOND)
    match_id, (session, _) = await hall.begun(policies=grace)
    await hall.time.passes(SECOND)
    hall.referee.sessions.close(session)
    await hall.time.passes(3 * SECOND - 1)
    assert (await hall.match(match_id)).phase is MatchPhase.PLAYING
    await hall.time.passes(1)
    assert (await hall.match(match_id)).forfeits[0].fault is Fault.GONE
    await hall.referee.close()


@in_loop
async def test_an_absence_that_is_written_goes_on_after_a_restart_and_one_that_is_not_begins_anew() -> None:
    for written, left_us in ((True, 2 * SECOND), (False, 3 * SECOND)):
        hall = Hall()
        grace = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=3 * SECOND)
        match_id, (session, other) = await hall.begun(policies=grace)
        hall.referee.sessions.close(session)
        await hall.time.passes(ABSENCE_DELAY_US - (not written))
        if written:
            hall.referee.sessions.close(other)  # Cause another entry to be written later.
            await hall.time.passes(ABSENCE_DELAY_US)
        later = await hall.crashed()
        await later.referee.recover()
        await later.time.passes(later.referee._limits.return_within_us)
        await later.time.passes(left_us - 1)
        assert (await later.match(match_id)).phase is MatchPhase.PLAYING
        await later.time.passes(1)
        assert (await later.match(match_id)).forfeits[0].fault is Fault.GONE
        await later.referee.close()


@in_loop
async def test_a_takeover_is_no_absence_and_a_successor_plays_on() -> None:
    hall = Hall()
    match_id, (one, _) = await hall.begun()
    (newer,) = hall.come(BOTS[0])
    assert told(newer) == [TurnNotice(match_id, 0)]
    (successor,) = hall.come(Player("bot0", "2"))
    assert told(successor) == []
    hall.referee.sessions.close(newer)
    assert told(successor) == [TurnNotice(match_id, 0)]
    hall.referee.sessions.close(one)
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted"]
    await hall.referee.close()


@in_loop
async def test_who_is_back_before_its_absence_is_written_is_back_in_the_log() -> None:
    hall = Hall()
    match_id, (one, _) = await hall.begun(policies=Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=SECOND))
    hall.log.before.clear()
    hall.referee.sessions.close(one)
    await hall.time.passes(ABSENCE_DELAY_US)
    hall.come(BOTS[0])
    hall.log.before.set()
    await settled()
    assert (await hall.kinds(match_id))[2:] == ["SeatDisconnected", "SeatReconnected"]
    await hall.time.passes(5 * SECOND)
    assert (await hall.match(match_id)).phase is MatchPhase.PLAYING
    await hall.referee.close()


@in_loop
async def test_a_seat_whose_bot_is_away_is_asked_when_it_comes() -> None:
    hall = Hall()
    match_id, (_, two) = await hall.begun()
    hall.referee.sessions.close(two)
    await settled()
    await hall.played(match_id, 0, "1")
    (back,) = hall.come(BOTS[1])
    assert asked(back) == [TurnNotice(match_id, 1)]
    await hall.referee.close()


@in_loop
async def test_half_a_second_of_standing_still_is_given_back_and_costs_no_flag() -> None:
    hall = Hall()
    hall.lag.start()
    match_id, _ = await hall.begun()
    await hall.time.passes(SECOND)
    hall.time.us += 500 * MS
    await hall.played(match_id, 0, "1")
    (row,) = await rows(hall, match_id)
    assert row
    assert row.stall_us == 490 * MS, "but for the ten milliseconds between two alarms"
    hall.time.us += 15 * SECOND
    await hall.time.passes(0)
    assert (await hall.match(match_id)).phase is MatchPhase.PLAYING
    await hall.time.passes(11 * SECOND)
    assert (await hall.match(match_id)).phase is MatchPhase.OVER
    hall.lag.stop()
    await hall.referee.close()


@in_loop
async def test_the_way_of_an_answer_is_measured_on_the_bots_own_stream() -> None:
    hall = Hall()
    match_id, (one, _) = await hall.begun(credit=NetworkCredit(SECOND, SECOND))
    one.ping()
    told(one)
    await hall.time.passes(30 * MS)
    one.pong(1)
    await hall.played(match_id, 0, "1")
    (row,) = await rows(hall, match_id)
    assert row
    assert (row.network_us, row.network_credit_us) == (30 * MS, 30 * MS)
    await hall.referee.close()


@in_loop
async def test_after_a_restart_time_stands_still_until_all_bots_are_back() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    await hall.time.passes(2 * SECOND)
    await hall.played(match_id, 0, "1")
    waiting = await hall.create(players=())
    later = await hall.crashed()
    assert await later.referee.recover() == 2
    await settled()
    assert (await later.kinds(waiting))[-1] == "MatchResumed"
    (one,) = later.come(BOTS[0])
    await later.time.passes(8 * SECOND)
    assert (await later.kinds(match_id))[-1] == "MovePlayed"
    assert later.referee.turn_due(match_id, 1) is None
    (two,) = later.come(BOTS[1])
    await settled()
    assert told(one) == []
    assert told(two) == [TurnNotice(match_id, 1)]
    due = later.due(match_id, 1)
    assert (due.turn.token, due.repeated, due.left_us, due.moves_since()) == ("1.1.1", True, 10 * SECOND, [(0, "1")])
    await later.played(match_id, 1, "1")
    await later.referee.close()
    await hall.time.passes(60 * SECOND)


@in_loop
async def test_bots_that_do_not_come_back_are_gone_when_they_were_waited_for_long_enough() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    later = await hall.crashed()
    await later.referee.recover()
    await later.time.passes(15 * SECOND)
    assert (await later.kinds(match_id))[2:] == ["MatchResumed", "SeatDisconnected", "SeatDisconnected"]
    await later.time.passes(10 * SECOND + 1)
    assert (await later.match(match_id)).phase is MatchPhase.OVER
    await later.referee.close()


@in_loop
async def test_a_command_does_not_wait_for_the_bots_and_reading_wakes_nobody() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    later = await hall.crashed()
    await later.referee.recover()
    assert (await later.referee.status(match_id)).match.ply == 0
    assert (await later.kinds(match_id))[-1] == "PlayStarted"
    (due,) = await later.referee.due_turns("bot0")
    await later.referee.submit(match_id, 0, due.turn.token, "1")
    assert "MovePlayed" in await later.kinds(match_id)
    await later.referee.close()


@in_loop
async def test_a_match_that_cannot_go_on_because_of_the_log_is_tried_again() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    later = await hall.crashed()
    await later.referee.recover()
    later.log.goes_away()
    with pytest.raises(LogUnavailable):
        await later.referee.resign(match_id, 0)
    later.log.comes_back()
    await later.time.passes(SECOND)
    assert "MatchResumed" in await later.kinds(match_id)
    await later.referee.close()


@in_loop
async def test_a_log_that_cannot_be_read_at_the_start_is_no_start() -> None:
    hall = Hall()
    await hall.begun()
    later = await hall.crashed()
    later.log.goes_away()
    with pytest.raises(LogUnavailable):
        await later.referee.recover()
    await later.referee.close()


@in_loop
async def test_of_two_who_take_up_a_match_one_lets_go() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    one, two = await hall.crashed(), Hall(after=hall)
    await one.referee.recover()
    await two.referee.recover()
    one.come(*NIM_BOTS)
    await settled()
    two.come(*NIM_BOTS)
    await settled()
    with pytest.raises(NotRunHere):
        await two.referee.resign(match_id, 0)
    assert (await one.referee.resign(match_id, 0)).result
    await one.referee.close()
    await two.referee.close()


@in_loop
async def test_a_log_that_its_game_cannot_follow_any_more_is_void_and_holds_up_nobody() -> None:
    hall = Hall()
    gone, _ = await hall.begun("fingers")
    broken, _ = await hall.begun()
    good = await hall.create("alquerque")
    move = (await hall.match(broken)).require_position().moves(0)[0]
    await hall.played(broken, 0, move)
    (opened, *others) = await hall.stored.read(broken)
    bad = MovePlayed(0, 1, "1.1.1", "9")
    await hall.stored.append(broken, len(others) + 1, [bad])
    unreadable = await hall.create()
    await hall.stored.append("no opening", 0, [MatchResumed(0, 0)])
    later = await hall.crashed({name: game for name, game in GAMES.items() if name != "fingers"})
    assert await later.referee.recover() == 2
    for match_id in (gone, broken):
        end = (await later.stored.read(match_id))[-1].event
        assert isinstance(end, PlayEnded)
        assert end.result.cause is EndCause.ENGINE_FAULT
    standing = await later.referee.status(broken)
    assert (standing.match.phase, standing.number) == (MatchPhase.OVER, 5)
    with pytest.raises(EngineFault):
        await later.referee.status(gone)
    listed = [standing.match.setup.match_id for standing in (await later.referee.list_matches()).matches]
    assert listed == [unreadable, good, broken]
    assert [match_id for match_id, _ in later.noted.faults] == [gone, broken, "no opening"]
    assert opened.number == 1
    await later.referee.close()


@in_loop
async def test_a_drain_waits_for_the_turns_that_were_asked_and_asks_no_others() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun()
    for session in sessions:
        told(session)
    draining = asyncio.create_task(hall.referee.drain(5 * SECOND, 2000))
    await settled()
    assert [told(session) for session in sessions] == [[DrainNotice(5000, 2000)]] * 2
    with pytest.raises(RefereeDraining):
        await hall.create()
    with pytest.raises(RefereeDraining):
        await hall.referee.join(match_id, None, BOTS[0])
    assert not draining.done()
    await hall.played(match_id, 0, "1")
    await draining
    assert told(sessions[1]) == []
    await hall.referee.close()
    assert [type(session.outbox.closed) for session in sessions] == [RefereeDraining] * 2
    later = await hall.crashed()
    assert await later.referee.recover() == 1
    await later.referee.close()
    assert hall.time.alarms_us == [hall.time.us + 15 * SECOND]


@in_loop
async def test_a_turn_that_is_not_sent_because_of_a_drain_costs_no_time() -> None:
    hall = Hall()
    first, _ = await hall.begun()
    await hall.create()  # A turn is pending in another match.
    draining = asyncio.create_task(hall.referee.drain(60 * SECOND, 2000))
    await hall.played(first, 0, "1")
    await hall.time.passes(9 * SECOND)
    hall.come(BOTS[1])  # A newer session gets no turn either.
    await hall.time.passes(SECOND)
    assert (await hall.match(first)).phase is MatchPhase.PLAYING
    await hall.time.passes(10 * SECOND)
    await hall.played(first, 1, "1")
    assert [row and row.charged_us for row in await rows(hall, first)] == [0, 0]
    await hall.time.passes(60 * SECOND)
    assert draining.done()
    await hall.referee.close()


@in_loop
async def test_a_drain_does_not_wait_beyond_its_grace() -> None:
    hall = Hall()
    await hall.begun()
    draining = asyncio.create_task(hall.referee.drain(5 * SECOND, 2000))
    await hall.time.passes(5 * SECOND - 1)
    assert not draining.done()
    await hall.time.passes(1)
    assert draining.done()
    await hall.referee.close()


@in_loop
async def test_an_observer_that_fails_stops_nothing() -> None:
    hall = Hall()

    def breaks(*_: object) -> None:
        raise KeyError("counting")

    hall.noted.on_entries = breaks  # type: ignore[method-assign, assignment]  # So that it breaks.
    match_id, sessions = await hall.begun()
    assert of_kind(told(sessions[0]), MatchStarted) == [MatchStarted(match_id, 0)]
    assert [type(fault) for _, fault in hall.noted.faults] == [KeyError] * 2
    await hall.referee.close()


@in_loop
async def test_a_match_that_begins_while_the_referee_closes_is_in_the_log() -> None:
    hall = Hall()
    match_id = await hall.create()
    hall.log.before.clear()
    one, _ = hall.come(*NIM_BOTS)
    await settled()
    closing = asyncio.create_task(hall.referee.close())
    await settled()
    hall.referee.sessions.close(one)
    hall.log.before.set()
    await closing
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted"]
    assert told(one) == []
    assert hall.noted.faults == []


@in_loop
async def test_what_breaks_while_nobody_waits_is_for_the_referees_own_log() -> None:
    hall = Hall()
    match_id, (one, _) = await hall.begun()
    hall.log.trouble = KeyError("a bug")
    hall.referee.sessions.close(one)
    await hall.time.passes(ABSENCE_DELAY_US)
    assert [(where, type(fault)) for where, fault in hall.noted.faults] == [(match_id, KeyError)]
    hall.log.comes_back()
    with pytest.raises(KeyError):
        await hall.referee.create(MatchRequest("nim", labels={MAKER: "x"}, controls=Oddity()))
    await settled()
    assert len(hall.noted.faults) == 2
    await hall.referee.close()


class Oddity(tuple[TimeControl, ...]):
    """Terms that break the code that reads them."""

    def __len__(self) -> int:
        raise KeyError("odd")


@in_loop
async def test_two_commands_wake_a_match_once() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    later = await hall.crashed()
    await later.referee.recover()
    await asyncio.gather(later.referee.offer_draw(match_id, 0), later.referee.offer_draw(match_id, 1))
    assert (await later.kinds(match_id)).count("MatchResumed") == 1
    assert later.referee.live_matches == []
    await later.referee.close()


@in_loop
async def test_a_log_that_breaks_its_reader_holds_up_nobody() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    later = await hall.crashed()
    later.log.trouble = ValueError("no event of ours")
    assert await later.referee.recover() == 0
    assert [where for where, _ in later.noted.faults] == [match_id]
    later.log.comes_back()
    with pytest.raises(NotRunHere):
        await later.referee.resign(match_id, 0)
    await later.referee.close()


@in_loop
async def test_of_two_who_declare_the_same_match_void_one_lets_it_be() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("fingers")
    later = await hall.crashed(games={"nim": GAMES["nim"]})
    later.log.before.clear()
    recovering = asyncio.create_task(later.referee.recover())
    await settled()
    await later.stored.append(match_id, 2, [MatchResumed(0, 0)])
    later.log.before.set()
    assert await recovering == 0
    assert [type(fault) for _, fault in later.noted.faults] == [UnplayableLog, Conflict]
    await later.referee.close()


@in_loop
async def test_of_what_is_not_on_the_floor_nothing_is_known_and_nothing_left() -> None:
    log = MemoryEventLog(int)
    floor = LiveMatches(log, MemoryUndeliveredEnds(log), StoppedTime(), GAMES, str, LoopLag(StoppedTime()))
    assert floor.seat_delays("m", 0) == SeatDelays()
    floor.on_stopped("m")
    floor.on_fault("m", KeyError())
    await floor.close(KeyError())
