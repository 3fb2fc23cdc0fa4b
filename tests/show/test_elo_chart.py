"""The chart of a sequential test."""

import re

from referee.contests.strength.elo import EloEstimate
from referee.show.elo_chart import MAX_POINTS, EloPoint, elo_chart


def points(widths: list[float]) -> list[EloPoint]:
    return [
        EloPoint(2 * number, EloEstimate(20.0, 20.0 - width, 20.0 + width, 0.9))
        for number, width in enumerate(widths, 1)
    ]


def curve(drawn: object) -> list[tuple[float, float]]:
    found = re.search(r'<path d="M([^"]*)" class="curve', str(drawn))
    assert found
    return [(float(x), float(y)) for x, y in (pair.split() for pair in found[1].split("L"))]


def test_the_curve_goes_from_the_first_to_the_last_match() -> None:
    drawn = elo_chart(points([90, 80, 70]), ("new", "old"))
    assert "Lead of new over old in Elo" in str(drawn)
    assert "after 2 matches" in str(drawn)
    assert "after 6 matches" in str(drawn)
    assert len(curve(drawn)) == 3


def test_first_estimates_with_a_very_wide_interval_are_left_out() -> None:
    drawn = elo_chart(points([1000, 400, 100, 90]), ("new", "old"))
    assert "after 6 matches" in str(drawn)
    assert len(curve(drawn)) == 2


def test_of_many_estimates_evenly_spaced_ones_are_drawn_up_to_the_last() -> None:
    drawn = elo_chart(points([50.0] * 5 * MAX_POINTS), ("new", "old"))
    assert len(curve(drawn)) == MAX_POINTS
    assert f"after {10 * MAX_POINTS} matches" in str(drawn)


def test_several_estimates_for_the_same_matches_are_one_point() -> None:
    assert len(curve(elo_chart([*points([50, 50]), *points([50, 50])], ("new", "old")))) == 2


def test_nothing_is_drawn_of_less_than_two_estimates() -> None:
    assert elo_chart([], ("new", "old")) is None
    assert elo_chart(points([50]), ("new", "old")) is None
