"""Ratings that an owner tries to raise without playing better, on a ladder of 22 bots.

`pytest -rP tests/contests/test_farmed_ratings.py -m "soak or not soak"` prints the measurements of docs/ratings.md.
"""

from collections.abc import Callable
from statistics import mean

import pytest

from referee.contests.ladder import rating_rules
from referee.contests.strength.rating import SkillRating
from tests.contests.farmed_ladder import FARMER, HELPER, STRENGTH, FarmedLadder

LIMIT = STRENGTH + 50
"""Limit of the lower bound of a farmed rating."""

RUNS = pytest.mark.parametrize("runs", [3, pytest.param(20, marks=pytest.mark.soak)])

Play = Callable[[FarmedLadder], None]


def farm(play: Play, runs: int, owners: bool = False, throws: bool = False, helpers: int = 1) -> list[FarmedLadder]:
    """Return ladders on which the farmer has played."""
    own = {FARMER: ("ann",), HELPER: ("ann",)} if owners else {}
    ladders = [FarmedLadder(f"farm {number}", own, throws, helpers) for number in range(runs)]
    for ladder in ladders:
        play(ladder)
    return ladders


def report(what: str, ladders: list[FarmedLadder]) -> None:
    farmed = [ladder.estimate() for ladder in ladders]
    values, bounds = [rating.value for rating in farmed], [rating.lower_bound for rating in farmed]
    places = [ladder.places_gained for ladder in ladders]
    print(  # noqa: T201
        f"{what}: value {min(values):.0f} to {max(values):.0f}, average {mean(values):.0f}; "
        f"lower bound at most {max(bounds):.0f}, average {mean(bounds):.0f}; "
        f"places gained on average {mean(places):.1f}"
    )


def play_all(ladder: FarmedLadder) -> None:
    for _ in range(100):
        ladder.play()


def play_half_alone(ladder: FarmedLadder) -> None:
    ladder.play_half_alone(200)


@pytest.mark.slow
@RUNS
def test_a_bot_cannot_win_against_another_bot_of_its_owner(runs: int) -> None:
    farmed = farm(play_half_alone, runs, owners=True, throws=True)
    report("two bots of one owner, alone half of the time", farmed)
    assert max(ladder.estimate().lower_bound for ladder in farmed) <= LIMIT
    if runs > 3:
        assert mean(ladder.places_gained for ladder in farmed) <= 1
        assert abs(mean(ladder.estimate().value for ladder in farmed) - STRENGTH) <= 25


@pytest.mark.slow
@RUNS
def test_a_helper_that_loses_on_purpose_gains_the_winner_little(runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    farmed = farm(play_half_alone, runs, throws=True)
    report("two owners, alone half of the time", farmed)
    monkeypatch.setattr(rating_rules, "FREE_SHARES", 1e9)
    unlimited = farm(play_half_alone, runs, throws=True)
    report("the same without the rule on repeated opponents", unlimited)
    gained = [free.estimate().value - ladder.estimate().value for ladder, free in zip(farmed, unlimited, strict=True)]
    assert mean(gained) >= 50, "the rule does not limit what it should"
    assert max(ladder.estimate().lower_bound for ladder in farmed) <= LIMIT
    if runs > 3:
        assert mean(run.places_gained for run in farmed) <= 2.5 < mean(run.places_gained for run in unlimited)
        assert mean(ladder.estimate().value for ladder in farmed) <= STRENGTH + 60


@pytest.mark.slow
@RUNS
def test_five_helpers_gain_the_winner_what_the_page_says(runs: int) -> None:
    farmed = farm(play_half_alone, runs, throws=True, helpers=5)
    report("five helpers of five owners, alone half of the time", farmed)
    bounds = [ladder.estimate().lower_bound for ladder in farmed]
    assert STRENGTH + 90 <= mean(bounds) <= STRENGTH + 170
    assert max(bounds) <= STRENGTH + 200


@pytest.mark.slow
@RUNS
def test_new_versions_until_one_is_lucky_gain_nothing(runs: int) -> None:
    ranked = [skill for ladder in farm(lambda _: None, runs) for skill in play_versions(ladder, 3 if runs == 3 else 15)]
    values, bounds = [rating.value for rating in ranked], [rating.lower_bound for rating in ranked]
    print(  # noqa: T201
        f"{len(ranked)} versions after 20 matches each: value {min(values):.0f} to {max(values):.0f}, "
        f"average {mean(values):.0f}; lower bound at most {max(bounds):.0f}"
    )
    assert max(bounds) <= LIMIT


def play_versions(ladder: FarmedLadder, versions: int) -> list[SkillRating]:
    """Return the rating of each version when it is no longer provisional; then the next one plays."""
    ratings = []
    for number in range(versions):
        ladder.version = str(number)
        while ladder.rating().matches < 20:
            ladder.play()
        ratings.append(ladder.estimate())
    return ratings


@pytest.mark.slow
@RUNS
def test_a_bot_that_stops_when_lucky_does_not_keep_its_lower_bound(runs: int) -> None:
    luckiest = []
    for ladder in farm(lambda _: None, runs):
        seen = []
        for number in range(60 if runs == 3 else 150):
            ladder.play()
            if number >= 20:
                seen.append(ladder.estimate())
        luckiest.append(max(seen, key=lambda rating: rating.value))
    print(f"highest values: {min(best.value for best in luckiest):.0f} to {max(best.value for best in luckiest):.0f}")  # noqa: T201
    bounds = {days: [rating.after_absence(days).lower_bound for rating in luckiest] for days in (0, 30, 90, 365)}
    for days, found in bounds.items():
        print(f"lower bound {days} days after stopping at the highest value: at most {max(found):.0f}")  # noqa: T201
    assert max(bounds[0]) <= LIMIT
    assert max(bounds[365]) <= STRENGTH - 150


@pytest.mark.slow
@RUNS
def test_honest_bots_lose_nothing_by_the_rule_on_repeated_opponents(runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with_rule = farm(play_all, runs)
    monkeypatch.setattr(rating_rules, "FREE_SHARES", 1e9)
    without = farm(play_all, runs)
    errors = [
        (mean(abs(error) for ladder in ladders for error in ladder.errors_of_others))
        for ladders in (with_rule, without)
    ]
    deviations = [
        mean(rating.deviation for ladder in ladders for rating in ladder.estimates.values())
        for ladders in (with_rule, without)
    ]
    report("honest", with_rule)
    print(f"honest: mean errors {errors[0]:.1f} and {errors[1]:.1f} without the rule, deviations {deviations}")  # noqa: T201
    assert errors[0] <= errors[1] + 5
    assert deviations[0] <= 1.15 * deviations[1]
