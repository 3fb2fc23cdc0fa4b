"""The sequential test: published ratios and bounds."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from math import isfinite, log
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referee_values import SprtVerdict

from referee.contests.strength.elo import OutcomeCounts, elo_difference, expected_score, no_outcomes
from referee.contests.strength.sprt_evaluation import (
    NO_POINTS,
    BadSprt,
    SeatPoints,
    SprtParameters,
    decide_sprt,
    evaluate_sprt,
    llr,
)
from tests.contests.simulated_matches import random_numbers

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


ALPHA, BETA = 0.05, 0.1
SPRT = SprtParameters(elo0=0, elo1=100, alpha=ALPHA, beta=BETA)

TRINOMIAL, PENTANOMIAL = 3, 5


def outcome(rates: Sequence[float], drawn: float) -> int:
    """Return the index of the outcome, given the rates of all outcomes, that a number from 0 to 1 selects."""
    for place, rate in enumerate(rates):
        drawn -= rate
        if drawn < 0:
            return place
    return len(rates) - 1


class SprtRun(NamedTuple):
    verdict: SprtVerdict
    tally: OutcomeCounts


def rates(lead: float, outcomes: int, draws: float) -> tuple[float, ...]:
    """Return the rate of each outcome, given the share of draws, if the first move is worth some twenty Elo."""
    score = expected_score(lead)
    first, second = ((1 - each - draws / 2, draws, each - draws / 2) for each in (score + 0.03, score - 0.03))
    if outcomes == TRINOMIAL:
        return tuple((a + b) / 2 for a, b in zip(first, second, strict=True))
    return tuple(sum(first[i] * second[points - i] for i in range(3) if 0 <= points - i < 3) for points in range(5))


def run(of_outcomes: tuple[float, ...], draws: Iterator[float]) -> SprtRun:
    tally = no_outcomes(len(of_outcomes))
    while (verdict := decide_sprt(SPRT, tally)) == "open":
        tally = tally.with_outcome(outcome(of_outcomes, next(draws)))
    return SprtRun(verdict, tally)


def wald(of_outcomes: tuple[float, ...], lead: float) -> float:
    """Return Wald's approximation of the expected number of sets for known rates."""
    last = len(of_outcomes) - 1
    score = sum(rate * place / last for place, rate in enumerate(of_outcomes))
    variance = sum(rate * (place / last - score) ** 2 for place, rate in enumerate(of_outcomes))
    score0, score1 = expected_score(SPRT.elo0), expected_score(SPRT.elo1)
    drift = (score1 - score0) * (score - (score0 + score1) / 2) / variance
    lower, upper = log(BETA / (1 - ALPHA)), log((1 - BETA) / ALPHA)
    passes = ALPHA if lead == SPRT.elo0 else 1 - BETA
    return (passes * upper + (1 - passes) * lower) / drift


@pytest.mark.slow
@pytest.mark.parametrize("runs", [150, pytest.param(1000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("outcomes", [TRINOMIAL, PENTANOMIAL])
@pytest.mark.parametrize("drawn", [0.0, 0.4])
@pytest.mark.parametrize(("lead", "wrong", "allowed"), [(SPRT.elo0, "passed", ALPHA), (SPRT.elo1, "failed", BETA)])
def test_error_rates_hold_and_lengths_are_as_wald_predicts(
    outcomes: int, drawn: float, lead: float, wrong: SprtVerdict, allowed: float, runs: int
) -> None:
    of_outcomes, draws = rates(lead, outcomes, drawn), random_numbers(f"{outcomes} outcomes, {drawn} drawn, {lead} Elo")
    test_runs = [run(of_outcomes, draws) for _ in range(runs)]
    error_rate = sum(test_run.verdict == wrong for test_run in test_runs) / runs
    sets = sum(sum(test_run.tally.counts) for test_run in test_runs) / runs
    message = (
        f"{error_rate:.3f} of {runs} erred, where {allowed} may; {sets:.1f} sets, {wald(of_outcomes, lead):.1f} by Wald"
    )
    print(message)  # noqa: T201  # `pytest -rP` shows the evidence.
    assert error_rate <= allowed, message
    by_wald = wald(of_outcomes, lead)
    assert 0.8 * by_wald < sets < 1.3 * by_wald + 2 * outcomes, (
        message
    )  # One set for each outcome carries no information.


def seated_run(outcomes: int, lead: float, first_seat: float, drawn: float, draws: Iterator[float]) -> SprtVerdict:
    """Run a test of two bots that take turns in the first seat, which is worth that many Elo."""
    tally, seats, half_points, match = no_outcomes(outcomes), NO_POINTS, 0, 0
    while (verdict := decide_sprt(SPRT, tally, seats.first_seat)) == "open":
        for _ in range(outcomes // 2):
            is_first = match % 2 == 0
            score = expected_score(lead + (first_seat if is_first else -first_seat))
            drawn_half = drawn * min(score, 1 - score)
            got = outcome((1 - score - drawn_half, 2 * drawn_half, score - drawn_half), next(draws))
            seats, half_points, match = seats.with_match(is_first, got / 2), half_points + got, match + 1
        tally, half_points = tally.with_outcome(half_points), 0
    return verdict


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "slack"), [(40, 0.1), pytest.param(400, 0.01, marks=pytest.mark.soak)])
@pytest.mark.parametrize("outcomes", [TRINOMIAL, PENTANOMIAL])
@pytest.mark.parametrize("first_seat", [100, 200, 300])
@pytest.mark.parametrize(("lead", "wrong", "allowed"), [(SPRT.elo0, "passed", ALPHA), (SPRT.elo1, "failed", BETA)])
def test_error_rates_hold_whatever_the_first_seat_is_worth(
    outcomes: int, first_seat: float, lead: float, wrong: SprtVerdict, allowed: float, runs: int, slack: float
) -> None:
    draws = random_numbers(f"{outcomes} outcomes, first seat {first_seat}, {lead} Elo")
    erred = sum(seated_run(outcomes, lead, first_seat, 0.3, draws) is wrong for _ in range(runs)) / runs
    print(f"{outcomes} outcomes, first seat {first_seat}, lead {lead}: {erred:.3f}")  # noqa: T201
    assert erred <= allowed + slack


@pytest.mark.slow
def test_the_estimated_number_of_matches_is_about_right() -> None:
    of_outcomes, draws = rates(100, PENTANOMIAL, 0.3), random_numbers("to go")
    foreseen, needed = [], []
    for _ in range(300):
        outcomes = (outcome(of_outcomes, drawn) for drawn in islice(draws, 10))
        *_, tally = accumulate(outcomes, OutcomeCounts.with_outcome, initial=no_outcomes(PENTANOMIAL))
        so_far = tally.matches
        if (state := evaluate_sprt(SPRT, tally)).verdict == "open":
            while decide_sprt(SPRT, tally) == "open":
                tally = tally.with_outcome(outcome(of_outcomes, next(draws)))
            foreseen.append(state.matches_to_go)
            needed.append(tally.matches - so_far)
    assert 0.6 < sum(foreseen) / sum(needed) < 1.6
