"""Why a ladder can be trusted: fifty bots of known strength, paired and rated by the real one.

What is measured is printed; `pytest -rP tests/contest/test_trust.py` shows it.
"""

from collections.abc import Sequence
from itertools import combinations
from math import hypot
from statistics import mean

import pytest

from referee.contest.ladder_terms import Terms
from tests.contest.known import Known, fifty
from tests.contest.luck import luck

DUEL = Terms("main", b"seed", rematch_after=5)
TABLE = Terms("main", b"seed", at_a_table=4, rematch_after=5)

LOOKED_AT = (10, 30, 100)
"""Matches each bot has played when its interval is looked at."""

FIELDS = 3


def covered(terms: Terms, spread: float, fields: int = FIELDS, looked_at: Sequence[int] = LOOKED_AT) -> list[float]:
    """The share of intervals that hold the truth, each time after so many matches a bot."""
    shares: list[list[float]] = []
    for number in range(fields):
        draws = luck(f"field {number}, {spread} Elo, {terms.at_a_table} at a table")
        known, before = Known(fifty(draws, spread), draws, terms), 0
        for after in looked_at:
            shares.append([known.as_paired(after - before).held])
            before = after
    return [mean(share for (share,) in shares[place :: len(looked_at)]) for place in range(len(looked_at))]


@pytest.mark.slow
def test_intervals_in_one_field_hold_the_truth_about_as_often_as_they_say() -> None:
    assert min(covered(DUEL, 250, fields=1, looked_at=(10, 30))) >= 0.85


@pytest.mark.soak
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = {
        (terms.at_a_table, spread): covered(terms, spread)
        for terms in (DUEL, TABLE)
        for spread in (250, 300)  # About as far as a new rating takes strengths to spread.
    }

    print(held)  # noqa: T201
    assert 0.93 <= mean(share for shares in held.values() for share in shares) <= 0.97, held
    assert min(min(shares) for shares in held.values()) >= 0.9, held


@pytest.mark.soak
def test_in_a_field_of_equals_they_hold_it_more_often_rather_than_less() -> None:
    shares = covered(DUEL, 100)

    print(shares)  # noqa: T201
    assert min(shares) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("fields", [1, pytest.param(FIELDS, marks=pytest.mark.soak)])
def test_fifty_bots_are_ordered_within_the_stated_uncertainty(fields: int) -> None:
    wrong = sure = 0
    for number in range(fields):
        draws = luck(f"order {number}")
        known = Known(fifty(draws, 250), draws, DUEL).as_paired(40)
        for (one, (error, deviation)), (other, (its_error, its_deviation)) in combinations(known.found.items(), 2):
            truth = known.strengths[one] - known.strengths[other]
            found = truth + error - its_error
            if abs(found) > 1.96 * hypot(deviation, its_deviation):  # The ladder says: this one is the better one.
                sure += 1
                wrong += truth * found < 0

    print(f"{wrong} of {sure} wrong, of {fields * 50 * 49 // 2}")  # noqa: T201
    assert sure > fields * 50 * 49 // 2 * 0.4
    assert wrong / sure <= 0.025


@pytest.mark.soak
def test_pairing_finds_the_strengths_with_fewer_matches_than_lots_do() -> None:
    paired = by_lot = 0
    for number in range(4):
        strengths = {f"bot{17 * bot % 50:02}": 800 + 30.0 * bot for bot in range(50)}
        lots = Known(strengths, luck(f"lots {number}"), DUEL).by_lot(100)
        known = Known(strengths, luck(f"paired {number}"), DUEL)
        while known.error > lots.error:
            known.as_paired(1)
        paired += known.matches
        by_lot += lots.matches

    print(f"{paired} matches as paired tell as much as {by_lot} by lot: {paired / by_lot:.2f}")  # noqa: T201
    assert paired < 0.85 * by_lot
