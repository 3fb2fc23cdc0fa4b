"""The paired bootstrap: sets drawn again say how sure a difference is."""

import pytest

from engines.chance import Chance
from referee.contest.bootstrap import bootstrapped
from referee.contest.elo import difference, expected
from referee.contest.estimate import estimated
from referee.contest.tally import Tally
from tests.contest.luck import luck

CHANCE = Chance(b"drawn again")


def test_it_finds_what_counting_finds_where_both_can() -> None:
    sets = [0.0] * 10 + [0.5] * 20 + [1.0] * 30

    found, counted = bootstrapped(sets, CHANCE), estimated(Tally((10, 20, 30)))

    assert found.elo == pytest.approx(counted.elo, abs=0.01)
    assert (found.low, found.high) == pytest.approx((counted.low, counted.high), abs=20)
    assert found.superiority == pytest.approx(counted.superiority, abs=0.01)


def test_the_same_chance_draws_the_same() -> None:
    sets = [0.25, 0.5, 1.0, 0.75]

    assert bootstrapped(sets, CHANCE) == bootstrapped(sets, CHANCE) != bootstrapped(sets, CHANCE.fork("other"))


def test_three_sets_that_ended_alike_leave_doubt() -> None:
    found = bootstrapped([1.0, 1.0, 1.0], CHANCE)

    assert found.low < 100
    assert 0.8 < found.superiority < 1
    assert found.elo == difference(1.0)


def test_even_sets_are_no_lead() -> None:
    found = bootstrapped([0.5] * 30, CHANCE)

    assert found.elo == 0
    assert found.superiority == pytest.approx(0.5, abs=0.05)
    assert found.low < 0 < found.high


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "least"), [(20, 0.75), pytest.param(200, 0.9, marks=pytest.mark.soak)])
def test_the_interval_holds_the_truth_as_often_as_it_says(runs: int, least: float) -> None:
    draws, held, lead = luck("bootstrap"), 0, 60
    for run in range(runs):
        # Three pairs of matches a set, each set with luck of its own that both seatings share.
        sets = []
        for _ in range(25):
            start = 0.2 * (next(draws) - 0.5)
            sets.append(sum(next(draws) < expected(lead) + start for _ in range(6)) / 6)
        found = bootstrapped(sets, CHANCE.fork(str(run)))
        held += found.low <= lead <= found.high

    assert held / runs > least
    assert held < runs
