"""Strengths from all results at once: published values, and intervals that are as certain as stated."""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contests.strength import bradley_terry
from referee.contests.strength.bradley_terry import chances_to_be_best, fit_strengths
from referee.contests.strength.elo import ELO_SCALE, EloEstimate, elo_difference, expected_score
from referee.contests.strength.rating import FinishOrder
from tests.contests.simulated_matches import gauss, random_numbers, simulated_match

JOURNALS = ("Biometrika", "Comm Statist", "JASA", "JRSS-B")
CITED = ((714, 730, 498, 221), (33, 425, 68, 17), (320, 813, 1072, 142), (284, 276, 325, 188))
"""Citations among journals of statistics by Stigler, as used by Agresti and the R package BradleyTerry2: a row for each
journal that is cited, a column for each that cites. The package finds these abilities and standard errors, both
relative to Biometrika.
"""
FOUND = {"Comm Statist": (-2.94907, 0.10255), "JASA": (-0.47957, 0.06059), "JRSS-B": (0.26895, 0.07083)}


BASEBALL = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME_WINS = (
    ("4-3", "4-2", "4-3", "6-1", "4-2", "6-0"),
    ("3-3", "4-2", "4-3", "6-0", "6-1", "4-3"),
    ("2-5", "4-3", "2-4", "4-3", "4-2", "6-0"),
    ("3-3", "5-1", "2-5", "4-3", "4-2", "6-1"),
    ("5-1", "2-5", "3-3", "4-2", "5-2", "6-0"),
    ("2-5", "3-3", "3-4", "4-3", "4-2", "2-4"),
    ("2-5", "1-5", "1-6", "2-4", "1-6", "3-4"),
)
"""Baseball of 1987 by Agresti, as used by BradleyTerry2: a row for each home team, with wins and losses against each
other team. The package finds these abilities relative to Baltimore, and the advantage of playing at home.
"""
BASEBALL_FOUND = {
    "Boston": (1.1438, 0.3378),
    "Cleveland": (0.7047, 0.3350),
    "Detroit": (1.4754, 0.3446),
    "Milwaukee": (1.6196, 0.3474),
    "New York": (1.2813, 0.3404),
    "Toronto": (1.3271, 0.3403),
}
HOME_ADVANTAGE = (0.3023, 0.1309)


def won(winner: object, other: object, times: int = 1) -> list[FinishOrder[object]]:
    return [FinishOrder(((winner,), (other,)), (1, 2))] * times


def drawn(bot: object, other: object, times: int = 1) -> list[FinishOrder[object]]:
    """Return draws with alternating seats."""
    return [FinishOrder(((bot,), (other,)) if number % 2 else ((other,), (bot,)), (1, 1)) for number in range(times)]


@pytest.fixture
def without_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    """The published values come from an implementation without a prior."""
    monkeypatch.setattr(bradley_terry, "PRIOR_INFORMATION", 1e-7)
    monkeypatch.setattr(bradley_terry, "FIRST_SEAT_INFORMATION", 1e-7)


@pytest.fixture
def without_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches without an order of seats: there is no advantage to estimate."""
    monkeypatch.setattr(bradley_terry, "FIRST_SEAT_INFORMATION", 1e12)


def standard_error(estimate: EloEstimate) -> float:
    return (estimate.high - estimate.low) / 2 / 1.959964 / ELO_SCALE


@pytest.mark.usefixtures("without_prior")
def test_the_published_home_advantage_is_reproduced() -> None:
    games = [
        game
        for home, row in zip(BASEBALL, HOME_WINS, strict=True)
        for guest, wins in zip([team for team in BASEBALL if team != home], row, strict=True)
        for rank, times in enumerate(map(int, wins.split("-")))
        for game in [FinishOrder(((home,), (guest,)), (1 + rank, 2 - rank))] * times
    ]
    found = fit_strengths(games)
    for team, (ability, error) in BASEBALL_FOUND.items():
        estimate = found.difference(team, "Baltimore")
        assert (estimate.elo / ELO_SCALE, standard_error(estimate)) == pytest.approx((ability, error), abs=1e-4)
    home = found.first_seat
    assert (home.elo / ELO_SCALE, standard_error(home)) == pytest.approx(HOME_ADVANTAGE, abs=1e-4)


@pytest.mark.usefixtures("without_prior", "without_seats")
def test_published_abilities_and_standard_errors_are_reproduced() -> None:
    games = [
        finish
        for journal, cited in zip(JOURNALS, CITED, strict=True)
        for other, times in zip(JOURNALS, cited, strict=True)
        if journal != other
        for finish in won(journal, other, times)
    ]
    found = fit_strengths(games)
    for journal, (ability, error) in FOUND.items():
        estimate = found.difference(journal, "Biometrika")
        assert estimate.elo / ELO_SCALE == pytest.approx(ability, abs=1e-5)
        assert standard_error(estimate) == pytest.approx(error, abs=1e-5)
    assert list(found.elo) == ["JRSS-B", "Biometrika", "JASA", "Comm Statist"]


@pytest.mark.usefixtures("without_prior", "without_seats")
def test_with_two_players_the_difference_is_the_performance() -> None:
    found = fit_strengths(won("a", "b", 60) + drawn("a", "b", 20) + won("b", "a", 20))
    assert found.difference("a", "b").elo == pytest.approx(elo_difference(0.7), abs=0.01)
    assert found.elo["a"] == pytest.approx(-found.elo["b"])


def test_a_player_that_won_every_match_has_a_finite_strength() -> None:
    found = fit_strengths(won("a", "b", 50) + won("b", "c", 50))
    assert list(found.elo) == ["a", "b", "c"]
    assert 300 < found.difference("a", "b").elo < 2000
    assert found.difference("a", "b").superiority > 0.98


def test_players_that_never_met_are_compared_with_wide_errors() -> None:
    found = fit_strengths(won("a", "b", 5) + drawn("c", "d", 6))
    assert found.difference("a", "c").high - found.difference("a", "c").low > 1000
    assert found.difference("c", "d").superiority == pytest.approx(0.5)


def test_strengths_on_one_side_add_up() -> None:
    sides = (("a", "b"), ("c", "d"))
    found = fit_strengths([FinishOrder(sides, (1, 2))] * 3 + [FinishOrder(sides, (2, 1))])
    assert found.elo["a"] == pytest.approx(found.elo["b"])
    ahead = found.elo["a"] + found.elo["b"] - found.elo["c"] - found.elo["d"]
    assert ahead == pytest.approx(elo_difference(0.75), rel=0.05)


def test_without_matches_there_are_no_strengths() -> None:
    assert fit_strengths([]).table() == {}


def test_the_table_has_the_superiority_over_the_next_player() -> None:
    found = fit_strengths(won("a", "b", 6) + won("b", "a", 4) + won("b", "c", 7) + won("c", "b", 3))
    table = found.table()
    assert list(table) == ["a", "b", "c"]
    assert table["a"].superiority == found.difference("a", "b").superiority > 0.5
    assert table["c"].superiority == 0
    assert sum(each.elo for each in table.values()) == pytest.approx(0, abs=1e-9)
    assert table["b"].low < table["b"].elo < table["b"].high


results = st.lists(
    st.tuples(st.permutations("abcde"), st.integers(2, 4), st.lists(st.integers(1, 4), min_size=4, max_size=4)),
    min_size=1,
    max_size=30,
).map(lambda listed: [FinishOrder(tuple((p,) for p in players[:n]), tuple(ranks[:n])) for players, n, ranks in listed])


@settings(max_examples=40, deadline=None)
@given(results, st.randoms(use_true_random=False))
def test_the_order_of_matches_does_not_matter(finishes: list[FinishOrder[str]], shuffler: random.Random) -> None:
    found = fit_strengths(finishes)
    shuffler.shuffle(finishes)
    again = fit_strengths(finishes)
    assert again.elo == pytest.approx(found.elo, abs=1e-4)
    for name, other in permutations(found.elo, 2):
        both_ways = found.difference(name, other).superiority + found.difference(other, name).superiority
        assert both_ways == pytest.approx(1)


def test_draws_make_estimates_more_certain_and_their_share_is_returned() -> None:
    decided = fit_strengths(won("a", "b", 20) + won("b", "a", 20))
    level = fit_strengths(won("a", "b", 4) + won("b", "a", 4) + drawn("a", "b", 32))
    assert (decided.draw_rate, level.draw_rate) == (0, 0.8)
    assert level.difference("a", "b").high < 0.6 * decided.difference("a", "b").high
    only_draws = fit_strengths(drawn("a", "b", 3)).difference("a", "b")
    assert only_draws.high > 50


def test_the_first_seat_explains_what_exchanged_seats_cancel() -> None:
    firsts = fit_strengths(won("a", "b", 30) + won("b", "a", 30))
    assert firsts.first_seat.low > 100
    assert firsts.difference("a", "b").elo == pytest.approx(0, abs=1e-6)
    without = fit_strengths([FinishOrder((("a",), ("b",), ("c",)), (1, 2, 3))] * 5)
    assert (without.first_seat.elo, round(without.first_seat.high)) == (0, 196)


def test_the_chances_to_be_best_add_up_and_follow_the_strengths() -> None:
    close = won("a", "b", 6) + won("b", "a", 4) + won("b", "c", 7) + won("c", "b", 3)
    found = fit_strengths(close + [game for name in "abc" for game in won(name, "d", 9) + drawn(name, "d")])
    chances = chances_to_be_best(found)
    assert list(chances) == list(found.elo)
    assert sum(chances.values()) == pytest.approx(1)
    assert chances["a"] > chances["b"] > chances["c"] > chances["d"]
    assert chances["d"] < 0.01
    assert chances_to_be_best(fit_strengths([])) == {}
    two = fit_strengths(won("a", "b", 6) + won("b", "a", 4))
    assert chances_to_be_best(two)["a"] == pytest.approx(two.difference("a", "b").superiority)


def test_equal_players_have_equal_chances_to_be_best() -> None:
    found = fit_strengths([game for name, other in permutations("abcd", 2) for game in won(name, other, 5)])
    assert list(chances_to_be_best(found).values()) == pytest.approx([0.25] * 4, abs=0.04)


def round_robin(
    strengths: Sequence[float], cycles: int, drawn: float, first_seat: float, draws: Iterator[float]
) -> list[FinishOrder[int]]:
    """Return the results of a round robin with alternating seats; `drawn` is the share of the most draws possible."""
    games = []
    for cycle in range(cycles):
        for pair in combinations(range(len(strengths)), 2):
            first, other = pair if (cycle + sum(pair)) % 2 else pair[::-1]
            score = expected_score(strengths[first] - strengths[other] + first_seat)
            drawn_half, result = drawn * min(score, 1 - score), next(draws)
            ranks = (1, 2) if result < score - drawn_half else (1, 1) if result < score + drawn_half else (2, 1)
            games.append(FinishOrder(((first,), (other,)), ranks))
    return games


SPREADS = (250, 350, 450)
"""Standard deviations of the strengths of simulated fields."""


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "slack"), [(8, 0.03), pytest.param(150, 0.0, marks=pytest.mark.soak)])
@pytest.mark.parametrize("drawn", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize(("bots", "cycles"), [(2, 3), (2, 20), (2, 200), (4, 1), (6, 2), (12, 1), (6, 8)])
def test_the_intervals_hold_with_any_share_of_draws(
    bots: int, cycles: int, drawn: float, runs: int, slack: float
) -> None:
    draws, held = random_numbers(f"{bots} bots, {cycles} cycles, {drawn}"), []
    for number in range(runs * 36 // bots):
        strengths = [SPREADS[number % 3] * gauss(draws) for _ in range(bots)]
        found = fit_strengths(round_robin(strengths, cycles, drawn, 50, draws))
        for bot in found.elo if bots > 2 else ():
            estimate = found.estimate(bot)
            held.append(estimate.low <= strengths[bot] - fmean(strengths) <= estimate.high)
        estimate = found.difference(0, 1)
        held.append(estimate.low <= strengths[0] - strengths[1] <= estimate.high)
    print(f"{bots} bots, {cycles} cycles, {drawn:.0%} drawn: {fmean(held):.3f} of {len(held)}")  # noqa: T201
    assert 0.93 - slack <= fmean(held) <= 0.98 + slack


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 4])
def test_the_intervals_contain_the_true_values_as_often_as_stated(seats: int) -> None:
    draws, held, compared, bots, fields = random_numbers(f"field of {seats}"), 0, 0, 16, 25
    for _ in range(fields):
        strengths = [150 * gauss(draws) for _ in range(bots)]
        met = [sorted(range(bots), key=lambda _: next(draws))[:seats] for _ in range(30 * bots // seats)]
        found = fit_strengths(simulated_match(strengths, players, draws) for players in met)
        for bot in found.elo:
            estimate = found.estimate(bot)
            held += estimate.low <= strengths[bot] - math.fsum(strengths) / bots <= estimate.high
            compared += 1
    assert 0.92 < held / compared < 0.99
