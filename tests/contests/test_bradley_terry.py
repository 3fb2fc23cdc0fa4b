"""Strengths from all results at once: published values, and intervals that are as certain as stated."""

import math
import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contests.strength import bradley_terry
from referee.contests.strength.bradley_terry import fit_strengths
from referee.contests.strength.elo import ELO_SCALE, elo_difference
from referee.contests.strength.rating import FinishOrder
from tests.contests.random_draws import random_numbers
from tests.contests.simulated_matches import gauss, random_seats, simulated_match

JOURNALS = ("Biometrika", "Comm Statist", "JASA", "JRSS-B")
CITED = ((714, 730, 498, 221), (33, 425, 68, 17), (320, 813, 1072, 142), (284, 276, 325, 188))
"""Citations among journals of statistics by Stigler, as used by Agresti and the R package BradleyTerry2: a row for each
journal that is cited, a column for each that cites. The package finds these abilities and standard errors, both
relative to Biometrika.
"""
FOUND = {"Comm Statist": (-2.94907, 0.10255), "JASA": (-0.47957, 0.06059), "JRSS-B": (0.26895, 0.07083)}


def won(one: object, other: object, times: int = 1) -> list[FinishOrder[object]]:
    return [FinishOrder(((one,), (other,)), (1, 2))] * times


def drawn(one: object, other: object, times: int = 1) -> list[FinishOrder[object]]:
    return [FinishOrder(((one,), (other,)), (1, 1))] * times


@pytest.fixture
def without_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    """The published values come from an implementation without a prior."""
    monkeypatch.setattr(bradley_terry, "PRIOR_INFORMATION", 1e-7)


@pytest.mark.usefixtures("without_prior")
def test_published_abilities_and_standard_errors_are_reproduced() -> None:
    games = [
        finish
        for one, cited in zip(JOURNALS, CITED, strict=True)
        for other, times in zip(JOURNALS, cited, strict=True)
        if one != other
        for finish in won(one, other, times)
    ]

    found = fit_strengths(games)

    for journal, (ability, error) in FOUND.items():
        estimate = found.difference(journal, "Biometrika")
        assert estimate.elo / ELO_SCALE == pytest.approx(ability, abs=1e-5)
        assert (estimate.high - estimate.low) / 2 / 1.959964 / ELO_SCALE == pytest.approx(error, abs=1e-5)
    assert list(found.elo) == ["JRSS-B", "Biometrika", "JASA", "Comm Statist"]


@pytest.mark.usefixtures("without_prior")
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
    found = fit_strengths(won("a", "b", 5) + drawn("c", "d", 5))

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
    for one, other in permutations(found.elo, 2):
        both_ways = found.difference(one, other).superiority + found.difference(other, one).superiority
        assert both_ways == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 4])
def test_the_intervals_contain_the_true_values_as_often_as_stated(seats: int) -> None:
    draws, held, compared, bots, fields = random_numbers(f"field of {seats}"), 0, 0, 16, 25
    for _ in range(fields):
        strengths = [150 * gauss(draws) for _ in range(bots)]
        met = [random_seats(range(bots), seats, draws) for _ in range(30 * bots // seats)]
        found = fit_strengths(simulated_match(strengths, players, draws) for players in met)
        for bot in found.elo:
            estimate = found.estimate(bot)
            held += estimate.low <= strengths[bot] - math.fsum(strengths) / bots <= estimate.high
            compared += 1

    assert 0.92 < held / compared < 0.99
