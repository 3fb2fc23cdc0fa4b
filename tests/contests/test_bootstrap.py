"""The paired bootstrap over sets of duplicate play."""

import pytest

from engines.chance import Chance
from referee.contests.strength.elo import (
    OutcomeCounts,
    bootstrap_estimate,
    elo_difference,
    estimate_from_counts,
    expected_score,
)
from tests.contests.random_draws import random_numbers

CHANCE = Chance(b"drawn again")


def test_bootstrap_and_likelihood_agree_with_two_sides() -> None:
    sets = [0.0] * 10 + [0.5] * 20 + [1.0] * 30

    found, counted = bootstrap_estimate(sets, CHANCE), estimate_from_counts(OutcomeCounts((10, 20, 30)))

    assert found.elo == pytest.approx(counted.elo, abs=0.01)
    assert (found.low, found.high) == pytest.approx((counted.low, counted.high), abs=20)
    assert found.superiority == pytest.approx(counted.superiority, abs=0.01)


def test_the_same_seed_gives_the_same_resamples() -> None:
    sets = [0.25, 0.5, 1.0, 0.75]

    assert (
        bootstrap_estimate(sets, CHANCE)
        == bootstrap_estimate(sets, CHANCE)
        != bootstrap_estimate(sets, CHANCE.fork("other"))
    )


def test_three_equal_sets_leave_doubt() -> None:
    found = bootstrap_estimate([1.0, 1.0, 1.0], CHANCE)

    assert found.low < 100
    assert 0.8 < found.superiority < 1
    assert found.elo == elo_difference(1.0)


def test_even_sets_give_no_lead() -> None:
    found = bootstrap_estimate([0.5] * 30, CHANCE)

    assert found.elo == 0
    assert found.superiority == pytest.approx(0.5, abs=0.05)
    assert found.low < 0 < found.high


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "least"), [(20, 0.75), pytest.param(200, 0.9, marks=pytest.mark.soak)])
def test_the_interval_contains_the_true_value_as_often_as_stated(runs: int, least: float) -> None:
    draws, held, lead = random_numbers("bootstrap"), 0, 60
    for run in range(runs):
        # Three pairs of matches in each set; the luck of a set applies to both seatings.
        sets = []
        for _ in range(25):
            start = 0.2 * (next(draws) - 0.5)
            sets.append(sum(next(draws) < expected_score(lead) + start for _ in range(6)) / 6)
        found = bootstrap_estimate(sets, CHANCE.fork(str(run)))
        held += found.low <= lead <= found.high

    assert held / runs > least
    assert held < runs
