"""Simulated matches have the expected scores of the scale, so that simulations measure nothing but the ratings."""

from math import sqrt

import pytest

from referee.contests.strength.elo import expected_score
from tests.contests.simulated_matches import random_numbers, simulated_match

MATCHES = 4_000


def outcomes(lead: float) -> tuple[float, float]:
    """Return the average score of a bot with this lead, and the share of draws."""
    draws = random_numbers(f"lead {lead}")
    ranks = [simulated_match((lead, 0.0), (0, 1), draws).ranks for _ in range(MATCHES)]
    drawn = sum(first == second for first, second in ranks)
    return (ranks.count((1, 2)) + drawn / 2) / MATCHES, drawn / MATCHES


@pytest.mark.parametrize("lead", [0, 200, 400, 800])
def test_the_average_score_is_the_expected_one_at_any_lead(lead: float) -> None:
    expected = expected_score(lead)
    assert outcomes(lead)[0] == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / MATCHES))


def test_one_of_ten_matches_of_equals_is_a_draw_and_the_share_falls_with_the_lead() -> None:
    shares = [outcomes(lead)[1] for lead in (0, 200, 400, 800)]
    assert shares[0] == pytest.approx(0.1, abs=0.015)
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.01


def test_the_scores_of_pairs_in_matches_of_four_are_the_expected_ones() -> None:
    draws, strengths = random_numbers("four"), (300.0, 100.0, 0.0, -100.0)
    ranks = [simulated_match(strengths, (0, 1, 2, 3), draws).ranks for _ in range(MATCHES)]
    for other in (1, 2, 3):
        score = sum((places[0] < places[other]) + (places[0] <= places[other]) for places in ranks) / 2 / MATCHES
        assert score == pytest.approx(expected_score(strengths[0] - strengths[other]), abs=0.025)
