"""Answers to turns: in time or late, legal or illegal, first or repeated."""

import pytest

from referee.match.clock import SECOND, Fischer, SuddenDeath, Untimed
from referee.match.clock_charge import NetworkCredit, TurnMeasurement
from referee.match.events import DrawOffered, FlagFell, MovePlayed, MoveRefused, MoveSource, PlayEnded, SeatForfeited
from referee.match.match_errors import ClockExpired, MatchOver, RequestIdReused, StaleTurn
from referee.match.result import EndCause, EndKind, Fault, Forfeit
from referee.match.setup import IllegalMovePolicy, LatePolicy, Policies
from referee.match.state import Turn
from tests.match.games import STONES
from tests.match.match_fixture import begun, kinds
from tests.strangers_games.strangers_games import FINGERS

HUNDRED = SuddenDeath(100)
LONG_NONSENSE = "x" * 500


def test_an_answer_in_time_is_a_move_with_its_row() -> None:
    sitting = begun(control=HUNDRED, credit=NetworkCredit(5, 50))
    (played,) = sitting.move(0, "2", 40, network_us=9, stall_us=10, request_id="r7")
    assert isinstance(played, MovePlayed)
    assert (played.at_us, played.seat, played.token, played.move) == (40, 0, "0.0.1", "2")
    assert (played.source, played.request_id) == (MoveSource.BOT, "r7")
    assert played.row
    assert (played.row.asked_us, played.row.charged_us, played.row.network_credit_us) == (0, 25, 5)
    assert str(sitting.match.position) == "19 1"


def test_the_next_turn_is_asked_when_the_move_is_played() -> None:
    sitting = begun()
    sitting.move(0, "2", 40)
    assert list(sitting.match.turns) == [None, Turn(1, 1, 40)]
    assert sitting.token(1) == "1.1.1"
    sitting.move(1, "1", 2)
    assert list(sitting.match.turns) == [Turn(0, 2, 42), None]


def test_a_turn_that_was_owed_before_goes_on_with_its_token_and_its_time() -> None:
    sitting = begun(FINGERS)
    sitting.move(1, "2", 40)
    assert list(sitting.match.turns) == [Turn(0, 0, 0), None, Turn(2, 0, 0)]
    sitting.move(2, "2", 5)
    sitting.move(0, "2", 5)
    assert list(sitting.match.turns) == [Turn(0, 3, 50), Turn(1, 3, 50), Turn(2, 3, 50)]


def test_the_time_charged_is_that_of_the_arrival_not_of_the_decision() -> None:
    sitting = begun(control=HUNDRED)
    answer = sitting.answer(0, "1")
    sitting.do(answer, wait_us=500)
    assert sitting.left_us == [100, 100]
    assert sitting.match.turns[1] == Turn(1, 1, 500)


def test_exactly_the_limit_is_in_time_and_one_microsecond_more_is_late() -> None:
    assert kinds(begun(control=HUNDRED).move(0, "1", 100)) == ["MovePlayed"]
    assert kinds(begun(control=HUNDRED).move(0, "1", 101)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_lateness_comes_before_whatever_the_answer_is() -> None:
    for move in ("1", "9", "nonsense"):
        late, *_ = begun(control=HUNDRED).move(0, move, 101)
        assert isinstance(late, FlagFell)
        assert (late.move, late.row.late, late.row.charged_us) == (move, True, 101)


def test_a_late_answer_is_kept_to_a_readable_length() -> None:
    late, *_ = begun(control=HUNDRED).move(0, LONG_NONSENSE, 101, request_id="r")
    assert isinstance(late, FlagFell)
    assert (late.move, late.request_id) == ("x" * 80 + "...", "r")


@pytest.mark.parametrize("token", ["", "0.0.2", "1.0.1", "0.1.1", "nonsense", "0.0.1 ", "x" * 500])
def test_an_answer_with_another_token_is_stale_and_hears_the_right_one(token: str) -> None:
    sitting = begun()
    answer = sitting.answer(0, "1")
    refusal = sitting.refuses(type(answer)(0, token, "1", answer.measured))
    assert isinstance(refusal, StaleTurn)
    assert refusal.details["current"] == "0.0.1"
    assert "the pending turn is 0.0.1" in str(refusal)
    assert len(refusal.details["token"]) <= 83


def test_an_answer_of_a_seat_that_owes_nothing_is_stale() -> None:
    refusal = begun().refuses(begun().answer(1, "1", token="0.0.1"))
    assert isinstance(refusal, StaleTurn)
    assert refusal.details == {"token": "0.0.1", "current": ""}
    assert "the seat has no pending turn" in str(refusal)


def test_a_stale_answer_is_refused_even_when_it_comes_late() -> None:
    sitting = begun(control=HUNDRED)
    assert isinstance(sitting.refuses(sitting.answer(0, "1", token="0.9.1"), wait_us=1000), StaleTurn)


def test_the_same_answer_twice_is_one_move() -> None:
    sitting = begun()
    answer = sitting.answer(0, "1", request_id="r")
    sitting.do(answer)
    assert sitting.do(answer, wait_us=99) == ()
    sitting.move(1, "1")
    assert sitting.do(answer) == ()


def test_the_same_answer_without_or_with_another_request_id_is_still_one_move() -> None:
    sitting = begun()
    sitting.move(0, "1", token="0.0.1", request_id="r")
    assert sitting.move(0, "1", token="0.0.1") == ()
    assert sitting.move(0, "1", token="0.0.1", request_id="other") == ()


def test_another_move_under_a_used_token_is_stale() -> None:
    sitting = begun()
    sitting.move(0, "1")
    assert isinstance(sitting.refuses(sitting.answer(0, "2", token="0.0.1")), StaleTurn)
    assert isinstance(sitting.refuses(sitting.answer(0, "2", token="0.0.1", request_id="new")), StaleTurn)


def test_only_the_last_answer_of_a_seat_is_remembered() -> None:
    sitting = begun()
    first = sitting.answer(0, "1")
    sitting.do(first)
    sitting.move(1, "1")
    sitting.move(0, "1")
    assert isinstance(sitting.refuses(first), StaleTurn)


def test_a_repeated_refused_answer_is_refused_once() -> None:
    sitting = begun()
    wrong = sitting.answer(0, LONG_NONSENSE, request_id="r")
    sitting.do(wrong)
    assert sitting.do(wrong) == ()
    assert sitting.token(0) == "0.0.2"


def test_the_same_wrong_move_as_a_new_attempt_counts_again() -> None:
    sitting = begun()
    sitting.move(0, "9")
    assert kinds(sitting.move(0, "9")) == ["MoveRefused"]
    assert sitting.token(0) == "0.0.3"


def test_a_request_id_names_one_request() -> None:
    sitting = begun()
    sitting.move(0, "1", request_id="r")
    other_move = sitting.refuses(sitting.answer(0, "2", token="0.0.1", request_id="r"))
    sitting.move(1, "1")
    other_turn = sitting.refuses(sitting.answer(0, "1", request_id="r"))
    for refusal in (other_move, other_turn):
        assert isinstance(refusal, RequestIdReused)
        assert refusal.details == {"request_id": "r"}


def test_answers_without_a_request_id_never_clash() -> None:
    sitting = begun()
    sitting.move(0, "1")
    sitting.move(1, "1")
    assert kinds(sitting.move(0, "1")) == ["MovePlayed"]


def test_a_repeated_answer_after_the_end_gets_its_verdict_and_a_new_one_does_not() -> None:
    sitting = begun(chosen={"heap": 1})
    last = sitting.answer(0, "1")
    sitting.do(last)
    assert sitting.do(last) == ()
    assert isinstance(sitting.refuses(sitting.answer(0, "2", token="0.0.1")), MatchOver)
    assert isinstance(sitting.refuses(sitting.answer(1, "1", token="1.1.1")), MatchOver)


@pytest.mark.parametrize("late", LatePolicy)
def test_a_repeated_late_answer_hears_that_its_flag_had_fallen(late: LatePolicy) -> None:
    sitting = begun(control=HUNDRED, policies=Policies(late=late))
    answer = sitting.answer(0, "1")
    sitting.flag(0, 101)
    for move in ("1", "2"):
        refusal = sitting.refuses(type(answer)(0, answer.token, move, answer.measured))
        assert isinstance(refusal, ClockExpired)
        assert refusal.details["charged_us"] == "101"
        assert refusal.details["left_before_us"] == "100"


# Illegal moves


def test_a_refused_attempt_says_what_is_wrong_and_how_many_are_left() -> None:
    sitting = begun()
    (refused,) = sitting.move(0, "9", request_id="r")
    assert isinstance(refused, MoveRefused)
    assert (refused.seat, refused.token, refused.move, refused.request_id) == (0, "0.0.1", "9", "r")
    assert (refused.reason, refused.rule, refused.attempts_left) == ("ILLEGAL_MOVE", "NIM-1", 2)
    assert "1 to 3 may be taken" in refused.sentence
    (unread,) = sitting.move(0, LONG_NONSENSE)
    assert isinstance(unread, MoveRefused)
    assert (unread.reason, unread.rule, unread.attempts_left) == ("MALFORMED_MOVE", "", 1)
    assert unread.move == "x" * 80 + "..."


def test_a_move_of_more_than_a_thousand_characters_is_a_failed_attempt_that_no_engine_reads() -> None:
    sitting = begun()
    for chars, sentence in ((1000, "a move is how many are taken"), (1001, "has 1001 characters; 1000")):
        (refused,) = sitting.move(0, "1" * chars)
        assert isinstance(refused, MoveRefused)
        assert refused.reason == "MALFORMED_MOVE"
        assert sentence in refused.sentence


def test_the_clock_runs_on_between_attempts() -> None:
    sitting = begun(control=HUNDRED)
    sitting.move(0, "9", 60)
    assert sitting.match.turns[0] == Turn(0, 0, 0, 2)
    assert sitting.left_us == [100, 100]
    assert kinds(sitting.move(0, "9", 40)) == ["MoveRefused"]
    assert kinds(sitting.move(0, "1", 1)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_a_move_after_refused_attempts_is_charged_from_the_asking() -> None:
    sitting = begun(control=HUNDRED)
    sitting.move(0, "9", 60)
    sitting.move(0, "1", 30)
    assert sitting.left_us == [10, 100]


def test_attempts_begin_anew_with_each_turn() -> None:
    sitting = begun(policies=Policies(attempts=2))
    sitting.move(0, "9")
    sitting.move(0, "1")
    sitting.move(1, "1")
    (refused,) = sitting.move(0, "9")
    assert isinstance(refused, MoveRefused)
    assert refused.attempts_left == 1


def test_the_last_attempt_costs_the_game() -> None:
    sitting = begun()
    sitting.move(0, "9")
    sitting.move(0, "nonsense")
    refused, forfeited, ended = sitting.move(0, "9")
    assert isinstance(refused, MoveRefused)
    assert refused.attempts_left == 0
    assert forfeited == SeatForfeited(0, 0, Fault.ILLEGAL_MOVE)
    assert isinstance(ended, PlayEnded)
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.FORFEITED, EndCause.FAULT)
    assert sitting.result.forfeits == (Forfeit(0, Fault.ILLEGAL_MOVE, 0),)
    assert (sitting.result.ranks, sitting.result.scores) == ((2, 1), (0.0, 1.0))


def test_forfeit_at_once_costs_the_game_at_the_first() -> None:
    sitting = begun(policies=Policies(IllegalMovePolicy.FORFEIT))
    sitting.move(0, "1")
    assert kinds(sitting.move(1, "9")) == ["MoveRefused", "SeatForfeited", "PlayEnded"]
    assert sitting.result.forfeits == (Forfeit(1, Fault.ILLEGAL_MOVE, 1),)
    assert sitting.result.ranks == (1, 2)


def test_a_random_move_takes_the_place_of_an_illegal_one_on_the_same_clock() -> None:
    sitting = begun(control=HUNDRED, policies=Policies(IllegalMovePolicy.RANDOM_MOVE))
    wrong = sitting.answer(0, "9")
    refused, played = sitting.move(0, "9", 60)
    assert isinstance(refused, MoveRefused)
    assert isinstance(played, MovePlayed)
    assert (played.source, played.seat, played.token) == (MoveSource.RANDOM, 0, "0.0.1")
    assert played.row
    assert played.row.charged_us == 60
    assert sitting.left_us == [40, 100]
    assert sitting.owing == [1]
    assert sitting.do(wrong) == ()  # A repeated answer gets its verdict without a new event.


def test_a_random_move_for_an_illegal_one_can_end_the_game() -> None:
    sitting = begun(chosen={"heap": 1}, policies=Policies(IllegalMovePolicy.RANDOM_MOVE))
    assert kinds(sitting.move(0, "9")) == ["MoveRefused", "MovePlayed", "PlayEnded"]
    assert sitting.result.kind is EndKind.PLAYED


# Late moves


def test_late_forfeits_also_when_the_timer_is_first() -> None:
    for events in (begun(control=HUNDRED).move(0, "1", 101), begun(control=HUNDRED).flag(0, 101)):
        fell, forfeited, ended = events
        assert isinstance(fell, FlagFell)
        assert (fell.token, fell.row.charged_us, fell.row.late) == ("0.0.1", 101, True)
        assert forfeited == SeatForfeited(101, 0, Fault.TIME)
        assert isinstance(ended, PlayEnded)
        assert ended.result.forfeits == (Forfeit(0, Fault.TIME, 0),)
        assert ended.result.ranks == (2, 1)


def test_a_random_move_takes_the_place_of_a_late_one() -> None:
    sitting = begun(control=Fischer(100, 7), policies=Policies(late=LatePolicy.RANDOM_MOVE))
    fell, played = sitting.move(0, "1", 500)
    assert isinstance(fell, FlagFell)
    assert isinstance(played, MovePlayed)
    assert (played.source, played.token, played.row) == (MoveSource.RANDOM, "0.0.1", None)
    assert sitting.left_us == [7, 100]
    assert sitting.match.turns[1] == Turn(1, 1, 500)


def test_the_games_own_move_takes_the_place_of_a_late_one() -> None:
    sitting = begun(STONES, HUNDRED, policies=Policies(late=LatePolicy.DEFAULT_MOVE))
    fell, played = sitting.flag(0, 101)
    assert isinstance(fell, FlagFell)
    assert fell.move == ""
    assert isinstance(played, MovePlayed)
    assert (played.move, played.source, played.row) == ("3", MoveSource.DEFAULT, None)
    assert sitting.left_us == [0, 100, 100]


def test_without_a_default_of_its_own_a_game_plays_its_first_move() -> None:
    sitting = begun(control=HUNDRED, policies=Policies(late=LatePolicy.DEFAULT_MOVE))
    _, played = sitting.flag(0, 101)
    assert isinstance(played, MovePlayed)
    assert played.move == "1"


@pytest.mark.parametrize("late", [LatePolicy.RANDOM_MOVE, LatePolicy.DEFAULT_MOVE])
def test_a_policys_move_for_a_late_one_can_end_the_game(late: LatePolicy) -> None:
    sitting = begun(control=HUNDRED, chosen={"heap": 1}, policies=Policies(late=late))
    assert kinds(sitting.flag(0, 101)) == ["FlagFell", "MovePlayed", "PlayEnded"]
    assert (sitting.result.kind, sitting.result.ranks) == (EndKind.PLAYED, (1, 2))


def test_who_has_used_up_its_time_is_late_with_every_further_thought() -> None:
    sitting = begun(control=HUNDRED, policies=Policies(late=LatePolicy.RANDOM_MOVE))
    sitting.flag(0, 101)
    sitting.move(1, "1", 10)
    assert kinds(sitting.flag(0, 0)) == []
    assert kinds(sitting.flag(0, 1)) == ["FlagFell", "MovePlayed"]
    assert sitting.left_us[0] == 0


def test_a_flag_that_is_looked_at_too_early_or_for_nobody_does_no_harm() -> None:
    sitting = begun(control=HUNDRED)
    assert sitting.flag(0, 100) == ()
    assert sitting.flag(1, 500) == ()
    assert kinds(sitting.flag(0, 0)) == ["FlagFell", "SeatForfeited", "PlayEnded"]
    assert sitting.flag(0, 1) == ()


def test_a_flag_knows_network_credit_and_stall() -> None:
    sitting = begun(control=HUNDRED, credit=NetworkCredit(10, 10))
    assert sitting.flag(0, 150, network_us=99, stall_us=40) == ()
    fell, *_ = sitting.flag(0, 1, network_us=99, stall_us=40)
    assert isinstance(fell, FlagFell)
    assert (fell.row.network_credit_us, fell.row.stall_us, fell.row.charged_us) == (10, 40, 101)
    assert sitting.match.credit_us == (0, 10)


def test_every_seat_has_its_own_clock_and_its_own_odds() -> None:
    sitting = begun(control=[SuddenDeath(10), Fischer(100, 5)])
    sitting.move(0, "1", 10)
    sitting.move(1, "1", 30)
    assert sitting.left_us == [0, 75]
    assert kinds(sitting.move(0, "1", 1)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_seats_that_owe_at_once_are_each_on_their_own_clock() -> None:
    sitting = begun(FINGERS, HUNDRED)
    sitting.move(2, "1", 30)
    sitting.move(0, "1", 30)
    sitting.move(1, "1", 40)
    assert sitting.left_us == [40, 0, 70]
    assert [kinds(sitting.flag(seat, 1)) for seat in (2, 0)] == [[], []]
    assert kinds(sitting.flag(1)) == ["FlagFell", "SeatForfeited", "PlayEnded"]


def test_without_a_clock_no_flag_falls_however_long_it_takes() -> None:
    sitting = begun(control=Untimed())
    assert sitting.flag(0, 10**6 * SECOND) == ()
    assert kinds(sitting.move(0, "1", 10**6 * SECOND)) == ["MovePlayed"]


# A draw offer together with a move


def test_a_move_can_carry_an_offer_of_a_draw() -> None:
    sitting = begun()
    played, offered = sitting.move(0, "1", 8, offers_draw=True)
    assert isinstance(played, MovePlayed)
    assert offered == DrawOffered(8, 0)
    assert sitting.match.offers == {0}


def test_an_offer_with_the_last_move_is_nothing() -> None:
    assert kinds(begun(opening="1 0").move(0, "1", offers_draw=True)) == ["MovePlayed", "PlayEnded"]


def test_an_offer_with_a_move_is_nothing_where_the_game_knows_no_draws() -> None:
    assert kinds(begun(FINGERS).move(0, "1", offers_draw=True)) == ["MovePlayed"]


def test_an_offer_with_a_refused_or_late_move_is_nothing() -> None:
    sitting = begun(control=HUNDRED, policies=Policies(late=LatePolicy.RANDOM_MOVE))
    assert kinds(sitting.move(0, "9", offers_draw=True)) == ["MoveRefused"]
    assert kinds(sitting.move(0, "1", 101, offers_draw=True)) == ["FlagFell", "MovePlayed"]
    assert sitting.match.offers == frozenset()


def test_measured_numbers_alone_make_the_verdict() -> None:
    """The same answer gets the same clock charge when it is decided at another moment."""
    rows = []
    for wait in (0, 77):
        sitting = begun(control=HUNDRED)
        answer = type(sitting.answer(0, "1"))(0, "0.0.1", "1", TurnMeasurement(50, 0, 5))
        (played,) = sitting.do(answer, wait_us=wait)
        assert isinstance(played, MovePlayed)
        rows.append(played.row)
    assert rows[0] == rows[1]
