"""Rules of a ladder that keep ratings honest: absence, new versions, repeated opponents, and ranks by lower bounds."""

from math import hypot

import pytest

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.commands import CloseLadder, FinishClosure, JoinLadder, StartSeason
from referee.contests.ladder.events import MatchRated
from referee.contests.ladder.rating_rules import ACTIVE_MS, DAY_MS, WINDOW
from referee.contests.strength.rating import (
    INITIAL_DEVIATION,
    NO_RATING,
    VERSION_DEVIATION,
    FinishOrder,
    SkillRating,
    compute_rating_updates,
    rate_match,
)
from referee.match.setup import Player
from tests.contests.ladder_harness import START_MS, LadderHarness, new_ladder, replay

MINUTE_MS = 60_000
YEAR_MS = 365 * DAY_MS


def rate(play: LadderHarness, winner: str, loser: str, at_ms: int = START_MS, version: str = "") -> MatchRated:
    """Rate a match; `version` is that of the winner."""
    (event,) = play.rate(f"m{len(play.log)}", winner, loser, at_ms=at_ms, version=version)
    assert isinstance(event, MatchRated)
    return event


# Absence


def test_a_rating_is_as_uncertain_as_a_new_one_after_a_year_and_keeps_its_value() -> None:
    rating = SkillRating(1700, 60)
    month = rating.after_absence(30)
    assert rating.after_absence(0) == rating
    assert month.value == 1700
    assert month.deviation == pytest.approx(hypot(60, 250 * (30 / 365) ** 0.5))
    assert rating.after_absence(365) == SkillRating(1700, INITIAL_DEVIATION)
    assert rating.after_absence(4000) == SkillRating(1700, INITIAL_DEVIATION)


def test_an_idle_rating_falls_in_the_standings_and_the_next_match_starts_from_its_larger_deviation() -> None:
    play, after_months = new_ladder().join(*"abc"), START_MS + 180 * DAY_MS
    rate(play, "a", "b")
    rate(play, "b", "c", after_months)
    known = play.rating("a").rating
    assert play.ladder.rating(Player("a"), START_MS).rating == known
    idle = play.ladder.rating(Player("a"), after_months).rating
    assert idle == known.after_absence(180)
    shown = {row.entrant.name: row.rating.rating for row in play.ladder.standings(now_ms=after_months)}
    assert shown["a"] == idle
    assert rate(play, "a", "c", after_months).changes[0].before.rating == idle


def test_a_time_that_is_unknown_or_in_the_future_does_not_change_the_deviation() -> None:
    play = new_ladder()
    rate(play, "a", "b", 0)
    rate(play, "c", "d", START_MS)
    for name, now_ms in (("a", START_MS), ("c", START_MS - 1)):
        assert play.ladder.rating(Player(name), now_ms) == play.rating(name)


def test_the_standings_of_a_closed_ladder_or_past_season_do_not_change_any_more() -> None:
    play = new_ladder()
    play.join("a", "b")
    rate(play, "a", "b")
    final = play.ladder.standings(now_ms=START_MS)
    play.do(StartSeason())
    assert play.ladder.standings(now_ms=START_MS + YEAR_MS, season=1) == [*final]
    play.do(CloseLadder())
    play.do(FinishClosure())
    assert play.ladder.standings(now_ms=START_MS + YEAR_MS) == play.ladder.standings(now_ms=START_MS)


# Lower bounds


def test_standings_rank_by_the_lower_bound() -> None:
    play = new_ladder()
    play.join("lucky", "proven")
    now_ms = START_MS + YEAR_MS * 3 // 4
    for _ in range(22):
        rate(play, "lucky", "another")
    for _ in range(26):
        rate(play, "proven", "another", now_ms)
    rows = [row for row in play.ladder.standings(now_ms=now_ms) if not row.provisional]
    assert [row.entrant.name for row in rows] == ["proven", "lucky"]
    assert rows[0].rating.rating.value < rows[1].rating.rating.value
    assert rows[0].rating.rating.lower_bound > rows[1].rating.rating.lower_bound


# Versions


def test_a_new_version_starts_from_the_rating_of_the_last_one_with_a_larger_deviation() -> None:
    play = new_ladder()
    for _ in range(20):
        rate(play, "a", "b", version="1")
    old, new = Player("a", "1"), Player("a", "2")
    former = play.rating("a", "1").rating
    started = play.ladder.rating(new, START_MS)
    assert started.matches == 0
    assert started.rating == SkillRating(former.value, hypot(former.deviation, VERSION_DEVIATION))
    assert rate(play, "a", "b", version="2").changes[0].before == started
    assert play.ladder.rating(old, START_MS).rating == former
    assert play.ladder.rating(Player("new", "1"), START_MS) == NO_RATING


def test_versions_that_follow_each_other_quickly_do_not_add_up_to_a_fresh_start() -> None:
    play = new_ladder()
    for _ in range(20):
        rate(play, "a", "b", version="0")
    settled = play.rating("a", "0").rating
    for number in range(1, 11):
        rate(play, "a" if number % 2 else "b", "c", version=str(number))
        if number % 2:
            rate(play, "c", "d")
    assert play.ladder.rating(Player("a", "11")).rating.deviation < hypot(settled.deviation, 2 * VERSION_DEVIATION)


def test_a_version_that_was_rated_in_another_season_counts_as_the_last_one() -> None:
    play = new_ladder()
    rate(play, "a", "b", version="1")
    play.do(StartSeason())
    widened = play.rating("a", "1").rating
    assert play.ladder.rating(Player("a", "2")).rating == widened  # It has no match in this season.


# Repeated opponents


def test_matches_against_one_opponent_count_less_if_others_are_active() -> None:
    play = new_ladder()
    others = [f"bot{number}" for number in range(20)]
    for name, other in zip(others[::2], others[1::2], strict=True):
        assert rate(play, name, other).weight == 1
    weights = [rate(play, "a", "b").weight for _ in range(WINDOW + 5)]
    free = WINDOW * 3 / 21
    assert weights[:5] == [1] * 5
    assert weights[5:7] == [pytest.approx((free / count) ** 3) for count in (6, 7)]
    assert weights[-1] == pytest.approx((free / WINDOW) ** 3)
    assert rate(play, "a", "bot0").weight == 1
    later = START_MS + ACTIVE_MS + 1
    assert rate(play, "a", "b", later).weight == 1, "the others are no longer active"


def test_a_match_does_not_make_its_own_players_active() -> None:
    play = new_ladder()
    for _ in range(WINDOW):
        rate(play, "a", "b")
    later = START_MS + ACTIVE_MS + 1
    rate(play, "bot0", "bot1", later)
    rate(play, "bot2", "bot3", later)
    assert rate(play, "a", "b", later).weight == 1  # Four are active: 120 / 3 matches in full.
    assert rate(play, "a", "b", later).weight == pytest.approx((WINDOW * 3 / 5 / WINDOW) ** 3)  # Now six are.


def test_a_ladder_of_few_bots_counts_all_matches() -> None:
    play = new_ladder()
    weights = [rate(play, winner, other).weight for _ in range(30) for winner, other in ("ab", "bc", "ca", "cd")]
    assert set(weights) == {1.0}


def test_bots_of_one_owner_count_as_one_opponent() -> None:
    play = new_ladder()
    play.join(*(f"z{number}" for number in range(5)), owners=("zoe",))
    play.do(JoinLadder(ContestEntrant("alias", (Player("y"),), owners=("zoe",))))
    for number in range(0, 20, 2):
        rate(play, f"bot{number}", f"bot{number + 1}")
    opponents = ["y", *(f"z{number % 5}" for number in range(9))]
    weights = [rate(play, "a", opponent).weight for opponent in opponents]
    assert weights[0] == 1
    assert weights[-1] < 0.3
    assert play.ladder.rating_history.opponents["a"] == ("zoe",) * 10


def test_a_match_that_counts_less_changes_value_and_variance_by_that_part() -> None:
    finish = FinishOrder((("a",), ("b",)), (1, 2))
    whole, half = compute_rating_updates({}, finish), compute_rating_updates({}, finish, 0.5)
    ((expected,), _) = rate_match([[SkillRating()], [SkillRating()]], (1, 2))
    assert whole[0].after.rating == expected
    assert half[0].after.rating.value - 1500 == pytest.approx((expected.value - 1500) / 2)
    lost = INITIAL_DEVIATION**2 - half[0].after.rating.deviation ** 2
    assert lost == pytest.approx((INITIAL_DEVIATION**2 - expected.deviation**2) / 2)
    assert half[0].after.matches == 1


def test_everything_follows_from_the_log() -> None:
    play = new_ladder()
    for number in range(60):
        rate(play, "a", "b", START_MS + number * MINUTE_MS, version=str(number // 20))
    assert replay(play.ladder.terms, play.log) == play.ladder
