"""What each game inherits, and what an outcome must be."""

from math import inf, nan
from typing import Any

import pytest

from engines.api import MAX_SCORE, REFEREE, SPECTATOR, Outcome, Table, Viewer
from tests.third_party_games.third_party_games import NIM


@pytest.mark.parametrize("viewer", [0, 1, REFEREE, SPECTATOR])
def test_by_default_the_revealed_move_is_the_visible_move(viewer: Viewer) -> None:
    heap = NIM.start(NIM.settings({"heap": 3}), b"").play(0, "2")
    assert heap.revealed_move(0, "2", viewer) == heap.visible_move(0, "2", viewer) == "2"


TEAMS = Table(("a", "b", "c", "d"), ((0, 2), (1, 3)))


def outcome(scores: Any = (1.0, 0, 1.0, 0), side_scores: Any = (2.0, 0)) -> Outcome:
    return Outcome("over", scores, side_scores)


@pytest.mark.parametrize("score", [0, 0.5, -1.0, MAX_SCORE, -MAX_SCORE, float(MAX_SCORE)])
def test_a_score_is_any_number_within_the_limit(score: float) -> None:
    assert outcome(side_scores=(score, 0)).fault(TEAMS) == ""
    assert int(float(MAX_SCORE - 1)) == MAX_SCORE - 1


@pytest.mark.parametrize("score", [nan, inf, -inf, MAX_SCORE + 1, -1e300, 10**400, True, None, "1", 1j])
def test_a_score_that_no_record_can_hold_is_a_fault(score: Any) -> None:
    wrong = "a score of the outcome is not a number from -10^15 to 10^15"
    assert outcome(scores=(0, 0, 0, score)).fault(TEAMS) == wrong
    assert outcome(side_scores=(score, 0)).fault(TEAMS) == wrong


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (outcome(scores=(1.0, 0)), "the outcome has not one score for each seat"),
        (outcome(side_scores=(1.0,)), "the outcome has not one score for each side"),
        (outcome(scores=[1.0, 0, 1.0, 0]), "the scores of the outcome are not tuples"),
        (outcome(side_scores=[2.0, 0]), "the scores of the outcome are not tuples"),
    ],
)
def test_an_outcome_that_does_not_fit_the_table_is_a_fault(wrong: Outcome, fault: str) -> None:
    assert wrong.fault(TEAMS) == fault
