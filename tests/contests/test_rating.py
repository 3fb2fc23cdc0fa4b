"""Ratings: consistent with the order of finish, and independent of the order of listing."""

import math
import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contests.strength.elo import ELO_SCALE
from referee.contests.strength.rating import (
    INITIAL_DEVIATION,
    MATCH_DEVIATION,
    NO_RATING,
    UNRATED,
    FinishOrder,
    RatingRecord,
    SkillRating,
    compute_rating_updates,
    finish_order_of,
    rate_match,
    widen_ratings,
)
from referee.match.result import EndCause, EndKind, Result, void_result
from tests.contests.recomputed_ratings import rate_matches

ratings = st.builds(SkillRating, st.floats(0, 3000), st.floats(20, INITIAL_DEVIATION))
ranks = st.integers(2, 6).flatmap(lambda sides: st.lists(st.integers(1, sides), min_size=sides, max_size=sides))


@given(ranks, ratings)
def test_for_equal_priors_the_order_of_finish_is_the_order_of_gain(ranks: list[int], prior: SkillRating) -> None:
    after = [side[0].value for side in rate_match([[prior]] * len(ranks), ranks)]
    for gained, rank in zip(after, ranks, strict=True):
        for other_gained, other_rank in zip(after, ranks, strict=True):
            assert (rank < other_rank) == (gained > other_gained + 1e-9)


@pytest.mark.parametrize("ranks", [(1, 1, 3), (1, 1, 1, 4), (1, 2, 2), (1, 1, 3, 3)])
def test_players_that_share_the_first_rank_gain_equally(ranks: tuple[int, ...]) -> None:
    after = [side[0].value for side in rate_match([[UNRATED]] * len(ranks), ranks)]
    assert len({(rank, value) for rank, value in zip(ranks, after, strict=True)}) == len(set(ranks))
    assert sorted(after, reverse=True) == after


@given(st.lists(st.tuples(st.lists(ratings, min_size=1, max_size=3), st.integers(1, 4)), min_size=2, max_size=4))
def test_the_order_of_listing_makes_no_difference(match: list[tuple[list[SkillRating], int]]) -> None:
    after = rate_match([side for side, _ in match], [rank for _, rank in match])
    for order in permutations(range(len(match))):
        listed = [match[place] for place in order]
        again = rate_match([side[::-1] for side, _ in listed], [rank for _, rank in listed])
        assert [side[::-1] for side in again] == [after[place] for place in order]


def test_between_two_well_known_players_the_unit_is_elo() -> None:
    strong, weak = SkillRating(1900, 1), SkillRating(1500, 1)
    (won,), (lost,) = rate_match([[strong], [weak]], [1, 2])
    # The strong player was expected to score 10 of 11 points; its rating moves by the rest of the point.
    step = (1 + MATCH_DEVIATION**2) / math.sqrt(ELO_SCALE**2 + 2 * (1 + MATCH_DEVIATION**2))
    assert won.value - 1900 == pytest.approx(step / 11, rel=0.02)
    assert lost.value - 1500 == pytest.approx(-step / 11, rel=0.02)


def test_updates_are_those_of_the_test_vectors_on_the_page_of_ratings() -> None:
    page = (Path(__file__).parents[2] / "docs/ratings.md").read_text("utf-8")
    vectors = re.findall(r"^\| (\d[^|]*;[^|]*) \| ([\d ]+) \| (\d[^|]*;[^|]*) \|$", page, re.M)
    for before, ranks, after in vectors:
        sides = [[SkillRating(*map(float, text.split())) for text in side.split("+")] for side in before.split(";")]
        found = rate_match(sides, [int(rank) for rank in ranks.split()])
        texts = [" + ".join(f"{rating.value:.3f} {rating.deviation:.3f}" for rating in side) for side in found]
        assert "; ".join(texts) == after
    assert len(vectors) == 8


def test_partners_gain_together_and_the_less_known_one_more() -> None:
    known, unknown = SkillRating(1600, 60), SkillRating(1500, 240)
    (first, second), _ = rate_match([[known, unknown], [UNRATED, UNRATED]], [1, 2])
    assert 0 < first.value - 1600 < second.value - 1500
    assert second.deviation < 240


def test_sides_of_unequal_size_start_out_equal() -> None:
    (alone,), (partner, other) = rate_match([[UNRATED], [UNRATED, UNRATED]], [1, 1])
    assert alone.value == partner.value == other.value == UNRATED.value


@given(ratings, ratings)
def test_no_deviation_exceeds_that_of_a_new_player(winner: SkillRating, other: SkillRating) -> None:
    after = rate_match([[winner], [other]], [1, 2])
    assert all(rating.deviation <= INITIAL_DEVIATION for side in after for rating in side)


def test_a_new_season_widens_ratings_but_keeps_values() -> None:
    after = widen_ratings({"bot": RatingRecord(SkillRating(1800, 50), 70), "new": NO_RATING})
    assert after["bot"].rating.value == 1800
    assert 150 < after["bot"].rating.deviation < INITIAL_DEVIATION
    assert after["bot"].matches == 0
    assert after["new"] == NO_RATING


def test_the_interval_is_two_deviations_to_both_sides() -> None:
    assert SkillRating(1700, 40).interval == (1620, 1780)


def test_a_void_match_has_no_finish_and_a_forfeit_has() -> None:
    sides = (("a",), ("b",))
    assert finish_order_of(void_result(EndCause.ABORTED), sides) is None
    forfeit = Result(EndKind.FORFEITED, EndCause.FAULT, side_ranks=(2, 1))
    assert finish_order_of(forfeit, sides) == FinishOrder(sides, (2, 1))


@pytest.mark.parametrize(
    ("sides", "ranks"),
    [((("a",), ("a",)), (1, 2)), ((("a", "a"), ("b",)), (1, 2)), ((("a",), ("b",)), (1,)), ((("a",),), (1,))],
)
def test_a_player_plays_once_and_each_side_has_a_rank(
    sides: tuple[tuple[str, ...], ...], ranks: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"one rank for each|play twice"):
        FinishOrder(sides, ranks)


players = st.permutations("abcdef")
finishes = st.builds(
    lambda order, count, ranks: FinishOrder(tuple((player,) for player in order[:count]), tuple(ranks[:count])),
    players,
    st.integers(2, 4),
    st.lists(st.integers(1, 4), min_size=4, max_size=4),
)


@given(st.lists(finishes, max_size=15))
def test_recomputed_ratings_equal_incremental_ones(season: list[FinishOrder[str]]) -> None:
    grown: dict[str, RatingRecord] = {}
    for finish in season:
        for change in compute_rating_updates(grown, finish):
            assert change.before == grown.get(change.player, NO_RATING)
            grown[change.player] = change.after
    assert rate_matches(season) == grown
    assert rate_matches(season[5:], since=rate_matches(season[:5])) == grown
    assert all(each.matches == sum((player,) in finish.sides for finish in season) for player, each in grown.items())
