"""Ladders: pairing, results, joining and leaving, owners, challenges, seasons, closure and standings."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.contests import contest_errors as errors
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder import events
from referee.contests.ladder.commands import (
    CloseLadder,
    FinishClosure,
    JoinLadder,
    LeaveLadder,
    PauseLadder,
    RateMatch,
    RecordLadderResult,
    ResumeLadder,
    StartSeason,
)
from referee.contests.ladder.decide import find_challenge
from referee.contests.ladder.state import LadderPlayTerms
from referee.contests.pairing import (
    ContestMatchScored,
    ContestMatchStarted,
    ContestMatchVoided,
    DueMatch,
    DuplicateSets,
    MatchScore,
)
from referee.contests.strength.elo import expected_score
from referee.contests.strength.rating import INITIAL_DEVIATION, FinishOrder, compute_rating_updates
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player
from tests.contests.ladder_harness import DUEL, TOC, TOC_PARTNERS, LadderHarness, entrant, new_ladder, replay
from tests.contests.recomputed_ratings import recompute_ratings
from tests.contests.simulated_matches import random_numbers


def started_ladder(*names: str, **terms: object) -> LadderHarness:
    """Return a ladder on which all play, as far as there are opponents."""
    play = new_ladder(replace(DUEL, **terms), *names)
    play.pair_and_start()
    return play


def seats_of(dues: list[DueMatch]) -> list[set[str]]:
    return [{*due.seats} for due in dues]


# Pairing


def test_available_entrants_with_free_slots_are_paired() -> None:
    play = new_ladder(DUEL, *"abcde")
    assert len(play.pair_and_start()) == 2
    assert play.pair() == []
    assert play.ladder.due_matches == play.start_matches() == []


def test_the_limit_on_concurrent_matches_holds() -> None:
    play = started_ladder(*"abcdef", max_concurrent_matches=2)
    assert len(play.playing) == 2
    play.result(play.playing[0], 1, 2)
    assert len(play.pair_and_start()) == 1


def test_terms_are_taken_in_turn() -> None:
    play = new_ladder(replace(DUEL, match_kinds=3), *"abcdefgh")
    assert [play.ladder.match_kind(due.pairing) for due in play.pair_and_start()] == [0, 1, 2, 0]


def test_an_early_rematch_waits_for_others_unless_allowed() -> None:
    play = started_ladder(*"abcd")
    play.result(first := play.playing[0], 1, 2)
    assert play.pair() == []
    assert [set(table) for table in play.pair(allow_early_rematch=True)] == [set(first.seats)]


def test_a_paused_ladder_starts_no_matches_and_can_be_resumed() -> None:
    play = started_ladder(*"ab")
    play.join("c", "d")
    assert play.do(PauseLadder("back soon")) == [events.LadderPaused("back soon")]
    assert play.do(PauseLadder()) == []
    assert play.challenge("r", "c", "d")
    assert (play.pair(allow_early_rematch=True), play.start_matches()) == ([], [])
    assert play.result(play.playing[0], 1, 2)
    assert play.do(ResumeLadder()) == [events.LadderResumed()]
    assert play.do(ResumeLadder()) == []
    assert seats_of(play.start_matches()) == [{"c", "d"}]
    play.do(CloseLadder())
    for late in (PauseLadder(), ResumeLadder()):
        with pytest.raises(errors.LadderClosed):
            play.do(late)


# Results


def test_a_result_scores_the_pairing_and_changes_the_ratings() -> None:
    play = started_ladder("a", "b")
    (due,) = play.playing
    winner, loser = due.seats
    finish = FinishOrder(((Player(winner),), (Player(loser),)), (1, 2))
    assert play.result(due, 1, 2) == [
        ContestMatchScored("1", 1, MatchScore((1, 2))),
        events.MatchRated("m0", finish, (), compute_rating_updates({}, finish)),
    ]
    assert play.rating(winner).rating.value > 1500 > play.rating(loser).rating.value
    assert play.ladder.open_pairings == []


def test_a_result_without_a_start_adds_the_start() -> None:
    play = new_ladder(DUEL, "a", "b")
    play.pair()
    (due,) = play.ladder.due_matches
    found = play.do(RateMatch("m7", play.finish(due, (1, 2)), (), due.id))
    assert found[0] == ContestMatchStarted("1", 1, 1, "m7")


def test_a_result_that_could_not_be_rated_scores_the_pairing() -> None:
    play = started_ladder("a", "b")
    (due,) = play.playing
    record = RecordLadderResult(due.id, "m0", play.finish(due, (1, 2)))
    assert play.do(record) == [ContestMatchScored("1", 1, MatchScore((1, 2)))]
    assert play.do(record) == []


def test_a_match_of_another_contest_is_rated_and_scores_nothing() -> None:
    play = started_ladder("a", "b")
    (rated,) = play.rate("other", "a", "b")
    assert isinstance(rated, events.MatchRated)
    assert len(play.playing) == 1


def test_a_void_match_is_played_again_and_never_rated() -> None:
    play = started_ladder("a", "b")
    (first,) = play.playing
    assert play.void(first) == [ContestMatchVoided("1", 1)]
    assert play.void(first) == []
    late = play.do(RateMatch("m0", play.finish(first, (1, 2)), (), first.id))
    assert not any(isinstance(event, ContestMatchScored) for event in late)
    (again,) = play.start_matches()
    assert (again.pairing.id, again.attempt) == ("1", 2)
    assert play.record("a").wins <= 1


def test_a_forfeit_is_a_loss() -> None:
    play = started_ladder("a", "b")
    (due,) = play.playing
    loser = due.seats[1]
    play.result(due, 1, 2, forfeited=[Player(loser)])
    assert (play.record(loser).losses, play.record(loser).forfeits) == (1, 1)
    assert play.log[-2] == ContestMatchScored("1", 1, MatchScore((1, 2), (loser,)))


def test_a_rating_belongs_to_a_version_and_with_all_versions_each_rated_one_has_a_row() -> None:
    play = started_ladder("a", "b")
    for version in ("2", "1"):
        play.version["a"] = version
        play.result(play.playing[0], 1, 1)
        play.pair_and_start()
    assert [play.rating("a", version).matches for version in ("1", "2", "")] == [1, 1, 0]

    def versions(*online: Player, all_versions: bool = False) -> list[str]:
        rows = play.ladder.standings({player.bot: player for player in online}, all_versions=all_versions)
        return sorted(row.player.version for row in rows if row.entrant.name == "a")

    assert versions() == ["1"], "the one that was rated last"
    assert versions(Player("a", "3")) == ["3"]
    assert versions(all_versions=True) == ["1", "2"]


# Sets and tables of four


def test_a_pairing_is_played_with_the_seats_exchanged_from_the_same_start() -> None:
    play = started_ladder("a", "b", duplicate=DuplicateSets(2, openings=3))
    (first,) = play.playing
    play.result(first, 1, 2)
    (second,) = play.pair_and_start()
    assert second.seats == first.seats[::-1]
    assert play.ladder.set_start(first) == play.ladder.set_start(second)
    play.result(second, 1, 2)
    (third,) = play.pair_and_start()
    start, other = play.ladder.set_start(first), play.ladder.set_start(third)
    assert start
    assert other
    assert (start.opening, other.opening) == (0, 1)
    assert start.seed != other.seed


def test_changing_partners_share_the_result_of_their_side() -> None:
    play = new_ladder(TOC, *"abcd")
    (due,) = play.pair_and_start()
    play.result(due, 1, 2)
    score = play.log[-2]
    assert isinstance(score, ContestMatchScored)
    assert score.score == MatchScore((1, 2, 1, 2))
    assert play.rating(due.seats[2]).rating.value > 1500
    assert frozenset(play.pair_and_start()[0].seats[::2]) not in {frozenset(due.seats[::2]), frozenset(due.seats[1::2])}


def test_fixed_partners_have_one_rating_between_them() -> None:
    play = new_ladder(TOC_PARTNERS, "us", "them")
    (due,) = play.pair_and_start()
    play.result(due, 2, 1)
    assert set(play.ladder.current_season.ratings) == {Player("us"), Player("them")}
    (best, _) = play.ladder.standings()
    assert (best.entrant.name, best.player) == (due.seats[1], Player(due.seats[1]))


# Joining and leaving


def test_an_entrant_that_leaves_finishes_its_match_and_is_rated() -> None:
    play = started_ladder("a", "b")
    (due,) = play.playing
    play.leave("a")
    assert play.playing == [due]
    play.result(due, 1, 2)
    assert play.rating("a").matches == 1
    assert [row.entrant.name for row in play.ladder.standings()] == ["b"]


def test_a_void_match_of_an_entrant_that_left_is_not_played_again() -> None:
    play = started_ladder("a", "b")
    (due,) = play.playing
    play.leave("a")
    play.void(due)
    assert play.ladder.open_pairings == []


def test_an_entrant_that_rejoins_keeps_its_ratings() -> None:
    play = started_ladder("a", "b")
    play.result(play.playing[0], 1, 2)
    before = play.rating("a")
    play.leave("a")
    play.join("a")
    assert play.rating("a") == before
    assert len(play.pair_and_start()) == 1


def test_an_entrant_cannot_take_over_a_rating_by_using_a_name() -> None:
    play = new_ladder(TOC_PARTNERS, "us")
    play.leave("us")
    with pytest.raises(errors.EntrantNameTaken):
        play.do(JoinLadder(ContestEntrant("us", (Player("x"), Player("y")))))


def test_invalid_commands_are_errors_and_a_repeated_join_changes_nothing() -> None:
    play = new_ladder(DUEL, "a")
    assert play.do(JoinLadder(entrant("a"))) == []
    for again in (ContestEntrant("a", (Player("a", "2"),)), ContestEntrant("other", (Player("a"),))):
        with pytest.raises(errors.AlreadyOnLadder):
            play.do(JoinLadder(again))
    with pytest.raises(errors.WrongParticipantCount):
        play.do(JoinLadder(entrant("pair", 2)))
    with pytest.raises(errors.NotAMember):
        play.leave("b")
    with pytest.raises(errors.NotAMember):
        play.challenge("r", "a", "b")
    with pytest.raises(errors.WrongParticipantCount, match="a challenge, without repetition, takes 2, not 1"):
        play.challenge("r", "a", "a")
    with pytest.raises(errors.WrongParticipantCount, match="a challenge takes 2, not 1"):
        play.challenge("r", "a")


# Owners


def test_bots_of_one_owner_are_neither_paired_nor_challenged() -> None:
    play = new_ladder().join("a", "b", room=3, owners=("ann",)).join("c", room=3, owners=("cyd",))
    paired = play.pair_and_start(allow_early_rematch=True)
    assert {frozenset(due.seats) for due in paired} == {frozenset("ac"), frozenset("bc")}
    with pytest.raises(errors.SameOwner, match="a and b have the same owner, so they play no rated match"):
        play.challenge("r", "a", "b")
    assert play.challenge("r", "c", "b")


def test_a_match_between_bots_of_one_owner_is_never_rated() -> None:
    play = new_ladder().join("a", "b", owners=("ann",)).join("c", owners=("cyd",))
    play.leave("b")
    play.do(JoinLadder(ContestEntrant("bee", (Player("b"),), owners=("ann",))))
    assert play.rate("m1", "a", "b") == []
    assert len(play.rate("m2", "b", "c")) == len(play.rate("m3", "a", "x")) == 1


def test_partners_never_meet_entrants_that_have_an_owner_in_common_with_them() -> None:
    play = new_ladder(TOC_PARTNERS)
    for name, owners in (("us", ("ann", "bob")), ("them", ("bob", "cyd")), ("others", ("cyd",))):
        play.join(name, owners=owners)
    assert seats_of(play.pair_and_start()) == [{"us", "others"}]
    assert play.rate("m9", "us", "them") == []


# Challenges


def test_a_challenge_starts_first_once_all_have_free_slots() -> None:
    play = started_ladder(*"abcd")
    first, other = play.playing
    requested = (first.seats[0], other.seats[0])
    play.challenge("r", *requested)
    play.result(first, 1, 2)
    assert play.pair_and_start() == []  # A slot is reserved.
    play.result(other, 1, 2)
    assert seats_of(play.pair_and_start()) == [set(requested), set("abcd") - set(requested)]


def test_a_challenge_of_an_offline_entrant_reserves_no_slot() -> None:
    play = new_ladder(DUEL, *"abc")
    del play.slots["a"]
    play.challenge("r", "a", "b")
    assert seats_of(play.pair_and_start()) == [{"b", "c"}]


def test_the_challenges_of_a_caller_count_until_they_are_done() -> None:
    play = new_ladder(DUEL, *"abc", room=2)
    for request, names in {"ann/r": "ab", "ann/s": "ac", "bob/r": "bc"}.items():
        play.challenge(request, *names)

    def open_of(caller: str) -> list[str]:
        return ["".join(sorted(pairing.entrants)) for pairing in play.ladder.open_challenges_of(caller)]

    assert (open_of("ann/"), open_of("bob/"), open_of("cyd/")) == (["ab", "ac"], ["bc"], [])
    play.result(play.start_matches()[0], 1, 2)
    assert open_of("ann/") == ["ac"]
    play.leave("a")
    assert len(open_of("ann/")) == 1  # Its match is in play.


def test_only_the_last_challenges_that_are_done_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.contests.ladder.state.MAX_DONE_CHALLENGES", 2)
    play = new_ladder(DUEL, *"abcd")
    play.challenge("open", "c", "d")
    del play.slots["c"]
    for number in range(5):
        play.challenge(str(number), "a", "b")
        play.result(play.start_matches()[0], 1, 2)
    assert list(play.ladder.challenges) == ["open", "2", "3", "4"]
    assert len(play.ladder.pairings) == 4


def test_a_repeated_request_is_the_same_challenge_even_when_it_is_over() -> None:
    play = new_ladder(DUEL, "a", "b")
    play.challenge("r", "a", "b")
    play.result(play.start_matches()[0], 1, 2)
    play.pair_and_start()
    assert play.challenge("r", "b", "a") == []
    requested = find_challenge(play.ladder, "r")
    assert requested
    assert requested.is_done


def test_a_repeated_request_is_recognised_after_a_departure_and_after_the_closure() -> None:
    play = new_ladder(DUEL, "a", "b", "c")
    play.do(StartSeason("s"))
    play.challenge("r", "a", "b")
    for change in (LeaveLadder("a"), CloseLadder(), FinishClosure()):
        assert play.do(change)
        assert play.do(StartSeason("s")) == play.challenge("r", "a", "b") == []
        with pytest.raises(RequestIdReused):
            play.challenge("r", "b", "c")
    with pytest.raises(errors.LadderClosed):
        play.do(StartSeason("another"))


# Seasons, the end, and standings


def test_a_new_season_widens_ratings_and_keeps_the_old_standings() -> None:
    play = started_ladder("a", "b")
    play.result(play.playing[0], 1, 2)
    old = play.ladder.standings()
    assert play.do(StartSeason("r")) == [events.SeasonStarted(2, "r")]
    best = play.ladder.standings()[0]
    assert best.rating.rating.value == old[0].rating.rating.value
    assert old[0].rating.rating.deviation < best.rating.rating.deviation <= INITIAL_DEVIATION
    assert (best.rating.matches, best.record.wins) == (0, 0)
    assert play.ladder.standings(season=1) == old


def test_a_closing_ladder_stops_pairing_and_waits_for_its_matches() -> None:
    play = started_ladder(*"abcd")
    first, other = play.playing
    assert play.do(CloseLadder("bye")) == [events.LadderClosureStarted("bye")]
    assert play.do(CloseLadder()) == play.do(FinishClosure()) == []
    with pytest.raises(errors.LadderClosed):
        play.join("e")
    assert play.pair() == []
    play.result(first, 1, 2)
    play.void(other)
    assert (play.ladder.due_matches, play.ladder.open_pairings) == ([], [])
    assert play.do(FinishClosure()) == [events.LadderClosureFinished()]
    assert play.rate("late", "a", "b") == []


def test_standings_are_by_rating_with_provisional_entrants_last() -> None:
    play = new_ladder(replace(DUEL, provisional_matches=2), *"abc")
    for number, (winner, loser) in enumerate((("a", "b"), ("a", "b"), ("c", "a"))):
        play.rate(f"m{number}", winner, loser)
    rows = play.ladder.standings({"a": Player("a")})
    assert [(row.rank, row.entrant.name, row.provisional, row.idle) for row in rows] == [
        (1, "a", False, False),
        (2, "b", False, True),
        (3, "c", True, True),
    ]
    assert (rows[0].record.wins, rows[0].record.losses) == (2, 1)


# Properties

steps = st.lists(st.tuples(st.sampled_from("jlprvscv"), st.integers(0, 7)), max_size=60)


@settings(max_examples=60)
@given(
    steps,
    st.sampled_from([DUEL, replace(DUEL, duplicate=DuplicateSets(), max_concurrent_matches=3), TOC, TOC_PARTNERS]),
)
def test_replaying_the_log_gives_the_same_ladder_and_ratings(
    steps: list[tuple[str, int]], terms: LadderPlayTerms
) -> None:
    play = new_ladder(terms, *"abcdefg")
    for what, which in steps:
        name, playing = "abcdefgh"[which], play.playing
        if what == "j" and name not in play.ladder.entrants:
            play.join(name, room=1 + which % 2)
        elif what == "l" and name in play.ladder.entrants:
            play.leave(name)
        elif what == "p":
            play.pair_and_start(allow_early_rematch=which == 0)
        elif what == "r" and playing:
            play.version[name] = str(which)
            play.result(playing[which % len(playing)], *((1, 1), (1, 2), (2, 1))[which % 3])
        elif what == "v" and playing:
            play.void(playing[which % len(playing)])
        elif what == "s":
            play.do(StartSeason())
        elif what == "c" and len(present := list(play.ladder.entrants)) >= terms.table_size:
            play.challenge(f"c{len(play.log)}", *present[: terms.table_size])
        assert all(here.free_slots >= 0 for here in play.available)
    assert replay(terms, play.log) == play.ladder
    assert recompute_ratings(play.log) == play.ladder.current_season.ratings
    numbers = [int(event.pairing.id) for event in play.log if isinstance(event, events.PairingPlanned)]
    assert all(later == earlier + 1 for earlier, later in pairwise(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("terms", [DUEL, TOC], ids=["two", "toc"])
def test_a_long_ladder_is_fair_in_matches_opponents_and_seats(terms: LadderPlayTerms) -> None:
    strengths = {f"bot{17 * number % 50:02}": 800 + 30.0 * number for number in range(50)}
    play = new_ladder(replace(terms, rematch_after=5, max_concurrent_matches=8), *strengths)
    draws = random_numbers("a long ladder")
    while play.ladder.planned_count < 2500 // terms.table_size:
        play.pair_and_start()
        ended = play.playing[int(next(draws) * len(play.playing))]
        strength, other = (sum(strengths[name] for name in ended.seats[side::2]) for side in range(2))
        play.result(ended, *((1, 2) if next(draws) < expected_score(strength - other) else (2, 1)))
    tables = [event.pairing.entrants for event in play.log if isinstance(event, events.PairingPlanned)]
    played = Counter(name for table in tables for name in table)
    assert max(played.values()) - min(played.values()) <= max(played.values()) // 2
    for name in strengths:
        met = [set(table) - {name} for table in tables if name in table]
        soon = sum(bool(opponents & other) for opponents, other in pairwise(met))
        assert soon <= len(met) // 10
        sat = Counter(table.index(name) for table in tables if name in table)
        assert max(sat.values()) - min(sat[seat] for seat in range(terms.table_size)) <= 4
