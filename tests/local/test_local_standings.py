"""Standings of a local contest."""

from collections import Counter
from dataclasses import replace

import pytest

from referee.local.local_standings import MatchFinish, standings


def finish(*ranks: int, seats: str = "ab", sides: tuple[int, ...] | None = None) -> MatchFinish:
    """Return a match that the rules ended, with these ranks in order of seats."""
    return MatchFinish("nim", tuple(seats), ranks, sides or ranks, Counter())


def test_a_win_is_a_point_and_a_draw_half_of_one() -> None:
    best, worst = standings("ab", [finish(1, 2), finish(1, 1), finish(1, 2), finish(2, 1)])
    assert (best.name, best.points, best.won, best.drawn, best.lost) == ("a", 2.5, 2, 1, 1)
    assert (worst.name, worst.points, worst.won, worst.drawn, worst.lost) == ("b", 1.5, 1, 1, 2)
    assert (best.score, best.points_in["nim"]) == (2.5 / 4, 2.5)


def test_the_second_of_three_gets_half_a_point_and_counts_as_a_loss() -> None:
    rows = standings("abc", [finish(2, 1, 3, seats="abc")])
    assert [(row.name, row.points, row.won, row.lost) for row in rows] == [
        ("b", 1.0, 1, 0),
        ("a", 0.5, 0, 1),
        ("c", 0.0, 0, 1),
    ]


def test_partners_each_get_the_points_of_their_side() -> None:
    rows = standings("abcd", [finish(1, 2, 1, 2, seats="abcd", sides=(1, 2))])
    assert {row.name: row.points for row in rows} == {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0}


def test_a_bot_with_two_seats_of_a_side_has_played_one_match() -> None:
    rows = standings("ab", [finish(1, 2, 1, 2, seats="abab", sides=(1, 2))])
    assert [(row.name, row.played, row.points) for row in rows] == [("a", 1, 1.0), ("b", 1, 0.0)]


def test_faults_are_counted_by_kind() -> None:
    lost = replace(finish(1, 2), faults=Counter({("b", "time"): 1, ("b", "disconnected"): 2}))
    rows = {row.name: row for row in standings("ab", [lost])}
    assert rows["b"].faults == {"time": 1, "disconnected": 2}
    assert not rows["a"].faults


def test_a_void_match_counts_for_nothing() -> None:
    rows = standings("ab", [finish()])
    assert [(row.played, row.points) for row in rows] == [(0, 0.0), (0, 0.0)]


@pytest.mark.parametrize(("matches", "low"), [(3, 0.458), (16, 0.829), (100, 0.969)])
def test_more_matches_give_narrower_bounds(matches: int, low: float) -> None:
    """Three won matches leave it open who is better."""
    best, worst = standings("ab", [finish(1, 2)] * matches)
    assert best.bounds == pytest.approx((low, 1), abs=0.001)
    assert worst.bounds == pytest.approx((0, 1 - low), abs=0.001)


def test_repeated_games_count_once_in_the_bounds() -> None:
    first = finish(1, 2)
    again = [first, *[replace(first, repeated=True)] * 9]
    best, _ = standings("ab", again)
    assert (best.played, best.points) == (10, 10)
    assert best.bounds == standings("ab", [first])[0].bounds


def test_bounds_stay_within_0_and_1() -> None:
    for wins in range(6):
        row, _ = standings("ab", [finish(1, 2)] * wins + [finish(2, 1)] * (5 - wins))
        assert 0 <= row.bounds[0] <= row.score <= row.bounds[1] <= 1


def test_bounds_for_many_mixed_results_equal_the_normal_approximation() -> None:
    best, _ = standings("ab", [finish(1, 2)] * 5000 + [finish(2, 1)] * 5000)
    assert best.bounds == pytest.approx((0.4902, 0.5098), abs=0.0001)


def test_numbers_in_the_names_of_equal_bots_sort_as_numbers() -> None:
    names = [row.name for row in standings(["b", "team-10", "team-2", "a2b10", "a2b9"], [])]
    assert names == ["a2b9", "a2b10", "b", "team-2", "team-10"]
