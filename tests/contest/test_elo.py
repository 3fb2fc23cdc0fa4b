"""Elo: a lead, and the score it lets one expect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contest.elo import difference, expected


@pytest.mark.parametrize(
    ("lead", "score"),
    # The logistic curve as Glickman and the rating agencies publish it.
    [(0, 0.5), (100, 0.6401), (200, 0.7597), (300, 0.8490), (400, 10 / 11), (-200, 0.2403)],
)
def test_a_lead_lets_one_expect_the_published_score(lead: float, score: float) -> None:
    assert expected(lead) == pytest.approx(score, abs=5e-5)


@given(st.floats(-1000, 1000))
def test_who_scores_what_was_expected_performs_as_expected(lead: float) -> None:
    assert difference(expected(lead)) == pytest.approx(lead, abs=1e-6)


@pytest.mark.parametrize(("score", "lead"), [(1.0, 1199.8), (0.0, -1199.8)])
def test_a_perfect_score_tells_a_finite_lead(score: float, lead: float) -> None:
    assert difference(score) == pytest.approx(lead, abs=0.1)
