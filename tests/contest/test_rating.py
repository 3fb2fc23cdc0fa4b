"""Ratings: fair to every order of finish, and the same in every order of listing."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contest.elo import SCALE
from referee.contest.finish import Finish, finish_of
from referee.contest.rated import NEW, Rated, changes, new_season, rated
from referee.contest.rating import RESTLESS, UNKNOWN, UNRATED, Rating, rate
from referee.core.result import Cause, Kind, Result, void

ratings = st.builds(Rating, st.floats(0, 3000), st.floats(20, UNKNOWN))
ranks = st.integers(2, 6).flatmap(lambda sides: st.lists(st.integers(1, sides), min_size=sides, max_size=sides))


@given(ranks, ratings)
def test_for_equal_priors_the_order_of_finish_is_the_order_of_gain(ranks: list[int], prior: Rating) -> None:
    after = [side[0].value for side in rate([[prior]] * len(ranks), ranks)]

    for gained, rank in zip(after, ranks, strict=True):
        for other_gained, other_rank in zip(after, ranks, strict=True):
            assert (rank < other_rank) == (gained > other_gained + 1e-9)


@pytest.mark.parametrize("ranks", [(1, 1, 3), (1, 1, 1, 4), (1, 2, 2), (1, 1, 3, 3)])
def test_who_shares_the_first_place_gains_alike_and_more_than_the_others(ranks: tuple[int, ...]) -> None:
    after = [side[0].value for side in rate([[UNRATED]] * len(ranks), ranks)]

    assert len({(rank, value) for rank, value in zip(ranks, after, strict=True)}) == len(set(ranks))
    assert sorted(after, reverse=True) == after


@given(st.lists(st.tuples(st.lists(ratings, min_size=1, max_size=3), st.integers(1, 4)), min_size=2, max_size=4))
def test_the_order_of_listing_makes_no_difference(match: list[tuple[list[Rating], int]]) -> None:
    after = rate([side for side, _ in match], [rank for _, rank in match])

    for order in permutations(range(len(match))):
        listed = [match[place] for place in order]
        again = rate([side[::-1] for side, _ in listed], [rank for _, rank in listed])
        assert [side[::-1] for side in again] == [after[place] for place in order]


def test_between_two_well_known_players_the_unit_is_elo() -> None:
    strong, weak = Rating(1900, 1), Rating(1500, 1)

    (won,), (lost,) = rate([[strong], [weak]], [1, 2])

    # What was to be expected of the strong one is 10 points of 11, and a rating moves by what is left of the point.
    step = (1 + RESTLESS**2) / math.sqrt(SCALE**2 + 2 * (1 + RESTLESS**2))
    assert won.value - 1900 == pytest.approx(step / 11, rel=0.02)
    assert lost.value - 1500 == pytest.approx(-step / 11, rel=0.02)


def test_partners_gain_together_and_the_less_known_one_more() -> None:
    known, unknown = Rating(1600, 60), Rating(1500, 240)

    (first, second), _ = rate([[known, unknown], [UNRATED, UNRATED]], [1, 2])

    assert 0 < first.value - 1600 < second.value - 1500
    assert second.deviation < 240


def test_sides_of_unequal_size_start_out_equal() -> None:
    (alone,), (one, other) = rate([[UNRATED], [UNRATED, UNRATED]], [1, 1])

    assert alone.value == one.value == other.value == UNRATED.value


@given(ratings, ratings)
def test_nobody_is_less_known_than_somebody_new(one: Rating, other: Rating) -> None:
    after = rate([[one], [other]], [1, 2])

    assert all(rating.deviation <= UNKNOWN for side in after for rating in side)


def test_a_new_season_is_wide_but_not_blank() -> None:
    after = new_season({"bot": Rated(Rating(1800, 50), 70), "new": NEW})

    assert after["bot"].rating.value == 1800
    assert 150 < after["bot"].rating.deviation < UNKNOWN
    assert after["bot"].matches == 0
    assert after["new"] == NEW


def test_the_interval_is_two_deviations_to_both_sides() -> None:
    assert Rating(1700, 40).interval == (1620, 1780)


def test_a_void_match_has_no_finish_and_a_forfeit_has() -> None:
    sides = (("a",), ("b",))

    assert finish_of(void(Cause.ABORTED), sides) is None
    forfeit = Result(Kind.FORFEITED, Cause.FAULT, side_ranks=(2, 1))
    assert finish_of(forfeit, sides) == Finish(sides, (2, 1))


@pytest.mark.parametrize(
    ("sides", "ranks"),
    [((("a",), ("a",)), (1, 2)), ((("a", "a"), ("b",)), (1, 2)), ((("a",), ("b",)), (1,)), ((("a",),), (1,))],
)
def test_nobody_meets_itself_and_all_have_ranks(sides: tuple[tuple[str, ...], ...], ranks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"every side has its rank|nobody meets itself"):
        Finish(sides, ranks)


players = st.permutations("abcdef")
finishes = st.builds(
    lambda order, count, ranks: Finish(tuple((player,) for player in order[:count]), tuple(ranks[:count])),
    players,
    st.integers(2, 4),
    st.lists(st.integers(1, 4), min_size=4, max_size=4),
)


@given(st.lists(finishes, max_size=15))
def test_ratings_computed_again_equal_those_that_grew_one_by_one(season: list[Finish[str]]) -> None:
    grown: dict[str, Rated] = {}
    for finish in season:
        for change in changes(grown, finish):
            assert change.before == grown.get(change.player, NEW)
            grown[change.player] = change.after

    assert rated(season) == grown
    assert rated(season[5:], since=rated(season[:5])) == grown
    assert all(each.matches == sum((player,) in finish.sides for finish in season) for player, each in grown.items())
