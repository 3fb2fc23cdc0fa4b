"""Results in words."""

import pytest
from referee_api.v1 import result_pb2

from referee.site.entry_text import FORFEIT_CAUSES, VOID_CAUSES, result_text, winner_names
from tests.site.samples import match, won


def played(ending: result_pb2.Ending.ValueType, reason: str = "") -> result_pb2.PlayedResult:
    return result_pb2.PlayedResult(ending=ending, reason=reason)


@pytest.mark.parametrize(
    ("ranks", "ending", "words"),
    [
        ((1, 2), played(result_pb2.ENDING_RULES, "no_men"), "anna wins, no men"),
        ((2, 1), played(result_pb2.ENDING_RESIGNATION), "bert wins, by resignation"),
        ((1, 1), played(result_pb2.ENDING_DRAW_AGREED), "draw, draw by agreement"),
        ((1, 1), played(result_pb2.ENDING_DRAW_CLAIMED), "draw, draw claimed"),
        ((1, 2), played(result_pb2.ENDING_ADJUDICATION), "anna wins, decided by an administrator"),
        ((1, 1), played(result_pb2.ENDING_RULES, "draw"), "draw"),
        ((1, 2), played(result_pb2.ENDING_RULES), "anna wins"),
    ],
)
def test_a_played_match_names_the_winner_and_why(
    ranks: tuple[int, int], ending: result_pb2.PlayedResult, words: str
) -> None:
    assert result_text(match(), won(ranks, played=ending)) == words


@pytest.mark.parametrize("cause", result_pb2.ForfeitCause.values()[1:])
def test_a_forfeit_names_the_seat_and_its_fault(cause: result_pb2.ForfeitCause.ValueType) -> None:
    fault = result_pb2.ForfeitedResult(forfeits=[result_pb2.Forfeit(seat=1, cause=cause)])
    assert result_text(match(), won(forfeited=fault)) == f"anna wins, black (bert) {FORFEIT_CAUSES[cause]}"


@pytest.mark.parametrize("cause", result_pb2.VoidCause.values()[1:])
def test_a_void_match_has_no_winner(cause: result_pb2.VoidCause.ValueType) -> None:
    void = result_pb2.VoidResult(cause=cause, message="the mains failed")
    assert result_text(match(), won((), voided=void)) == f"void: {VOID_CAUSES[cause]} (the mains failed)"


def test_a_match_without_a_result_has_no_words_for_it() -> None:
    assert result_text(match(), result_pb2.Result()) == ""


def test_partners_win_together() -> None:
    four = match("anna", "bert", "cleo", "dora", game="toc")
    assert result_text(four, won((1, 2), played=played(result_pb2.ENDING_RULES, "home"))) == "anna and cleo win, home"


def test_a_bot_that_plays_against_itself_is_named_with_its_seat() -> None:
    assert winner_names(match("anna", "anna"), won((2, 1))) == ("black (anna)",)


def test_a_bot_with_two_seats_of_one_side_is_named_once() -> None:
    four = match("anna", "bert", "anna", "bert", game="toc")
    assert winner_names(four, won((1, 2))) == ("anna",)


def test_an_open_seat_wins_under_its_own_name() -> None:
    assert winner_names(match("", "bert"), won((1, 2))) == ("white",)
