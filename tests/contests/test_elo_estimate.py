"""Estimates of a difference: published values, and wide intervals for few matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contests.strength.elo import (
    OutcomeCounts,
    estimate_from_counts,
    expected_score,
    no_outcomes,
    normal_estimate,
)
from tests.contests.random_draws import outcome, random_numbers

PUBLISHED = [
    # Counts from the tests of fishtest's own statistics, with its Elo, error bar and LOS.
    ((10789, 19328, 33806, 19402, 10543), -0.77357734, 1.27757990, 0.11765886),
    ((39, 2226, 31451, 2412, 40), 0.90298105, 0.66253149, 0.99622210),
    ((1187, 7410, 13475, 7378, 1164), -0.44260780, 1.72985903, 0.30801388),
    ((50, 400, 1000, 450, 60), 6.20486647, 6.23584232, 0.97446270),
]


@pytest.mark.parametrize(("counts", "elo", "bar", "superiority"), PUBLISHED)
def test_many_sets_give_the_published_estimate(
    counts: tuple[int, ...], elo: float, bar: float, superiority: float
) -> None:
    found = estimate_from_counts(OutcomeCounts(counts))

    assert found.elo == pytest.approx(elo, abs=1e-8)
    # Fishtest uses the normal approximation, this code the likelihood ratio; with this many sets they are the same.
    assert (found.high - found.low) / 2 == pytest.approx(bar, rel=2e-3)
    assert found.superiority == pytest.approx(superiority, abs=3e-4)


def test_few_sets_give_the_published_lead_and_a_wide_interval() -> None:
    found = estimate_from_counts(OutcomeCounts((0, 3, 10, 5, 2)))

    assert found.elo == pytest.approx(52.49112967, abs=1e-8)
    assert (found.high - found.low) / 2 == pytest.approx(66.49, rel=0.05)
    assert found.superiority == pytest.approx(0.944, abs=0.01)


def test_equal_points_give_no_difference() -> None:
    found = estimate_from_counts(OutcomeCounts((5, 5, 5, 5, 5)))

    assert (found.elo, found.superiority) == pytest.approx((0.0, 0.5), abs=1e-9)
    assert found.low == pytest.approx(-found.high)


def test_without_sets_the_estimate_is_uncertain() -> None:
    found = estimate_from_counts(no_outcomes(3))

    assert found.elo == pytest.approx(0)
    assert found.superiority == pytest.approx(0.5)
    assert (found.low, found.high) == pytest.approx((-1199.8, 1199.8), abs=0.1)


def test_three_wins_in_a_row_leave_a_wide_interval() -> None:
    found = estimate_from_counts(OutcomeCounts((0, 0, 3)))

    assert found.low < 50
    assert 0.9 < found.superiority < 0.99


counted = st.lists(st.integers(0, 200), min_size=3, max_size=3) | st.lists(st.integers(0, 200), min_size=5, max_size=5)


@given(counted)
def test_the_lead_lies_in_its_interval_and_exchanging_the_entrants_mirrors_both(counts: tuple[int, ...]) -> None:
    found, other = (
        estimate_from_counts(OutcomeCounts(tuple(counts))),
        estimate_from_counts(OutcomeCounts(tuple(reversed(counts)))),
    )

    assert found.low <= found.elo <= found.high
    assert (other.elo, other.low, other.high) == pytest.approx((-found.elo, -found.high, -found.low), abs=1e-3)
    assert found.superiority + other.superiority == pytest.approx(1)


@given(counted, st.integers(0, 2))
def test_one_more_win_never_lowers_the_lead(counts: tuple[int, ...], more: int) -> None:
    before = OutcomeCounts(tuple(counts))
    after = before
    for _ in range(more):
        after = after.with_outcome(len(counts) - 1)

    assert sum(after.counts) == sum(before.counts) + more
    assert after.score >= before.score - 1e-3  # An unseen outcome has a weight of 0.001.


def test_matches_are_counted_by_the_set() -> None:
    assert OutcomeCounts((1, 2, 3)).matches == 6
    assert OutcomeCounts((1, 2, 3, 4, 5)).matches == 30


def test_a_deviation_of_zero_gives_a_certain_estimate() -> None:
    assert normal_estimate(3.0, 0.0).superiority == 1
    assert normal_estimate(-3.0, 0.0).superiority == 0
    assert normal_estimate(0.0, 0.0).superiority == 0.5
    assert normal_estimate(10.0, 10.0).superiority == pytest.approx(0.8413, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runs", "low", "high"), [(100, 0.88, 1), pytest.param(1500, 0.92, 0.985, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("sets", [10, 40, 200])
@pytest.mark.parametrize("lead", [0, 120])
def test_the_interval_contains_the_true_value_as_often_as_stated(
    sets: int, lead: float, runs: int, low: float, high: float
) -> None:
    draws = random_numbers(f"{sets} sets, {lead} Elo")
    score = expected_score(lead)
    rates = (1 - score - 0.1, 0.2, score - 0.1)
    held = 0
    for _ in range(runs):
        counts = [0, 0, 0]
        for _ in range(sets):
            counts[outcome(rates, next(draws))] += 1
        found = estimate_from_counts(OutcomeCounts(tuple(counts)))
        held += found.low <= lead <= found.high

    assert low < held / runs <= high
