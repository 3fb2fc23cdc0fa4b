"""How often the intervals of a ladder's standings, which come from all results at once, contain the true strength.

`pytest -rP -m soak tests/contests/test_joint_intervals.py` prints the measurements of docs/ratings.md.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import hypot
from statistics import mean

import pytest

from referee.contests.ladder import matchmaking
from referee.contests.ladder.state import LadderPlayTerms
from referee.contests.strength import joint_fit
from tests.contests.simulated_ladder import (
    BOTS,
    Errors,
    SimulatedLadder,
    ladder_of_field,
    root_mean_square,
    share_contained,
)

KINDS = pytest.mark.parametrize("kind", ["even", "normal 100", "normal 250", "normal 400"])
MATCHES = (5, 20, 50, 100)


def ladders(kind: str, runs: int, seats: int = 2) -> list[SimulatedLadder]:
    """Return ladders whose bots have not played yet."""
    terms = [LadderPlayTerms("main", b"seed %d" % number, table_size=seats) for number in range(runs)]
    return [ladder_of_field(kind, f"{kind} {number}, {seats} seats", each) for number, each in enumerate(terms)]


def contained(errors: Iterable[Errors]) -> float:
    return round(mean(map(share_contained, errors)), 9)  # So that nine in ten is 0.9.


def mean_error(errors: Iterable[Errors]) -> float:
    return mean(map(root_mean_square, errors))


def coverage(played: Sequence[SimulatedLadder], what: str) -> float:
    """Return the share of intervals with the true strength, and print it with the errors."""
    errors, live = [run.errors for run in played], [run.live_errors for run in played]
    shares = f"{contained(errors):.3f}, error {mean_error(errors):.0f}"
    print(f"{what}: {shares}; live ratings: {contained(live):.3f}, error {mean_error(live):.0f}")  # noqa: T201
    return contained(errors)


@pytest.mark.slow
@KINDS
def test_intervals_contain_the_true_strength_in_narrow_and_wide_fields(kind: str) -> None:
    found = ladders(kind, 2)
    for rounds, after in ((5, 5), (15, 20)):
        assert coverage([ladder.play_paired(rounds) for ladder in found], f"{kind}, {after} matches") >= 0.9


@pytest.mark.soak
@KINDS
def test_intervals_contain_the_true_strength_in_95_of_100_cases(kind: str) -> None:
    """These are a thousand intervals for each number of matches, so the standard error is about 0.01."""
    found, before = ladders(kind, 20), 0
    for after in MATCHES:
        share = coverage([run.play_paired(after - before) for run in found], f"{kind}, {after} matches")
        # Five matches do not show how narrow the narrowest field is.
        assert 0.93 <= share <= (1 if (kind, after) == ("normal 100", 5) else 0.97), (kind, after)
        live_error = mean_error(run.live_errors for run in found)
        assert mean_error(run.errors for run in found) <= live_error + 5, (kind, after)
        before = after


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["normal 100", "normal 400"])
def test_so_do_those_of_matches_of_four(kind: str) -> None:
    found = [ladder.play_paired(20) for ladder in ladders(kind, 20, seats=4)]
    assert 0.93 <= coverage(found, f"{kind}, 20 matches of four") <= 0.98


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["normal 100", "normal 400"])
def test_the_estimates_of_large_fields_are_close_to_exact_ones(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ladder.play_paired(20) for ladder in ladders(kind, 10)]
    exact = [ladder.errors for ladder in found]
    monkeypatch.setattr(joint_fit, "EXACT_PLAYERS", 0)
    for of_exact, known in zip(exact, found, strict=True):
        for name, (error, deviation) in known.errors.items():
            assert error == pytest.approx(of_exact[name][0], abs=0.1 * deviation)
            assert deviation == pytest.approx(of_exact[name][1], rel=0.06)


@pytest.mark.soak
def test_ratings_need_opponents_of_mixed_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = [ladder.play_paired(100) for ladder in ladders("normal 100", 6)]
    monkeypatch.setattr(matchmaking, "MIN_INFORMATION_SHARE", 1.0)
    nearest = [ladder.play_paired(100) for ladder in ladders("normal 100", 6)]
    assert coverage(mixed, "opponents of mixed strength") >= 0.9
    coverage(nearest, "only the most informative opponents")
    assert contained(ladder.live_errors for ladder in nearest) <= 0.8
    errors = [mean_error(ladder.errors for ladder in ladders) for ladders in (nearest, mixed)]
    live_errors = [mean_error(ladder.live_errors for ladder in ladders) for ladders in (nearest, mixed)]
    assert errors[0] >= 1.3 * errors[1]
    assert live_errors[0] >= 2 * live_errors[1]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_fifty_bots_are_ordered_within_the_stated_uncertainty(runs: int) -> None:
    wrong = sure = 0
    for known in ladders("normal 250", runs):
        errors = known.play_paired(40).errors
        for (name, (error, deviation)), (other, (its_error, its_deviation)) in combinations(errors.items(), 2):
            true_difference = known.strengths[name] - known.strengths[other]
            estimated_difference = true_difference + error - its_error
            if abs(estimated_difference) > 1.96 * hypot(deviation, its_deviation):  # The better one seems to be known.
                sure += 1
                wrong += true_difference * estimated_difference < 0
    print(f"{wrong} of {sure} wrong, of {runs * BOTS * (BOTS - 1) // 2}")  # noqa: T201
    assert sure > runs * BOTS * (BOTS - 1) // 2 * 0.4
    assert wrong / sure <= 0.025
