"""The sequential test, run thousands of times: error rates and length."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from math import log
from typing import NamedTuple

import pytest
from referee_values import SprtVerdict

from referee.contests.strength.elo import OutcomeCounts, expected_score, no_outcomes
from referee.contests.strength.sprt_evaluation import NO_POINTS, SprtParameters, decide_sprt, evaluate_sprt
from tests.contests.simulated_matches import random_numbers

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
