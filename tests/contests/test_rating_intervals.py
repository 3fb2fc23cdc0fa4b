"""Reliability of a ladder: fifty bots with known strengths, paired and rated by the real one.

`pytest -rP tests/contests/test_rating_intervals.py` prints the measurements.
"""

from collections.abc import Sequence
from itertools import combinations
from math import hypot
from statistics import mean

import pytest

from referee.contests.ladder import matchmaking
from referee.contests.ladder.state import LadderPlayTerms
from tests.contests.random_draws import random_numbers
from tests.contests.simulated_ladder import SimulatedLadder, fifty_bots

DUEL = LadderPlayTerms("main", b"seed", rematch_after=5)
TABLE = LadderPlayTerms("main", b"seed", table_size=4, rematch_after=5)

MATCH_COUNTS = (10, 30, 100)
"""Numbers of matches per bot after which intervals are checked."""

FIELDS = 3


def covered(
    terms: LadderPlayTerms, spread: float, fields: int = FIELDS, match_counts: Sequence[int] = MATCH_COUNTS
) -> list[float]:
    """Return the share of intervals that contain the true strength, after each of these numbers of matches."""
    shares: list[list[float]] = []
    for number in range(fields):
        draws = random_numbers(f"field {number}, {spread} Elo, {terms.table_size} at a table")
        known, before = SimulatedLadder(fifty_bots(draws, spread), draws, terms), 0
        for after in match_counts:
            shares.append([known.play_paired(after - before).coverage])
            before = after
    return [mean(share for (share,) in shares[place :: len(match_counts)]) for place in range(len(match_counts))]


@pytest.mark.slow
def test_intervals_in_one_field_contain_the_true_values_about_as_often_as_stated() -> None:
    assert min(covered(DUEL, 250, fields=1, match_counts=(10, 30))) >= 0.85


@pytest.mark.soak
def test_intervals_contain_the_true_values_as_often_as_stated() -> None:
    shares_by_terms = {
        (terms.table_size, spread): covered(terms, spread)
        for terms in (DUEL, TABLE)
        for spread in (250, 300)  # A new rating assumes about this spread.
    }

    print(shares_by_terms)  # noqa: T201
    assert 0.93 <= mean(share for shares in shares_by_terms.values() for share in shares) <= 0.97, shares_by_terms
    assert min(min(shares) for shares in shares_by_terms.values()) >= 0.9, shares_by_terms


@pytest.mark.soak
def test_in_a_field_of_equals_intervals_are_conservative() -> None:
    shares = covered(DUEL, 100)

    print(shares)  # noqa: T201
    assert min(shares) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("fields", [1, pytest.param(FIELDS, marks=pytest.mark.soak)])
def test_fifty_bots_are_ordered_within_the_stated_uncertainty(fields: int) -> None:
    wrong = sure = 0
    for number in range(fields):
        draws = random_numbers(f"order {number}")
        known = SimulatedLadder(fifty_bots(draws, 250), draws, DUEL).play_paired(40)
        for (one, (error, deviation)), (other, (its_error, its_deviation)) in combinations(known.errors.items(), 2):
            true_difference = known.strengths[one] - known.strengths[other]
            estimated_difference = true_difference + error - its_error
            if abs(estimated_difference) > 1.96 * hypot(
                deviation, its_deviation
            ):  # The ladder claims to know the better one.
                sure += 1
                wrong += true_difference * estimated_difference < 0

    print(f"{wrong} of {sure} wrong, of {fields * 50 * 49 // 2}")  # noqa: T201
    assert sure > fields * 50 * 49 // 2 * 0.4
    assert wrong / sure <= 0.025


@pytest.mark.soak
def test_intervals_need_opponents_of_mixed_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchmaking, "MIN_INFORMATION_SHARE", 1.0)
    ladders: list[SimulatedLadder] = []
    for number in range(FIELDS):
        draws = random_numbers(f"field {number}, 100 Elo, 2 at a table")
        ladders.append(SimulatedLadder(fifty_bots(draws, 100), draws, DUEL).play_paired(100))
    coverage, error = mean(it.coverage for it in ladders), mean(it.mean_error for it in ladders)

    print(f"only the most informative opponents: coverage {coverage:.3f}, error {error:.0f}")  # noqa: T201
    assert coverage < 0.7
    assert error > 2 * 45
