"""The Elo scale, and estimates of a difference: published values, and wide intervals for few matches."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contests.strength.elo import (
    BetaDistribution,
    OutcomeCounts,
    elo_difference,
    estimate_from_counts,
    estimate_from_scores,
    expected_score,
    no_outcomes,
    normal_estimate,
    seated_score,
)


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
    # Fishtest uses the normal approximation, this code a beta distribution; with this many sets they are the same.
    assert (found.high - found.low) / 2 == pytest.approx(bar, rel=2e-3)
    assert found.superiority == pytest.approx(superiority, abs=3e-4)


def test_few_sets_give_the_published_lead_and_a_wide_interval() -> None:
    found = estimate_from_counts(OutcomeCounts((0, 3, 10, 5, 2)))
    assert found.elo == pytest.approx(52.49112967, abs=1e-8)
    assert (found.high - found.low) / 2 == pytest.approx(66.49, rel=0.05)
    assert found.superiority == pytest.approx(0.944, abs=0.025)  # Fishtest is a little more certain after 20 sets.


def test_without_sets_the_estimate_is_uncertain() -> None:
    found = estimate_from_counts(no_outcomes(3))
    assert found.elo == pytest.approx(0)
    assert found.superiority == pytest.approx(0.5)
    assert found.high > 400
    assert found.low == pytest.approx(-found.high)


def test_scores_of_sets_give_the_average_and_few_equal_ones_leave_doubt() -> None:
    found = estimate_from_scores([1.0, 1.0, 1.0])
    assert found.low < 100
    assert 0.9 < found.superiority < 1
    assert found.elo == elo_difference(1.0)
    level = estimate_from_scores([0.5] * 30)
    assert (level.elo, level.superiority) == pytest.approx((0, 0.5))
    assert level.low < 0 < level.high


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


@pytest.mark.parametrize("successes", [1, 3, 10])
@pytest.mark.parametrize("chance", [0.05, 0.5, 0.9])
def test_the_beta_distribution_gives_the_tail_of_the_binomial_one(successes: int, chance: float) -> None:
    tail = sum(comb(10, many) * chance**many * (1 - chance) ** (10 - many) for many in range(successes, 11))
    known = BetaDistribution(successes, 11 - successes)
    assert known.cdf(chance) == pytest.approx(tail, rel=1e-10)
    assert known.cdf(known.quantile(0.3)) == pytest.approx(0.3)


@given(st.floats(0.05, 0.95), st.floats(0.001, 0.95), st.floats(0.001, 0.999))
def test_the_beta_distribution_is_symmetric_and_has_the_given_moments(mean: float, width: float, x: float) -> None:
    known = BetaDistribution.of_moments(mean, width * mean * (1 - mean))
    assert known.a / (known.a + known.b) == pytest.approx(mean)
    assert 0 <= known.cdf(x) <= 1 + 1e-12
    assert known.cdf(x) + BetaDistribution(known.b, known.a).cdf(1 - x) == pytest.approx(1, abs=1e-9)


def test_a_deviation_of_zero_gives_a_certain_estimate() -> None:
    assert normal_estimate(3.0, 0.0).superiority == 1
    assert normal_estimate(-3.0, 0.0).superiority == 0
    assert normal_estimate(0.0, 0.0).superiority == 0.5
    assert normal_estimate(10.0, 10.0).superiority == pytest.approx(0.8413, abs=1e-4)
