"""Estimates of a lead: published where they are published, honest where there are few matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contest.elo import expected
from referee.contest.estimate import around, estimated
from referee.contest.tally import Tally, none_yet
from tests.contest.luck import luck, outcome

PUBLISHED = [
    # The counts in the tests of fishtest's own statistics, with its Elo, error bar and LOS.
    ((10789, 19328, 33806, 19402, 10543), -0.77357734, 1.27757990, 0.11765886),
    ((39, 2226, 31451, 2412, 40), 0.90298105, 0.66253149, 0.99622210),
    ((1187, 7410, 13475, 7378, 1164), -0.44260780, 1.72985903, 0.30801388),
    ((50, 400, 1000, 450, 60), 6.20486647, 6.23584232, 0.97446270),
]


@pytest.mark.parametrize(("counts", "elo", "bar", "superiority"), PUBLISHED)
def test_many_sets_give_the_published_estimate(
    counts: tuple[int, ...], elo: float, bar: float, superiority: float
) -> None:
    found = estimated(Tally(counts))

    assert found.elo == pytest.approx(elo, abs=1e-8)
    # Fishtest takes the normal approximation, we the likelihood ratio: with so many sets they are the same.
    assert (found.high - found.low) / 2 == pytest.approx(bar, rel=2e-3)
    assert found.superiority == pytest.approx(superiority, abs=3e-4)


def test_few_sets_give_the_published_lead_and_a_wide_interval() -> None:
    found = estimated(Tally((0, 3, 10, 5, 2)))

    assert found.elo == pytest.approx(52.49112967, abs=1e-8)
    assert (found.high - found.low) / 2 == pytest.approx(66.49, rel=0.05)
    assert found.superiority == pytest.approx(0.944, abs=0.01)


def test_as_many_points_on_both_sides_are_no_lead() -> None:
    found = estimated(Tally((5, 5, 5, 5, 5)))

    assert (found.elo, found.superiority) == pytest.approx((0.0, 0.5), abs=1e-9)
    assert found.low == pytest.approx(-found.high)


def test_nothing_played_says_nothing() -> None:
    found = estimated(none_yet(3))

    assert found.elo == pytest.approx(0)
    assert found.superiority == pytest.approx(0.5)
    assert (found.low, found.high) == pytest.approx((-1199.8, 1199.8), abs=0.1)


def test_three_wins_in_a_row_are_no_certainty() -> None:
    found = estimated(Tally((0, 0, 3)))

    assert found.low < 50
    assert 0.9 < found.superiority < 0.99


counted = st.lists(st.integers(0, 200), min_size=3, max_size=3) | st.lists(st.integers(0, 200), min_size=5, max_size=5)


@given(counted)
def test_the_lead_lies_in_its_interval_and_the_other_way_round_is_the_mirror(counts: tuple[int, ...]) -> None:
    found, other = estimated(Tally(tuple(counts))), estimated(Tally(tuple(reversed(counts))))

    assert found.low <= found.elo <= found.high
    assert (other.elo, other.low, other.high) == pytest.approx((-found.elo, -found.high, -found.low), abs=1e-3)
    assert found.superiority + other.superiority == pytest.approx(1)


@given(counted, st.integers(0, 2))
def test_one_more_win_never_lowers_the_lead(counts: tuple[int, ...], more: int) -> None:
    before = Tally(tuple(counts))
    after = before
    for _ in range(more):
        after = after.and_then(len(counts) - 1)

    assert sum(after.counts) == sum(before.counts) + more
    assert after.score >= before.score - 1e-3  # What never came counts a thousandth.


def test_matches_are_counted_by_the_set() -> None:
    assert Tally((1, 2, 3)).matches == 6
    assert Tally((1, 2, 3, 4, 5)).matches == 30


def test_an_error_of_nothing_leaves_no_doubt() -> None:
    assert around(3.0, 0.0).superiority == 1
    assert around(-3.0, 0.0).superiority == 0
    assert around(0.0, 0.0).superiority == 0.5
    assert around(10.0, 10.0).superiority == pytest.approx(0.8413, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runs", "low", "high"), [(100, 0.88, 1), pytest.param(1500, 0.92, 0.985, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("sets", [10, 40, 200])
@pytest.mark.parametrize("lead", [0, 120])
def test_the_interval_holds_the_truth_as_often_as_it_says(
    sets: int, lead: float, runs: int, low: float, high: float
) -> None:
    draws = luck(f"{sets} sets, {lead} Elo")
    score = expected(lead)
    rates = (1 - score - 0.1, 0.2, score - 0.1)
    held = 0
    for _ in range(runs):
        counts = [0, 0, 0]
        for _ in range(sets):
            counts[outcome(rates, next(draws))] += 1
        found = estimated(Tally(tuple(counts)))
        held += found.low <= lead <= found.high

    assert low < held / runs <= high
