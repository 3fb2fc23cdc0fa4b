"""The sequential test: published ratios and bounds."""

from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referee_values import SprtVerdict

from referee.contests.strength.elo import OutcomeCounts, elo_difference, no_outcomes
from referee.contests.strength.sprt_evaluation import (
    NO_POINTS,
    BadSprt,
    SeatPoints,
    SprtParameters,
    decide_sprt,
    evaluate_sprt,
    llr,
)

PUBLISHED = [
    # From the tests of fastchess, which agrees with fishtest: counts from losses to wins, elo0, elo1, LLR.
    ((21184, 40708, 21404), 0.5, 2.5, -1.57),
    ((57030, 106593, 57433), 0.0, 2.0, -2.59),
    ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
    ((871, 26175, 55003 + 980, 26678, 821), 0.0, 2.0, -4.98),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "published"), PUBLISHED)
def test_the_ratio_is_the_published_one(counts: tuple[int, ...], elo0: float, elo1: float, published: float) -> None:
    assert llr(SprtParameters(elo1=elo1, elo0=elo0), OutcomeCounts(counts)) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("alpha", "beta", "lower", "upper"),
    # Wald's bounds: log(beta / (1 - alpha)) and log((1 - beta) / alpha).
    [(0.05, 0.05, -2.944, 2.944), (0.05, 0.10, -2.251, 2.890), (0.01, 0.01, -4.595, 4.595)],
)
def test_the_bounds_are_the_published_ones(alpha: float, beta: float, lower: float, upper: float) -> None:
    sprt = SprtParameters(elo1=5, alpha=alpha, beta=beta)
    assert (sprt.lower, sprt.upper) == pytest.approx((lower, upper), abs=0.0005)


def test_without_sets_the_ratio_is_zero() -> None:
    state = evaluate_sprt(SprtParameters(elo1=10), no_outcomes(5))
    assert state.verdict == "open"
    assert state.llr == pytest.approx(0, abs=1e-3)
    assert state.matches_to_go > 100


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((0, 20, 100, 60, 20), "passed"),
        ((20, 60, 100, 20, 0), "failed"),
        ((2, 10, 20, 10, 3), "open"),
    ],
)
def test_the_test_stops_at_a_bound(counts: tuple[int, ...], verdict: SprtVerdict) -> None:
    state = evaluate_sprt(SprtParameters(elo1=20), OutcomeCounts(counts))
    assert state.verdict == verdict
    assert (state.matches_to_go == 0) == (verdict != "open")


@pytest.mark.parametrize(("outcomes", "sets"), [(3, 13), (5, 14)])
@pytest.mark.parametrize(("won", "fewer"), [(True, 0), (False, 1)])  # It is further from elo1 down than from elo0 up.
def test_a_clear_lead_ends_the_test_long_before_the_ratio_does(outcomes: int, sets: int, won: bool, fewer: int) -> None:
    sprt, tally = SprtParameters(elo1=20), no_outcomes(outcomes)
    while decide_sprt(sprt, tally) == "open":
        tally = tally.with_outcome(outcomes - 1 if won else 0)
    assert sum(tally.counts) == sets - fewer
    assert decide_sprt(sprt, tally) == ("passed" if won else "failed")
    assert sprt.lower < llr(sprt, tally) < sprt.upper


def test_the_worth_of_the_first_seat_is_what_exceeds_chance() -> None:
    points = NO_POINTS
    for number in range(200):
        points = points.with_match(number % 2 == 0, float(number % 2 == 0 or number % 10 == 1))
    # 100 of 100 points in the first seat and 20 of 100 in the second, with one of two added to each.
    assert points.first_seat == pytest.approx((elo_difference(101 / 102) - elo_difference(21 / 102)) / 2, rel=0.15)
    assert points.first_seat < (elo_difference(101 / 102) - elo_difference(21 / 102)) / 2
    assert NO_POINTS.first_seat == 0
    assert SeatPoints(6, 10, 5, 10).first_seat == 0


def test_hypotheses_are_leads_besides_the_first_seat() -> None:
    sprt, tally = SprtParameters(elo0=0, elo1=100), OutcomeCounts((10, 20, 400, 60, 10))
    without, seated = evaluate_sprt(sprt, tally), evaluate_sprt(sprt, tally, 300)
    assert seated.llr > without.llr
    assert seated.estimate.elo > 1.9 * without.estimate.elo
    assert seated.estimate.superiority == without.estimate.superiority
    assert evaluate_sprt(sprt, tally, -300).estimate == seated.estimate


def test_without_matches_left_the_test_is_undecided() -> None:
    tally = OutcomeCounts((2, 10, 20, 10, 3))
    assert evaluate_sprt(SprtParameters(elo1=5, max_matches=90), tally).verdict == "undecided"
    nearly = evaluate_sprt(SprtParameters(elo1=5, max_matches=92), tally)
    assert (nearly.verdict, nearly.matches_to_go) == ("open", 2)


@pytest.mark.parametrize(("elo0", "elo1"), [(-2000, 2000), (0, 0.01), (1999.99, 2000), (-2000, -1999.99)])
@pytest.mark.parametrize("counts", [(0, 0, 0), (1000, 0, 0), (0, 1000, 0), (0, 0, 1000), (1000, 1000, 1000)])
def test_every_valid_test_can_be_evaluated(counts: tuple[int, ...], elo0: float, elo1: float) -> None:
    assert isfinite(evaluate_sprt(SprtParameters(elo0=elo0, elo1=elo1), OutcomeCounts(counts)).llr)


@given(st.lists(st.integers(0, 30), min_size=5, max_size=5))
def test_the_mirrored_test_has_the_opposite_verdict(counts: tuple[int, ...]) -> None:
    state = evaluate_sprt(SprtParameters(elo0=-10, elo1=10), OutcomeCounts(tuple(counts)))
    other = evaluate_sprt(SprtParameters(elo0=-10, elo1=10), OutcomeCounts(tuple(reversed(counts))))
    assert state.llr == pytest.approx(-other.llr, abs=1e-6)
    assert state.matches_to_go == pytest.approx(other.matches_to_go, abs=2)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"elo1": 0.0}, "elo1"),
        ({"elo1": float("nan")}, "elo1"),
        ({"elo1": 1e308}, "elo1"),
        ({"elo1": 1e-13}, "elo1"),
        ({"elo1": 0.0, "elo0": -1e308}, "elo0"),
        ({"elo1": 5.0, "alpha": 0.0}, "alpha"),
        ({"elo1": 5.0, "beta": 0.5}, "beta"),
        ({"elo1": 5.0, "max_matches": 0}, "max_matches"),
    ],
)
def test_invalid_parameters_are_an_error(wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(BadSprt) as refused:
        SprtParameters(**wrong)
    assert refused.value.details["field"] == field
