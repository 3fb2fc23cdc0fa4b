"""Rated matches of a ladder that staff strikes, corrects or restores, and the ratings that follow."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.contests.contest_errors import BadRanks, MatchNotCounted
from referee.contests.corrections import MAX_KNOWN_REQUESTS, Correction
from referee.contests.ladder.commands import CloseLadder, CorrectMatch, FinishClosure, RateMatch, StartSeason
from referee.contests.ladder.events import MatchCorrected, MatchRated
from referee.contests.ladder.rating_replay import RatingReplay
from referee.contests.ladder.rating_rules import DAY_MS
from referee.contests.ladder.season import Season
from referee.contests.ladder.state import Ladder, RatedMatches
from referee.contests.strength.rating import FinishOrder
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player
from tests.contests.correction_examples import apply_correction, correct, played_match, replay_after, restore, strike
from tests.contests.ladder_harness import DUEL, START_MS, TOC, LadderHarness, new_ladder, replay

NAMES = "abcd"


def rated_ladder(*left_out: str) -> LadderHarness:
    """Return a ladder with two matches in each of two seasons, or without some of these matches."""
    harness = new_ladder(DUEL, *NAMES)
    for match_id, names in {"m1": "ab", "m2": "bc", "": "", "m3": "ac", "m4": "cd"}.items():
        if not match_id:
            harness.do(StartSeason("s2"))
        elif match_id not in left_out:
            harness.rate(match_id, *names)
    return harness


def seasons_of(ladder: Ladder) -> list[Season]:
    return [*(season for season, _ in ladder.past_seasons), ladder.current_season]


def ratings_and_records(harness: LadderHarness) -> list[object]:
    """Return all seasons, and what is known of the players for later ratings."""
    history = harness.ladder.rating_history
    seasons = [(season.ratings, season.records) for season in seasons_of(harness.ladder)]
    return [seasons, history.rated_ms, history.versions]


def test_a_match_is_rated_once_even_if_it_is_struck() -> None:
    harness = rated_ladder()
    before = harness.ladder
    assert harness.rate("m1", "a", "b") == harness.rate("m3", "c", "a") == []
    assert harness.ladder == before
    apply_correction(harness, strike("m4"))
    assert harness.rate("m4", "c", "d") == []


def test_a_pairing_records_the_result_of_a_match_that_was_rated_before() -> None:
    harness = new_ladder(DUEL, *"ab")
    (due,) = harness.pair_and_start()
    harness.do(RateMatch(harness.id_of(due), harness.finish(due, (1, 2))))
    assert not any(isinstance(event, MatchRated) for event in harness.result(due, 1, 2))
    assert harness.playing == []


def test_a_struck_match_leaves_ratings_as_if_it_had_never_been_rated() -> None:
    harness = rated_ladder()
    (event,) = apply_correction(harness, strike("m1"))
    assert isinstance(event, MatchCorrected)
    assert (event.finish, [corrected.season for corrected in event.seasons]) == (None, [1, 2])
    assert ratings_and_records(harness) == ratings_and_records(rated_ladder("m1"))
    apply_correction(harness, strike("m3"))
    assert ratings_and_records(harness) == ratings_and_records(rated_ladder("m1", "m3"))


def test_a_correction_in_the_current_season_leaves_earlier_ones_as_they_are() -> None:
    harness = rated_ladder()
    before = harness.ladder
    (event,) = apply_correction(harness, strike("m3"))
    assert isinstance(event, MatchCorrected)
    assert [corrected.season for corrected in event.seasons] == [2]
    assert harness.ladder.past_seasons == before.past_seasons
    assert harness.ladder.rating_history.rated_ms[Player("a")] == START_MS
    assert Player("a") not in harness.ladder.current_season.records


def test_a_corrected_result_counts_instead_and_has_no_forfeits() -> None:
    harness, other = new_ladder(DUEL, *"ab"), new_ladder(DUEL, *"ab")
    finish = FinishOrder(((Player("a"),), (Player("b"),)), (1, 2))
    harness.do(RateMatch("m1", finish, (Player("b"),), at_ms=START_MS))
    other.rate("m1", "a", "b", 1, 1)
    apply_correction(harness, correct("m1", 1, 1))
    assert ratings_and_records(harness) == ratings_and_records(other)
    apply_correction(harness, restore("m1"))
    assert harness.record("b").forfeits == 1


def test_the_last_correction_counts_and_can_be_undone() -> None:
    harness = rated_ladder()
    before = ratings_and_records(harness)
    apply_correction(harness, strike("m1"))
    apply_correction(harness, correct("m1", 2, 1))
    assert harness.ladder.rated_matches.corrections["m1"].correction.ranks == (2, 1)
    assert harness.ladder.past_seasons[0][0].record(Player("b")).wins == 2
    apply_correction(harness, restore("m1"))
    assert harness.ladder.rated_matches.corrections == {}
    assert ratings_and_records(harness) == before


def test_new_matches_are_rated_on_corrected_ratings() -> None:
    harness, other = new_ladder(DUEL, *"ab"), new_ladder(DUEL, *"ab")
    harness.rate("m1", "a", "b")
    apply_correction(harness, strike("m1"))
    for play in (harness, other):
        play.rate("m2", "b", "a")
    assert ratings_and_records(harness) == ratings_and_records(other)


def test_a_log_with_corrections_gives_the_same_ladder_without_rating_anything() -> None:
    harness = rated_ladder()
    apply_correction(harness, strike("m2"))
    apply_correction(harness, correct("m3", 1, 1))
    assert replay(DUEL, harness.log) == harness.ladder


def test_a_correction_that_changes_nothing_is_no_event() -> None:
    harness = rated_ladder()
    assert apply_correction(harness, restore("m1")) == []
    for new in (strike("m1"), correct("m1", 2, 1)):
        assert apply_correction(harness, new)
        assert apply_correction(harness, replace(new, request="ann/again")) == []


def test_a_request_is_executed_once() -> None:
    harness = rated_ladder()
    first = strike("m1", request="ann/x")
    apply_correction(harness, first)
    apply_correction(harness, restore("m1"))
    assert harness.do(CorrectMatch(first, played_match(harness, "m1"), RatingReplay(1))) == []
    assert harness.ladder.rated_matches.corrections == {}
    with pytest.raises(RequestIdReused):
        apply_correction(harness, strike("m2", request="ann/x"))


def test_the_oldest_requests_are_forgotten() -> None:
    harness = new_ladder(DUEL, *"ab")
    harness.rate("m1", "a", "b")
    for number in range(MAX_KNOWN_REQUESTS + 1):
        apply_correction(harness, correct("m1", *((2, 1) if number % 2 else (1, 1)), request=f"ann/{number}"))
    assert len(harness.ladder.rated_matches.requests) == MAX_KNOWN_REQUESTS
    assert "ann/0" not in harness.ladder.rated_matches.requests


def test_only_rated_matches_can_be_corrected() -> None:
    with pytest.raises(MatchNotCounted):
        apply_correction(rated_ladder(), strike("m9"))


@pytest.mark.parametrize(
    "new",
    [
        *(correct("m1", *ranks) for ranks in [(), (1,), (1, 2, 3), (0, 1), (2, 2), (1, 3)]),
        replace(strike("m1"), ranks=(1, 2)),
    ],
    ids=lambda new: f"{new.kind} {new.ranks}",
)
def test_malformed_ranks_are_errors_and_only_a_corrected_result_has_any(new: Correction) -> None:
    harness = rated_ladder()
    before = harness.ladder
    with pytest.raises(BadRanks):
        apply_correction(harness, new)
    assert harness.ladder == before


def test_sides_with_partners_have_one_rank_each() -> None:
    harness = new_ladder(TOC, *NAMES)
    sides = ((Player("a"), Player("c")), (Player("b"), Player("d")))
    harness.do(RateMatch("m1", FinishOrder(sides, (1, 2))))
    with pytest.raises(BadRanks):
        apply_correction(harness, correct("m1", 1, 2, 3, 4))
    apply_correction(harness, correct("m1", 2, 1))
    assert harness.record("d").wins == 1


def test_a_match_of_a_closed_ladder_can_be_corrected() -> None:
    harness = rated_ladder()
    harness.do(CloseLadder())
    apply_correction(harness, strike("m1"))
    harness.do(FinishClosure())
    apply_correction(harness, strike("m2"))
    assert set(harness.ladder.rated_matches.corrections) == {"m1", "m2"}
    assert harness.do(CloseLadder()) == []


def test_the_season_of_each_rated_match_is_known() -> None:
    rated = RatedMatches()
    for number in range(3_000):
        rated = rated.with_match(f"m{number}", 1 + number % 7)
    assert all(rated.season_of(f"m{number}") == 1 + number % 7 for number in range(3_000))
    assert rated.season_of("other") is None


Step = tuple[str, str, str, int, int]
matches = st.tuples(
    st.just("match"), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 2), st.integers(0, 3)
)
steps = st.lists(matches | st.just(("season", "", "", 0, 0)), min_size=1, max_size=30)
RANKS = ((1, 2), (1, 1), (2, 1))


def play(steps: Sequence[Step], results: Mapping[int, tuple[int, ...] | None]) -> LadderHarness:
    """Rate the matches of these steps; `results` has other results, by step, and None for matches to leave out."""
    harness = new_ladder(DUEL, *NAMES)
    for number, (kind, first, second, drawn, version) in enumerate(steps):
        if kind == "season":
            harness.do(StartSeason(f"s{number}"))
        elif first != second and (ranks := results.get(number, RANKS[drawn])):
            at_ms = START_MS + 9 * number * DAY_MS
            harness.rate(f"m{number}", first, second, *ranks, at_ms=at_ms, version="12"[: version // 2])
    return harness


@settings(max_examples=60, deadline=None)
@given(steps, st.lists(st.tuples(st.integers(0, 29), st.sampled_from([None, *RANKS])), max_size=6))
def test_corrected_ladders_are_rated_as_if_the_results_had_been_so(
    steps: Sequence[Step], changes: Sequence[tuple[int, tuple[int, ...] | None]]
) -> None:
    harness, results = play(steps, {}), {}
    for number, ranks in changes:
        if harness.ladder.rated_matches.season_of(f"m{number}"):
            results[number] = ranks
            apply_correction(harness, correct(f"m{number}", *ranks) if ranks else strike(f"m{number}"))
    assert ratings_and_records(harness) == ratings_and_records(play(steps, results))
    for number in results:
        apply_correction(harness, restore(f"m{number}"))
    assert ratings_and_records(harness) == ratings_and_records(play(steps, {}))
    assert replay(DUEL, harness.log) == harness.ladder


def test_a_replay_of_a_log_without_corrections_changes_nothing() -> None:
    harness = rated_ladder()
    recomputed = {corrected.season: corrected for corrected in replay_after(harness, restore("m1")).seasons}
    for number, season in enumerate(seasons_of(harness.ladder), 1):
        assert season.corrected(recomputed[number]) == season
