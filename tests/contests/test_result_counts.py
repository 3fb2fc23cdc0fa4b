"""Results of a ladder, summed up, and the estimates that follow from all of them at once."""

from collections.abc import Sequence
from itertools import pairwise, permutations
from math import hypot

import pytest

from referee.contests.corrections import Correction
from referee.contests.ladder.events import MatchCorrected, MatchRated, SeasonStarted
from referee.contests.ladder.result_counts import ResultCounts, estimate_seasons
from referee.contests.strength import joint_fit
from referee.contests.strength.bradley_terry import fit_strengths
from referee.contests.strength.joint_fit import fit_field
from referee.contests.strength.rating import FinishOrder, SkillRating
from referee.match.setup import Player

Event = MatchRated | SeasonStarted

A, B, C, D = (Player(name, "1") for name in "abcd")


def match(ranks: Sequence[int], *sides: Player | tuple[Player, ...], weight: float = 1.0, name: str = "m") -> Event:
    listed = tuple((side,) if isinstance(side, Player) else side for side in sides)
    return MatchRated(name, FinishOrder(listed, tuple(ranks)), (), (), weight=weight)


def won(winner: Player, loser: Player, times: int = 1) -> list[Event]:
    return [match((1, 2), winner, loser)] * times


def drawn(player: Player, other: Player, times: int = 1) -> list[Event]:
    return [match((1, 1), player, other)] * times


def estimates(events: Sequence[Event]) -> dict[Player, SkillRating]:
    return estimate_seasons(events, {})[-1]


def close(rating: SkillRating, other: SkillRating, elo: float = 0.01) -> bool:
    return abs(rating.value - other.value) < elo and abs(rating.deviation - other.deviation) < elo


EVENTS = [
    event
    for player, other in permutations((A, B, C, D), 2)
    for event in (*won(player, other, 4 if player.bot < other.bot else 1), *drawn(player, other))
]


def test_the_estimates_are_close_to_those_of_tournaments() -> None:
    """All have had both seats, with the same results, so the first seat has no advantage."""
    seats = [game for event in EVENTS if isinstance(event, MatchRated) for game in (event.finish, turned(event.finish))]
    expected = fit_strengths(seats)
    found = estimates([MatchRated("m", finish, (), ()) for finish in seats])
    for player, rating in found.items():
        estimate = expected.estimate(player)
        assert rating.value - 1500 == pytest.approx(estimate.elo, abs=3)
        assert rating.deviation == pytest.approx((estimate.high - estimate.elo) / 1.96, rel=0.03)


def turned(finish: FinishOrder[Player]) -> FinishOrder[Player]:
    return FinishOrder(finish.sides[::-1], finish.ranks[::-1])


def test_neither_the_order_of_matches_nor_that_of_sides_matters() -> None:
    again = [MatchRated("m", turned(game.finish), (), ()) for game in reversed(EVENTS) if isinstance(game, MatchRated)]
    found = estimates(again)
    assert all(close(rating, found[player]) for player, rating in estimates(EVENTS).items())


def test_a_large_field_has_about_the_same_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [match((1, 2), (A, C), (B, D)), match((2, 1), (A, D), (B, C)), match((1, 2, 2), A, B, C)]
    events = [*EVENTS * 2, *sides * 3, SeasonStarted(2), *won(A, Player("b", "2"), 3), *EVENTS * 2]
    exact = estimates(events)
    monkeypatch.setattr(joint_fit, "EXACT_PLAYERS", 0)
    for player, rating in estimates(events).items():
        assert rating.value == pytest.approx(exact[player].value, abs=5)
        # Few players have a common error, which the approximation does not leave out.
        assert 0.9 < rating.deviation / exact[player].deviation < 2.5


def test_a_search_that_starts_from_former_estimates_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_fit, "EXACT_PLAYERS", 0)
    counts = ResultCounts()
    for event in EVENTS:
        counts.add(event)
    former = fit_field(counts.season(1)).values
    for event in won(D, Player("e", "1"), 3):
        counts.add(event)
    fresh, continued = fit_field(counts.season(1)), fit_field(counts.season(1), former)
    assert list(continued.values) == pytest.approx(list(fresh.values), abs=0.2)


def test_a_search_ends_after_a_limited_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_fit, "EXACT_PLAYERS", 0)
    monkeypatch.setattr(joint_fit, "MAX_STEPS", 1)
    monkeypatch.setattr(joint_fit, "MAX_DIRECTIONS", 1)
    monkeypatch.setattr(joint_fit, "ROUNDS", 1)
    assert 1500 < estimates([*won(A, B, 50), *won(B, C, 3), *drawn(C, D)])[A].value < 1700


def test_the_same_results_say_less_in_a_narrow_field() -> None:
    """A bot that has won three matches is near its opponent where all others are equal."""
    bots, new = [Player(f"p{number:02}") for number in range(15)], Player("new")
    level = [event for bot, other in permutations(bots, 2) for event in won(bot, other)]
    chain = [event for bot, other in pairwise(bots) for event in (*won(bot, other, 25), *won(other, bot, 3))]
    narrow, wide = (estimates([*field, *won(new, bots[7], 3)]) for field in (level, chain))
    assert 50 < narrow[new].value - narrow[bots[7]].value < 150
    assert wide[new].value - wide[bots[7]].value > 250
    assert narrow[new].deviation < 0.6 * wide[new].deviation


def test_a_new_version_starts_near_the_last_one_and_not_nearer_than_its_matches_justify() -> None:
    new = Player("a", "2")
    former = [*won(A, B, 10), *won(B, A, 5), *won(A, C, 5)]
    settled = estimates([*former, *won(B, new, 3)])
    fresh = estimates([*won(A, B, 1), *won(B, new, 3)])
    assert settled[new].value < settled[A].value - 20
    assert settled[A].deviation < settled[new].deviation < 150
    assert abs(fresh[new].value - fresh[A].value) < 20


def test_a_version_that_returns_is_the_same_player() -> None:
    other = Player("a", "2")
    assert len(estimates([*won(A, B), *won(other, B), *won(A, B)])) == 3


def test_two_versions_of_a_bot_that_meet_in_their_first_match_have_no_former_player() -> None:
    version, other = Player("a", "1"), Player("a", "2")
    found, strangers = estimates(won(version, other)), estimates(won(A, B))
    assert [found[version], found[other]] == [strangers[A], strangers[B]]


def test_a_result_between_extreme_strengths_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand Elo apart, the expected score is 1 in floating point."""
    monkeypatch.setattr(joint_fit, "EXACT_PLAYERS", 0)
    chain = [Player(f"p{number:02}") for number in range(12)]
    events = [match((1, 2), *two, weight=1000.0) for two in pairwise(chain)]
    found, expected = estimates([*events, *won(chain[0], chain[-1])]), estimates(events)
    assert found[chain[0]].value - found[chain[-1]].value > 10_000
    assert all(close(found[player], rating) for player, rating in expected.items())


def test_values_stay_and_deviations_grow_in_a_new_season() -> None:
    before = estimates(EVENTS)
    seasons = estimate_seasons([*EVENTS, SeasonStarted(2), *drawn(A, B)], {})
    assert all(close(seasons[0][player], rating) for player, rating in before.items())
    assert seasons[1][A].value > seasons[1][B].value
    assert 1.5 * before[A].deviation < seasons[1][A].deviation < 250
    assert seasons[1][C].deviation == pytest.approx(hypot(200, before[C].deviation), rel=0.1)
    assert seasons[1][C].value == pytest.approx(before[C].value, abs=5)


def test_values_stay_when_a_season_has_no_results_yet() -> None:
    before, after = estimate_seasons([*EVENTS, SeasonStarted(2)], {})
    assert all(close(after[player], rating.for_new_season()) for player, rating in before.items())


def test_results_of_the_last_three_seasons_count() -> None:
    breaks = [[SeasonStarted(number), *drawn(C, D)] for number in (2, 3)]
    third = estimates([*won(A, B, 9), *breaks[0], SeasonStarted(3), *drawn(A, C)])
    fourth = estimates([*won(A, B, 9), *breaks[0], *breaks[1], SeasonStarted(4), *drawn(A, C)])
    never = estimates([*breaks[0], *breaks[1], SeasonStarted(4), *drawn(A, C)])
    assert third[A].value > 1550
    assert close(fourth[A], never[A])


def test_a_weight_counts_as_that_part_of_a_match() -> None:
    half = [match((1, 2), A, B, weight=0.5)] * 2
    assert close(estimates([*half, *drawn(B, C)])[A], estimates([*won(A, B), *drawn(B, C)])[A])


def test_struck_matches_do_not_count_and_corrected_ones_count_as_corrected() -> None:
    events = [match((1, 2), A, B, name="m1"), match((1, 2), A, B, name="m2"), *won(B, C)]
    finish = FinishOrder(((A,), (B,)), (2, 1))
    corrections = {
        "m1": MatchCorrected(Correction("r1", "m1", "struck", (), "why", "ann"), None, (), (), ()),
        "m2": MatchCorrected(Correction("r2", "m2", "corrected", (2, 1), "why", "ann"), finish, (), (), ()),
    }
    expected = estimates([*won(B, A), *won(B, C)])
    assert all(close(expected[player], rating) for player, rating in estimate_seasons(events, corrections)[0].items())


def test_estimates_leave_out_players_that_came_later() -> None:
    counts = ResultCounts()
    for event in won(A, B):
        counts.add(event)
    found = fit_field(counts.season(1))
    for event in won(A, C):
        counts.add(event)
    assert [*counts.ratings(1, found)] == [A, B]


def test_the_size_of_a_field_counts_the_players_of_each_of_the_last_three_seasons() -> None:
    counts = ResultCounts()
    for event in (*won(A, B), SeasonStarted(2), *won(C, D), SeasonStarted(3), SeasonStarted(4), *won(A, D)):
        counts.add(event)
    assert [counts.size(season) for season in (1, 2, 3, 4)] == [2, 4, 4, 4]


def test_without_results_there_are_no_estimates() -> None:
    assert estimate_seasons([], {}) == [{}]


def test_unbeaten_players_have_finite_values_and_two_players_share_the_uncertainty() -> None:
    found = estimates(won(A, B, 1000))
    assert 1700 < found[A].value < 2700
    assert found[A].deviation == pytest.approx(found[B].deviation)
