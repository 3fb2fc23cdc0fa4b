"""Ends by the terms of a match: after a number of plies, and by the scores that the bots send."""

from typing import Any

import pytest
from msgspec import UNSET
from referee_values import Adjudication, Policies

from engines.api import REFEREE, SPECTATOR, Game
from referee.match.adjudication import check_adjudication
from referee.match.commands import AdjudicateMatch, OfferDraw
from referee.match.events import DrawOffered, MovePlayed, PlayEnded, redact
from referee.match.match_errors import BadSetup, BadVerdict
from referee.match.result import EndCause, EndKind
from tests.match.games import STONES
from tests.match.match_fixture import GAMES, MatchFixture, kinds, match_setup, started_match
from tests.third_party_games.third_party_games import FINGERS, NIM

CHESS = GAMES["chess"]
RESIGN = Adjudication(resign_score=300, resign_moves=2)
DRAW = Adjudication(draw_score=10, draw_moves=2, draw_after_ply=5)
BOTH = "must have both resign_score and resign_moves, or neither"
NEEDED = "must be at least 1 with draw_score or draw_after_ply"


def started(adjudication: Adjudication, game: Game = NIM, **rest: Any) -> MatchFixture:
    chosen = {"heap": 200} if game is NIM else rest.pop("chosen", None)
    return started_match(game, chosen=chosen, adjudication=adjudication, **rest)


def play(fixture: MatchFixture, *scores: int | None) -> None:
    """Let the seats move in turn with these scores."""
    for score in scores:
        fixture.move(fixture.owing[0], "1", score=score)


# Plies


def test_a_match_ends_after_the_plies_of_its_terms_and_the_standing_decides() -> None:
    fixture = started(Adjudication(max_plies=4), STONES, chosen={"heap": 100, "seats": 3})
    for move in "123":
        assert kinds(fixture.move(fixture.owing[0], move)) == ["MovePlayed"]
    assert kinds(fixture.move(0, "3")) == ["MovePlayed", "PlayEnded"]
    result = fixture.result
    assert (result.kind, result.cause, result.reason) == (EndKind.PLAYED, EndCause.ADJUDICATION, "max_plies")
    assert (result.ranks, result.scores) == ((1, 3, 2), (1.0, 0.0, 0.5))


def test_chess_that_is_stopped_is_drawn_whatever_the_material() -> None:
    fixture = started(Adjudication(max_plies=1), CHESS, opening="4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    fixture.move(0, "a1a2")
    assert (fixture.result.ranks, fixture.result.reason) == ((1, 1), "max_plies")


def test_a_game_that_is_over_at_the_last_ply_ends_by_its_rules() -> None:
    fixture = started_match(NIM, chosen={"heap": 3}, adjudication=Adjudication(max_plies=1))
    fixture.move(0, "3")
    assert fixture.result.cause is EndCause.RULES


def test_moves_by_a_policy_count_as_plies() -> None:
    fixture = started(Adjudication(max_plies=1), policies=Policies(timeout="random_move"))
    assert kinds(fixture.flag(0, 10_000_001)) == ["FlagFell", "MovePlayed", "PlayEnded"]
    assert fixture.result.reason == "max_plies"


def test_a_draw_offer_with_the_last_move_is_recorded_before_the_end() -> None:
    fixture = started(Adjudication(max_plies=1), STONES, chosen={"heap": 100, "seats": 2})
    events = fixture.move(0, "1", offers_draw=True)
    assert [type(event) for event in events] == [MovePlayed, DrawOffered, PlayEnded]


# Lost by the scores of both


@pytest.mark.parametrize(("scores", "ranks"), [((300, -300, 400, -900), (1, 2)), ((-300, 300, -301, 300), (2, 1))])
def test_a_side_loses_when_both_have_reported_it_often_enough(scores: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    fixture = started(RESIGN)
    play(fixture, *scores[:-1])
    assert fixture.match.result is None
    play(fixture, scores[-1])
    result = fixture.result
    assert (result.kind, result.cause, result.reason) == (EndKind.PLAYED, EndCause.ADJUDICATION, "resign_score")
    assert (result.ranks, result.forfeits) == (ranks, ())


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param((9999, 0, 9999, 0, 9999, 0, 9999, 0), id="the winner alone says so"),
        pytest.param((0, -9999, 0, -9999, 0, -9999), id="the loser alone says so"),
        pytest.param((9999, 9999, 9999, 9999, 9999, 9999), id="both say that they win"),
        pytest.param((-9999, -9999, -9999, -9999), id="both say that they lose"),
        pytest.param((300, -300, 300, -299, 300, -300), id="one score interrupts the run"),
        pytest.param((300, -300, 300, None, 300, -300), id="a move without a score interrupts the run"),
        pytest.param((299, -300, 299, -300, 299, -300), id="below the score"),
        pytest.param((0, 0, 0, 0, 0, 0), id="level"),
    ],
)
def test_scores_that_do_not_agree_end_nothing(scores: tuple[int | None, ...]) -> None:
    fixture = started(RESIGN)
    play(fixture, *scores)
    assert fixture.match.result is None


def test_partners_must_all_agree() -> None:
    fixture = started(RESIGN, STONES, chosen={"heap": 900, "seats": 4, "teams": True})
    play(fixture, 400, -400, 0, -400, 400, -400, 400, -400, 400, -400)
    assert fixture.match.result is None
    play(fixture, 400)
    assert fixture.result.ranks == (1, 2, 1, 2)


# Drawn by the scores of all


def test_a_match_is_drawn_when_all_have_reported_it_often_enough_and_late_enough() -> None:
    fixture = started(DRAW)
    play(fixture, 10, -10, 0, 5)
    assert fixture.match.result is None, "it is too early"
    play(fixture, 3)
    result = fixture.result
    assert (result.kind, result.cause, result.reason) == (EndKind.PLAYED, EndCause.ADJUDICATION, "draw_score")
    assert result.ranks == (1, 1)


@pytest.mark.parametrize("last", [11, -11, None])
def test_one_seat_that_does_not_agree_prevents_the_draw(last: int | None) -> None:
    fixture = started(DRAW)
    play(fixture, 0, 0, 0, last, 0, 0, 0)
    assert fixture.match.result is None
    play(fixture, 0)
    assert fixture.result.reason == "draw_score"


def test_a_draw_after_the_first_moves_needs_no_score() -> None:
    fixture = started(Adjudication(draw_moves=1))
    play(fixture, 0, 0)
    assert fixture.result.ranks == (1, 1)


def test_scores_end_a_match_before_its_plies_do() -> None:
    fixture = started(Adjudication(max_plies=4, resign_score=300, resign_moves=2))
    play(fixture, 300, -300, 300, -300)
    assert fixture.result.reason == "resign_score"


# Scores


def test_scores_are_recorded_and_decide_nothing_without_terms() -> None:
    fixture = started_match(NIM)
    fixture.move(0, "1", score=-500)
    fixture.move(1, "1")
    first, second = fixture.log[-2:]
    assert isinstance(first, MovePlayed)
    assert isinstance(second, MovePlayed)
    assert (first.score, second.score) == (-500, UNSET)
    assert fixture.match.score_runs == ()


@pytest.mark.parametrize("viewer", [1, SPECTATOR])
def test_a_score_is_visible_only_to_its_seat(viewer: int) -> None:
    fixture = started_match(NIM)
    position = fixture.match.position
    (played,) = fixture.move(0, "1", score=-500)
    assert "500" not in repr(redact(played, position, viewer))
    assert redact(played, position, 0) == played == redact(played, position, REFEREE)


def test_a_repeated_answer_with_another_score_changes_nothing() -> None:
    fixture = started(RESIGN)
    answer = fixture.answer(0, "1", score=300)
    fixture.do(answer)
    assert fixture.do(fixture.answer(0, "1", token=answer.token, score=-999)) == ()


# Terms


@pytest.mark.parametrize(
    ("given", "field", "why"),
    [
        ({"max_plies": -1}, "adjudication.max_plies", "must be from 0 to 1000000"),
        ({"max_plies": 1_000_001}, "adjudication.max_plies", "must be from 0 to 1000000"),
        ({"resign_score": 1_000_001, "resign_moves": 1}, "adjudication.resign_score", "must be from 0 to 1000000"),
        ({"resign_score": 1, "resign_moves": 1_001}, "adjudication.resign_moves", "must be from 0 to 1000"),
        ({"resign_score": 1}, "adjudication", BOTH),
        ({"resign_moves": 1}, "adjudication", BOTH),
        ({"draw_score": 1}, "adjudication.draw_moves", NEEDED),
        ({"draw_after_ply": 1}, "adjudication.draw_moves", NEEDED),
    ],
)
def test_terms_that_contradict_themselves_are_an_error(given: dict[str, int], field: str, why: str) -> None:
    with pytest.raises(BadSetup) as error:
        check_adjudication(Adjudication(**given))
    assert error.value.details == {"field": field, "wrong": why}


@pytest.mark.parametrize("adjudication", [RESIGN, DRAW])
def test_scores_need_a_game_of_two_sides(adjudication: Adjudication) -> None:
    with pytest.raises(BadSetup, match="adjudication can use the scores of bots only in a game of two sides"):
        match_setup(FINGERS, adjudication=adjudication).check(FINGERS)


def test_plies_need_no_game_of_two_sides() -> None:
    match_setup(FINGERS, adjudication=Adjudication(max_plies=3)).check(FINGERS)


@pytest.mark.parametrize("reason", ["max_plies", "resign_score", "draw_score"])
def test_a_person_cannot_give_a_reason_of_the_terms(reason: str) -> None:
    fixture = started_match(NIM)
    fixture.refuses(AdjudicateMatch((1, 2), reason), BadVerdict)


def test_a_match_with_terms_goes_on_after_other_decisions() -> None:
    fixture = started(Adjudication(max_plies=9), STONES, chosen={"heap": 100, "seats": 2})
    assert kinds(fixture.do(OfferDraw(0))) == ["DrawOffered"]
    assert fixture.match.result is None
