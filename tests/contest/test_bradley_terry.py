"""Strengths from all results at once: those that another implementation finds, and as sure as they say."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contest import bradley_terry
from referee.contest.bradley_terry import strengths
from referee.contest.elo import SCALE, difference
from referee.contest.finish import Finish
from tests.contest.field import anybody, gauss, played
from tests.contest.luck import luck

JOURNALS = ("Biometrika", "Comm Statist", "JASA", "JRSS-B")
CITED = ((714, 730, 498, 221), (33, 425, 68, 17), (320, 813, 1072, 142), (284, 276, 325, 188))
"""Stigler's citations among journals of statistics, as Agresti and the R package BradleyTerry2 use them: who is cited
by whom. The package finds these abilities and standard errors, both against Biometrika."""
FOUND = {"Comm Statist": (-2.94907, 0.10255), "JASA": (-0.47957, 0.06059), "JRSS-B": (0.26895, 0.07083)}


def won(one: object, other: object, times: int = 1) -> list[Finish[object]]:
    return [Finish(((one,), (other,)), (1, 2))] * times


def drawn(one: object, other: object, times: int = 1) -> list[Finish[object]]:
    return [Finish(((one,), (other,)), (1, 1))] * times


@pytest.fixture
def unprejudiced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other implementation believes nothing before it has seen results."""
    monkeypatch.setattr(bradley_terry, "BELIEF", 1e-7)


@pytest.mark.usefixtures("unprejudiced")
def test_the_published_abilities_and_standard_errors_come_out() -> None:
    games = [
        finish
        for one, cited in zip(JOURNALS, CITED, strict=True)
        for other, times in zip(JOURNALS, cited, strict=True)
        if one != other
        for finish in won(one, other, times)
    ]

    found = strengths(games)

    for journal, (ability, error) in FOUND.items():
        estimate = found.between(journal, "Biometrika")
        assert estimate.elo / SCALE == pytest.approx(ability, abs=1e-5)
        assert (estimate.high - estimate.low) / 2 / 1.959964 / SCALE == pytest.approx(error, abs=1e-5)
    assert list(found.elo) == ["JRSS-B", "Biometrika", "JASA", "Comm Statist"]


@pytest.mark.usefixtures("unprejudiced")
def test_between_two_it_is_the_performance_of_the_score() -> None:
    found = strengths(won("a", "b", 60) + drawn("a", "b", 20) + won("b", "a", 20))

    assert found.between("a", "b").elo == pytest.approx(difference(0.7), abs=0.01)
    assert found.elo["a"] == pytest.approx(-found.elo["b"])


def test_who_won_every_match_has_a_strength_all_the_same() -> None:
    found = strengths(won("a", "b", 50) + won("b", "c", 50))

    assert list(found.elo) == ["a", "b", "c"]
    assert 300 < found.between("a", "b").elo < 2000
    assert found.between("a", "b").superiority > 0.98


def test_who_never_met_is_compared_without_pretending() -> None:
    found = strengths(won("a", "b", 5) + drawn("c", "d", 5))

    assert found.between("a", "c").high - found.between("a", "c").low > 1000
    assert found.between("c", "d").superiority == pytest.approx(0.5)


def test_strengths_on_one_side_add_up() -> None:
    sides = (("a", "b"), ("c", "d"))

    found = strengths([Finish(sides, (1, 2))] * 3 + [Finish(sides, (2, 1))])

    assert found.elo["a"] == pytest.approx(found.elo["b"])
    ahead = found.elo["a"] + found.elo["b"] - found.elo["c"] - found.elo["d"]
    assert ahead == pytest.approx(difference(0.75), rel=0.05)


def test_nobody_has_played() -> None:
    assert strengths([]).table() == {}


def test_the_table_tells_the_superiority_over_the_next() -> None:
    found = strengths(won("a", "b", 6) + won("b", "a", 4) + won("b", "c", 7) + won("c", "b", 3))

    table = found.table()

    assert list(table) == ["a", "b", "c"]
    assert table["a"].superiority == found.superiority()["a", "b"] > 0.5
    assert table["c"].superiority == 0
    assert sum(each.elo for each in table.values()) == pytest.approx(0, abs=1e-9)
    assert table["b"].low < table["b"].elo < table["b"].high


results = st.lists(
    st.tuples(st.permutations("abcde"), st.integers(2, 4), st.lists(st.integers(1, 4), min_size=4, max_size=4)),
    min_size=1,
    max_size=30,
).map(lambda listed: [Finish(tuple((p,) for p in who[:n]), tuple(ranks[:n])) for who, n, ranks in listed])


@settings(max_examples=40, deadline=None)
@given(results, st.randoms(use_true_random=False))
def test_no_order_of_matches_makes_a_difference(finishes: list[Finish[str]], shuffler: random.Random) -> None:
    found = strengths(finishes)
    shuffler.shuffle(finishes)
    again = strengths(finishes)

    assert again.elo == pytest.approx(found.elo, abs=1e-4)
    for (one, other), likely in found.superiority().items():
        assert likely + found.superiority()[other, one] == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 4])
def test_the_intervals_hold_the_truth_as_often_as_they_say(seats: int) -> None:
    draws, held, compared, bots, fields = luck(f"field of {seats}"), 0, 0, 16, 25
    for _ in range(fields):
        truth = [150 * gauss(draws) for _ in range(bots)]
        met = [anybody(range(bots), seats, draws) for _ in range(30 * bots // seats)]
        found = strengths(played(truth, who, draws) for who in met)
        for bot in found.elo:
            estimate = found.of(bot)
            held += estimate.low <= truth[bot] - math.fsum(truth) / bots <= estimate.high
            compared += 1

    assert 0.92 < held / compared < 0.99
