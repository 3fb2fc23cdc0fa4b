"""The Elo scale: a difference, and the expected score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contests.strength.elo import elo_difference, expected_score, seated_score


@pytest.mark.parametrize(
    ("lead", "score"),
    # The logistic curve as published by Glickman and the rating agencies.
    [(0, 0.5), (100, 0.6401), (200, 0.7597), (300, 0.8490), (400, 10 / 11), (-200, 0.2403)],
)
def test_a_difference_gives_the_published_expected_score(lead: float, score: float) -> None:
    assert expected_score(lead) == pytest.approx(score, abs=5e-5)


@given(st.floats(-1000, 1000))
def test_the_expected_score_gives_the_difference_back(lead: float) -> None:
    assert elo_difference(expected_score(lead)) == pytest.approx(lead, abs=1e-6)


@given(st.floats(-700, 700), st.floats(-400, 400))
def test_the_average_over_both_seats_gives_the_difference_back(lead: float, first_seat: float) -> None:
    score = seated_score(lead, first_seat)
    assert elo_difference(score, first_seat) == pytest.approx(lead, abs=1e-6)
    assert abs(score - 0.5) <= abs(expected_score(lead) - 0.5) + 1e-12


@pytest.mark.parametrize(("score", "lead"), [(1.0, 1199.8), (0.0, -1199.8)])
def test_a_perfect_score_gives_a_finite_difference(score: float, lead: float) -> None:
    assert elo_difference(score) == pytest.approx(lead, abs=0.1)
