"""Answers to turns: in time or late, legal or illegal, first or repeated."""

from typing import get_args

import pytest
from referee_values import IllegalMovePolicy, Policies, TimeoutAction

from referee.match.clock import SECOND, SuddenDeath, Untimed
from referee.match.events import DrawOffered, FlagFell, MovePlayed, MoveRejected, MoveSource, PlayEnded, SeatForfeited
from referee.match.match_errors import ClockExpired, MatchOver, RequestIdReused, StaleTurn
from referee.match.result import EndCause, EndKind, Forfeit
from referee.match.state import new_turn
from tests.match.games import STONES
from tests.match.match_fixture import kinds, started_match
from tests.third_party_games.third_party_games import FINGERS

HUNDRED = SuddenDeath(100)
LONG_NONSENSE = "x" * 500


def test_an_answer_in_time_becomes_a_move_with_its_clock_charge() -> None:
    fixture = started_match(control=HUNDRED, credit_us=(5, 50))
    (played,) = fixture.move(0, "2", 40, network_us=9, stall_us=10, request_id="r7")
    assert isinstance(played, MovePlayed)
    assert (played.at_us, played.seat, played.token, played.move) == (40, 0, "0.0.1", "2")
    assert (played.source, played.request_id) == (MoveSource.BOT, "r7")
    assert played.row
    assert (played.row.asked_us, played.row.charged_us, played.row.network_credit_us) == (0, 25, 5)
    assert str(fixture.match.position) == "19 1"


def test_the_next_turn_begins_when_the_move_is_played() -> None:
    fixture = started_match()
    fixture.move(0, "2", 40)
    assert list(fixture.match.turns) == [None, new_turn(1, 1, 40)]
    assert fixture.token(1) == "1.1.1"
    fixture.move(1, "1", 2)
    assert list(fixture.match.turns) == [new_turn(0, 2, 42), None]


def test_a_turn_of_another_seat_keeps_its_token_and_its_time() -> None:
    fixture = started_match(FINGERS)
    fixture.move(1, "2", 40)
    assert list(fixture.match.turns) == [new_turn(0, 0, 0), None, new_turn(2, 0, 0)]
    fixture.move(2, "2", 5)
    fixture.move(0, "2", 5)
    assert list(fixture.match.turns) == [new_turn(0, 3, 50), new_turn(1, 3, 50), new_turn(2, 3, 50)]


def test_time_is_charged_until_the_arrival_and_not_until_the_decision() -> None:
    fixture = started_match(control=HUNDRED)
    answer = fixture.answer(0, "1")
    fixture.do(answer, wait_us=500)
    assert fixture.left_us == [100, 100]
    assert fixture.match.turns[1] == new_turn(1, 1, 500)


def test_exactly_the_limit_is_in_time_and_one_microsecond_more_is_late() -> None:
    assert kinds(started_match(control=HUNDRED).move(0, "1", 100)) == ["MovePlayed"]
    assert kinds(started_match(control=HUNDRED).move(0, "1", 101)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_a_late_answer_is_late_whatever_it_contains() -> None:
    for move in ("1", "9", "nonsense"):
        late, *_ = started_match(control=HUNDRED).move(0, move, 101)
        assert isinstance(late, FlagFell)
        assert (late.move, late.row.late, late.row.charged_us) == (move, True, 101)


def test_a_late_answer_is_shortened_in_the_log() -> None:
    late, *_ = started_match(control=HUNDRED).move(0, LONG_NONSENSE, 101, request_id="r")
    assert isinstance(late, FlagFell)
    assert (late.move, late.request_id) == ("x" * 80 + "...", "r")


@pytest.mark.parametrize("token", ["", "0.0.2", "1.0.1", "0.1.1", "nonsense", "0.0.1 ", "x" * 500])
def test_the_error_for_a_stale_answer_has_the_current_token(token: str) -> None:
    fixture = started_match()
    answer = fixture.answer(0, "1")
    error = fixture.refuses(type(answer)(0, token, "1", answer.measured), StaleTurn)
    assert error.details["current"] == "0.0.1"
    assert "the pending turn is 0.0.1" in str(error)
    assert len(error.details["token"]) <= 83


def test_an_answer_of_a_seat_that_is_not_to_move_is_stale() -> None:
    error = started_match().refuses(started_match().answer(1, "1", token="0.0.1"), StaleTurn)
    assert error.details == {"token": "0.0.1", "current": ""}
    assert "the seat has no pending turn" in str(error)


def test_the_same_answer_twice_is_one_move() -> None:
    fixture = started_match()
    answer = fixture.answer(0, "1", request_id="r")
    fixture.do(answer)
    assert fixture.do(answer, wait_us=99) == ()
    fixture.move(1, "1")
    assert fixture.do(answer) == ()


def test_the_same_answer_without_or_with_another_request_id_is_still_one_move() -> None:
    fixture = started_match()
    fixture.move(0, "1", token="0.0.1", request_id="r")
    assert fixture.move(0, "1", token="0.0.1") == ()
    assert fixture.move(0, "1", token="0.0.1", request_id="other") == ()


def test_a_request_id_identifies_one_request() -> None:
    fixture = started_match()
    fixture.move(0, "1", request_id="r")
    fixture.refuses(fixture.answer(0, "2", token="0.0.1", request_id="r"), RequestIdReused, request_id="r")
    fixture.move(1, "1")
    fixture.refuses(fixture.answer(0, "1", request_id="r"), RequestIdReused, request_id="r")


def test_a_repeated_answer_after_the_end_gets_its_verdict_and_a_new_one_does_not() -> None:
    fixture = started_match(chosen={"heap": 1})
    last = fixture.answer(0, "1")
    fixture.do(last)
    assert fixture.do(last) == ()
    fixture.refuses(fixture.answer(0, "2", token="0.0.1"), MatchOver)
    fixture.refuses(fixture.answer(1, "1", token="1.1.1"), MatchOver)


@pytest.mark.parametrize("late", get_args(TimeoutAction)[1:])
def test_a_repeated_late_answer_gets_the_verdict_that_its_flag_fell(late: TimeoutAction) -> None:
    fixture = started_match(control=HUNDRED, policies=Policies(timeout=late))
    answer = fixture.answer(0, "1")
    fixture.flag(0, 101)
    for move in ("1", "2"):
        error = fixture.refuses(type(answer)(0, answer.token, move, answer.measured), ClockExpired)
        assert error.details["charged_us"] == "101"
        assert error.details["left_before_us"] == "100"


# Illegal moves


def test_a_rejected_attempt_has_a_reason_and_the_attempts_left() -> None:
    fixture = started_match()
    (refused,) = fixture.move(0, "9", request_id="r")
    assert isinstance(refused, MoveRejected)
    assert (refused.seat, refused.token, refused.move, refused.request_id) == (0, "0.0.1", "9", "r")
    assert (refused.reason, refused.rule, refused.attempts_left) == ("ILLEGAL_MOVE", "NIM-1", 2)
    assert "1 to 3 may be taken" in refused.sentence
    (unread,) = fixture.move(0, LONG_NONSENSE)
    assert isinstance(unread, MoveRejected)
    assert (unread.reason, unread.rule, unread.attempts_left) == ("MALFORMED_MOVE", "", 1)
    assert unread.move == "x" * 80 + "..."


def test_a_move_above_a_thousand_characters_is_a_failed_attempt_and_is_not_passed_to_the_engine() -> None:
    fixture = started_match()
    for chars, sentence in ((1000, "a move is how many are taken"), (1001, "has 1001 characters; 1000")):
        (refused,) = fixture.move(0, "1" * chars)
        assert isinstance(refused, MoveRejected)
        assert refused.reason == "MALFORMED_MOVE"
        assert sentence in refused.sentence


def test_the_clock_runs_on_between_attempts() -> None:
    fixture = started_match(control=HUNDRED)
    fixture.move(0, "9", 60)
    assert fixture.match.turns[0] == new_turn(0, 0, 0, 2)
    assert fixture.left_us == [100, 100]
    assert kinds(fixture.move(0, "9", 40)) == ["MoveRejected"]
    assert kinds(fixture.move(0, "1", 1)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_a_rejected_last_attempt_loses_the_match() -> None:
    fixture = started_match()
    fixture.move(0, "9")
    fixture.move(0, "nonsense")
    refused, forfeited, ended = fixture.move(0, "9")
    assert isinstance(refused, MoveRejected)
    assert refused.attempts_left == 0
    assert forfeited == SeatForfeited(0, 0, "illegal_move")
    assert isinstance(ended, PlayEnded)
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.FORFEITED, EndCause.FAULT)
    assert fixture.result.forfeits == (Forfeit(0, "illegal_move", 0),)
    assert (fixture.result.ranks, fixture.result.scores) == ((2, 1), (0.0, 1.0))


def test_a_random_move_replaces_an_illegal_one_on_the_same_clock() -> None:
    fixture = started_match(control=HUNDRED, policies=Policies(illegal_move=IllegalMovePolicy(action="random_move")))
    wrong = fixture.answer(0, "9")
    refused, played = fixture.move(0, "9", 60)
    assert isinstance(refused, MoveRejected)
    assert isinstance(played, MovePlayed)
    assert (played.source, played.seat, played.token) == (MoveSource.RANDOM, 0, "0.0.1")
    assert played.row
    assert played.row.charged_us == 60
    assert fixture.left_us == [40, 100]
    assert fixture.owing == [1]
    assert fixture.do(wrong) == ()  # A repeated answer gets its verdict without a new event.


# Late moves


def test_a_late_move_loses_even_if_the_timer_fires_first() -> None:
    for events in (started_match(control=HUNDRED).move(0, "1", 101), started_match(control=HUNDRED).flag(0, 101)):
        fell, forfeited, ended = events
        assert isinstance(fell, FlagFell)
        assert (fell.token, fell.row.charged_us, fell.row.late) == ("0.0.1", 101, True)
        assert forfeited == SeatForfeited(101, 0, "time")
        assert isinstance(ended, PlayEnded)
        assert ended.result.forfeits == (Forfeit(0, "time", 0),)
        assert ended.result.ranks == (2, 1)


def test_the_default_move_of_the_game_replaces_a_late_one() -> None:
    fixture = started_match(STONES, HUNDRED, policies=Policies(timeout="default_move"))
    fell, played = fixture.flag(0, 101)
    assert isinstance(fell, FlagFell)
    assert fell.move == ""
    assert isinstance(played, MovePlayed)
    assert (played.move, played.source, played.row) == ("3", MoveSource.DEFAULT, None)
    assert fixture.left_us == [0, 100, 100]


def test_the_default_move_of_a_game_without_its_own_is_the_first_move() -> None:
    fixture = started_match(control=HUNDRED, policies=Policies(timeout="default_move"))
    _, played = fixture.flag(0, 101)
    assert isinstance(played, MovePlayed)
    assert played.move == "1"


def test_a_seat_without_time_left_is_late_with_every_further_move() -> None:
    fixture = started_match(control=HUNDRED, policies=Policies(timeout="random_move"))
    fixture.flag(0, 101)
    fixture.move(1, "1", 10)
    assert kinds(fixture.flag(0, 0)) == []
    assert kinds(fixture.flag(0, 1)) == ["FlagFell", "MovePlayed"]
    assert fixture.left_us[0] == 0


def test_a_timer_that_fires_too_early_or_for_a_finished_turn_has_no_effect() -> None:
    fixture = started_match(control=HUNDRED)
    assert fixture.flag(0, 100) == ()
    assert fixture.flag(1, 500) == ()
    assert kinds(fixture.flag(0, 0)) == ["FlagFell", "SeatForfeited", "PlayEnded"]
    assert fixture.flag(0, 1) == ()


def test_a_timer_considers_network_credit_and_referee_delay() -> None:
    fixture = started_match(control=HUNDRED, credit_us=(10, 10))
    assert fixture.flag(0, 150, network_us=99, stall_us=40) == ()
    fell, *_ = fixture.flag(0, 1, network_us=99, stall_us=40)
    assert isinstance(fell, FlagFell)
    assert (fell.row.network_credit_us, fell.row.stall_us, fell.row.charged_us) == (10, 40, 101)
    assert fixture.match.credit_us == (0, 10)


def test_seats_that_move_simultaneously_use_their_own_clocks() -> None:
    fixture = started_match(FINGERS, HUNDRED)
    fixture.move(2, "1", 30)
    fixture.move(0, "1", 30)
    fixture.move(1, "1", 40)
    assert fixture.left_us == [40, 0, 70]
    assert [kinds(fixture.flag(seat, 1)) for seat in (2, 0)] == [[], []]
    assert kinds(fixture.flag(1)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_without_a_clock_no_flag_falls_however_long_it_takes() -> None:
    fixture = started_match(control=Untimed())
    assert fixture.flag(0, 10**6 * SECOND) == ()
    assert kinds(fixture.move(0, "1", 10**6 * SECOND)) == ["MovePlayed"]


# A draw offer together with a move


def test_a_move_can_carry_an_offer_of_a_draw() -> None:
    fixture = started_match()
    played, offered = fixture.move(0, "1", 8, offers_draw=True)
    assert isinstance(played, MovePlayed)
    assert offered == DrawOffered(8, 0)
    assert fixture.match.offers == {0}


def test_a_draw_offer_with_the_last_move_has_no_effect() -> None:
    assert kinds(started_match(opening="1 0").move(0, "1", offers_draw=True)) == ["MovePlayed", "PlayEnded"]


def test_a_draw_offer_with_a_move_has_no_effect_in_a_game_without_draws() -> None:
    assert kinds(started_match(FINGERS).move(0, "1", offers_draw=True)) == ["MovePlayed"]
