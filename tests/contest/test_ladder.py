from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.chance import Chance
from referee.contest.climbing import challenge
from referee.contest.duplicate import Duplicate
from referee.contest.finish import Finish
from referee.contest.ladder import recomputed, replay
from referee.contest.ladder_commands import Challenge, Close, End, Join, Leave, Pause, Rate, Record, Resume, StartSeason
from referee.contest.ladder_events import Closed, Closing, Entrant, Paired, Paused, Rated, Resumed, SeasonBegan
from referee.contest.ladder_standings import ladder_standings
from referee.contest.ladder_terms import Terms
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.pairing import Score
from referee.contest.rated import changes
from referee.contest.rating import UNKNOWN
from referee.contest.refusals import AlreadyOn, LadderClosed, NameTaken, NotAMember, WrongSeats
from referee.core.errors import RequestIdReused
from referee.core.setup import Player
from tests.contest.climbs import DUEL, TOC, TOC_PARTNERS, ByStrength, Climb, climb, entrant

A, B = Player("a"), Player("b")


def begun(*names: str, **terms: object) -> Climb:
    """Everybody is in a match, as far as there are partners for one."""
    it = climb(replace(DUEL, **terms), *names)  # type: ignore[arg-type]
    it.fill()
    return it


# Who meets whom


def test_whoever_is_there_and_has_room_is_paired() -> None:
    it = climb(DUEL, *"abcde")
    assert len(it.fill()) == 2
    assert it.pair() == []


def test_one_with_room_for_two_is_paired_twice() -> None:
    it = climb(DUEL, *"abc", room=2)
    assert len(it.fill()) == 3


def test_who_is_away_is_not_paired() -> None:
    it = climb(DUEL, *"abc")
    del it.room["a"]
    assert [set(table) for table in it.pair()] == [{"b", "c"}]


def test_no_more_matches_are_in_play_than_asked_for() -> None:
    it = begun(*"abcdef", matches_at_once=2)
    assert len(it.ladder.playing) == 2
    it.result(it.ladder.playing[0], 1, 2)
    assert len(it.fill()) == 1


def test_what_is_planned_and_cannot_begin_holds_nobody_up() -> None:
    it = climb(DUEL, *"abcd")
    it.pair()
    away = it.ladder.due[0].pairing.entrants[0]
    del it.room[away]
    left = set("abcd") - {away}
    assert all(set(due.seats) <= left for due in it.fill())
    assert len(it.ladder.playing) == 1


def test_a_match_is_made_once() -> None:
    it = begun("a", "b")
    assert it.ladder.due == []
    assert it.begin() == []


def test_terms_are_taken_in_turn() -> None:
    it = climb(replace(DUEL, kinds=3), *"abcdefgh")
    assert [it.ladder.kind(due.pairing) for due in it.fill()] == [0, 1, 2, 0]


def test_who_has_played_them_waits_for_others_unless_in_a_hurry() -> None:
    it = begun(*"abcd")
    it.result(first := it.ladder.playing[0], 1, 2)
    assert it.pair() == []
    assert [set(table) for table in it.pair(hurry=True)] == [set(first.seats)]


def test_a_paused_ladder_begins_nothing_and_goes_on_where_it_was() -> None:
    it = begun(*"ab")
    it.joins("c", "d")
    assert it.do(Pause("back soon")) == [Paused("back soon")]
    assert it.do(Pause()) == []
    assert it.do(Challenge("r", ("c", "d")))
    assert it.pair(hurry=True) == []
    assert it.begin() == []
    assert it.result(it.ladder.playing[0], 1, 2)
    assert it.do(Resume()) == [Resumed()]
    assert it.do(Resume()) == []
    assert [set(due.seats) for due in it.begin()] == [{"c", "d"}]
    it.do(Close())
    for late in (Pause(), Resume()):
        with pytest.raises(LadderClosed):
            it.do(late)


# Results


def test_a_result_scores_the_pairing_and_changes_the_ratings() -> None:
    it = begun("a", "b")
    (due,) = it.ladder.playing
    winner, loser = (Player(name) for name in due.seats)
    finish = Finish(((winner,), (loser,)), (1, 2))
    assert it.result(due, 1, 2) == [Scored("1", 1, Score((1, 2))), Rated("m0", finish, (), changes({}, finish))]
    assert it.ladder.standing.rating(winner).rating.value > 1500 > it.ladder.standing.rating(loser).rating.value
    assert it.ladder.open == []


def test_a_result_of_a_match_that_nobody_said_had_begun_says_so() -> None:
    it = climb(DUEL, "a", "b")
    it.pair()
    (due,) = it.ladder.due
    events = it.do(Rate("m7", it.finish(due, (1, 2)), (), due.id))
    assert events[0] == Began("1", 1, 1, "m7")


def test_a_result_that_could_not_be_rated_scores_the_pairing() -> None:
    it = begun("a", "b")
    (due,) = it.ladder.playing
    record = Record(due.id, "m0", it.finish(due, (1, 2)))
    assert it.do(record) == [Scored("1", 1, Score((1, 2)))]
    assert it.do(record) == []


def test_a_match_that_somebody_else_made_is_rated_and_scores_nothing() -> None:
    it = begun("a", "b")
    (rated,) = it.do(Rate("other", Finish(((A,), (B,)), (1, 2))))
    assert isinstance(rated, Rated)
    assert len(it.ladder.playing) == 1


def test_a_void_match_is_played_again_and_never_rated() -> None:
    it = begun("a", "b")
    (first,) = it.ladder.playing
    assert it.void(first) == [Voided("1", 1)]
    assert it.do(Rate("m0", it.finish(first, (1, 2)), (), first.id))[:-1] == []  # Too late to be scored.
    (again,) = it.begin()
    assert (again.pairing.id, again.attempt) == ("1", 2)
    assert it.ladder.standing.balance(A).wins <= 1


def test_a_forfeit_is_a_loss() -> None:
    it = begun("a", "b")
    (due,) = it.ladder.playing
    loser = Player(due.seats[1])
    it.result(due, 1, 2, forfeited=[loser])
    balance = it.ladder.standing.balance(loser)
    assert (balance.losses, balance.forfeits) == (1, 1)
    assert it.log[-2] == Scored("1", 1, Score((1, 2), (loser.bot,)))


def test_a_rating_belongs_to_a_version() -> None:
    it = begun("a", "b")
    it.version["a"] = "2"
    it.result(it.ladder.playing[0], 1, 1)
    assert it.ladder.standing.rating(Player("a", "2")).matches == 1
    assert it.ladder.standing.rating(A).matches == 0
    rows = {row.entrant.name: row.player for row in ladder_standings(it.ladder)}
    assert rows["a"] == Player("a", "2")
    rows = {row.entrant.name: row.player for row in ladder_standings(it.ladder, {"a": Player("a", "3")})}
    assert rows["a"] == Player("a", "3")


def test_every_version_that_was_rated_has_its_row_where_all_are_asked_for() -> None:
    it = begun("a", "b")
    for version in ("1", "2"):
        it.version["a"] = version
        it.result(it.ladder.playing[0], 1, 1)
        it.fill()
    rows = [row.player for row in ladder_standings(it.ladder, all_versions=True) if row.entrant.name == "a"]
    assert set(rows) == {Player("a", "1"), Player("a", "2")}


# Sets


def test_a_pairing_is_played_with_the_seats_exchanged_from_the_same_start() -> None:
    it = begun("a", "b", duplicate=Duplicate(2, openings=3))
    (first,) = it.ladder.playing
    it.result(first, 1, 2)
    (second,) = it.fill()
    assert second.seats == first.seats[::-1]
    assert it.ladder.start_of(first) == it.ladder.start_of(second)
    it.result(second, 1, 2)
    (third,) = it.fill()
    one, other = it.ladder.start_of(first), it.ladder.start_of(third)
    assert one
    assert other
    assert (one.opening, other.opening) == (0, 1)
    assert one.seed != other.seed


# Tables of four


def test_on_a_ladder_of_single_seats_partners_change_and_share_what_comes_of_it() -> None:
    it = climb(TOC, *"abcd")
    (due,) = it.fill()
    it.result(due, 1, 2)
    score = it.log[-2]
    assert isinstance(score, Scored)
    assert score.score == Score((1, 2, 1, 2))
    assert it.ladder.standing.rating(Player(due.seats[2])).rating.value > 1500
    assert frozenset(it.fill()[0].seats[::2]) not in {frozenset(due.seats[::2]), frozenset(due.seats[1::2])}


def test_fixed_partners_have_one_rating_between_them() -> None:
    it = climb(TOC_PARTNERS, "us", "them")
    (due,) = it.fill()
    it.result(due, 2, 1)
    assert set(it.ladder.standing.ratings) == {Player("us"), Player("them")}
    (best, _) = ladder_standings(it.ladder)
    assert (best.entrant.name, best.player) == (due.seats[1], Player(due.seats[1]))


# Coming and going


def test_who_leaves_in_the_middle_plays_to_the_end_and_is_rated() -> None:
    it = begun("a", "b")
    (due,) = it.ladder.playing
    it.do(Leave("a"))
    assert it.ladder.playing == [due]
    it.result(due, 1, 2)
    assert it.ladder.standing.rating(A).matches == 1
    assert [row.entrant.name for row in ladder_standings(it.ladder)] == ["b"]


def test_a_match_of_somebody_who_left_is_not_played_again() -> None:
    it = begun("a", "b")
    (due,) = it.ladder.playing
    it.do(Leave("a"))
    it.void(due)
    assert it.ladder.open == []


def test_who_comes_back_has_its_ratings() -> None:
    it = begun("a", "b")
    it.result(it.ladder.playing[0], 1, 2)
    before = it.ladder.standing.rating(A)
    it.do(Leave("a"))
    it.joins("a")
    assert it.ladder.standing.rating(A) == before
    assert len(it.fill()) == 1


def test_nobody_takes_over_the_rating_of_others_with_their_name() -> None:
    it = climb(TOC_PARTNERS, "us")
    it.do(Leave("us"))
    with pytest.raises(NameTaken):
        it.do(Join(Entrant("us", (Player("x"), Player("y")))))


def test_what_cannot_be_is_refused() -> None:
    it = climb(DUEL, "a")
    with pytest.raises(AlreadyOn):
        it.do(Join(Entrant("other", (A,))))
    with pytest.raises(WrongSeats):
        it.do(Join(entrant("pair", 2)))
    with pytest.raises(NotAMember):
        it.do(Leave("b"))
    with pytest.raises(NotAMember):
        it.do(Challenge("r", ("a", "b")))
    with pytest.raises(WrongSeats, match="a challenge, in which nobody meets itself, takes 2, not 1"):
        it.do(Challenge("r", ("a", "a")))
    with pytest.raises(WrongSeats, match="a challenge takes 2, not 1"):
        it.do(Challenge("r", ("a",)))


# Challenges


def test_a_challenge_begins_before_all_others_as_soon_as_all_have_room() -> None:
    it = begun(*"abcd")
    one, other = it.ladder.playing
    asked = (one.seats[0], other.seats[0])
    it.do(Challenge("r", asked))
    it.result(one, 1, 2)
    assert it.fill() == []  # A place is kept.
    it.result(other, 1, 2)
    assert [set(due.seats) for due in it.fill()] == [set(asked), set("abcd") - set(asked)]


def test_it_is_known_how_many_challenges_somebody_waits_for() -> None:
    it = climb(DUEL, *"abc")
    it.do(Challenge("r", ("a", "b")))
    it.do(Challenge("s", ("a", "c")))
    assert [it.ladder.challenges_of(name) for name in "abc"] == [2, 1, 1]


def test_a_void_that_is_told_again_changes_nothing() -> None:
    it = begun("a", "b")
    (due,) = it.ladder.playing
    assert it.void(due)
    assert it.void(due) == []


def test_a_challenge_of_somebody_who_is_away_keeps_no_place() -> None:
    it = climb(DUEL, *"abc")
    del it.room["a"]
    it.do(Challenge("r", ("a", "b")))
    assert [set(due.seats) for due in it.fill()] == [{"b", "c"}]


def test_the_same_request_is_the_same_challenge_even_when_it_is_over() -> None:
    it = climb(DUEL, "a", "b")
    it.do(Challenge("r", ("a", "b")))
    it.result(it.begin()[0], 1, 2)
    it.fill()
    assert it.do(Challenge("r", ("b", "a"))) == []
    asked = challenge(it.ladder, "r")
    assert asked
    assert asked.done
    it.joins("c")
    with pytest.raises(RequestIdReused):
        it.do(Challenge("r", ("a", "c")))


# Seasons, and the end


def test_in_a_new_season_everybody_starts_wide_but_not_blank_and_the_old_table_stays() -> None:
    it = begun("a", "b")
    it.result(it.ladder.playing[0], 1, 2)
    old = ladder_standings(it.ladder)
    assert it.do(StartSeason("r")) == [SeasonBegan(2, "r")]
    assert it.do(StartSeason("r")) == []
    best = ladder_standings(it.ladder)[0]
    assert best.rated.rating.value == old[0].rated.rating.value
    assert old[0].rated.rating.deviation < best.rated.rating.deviation <= UNKNOWN
    assert (best.rated.matches, best.balance.wins) == (0, 0)
    assert ladder_standings(it.ladder, season=1) == old


def test_what_was_asked_for_by_a_request_is_known_when_its_entrant_has_left_and_when_the_ladder_is_over() -> None:
    it = climb(DUEL, "a", "b", "c")
    asked = StartSeason("s"), Challenge("r", ("a", "b"))
    for command in asked:
        it.do(command)
    for change in (Leave("a"), Close(), End()):
        assert it.do(change)
        assert [it.do(command) for command in asked] == [[], []]
        with pytest.raises(RequestIdReused):
            it.do(Challenge("r", ("b", "c")))
    with pytest.raises(LadderClosed):
        it.do(StartSeason("another"))


def test_a_ladder_that_closes_waits_for_its_matches_and_pairs_nobody() -> None:
    it = begun(*"abcd")
    one, other = it.ladder.playing
    assert it.do(Close("bye")) == [Closing("bye")]
    assert it.do(Close()) == it.do(End()) == []
    with pytest.raises(LadderClosed):
        it.joins("e")
    assert it.pair() == []
    it.result(one, 1, 2)
    it.void(other)
    assert (it.ladder.due, it.ladder.open) == ([], [])
    assert it.do(End()) == [Closed()]
    assert it.do(Rate("late", Finish(((A,), (B,)), (1, 2)))) == []


# The table


def test_the_best_stands_first_and_who_is_provisional_last() -> None:
    it = climb(replace(DUEL, provisional_matches=2), *"abc")
    for winner, loser in (("a", "b"), ("a", "b"), ("c", "a")):
        it.do(Rate("m", Finish(((Player(winner),), (Player(loser),)), (1, 2))))
    rows = ladder_standings(it.ladder, {"a": A})
    assert [(row.rank, row.entrant.name, row.provisional) for row in rows] == [
        (1, "a", False),
        (2, "b", False),
        (3, "c", True),
    ]
    assert [row.idle for row in rows] == [False, True, True]
    assert (rows[0].balance.wins, rows[0].balance.losses) == (2, 1)


# What always holds

steps = st.lists(st.tuples(st.sampled_from("jlprvscv"), st.integers(0, 7)), max_size=60)


@settings(max_examples=60)
@given(steps, st.sampled_from([DUEL, replace(DUEL, duplicate=Duplicate(), matches_at_once=3), TOC, TOC_PARTNERS]))
def test_the_log_tells_the_whole_story_and_ratings_can_be_computed_again(steps: list[tuple[str, int]], terms) -> None:  # type: ignore[no-untyped-def]
    it = climb(terms, *"abcdefg")
    for what, which in steps:
        name = "abcdefgh"[which]
        playing = it.ladder.playing
        if what == "j" and name not in it.ladder.entrants:
            it.joins(name, room=1 + which % 2)
        elif what == "l" and name in it.ladder.entrants:
            it.do(Leave(name))
        elif what == "p":
            it.fill(hurry=which == 0)
        elif what == "r" and playing:
            it.version[name] = str(which)
            it.result(playing[which % len(playing)], *((1, 1), (1, 2), (2, 1))[which % 3])
        elif what == "v" and playing:
            it.void(playing[which % len(playing)])
        elif what == "s":
            it.do(StartSeason())
        elif what == "c" and len(present := list(it.ladder.entrants)) >= terms.at_a_table:
            it.do(Challenge(f"c{len(it.log)}", tuple(present[: terms.at_a_table])))
        assert all(here.room >= 0 for here in it.here)
    assert replay(terms, it.log) == it.ladder
    assert recomputed(it.log) == it.ladder.standing.ratings
    numbers = [int(event.pairing.id) for event in it.log if isinstance(event, Paired)]
    assert all(later == one + 1 for one, later in pairwise(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("terms", [DUEL, TOC], ids=["two", "toc"])
def test_on_a_long_ladder_nobody_starves_nobody_is_met_again_and_again_and_seats_are_even(terms: Terms) -> None:
    strengths = {f"bot{17 * number % 50:02}": 800 + 30.0 * number for number in range(50)}
    it = climb(replace(terms, rematch_after=5, matches_at_once=8), *strengths)
    ranks, draws = ByStrength(strengths, Chance(b"results")), Chance(b"who ends first")
    while it.ladder.planned < 2500 // terms.at_a_table:
        it.fill()
        playing = it.ladder.playing
        which, draws = draws.below(len(playing))
        it.result(playing[which], *ranks(it, playing[which]))
    tables = [event.pairing.entrants for event in it.log if isinstance(event, Paired)]
    played = Counter(name for table in tables for name in table)
    assert max(played.values()) - min(played.values()) <= max(played.values()) // 2
    for name in strengths:
        met = [set(table) - {name} for table in tables if name in table]
        soon = sum(bool(one & other) for one, other in pairwise(met))
        assert soon <= len(met) // 10
        sat = Counter(table.index(name) for table in tables if name in table)
        assert max(sat.values()) - min(sat[seat] for seat in range(terms.at_a_table)) <= 4
