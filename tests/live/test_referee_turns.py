"""Turns and their answers: each answer is one move, and each verdict is final."""

import asyncio
from dataclasses import replace

import pytest

from engines.api import REFEREE
from referee.live.outbox import MoveAccepted, TurnExpired, TurnNotice
from referee.live.ports import EngineFault, LogUnavailable
from referee.live.runner import FIRST_RETRY_US, NotRunHere
from referee.live.submit import VERDICT_READ_BATCH, AttemptRefused, LateAnswer, seat_of
from referee.match.clock import MS, SECOND, Untimed
from referee.match.clock_charge import NetworkCredit
from referee.match.match_errors import MatchOver, NoDraw, NoSuchSeat, NotAllowedNow, RequestIdReused, StaleTurn
from referee.match.setup import DropoutPolicy, IllegalMovePolicy, LatePolicy, Policies
from referee.match.state import MatchPhase
from tests.live.fake_time import settled
from tests.live.referee_harness import BOTS, Hall, asked, of_kind, told
from tests.live.runner_harness import in_loop


@in_loop
async def test_a_move_is_taken_and_the_next_seat_asked() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun()
    told(sessions[1])
    answered = await hall.played(match_id, 0, "2")
    assert (answered.number, answered.ply, answered.result, answered.repeated) == (3, 0, None, False)
    assert told(sessions[1]) == [TurnNotice(match_id, 1)]
    due = hall.due(match_id, 1)
    assert (due.seat, due.position, due.view()) == (1, "19 1", {"heap": 19, "to_move": 1})
    assert due.moves_since() == [(0, "2")]
    assert due.legal_moves(2).listed == ("1", "2")
    assert due.legal_moves(2).count == 3
    assert (due.attempts_left, due.offers, due.sealed) == (3, (), False)
    assert hall.referee.turn_due(match_id, 0) is None
    await hall.referee.close()


@in_loop
async def test_a_turn_tells_the_moves_since_the_last_one_or_all() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    for move in "123":
        await hall.played(match_id, int(hall.due(match_id, 0).seat if hall.referee.turn_due(match_id, 0) else 1), move)
    due = hall.due(match_id, 1)
    assert due.moves_since() == [(0, "3")]
    assert due.moves_since(all_moves=True) == [(0, "1"), (1, "2"), (0, "3")]
    await hall.referee.close()


@in_loop
async def test_what_is_chosen_at_the_same_time_is_sealed() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("fingers")
    await hall.played(match_id, 0, "3")
    due = hall.due(match_id, 1)
    assert due.sealed
    assert due.moves_since() == [(0, "?")]
    assert "3?" not in due.position
    await hall.played(match_id, 1, "2")
    assert hall.due(match_id, 2).sealed, "the last who chooses does not see the others' choices either"
    await hall.referee.close()


@in_loop
async def test_a_turn_says_how_much_time_every_seat_has() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(credit=NetworkCredit(100 * MS, SECOND))
    await hall.time.passes(3 * SECOND)
    due = hall.due(match_id, 0)
    assert due.left_us == 7 * SECOND + 100 * MS
    mine, other = due.clocks
    assert (mine.running, mine.used_us, mine.credit_left_us) == (True, 3 * SECOND, SECOND)
    assert (other.running, other.used_us, other.left_us) == (False, 0, 10 * SECOND)
    untimed, _ = await hall.begun(controls=(Untimed(),))
    assert hall.due(untimed, 0).left_us is None
    await hall.referee.close()


@in_loop
async def test_turns_are_listed_the_most_pressing_first() -> None:
    hall = Hall()
    untimed, _ = await hall.begun(controls=(Untimed(),))
    early = await hall.create()
    await hall.time.passes(SECOND)
    late = await hall.create()
    due = await hall.referee.due_turns("bot0")
    assert [turn.match.setup.match_id for turn in due] == [early, late, untimed]
    assert [turn.repeated for turn in due] == [False] * 3
    assert [turn.repeated for turn in await hall.referee.due_turns("bot0", late)] == [True]
    assert await hall.referee.due_turns("bot1") == []
    await hall.referee.close()


@in_loop
async def test_the_same_answer_again_gets_its_first_verdict() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    first = await hall.referee.submit(match_id, 0, "0.0.1", "2")
    again = await hall.referee.submit(match_id, 0, "0.0.1", "2")
    assert again == MoveAccepted(first.event, first.number, first.ply, None, repeated=True)
    with pytest.raises(StaleTurn):
        await hall.referee.submit(match_id, 0, "0.0.1", "3")
    assert (await hall.match(match_id)).ply == 1
    await hall.referee.close()


@in_loop
async def test_the_same_answer_twice_at_the_same_moment_is_one_move() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    answers = await asyncio.gather(*(hall.referee.submit(match_id, 0, "0.0.1", "2", "r") for _ in range(5)))
    assert [answered.repeated for answered in answers] == [False, True, True, True, True]
    assert (await hall.match(match_id)).ply == 1
    await hall.referee.close()


@in_loop
async def test_a_request_is_known_for_ever_later_in_the_match_after_it_and_after_a_restart() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 6})
    first = await hall.referee.submit(match_id, 0, "0.0.1", "2", "r1")
    await hall.played(match_id, 1, "1")
    await hall.played(match_id, 0, "1", request_id="r2")
    again = [await hall.referee.submit(match_id, 0, "0.0.1", "2", "r1")]
    hall = await hall.crashed()
    await hall.referee.recover()
    again.append(await hall.referee.submit(match_id, 0, "0.0.1", "2", "r1"))
    hall.come(*BOTS[:2])
    await settled()
    last = await hall.played(match_id, 1, "2", request_id="r1")
    assert last.result
    again.append(await hall.referee.submit(match_id, 0, "0.0.1", "2", "r1"))
    with pytest.raises(RequestIdReused):
        await hall.referee.submit(match_id, 0, "0.2.1", "1", "r1")
    assert again == [MoveAccepted(first.event, first.number, first.ply, None, repeated=True)] * 3
    won_again = await hall.referee.submit(match_id, 1, "1.3.1", "2", "r1")
    assert (won_again.repeated, won_again.result, won_again.ply) == (True, last.result, 3)
    by_its_token = await hall.referee.submit(match_id, 1, "1.3.1", "2")
    assert by_its_token == won_again
    for seat in (0, 9):
        with pytest.raises(MatchOver):
            await hall.referee.submit(match_id, seat, "0.0.1", "2")
    await hall.referee.close()


@in_loop
async def test_to_answer_again_costs_a_few_entries_and_not_the_whole_log() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 100})
    first = last = await hall.played(match_id, 0, "1", request_id="r1")
    for ply in range(1, 60):
        await hall.time.passes(MS)
        last = await hall.played(match_id, ply % 2, "1", request_id=f"r{ply}")
    assert not hall.log.entries_read
    assert await hall.referee.submit(match_id, 0, "0.0.1", "1", "r1") == replace(first, repeated=True)
    assert await hall.referee.submit(match_id, 1, "1.59.1", "1") == replace(last, repeated=True)
    assert hall.log.entries_read <= 2 * VERDICT_READ_BATCH
    await hall.referee.close()


@in_loop
async def test_an_answer_again_tells_the_end_that_it_brought_after_moves_of_a_policy() -> None:
    hall = Hall()
    goes_on = Policies(dropout=DropoutPolicy.DEFAULT_MOVES)
    hall.come(*BOTS)
    match_id = await hall.create("stones", chosen={"heap": 6, "seats": 4}, players=BOTS, policies=goes_on)
    for seat in (1, 2):
        await hall.referee.resign(match_id, seat)
    first = await hall.played(match_id, 0, "1")
    assert (await hall.kinds(match_id))[-4:] == ["MovePlayed", "MovePlayed", "MovePlayed", "PlayEnded"]
    assert first.result
    assert await hall.referee.submit(match_id, 0, "0.0.1", "1") == replace(first, repeated=True)
    await hall.referee.close()


@in_loop
async def test_an_attempt_that_fails_says_what_is_left_and_says_it_again() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun()
    told(sessions[0])
    for again in (False, True):
        with pytest.raises(AttemptRefused) as illegal:
            await hall.referee.submit(match_id, 0, "0.0.1", "9", "r1")
        assert (illegal.value.reason, illegal.value.attempts_left, illegal.value.repeated) == ("ILLEGAL_MOVE", 2, again)
        assert illegal.value.details["rule"] == "NIM-1"
    assert asked(sessions[0]) == [TurnNotice(match_id, 0)]
    with pytest.raises(AttemptRefused) as malformed:
        await hall.played(match_id, 0, "all")
    assert (malformed.value.reason, malformed.value.attempts_left) == ("MALFORMED_MOVE", 1)
    assert hall.due(match_id, 0).attempts_left == 1
    await hall.referee.close()


@in_loop
async def test_to_ask_whether_a_move_could_be_played_plays_nothing_and_costs_nothing() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    assert await hall.referee.validate(match_id, 0, "0.0.1", "3") == 2
    with pytest.raises(AttemptRefused) as refused:
        await hall.referee.validate(match_id, 0, "0.0.1", "9")
    assert refused.value.attempts_left == 3
    with pytest.raises(StaleTurn):
        await hall.referee.validate(match_id, 1, "0.0.1", "1")
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted"]
    await hall.played(match_id, 0, "1")
    assert await hall.referee.validate(match_id, 0, "0.0.1", "1") == 3
    await hall.referee.close()


@in_loop
async def test_to_ask_about_an_answer_that_was_given_is_to_hear_its_verdict() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(policies=Policies(late=LatePolicy.RANDOM_MOVE))
    for ask in (hall.referee.submit, hall.referee.validate):
        with pytest.raises(AttemptRefused) as refused:
            await ask(match_id, 0, "0.0.1", "9")
        assert refused.value.attempts_left == 2
    await hall.time.passes(11 * SECOND)
    for ask in (hall.referee.submit, hall.referee.validate):
        with pytest.raises(LateAnswer) as late:
            await ask(match_id, 0, "0.0.2", "1")
        assert late.value.row.late
    await hall.referee.close()


@in_loop
async def test_an_answer_after_the_flag_is_late_whenever_it_is_asked() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(policies=Policies(late=LatePolicy.RANDOM_MOVE))
    hall.time.us += 11 * SECOND
    with pytest.raises(LateAnswer) as late:
        await hall.referee.submit(match_id, 0, "0.0.1", "1")
    assert late.value.row.charged_us == 11 * SECOND
    assert late.value.details["match_id"] == match_id
    with pytest.raises(LateAnswer) as again:
        await hall.referee.submit(match_id, 0, "0.0.1", "1")
    assert (late.value.repeated, again.value.repeated) == (False, True)
    await hall.referee.close()


@in_loop
async def test_a_turn_that_was_played_by_a_policy_lapses_with_the_clocks_proof() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun(policies=Policies(late=LatePolicy.DEFAULT_MOVE))
    for session in sessions:
        told(session)
    await hall.time.passes(10 * SECOND + 1)
    (lapsed,) = told(sessions[0])
    assert isinstance(lapsed, TurnExpired)
    assert (lapsed.token, lapsed.played_instead) == ("0.0.1", "1")
    assert lapsed.row
    assert lapsed.row.late
    assert asked(sessions[1]) == [TurnNotice(match_id, 1)]
    hall.referee.sessions.close(sessions[1])
    await hall.time.passes(10 * SECOND + 1)
    assert len(of_kind(told(sessions[0]), TurnNotice)) == 1
    await hall.referee.close()


@in_loop
async def test_the_last_attempt_and_a_resignation_lapse_too() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun(policies=Policies(illegal=IllegalMovePolicy.RANDOM_MOVE))
    told(sessions[0])
    with pytest.raises(AttemptRefused):
        await hall.played(match_id, 0, "9")
    assert [type(item) for item in told(sessions[0])] == [TurnExpired]
    many, sessions = await hall.begun("fingers", policies=Policies(dropout=DropoutPolicy.RANDOM_MOVES))
    told(sessions[1])
    await hall.referee.resign(many, 1)
    (lapsed,) = told(sessions[1])
    assert isinstance(lapsed, TurnExpired)
    assert lapsed.row is None
    await hall.referee.close()


@in_loop
async def test_an_offer_of_a_draw_asks_the_turn_again() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun()
    told(sessions[0])
    assert not hall.due(match_id, 0).repeated
    await hall.referee.offer_draw(match_id, 1)
    assert asked(sessions[0]) == [TurnNotice(match_id, 0)]
    assert (hall.due(match_id, 0).offers, hall.due(match_id, 0).repeated) == ((1,), True)
    await hall.referee.decline_draw(match_id, 0)
    assert hall.due(match_id, 0).offers == ()
    with pytest.raises(NoDraw):
        await hall.referee.claim_draw(match_id, 0)
    await hall.played(match_id, 0, "1", offers_draw=True)
    done = await hall.referee.offer_draw(match_id, 1)
    assert done.result
    assert done.number == (await hall.match(match_id)).number
    await hall.referee.close()


@in_loop
async def test_rules_that_break_make_the_match_void_and_say_so() -> None:
    hall = Hall()
    sessions = hall.come(*BOTS)
    match_id = await hall.create("brittle")
    seat = (await hall.match(match_id)).owing[0].seat
    with pytest.raises(EngineFault):
        await hall.played(match_id, seat, "2")
    assert (await hall.match(match_id)).phase is MatchPhase.OVER
    assert len(hall.noted.faults) == 1
    assert sessions
    await hall.referee.close()


@in_loop
async def test_who_has_no_seat_or_comes_too_early_is_refused() -> None:
    hall = Hall()
    waiting = await hall.create()
    with pytest.raises(NotAllowedNow):
        await hall.referee.submit(waiting, 0, "0.0.1", "1")
    with pytest.raises(NoSuchSeat):
        await hall.referee.submit(waiting, 5, "5.0.1", "1")
    await hall.referee.close()
    with pytest.raises(NotRunHere):
        await hall.referee.submit(waiting, 0, "0.0.1", "1")


@in_loop
async def test_stored_text_is_whole_and_told_text_is_not() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("toc", players=BOTS)
    position = (await hall.match(match_id)).require_position()
    seat = position.owing[0]
    assert hall.due(match_id, seat).position == position.text(seat) != position.text(REFEREE)
    await hall.played(match_id, seat, position.moves(seat)[0])
    await hall.referee.close()


@pytest.mark.parametrize(("token", "seat"), [("3.0.1", 3), ("", None), ("x.1", None), ("12", None), ("9999.1.1", None)])
def test_a_token_names_its_seat(token: str, seat: int | None) -> None:
    assert seat_of(token) == seat


@in_loop
async def test_whose_answer_could_not_be_written_is_asked_again_when_the_log_is_back() -> None:
    hall = Hall()
    match_id, (first, second) = await hall.begun()
    assert (len(asked(first)), asked(second)) == (1, [])
    hall.log.goes_away()
    with pytest.raises(LogUnavailable):
        await hall.played(match_id, 0, "1")
    assert asked(first) == []
    hall.log.comes_back()
    await hall.time.passes(FIRST_RETRY_US)
    assert (asked(first), asked(second)) == ([TurnNotice(match_id, 0)], [])
    assert (await hall.played(match_id, 0, "1")).number == (await hall.match(match_id)).number
    await hall.referee.close()
