from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engines.chance import Chance
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import (
    AlreadyOnLadder,
    EntrantNameTaken,
    LadderClosed,
    NotAMember,
    SameOwner,
    WrongParticipantCount,
)
from referee.contests.ladder.commands import (
    ChallengeEntrants,
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
from referee.contests.ladder.events import (
    LadderClosureFinished,
    LadderClosureStarted,
    LadderPaused,
    LadderResumed,
    MatchRated,
    PairingPlanned,
    SeasonStarted,
)
from referee.contests.ladder.state import LadderPlayTerms
from referee.contests.pairing import (
    ContestMatchScored,
    ContestMatchStarted,
    ContestMatchVoided,
    DuplicateSets,
    MatchScore,
)
from referee.contests.strength.rating import INITIAL_DEVIATION, FinishOrder, compute_rating_updates
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player
from tests.contests.ladder_harness import (
    DUEL,
    TOC,
    TOC_PARTNERS,
    ByStrength,
    LadderHarness,
    entrant,
    new_ladder,
    replay,
)
from tests.contests.recomputed_ratings import recompute_ratings

A, B, C = Player("a"), Player("b"), Player("c")


def started_ladder(*names: str, **terms: object) -> LadderHarness:
    """Return a ladder on which all play, as far as there are opponents."""
    play = new_ladder(replace(DUEL, **terms), *names)
    play.pair_and_start()
    return play


# Pairing


def test_available_entrants_with_free_slots_are_paired() -> None:
    play = new_ladder(DUEL, *"abcde")
    assert len(play.pair_and_start()) == 2
    assert play.pair() == []


def test_an_entrant_with_two_free_slots_is_paired_twice() -> None:
    play = new_ladder(DUEL, *"abc", room=2)
    assert len(play.pair_and_start()) == 3


def test_an_offline_entrant_is_not_paired() -> None:
    play = new_ladder(DUEL, *"abc")
    del play.slots["a"]
    assert [set(table) for table in play.pair()] == [{"b", "c"}]


def test_the_limit_on_concurrent_matches_holds() -> None:
    play = started_ladder(*"abcdef", max_concurrent_matches=2)
    assert len(play.ladder.matches_in_play) == 2
    play.result(play.ladder.matches_in_play[0], 1, 2)
    assert len(play.pair_and_start()) == 1


def test_a_deferred_match_does_not_delay_others() -> None:
    play = new_ladder(DUEL, *"abcd")
    play.pair()
    away = play.ladder.due_matches[0].pairing.entrants[0]
    del play.slots[away]
    left = set("abcd") - {away}
    assert all(set(due.seats) <= left for due in play.pair_and_start())
    assert len(play.ladder.matches_in_play) == 1


def test_a_match_is_created_once() -> None:
    play = started_ladder("a", "b")
    assert play.ladder.due_matches == []
    assert play.start_matches() == []


def test_terms_are_taken_in_turn() -> None:
    play = new_ladder(replace(DUEL, match_kinds=3), *"abcdefgh")
    assert [play.ladder.match_kind(due.pairing) for due in play.pair_and_start()] == [0, 1, 2, 0]


def test_an_early_rematch_waits_for_others_unless_allowed() -> None:
    play = started_ladder(*"abcd")
    play.result(first := play.ladder.matches_in_play[0], 1, 2)
    assert play.pair() == []
    assert [set(table) for table in play.pair(allow_early_rematch=True)] == [set(first.seats)]


def test_a_paused_ladder_starts_no_matches_and_can_be_resumed() -> None:
    play = started_ladder(*"ab")
    play.join("c", "d")
    assert play.do(PauseLadder("back soon")) == [LadderPaused("back soon")]
    assert play.do(PauseLadder()) == []
    assert play.do(ChallengeEntrants("r", ("c", "d")))
    assert play.pair(allow_early_rematch=True) == []
    assert play.start_matches() == []
    assert play.result(play.ladder.matches_in_play[0], 1, 2)
    assert play.do(ResumeLadder()) == [LadderResumed()]
    assert play.do(ResumeLadder()) == []
    assert [set(due.seats) for due in play.start_matches()] == [{"c", "d"}]
    play.do(CloseLadder())
    for late in (PauseLadder(), ResumeLadder()):
        with pytest.raises(LadderClosed):
            play.do(late)


# Results


def test_a_result_scores_the_pairing_and_changes_the_ratings() -> None:
    play = started_ladder("a", "b")
    (due,) = play.ladder.matches_in_play
    winner, loser = (Player(name) for name in due.seats)
    finish = FinishOrder(((winner,), (loser,)), (1, 2))
    assert play.result(due, 1, 2) == [
        ContestMatchScored("1", 1, MatchScore((1, 2))),
        MatchRated("m0", finish, (), compute_rating_updates({}, finish)),
    ]
    assert (
        play.ladder.current_season.rating(winner).rating.value
        > 1500
        > play.ladder.current_season.rating(loser).rating.value
    )
    assert play.ladder.open_pairings == []


def test_a_result_without_a_start_adds_the_start() -> None:
    play = new_ladder(DUEL, "a", "b")
    play.pair()
    (due,) = play.ladder.due_matches
    events = play.do(RateMatch("m7", play.finish(due, (1, 2)), (), due.id))
    assert events[0] == ContestMatchStarted("1", 1, 1, "m7")


def test_a_result_that_could_not_be_rated_scores_the_pairing() -> None:
    play = started_ladder("a", "b")
    (due,) = play.ladder.matches_in_play
    record = RecordLadderResult(due.id, "m0", play.finish(due, (1, 2)))
    assert play.do(record) == [ContestMatchScored("1", 1, MatchScore((1, 2)))]
    assert play.do(record) == []


def test_a_match_of_another_contest_is_rated_and_scores_nothing() -> None:
    play = started_ladder("a", "b")
    (rated,) = play.do(RateMatch("other", FinishOrder(((A,), (B,)), (1, 2))))
    assert isinstance(rated, MatchRated)
    assert len(play.ladder.matches_in_play) == 1


def test_a_void_match_is_played_again_and_never_rated() -> None:
    play = started_ladder("a", "b")
    (first,) = play.ladder.matches_in_play
    assert play.void(first) == [ContestMatchVoided("1", 1)]
    assert play.do(RateMatch("m0", play.finish(first, (1, 2)), (), first.id))[:-1] == []  # Too late to be scored.
    (again,) = play.start_matches()
    assert (again.pairing.id, again.attempt) == ("1", 2)
    assert play.ladder.current_season.record(A).wins <= 1


def test_a_forfeit_is_a_loss() -> None:
    play = started_ladder("a", "b")
    (due,) = play.ladder.matches_in_play
    loser = Player(due.seats[1])
    play.result(due, 1, 2, forfeited=[loser])
    balance = play.ladder.current_season.record(loser)
    assert (balance.losses, balance.forfeits) == (1, 1)
    assert play.log[-2] == ContestMatchScored("1", 1, MatchScore((1, 2), (loser.bot,)))


def test_a_rating_belongs_to_a_version() -> None:
    play = started_ladder("a", "b")
    play.version["a"] = "2"
    play.result(play.ladder.matches_in_play[0], 1, 1)
    assert play.ladder.current_season.rating(Player("a", "2")).matches == 1
    assert play.ladder.current_season.rating(A).matches == 0
    rows = {row.entrant.name: row.player for row in play.ladder.standings()}
    assert rows["a"] == Player("a", "2")
    rows = {row.entrant.name: row.player for row in play.ladder.standings({"a": Player("a", "3")})}
    assert rows["a"] == Player("a", "3")


def test_with_all_versions_each_rated_version_has_a_row() -> None:
    play = started_ladder("a", "b")
    for version in ("1", "2"):
        play.version["a"] = version
        play.result(play.ladder.matches_in_play[0], 1, 1)
        play.pair_and_start()
    rows = [row.player for row in play.ladder.standings(all_versions=True) if row.entrant.name == "a"]
    assert set(rows) == {Player("a", "1"), Player("a", "2")}


# Sets


def test_a_pairing_is_played_with_the_seats_exchanged_from_the_same_start() -> None:
    play = started_ladder("a", "b", duplicate=DuplicateSets(2, openings=3))
    (first,) = play.ladder.matches_in_play
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


# Tables of four


def test_changing_partners_share_the_result_of_their_side() -> None:
    play = new_ladder(TOC, *"abcd")
    (due,) = play.pair_and_start()
    play.result(due, 1, 2)
    score = play.log[-2]
    assert isinstance(score, ContestMatchScored)
    assert score.score == MatchScore((1, 2, 1, 2))
    assert play.ladder.current_season.rating(Player(due.seats[2])).rating.value > 1500
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
    (due,) = play.ladder.matches_in_play
    play.do(LeaveLadder("a"))
    assert play.ladder.matches_in_play == [due]
    play.result(due, 1, 2)
    assert play.ladder.current_season.rating(A).matches == 1
    assert [row.entrant.name for row in play.ladder.standings()] == ["b"]


def test_a_void_match_of_an_entrant_that_left_is_not_played_again() -> None:
    play = started_ladder("a", "b")
    (due,) = play.ladder.matches_in_play
    play.do(LeaveLadder("a"))
    play.void(due)
    assert play.ladder.open_pairings == []


def test_an_entrant_that_rejoins_keeps_its_ratings() -> None:
    play = started_ladder("a", "b")
    play.result(play.ladder.matches_in_play[0], 1, 2)
    before = play.ladder.current_season.rating(A)
    play.do(LeaveLadder("a"))
    play.join("a")
    assert play.ladder.current_season.rating(A) == before
    assert len(play.pair_and_start()) == 1


def test_a_repeated_join_changes_nothing_and_one_with_another_version_is_an_error() -> None:
    play = new_ladder(DUEL, "a")
    (member,) = play.ladder.entrants.values()
    assert play.do(JoinLadder(ContestEntrant("a", member.bots))) == []
    with pytest.raises(AlreadyOnLadder):
        play.do(JoinLadder(ContestEntrant("a", (replace(member.bots[0], version="2"),))))


def test_an_entrant_cannot_take_over_a_rating_by_using_a_name() -> None:
    play = new_ladder(TOC_PARTNERS, "us")
    play.do(LeaveLadder("us"))
    with pytest.raises(EntrantNameTaken):
        play.do(JoinLadder(ContestEntrant("us", (Player("x"), Player("y")))))


def test_invalid_commands_are_errors() -> None:
    play = new_ladder(DUEL, "a")
    with pytest.raises(AlreadyOnLadder):
        play.do(JoinLadder(ContestEntrant("other", (A,))))
    with pytest.raises(WrongParticipantCount):
        play.do(JoinLadder(entrant("pair", 2)))
    with pytest.raises(NotAMember):
        play.do(LeaveLadder("b"))
    with pytest.raises(NotAMember):
        play.do(ChallengeEntrants("r", ("a", "b")))
    with pytest.raises(WrongParticipantCount, match="a challenge, without repetition, takes 2, not 1"):
        play.do(ChallengeEntrants("r", ("a", "a")))
    with pytest.raises(WrongParticipantCount, match="a challenge takes 2, not 1"):
        play.do(ChallengeEntrants("r", ("a",)))


# Owners


def of_owner(name: str, *owners: str) -> JoinLadder:
    return JoinLadder(ContestEntrant(name, (Player(name),), owners=owners))


def test_bots_of_one_owner_are_neither_paired_nor_challenged() -> None:
    play = new_ladder(DUEL)
    for name, owner in (("a", "ann"), ("b", "ann"), ("c", "cyd")):
        play.do(of_owner(name, owner))
        play.slots[name] = 3
    assert {frozenset(due.seats) for due in play.pair_and_start(allow_early_rematch=True)} == {
        frozenset("ac"),
        frozenset("bc"),
    }
    with pytest.raises(SameOwner, match="a and b have the same owner, so they play no rated match on ladder main"):
        play.do(ChallengeEntrants("r", ("a", "b")))
    assert play.do(ChallengeEntrants("r", ("c", "b")))


def test_bots_that_staff_registered_are_paired() -> None:
    play = new_ladder(DUEL)
    play.do(of_owner("a"))
    play.do(of_owner("b"))
    play.slots = {"a": 1, "b": 1}
    assert [set(due.seats) for due in play.pair_and_start()] == [{"a", "b"}]


def test_a_match_between_bots_of_one_owner_is_never_rated() -> None:
    play = new_ladder(DUEL)
    for name, owner in (("a", "ann"), ("b", "ann"), ("c", "cyd")):
        play.do(of_owner(name, owner))
    play.do(LeaveLadder("b"))
    play.do(JoinLadder(ContestEntrant("bee", (B,), owners=("ann",))))
    assert play.do(RateMatch("m1", FinishOrder(((A,), (B,)), (1, 2)))) == []
    assert len(play.do(RateMatch("m2", FinishOrder(((B,), (C,)), (1, 2))))) == 1
    assert len(play.do(RateMatch("m3", FinishOrder(((A,), (Player("x"),)), (1, 2))))) == 1


def test_partners_never_meet_entrants_that_have_an_owner_in_common_with_them() -> None:
    play = new_ladder(TOC_PARTNERS)
    for name, owners in (("us", ("ann", "bob")), ("them", ("bob", "cyd")), ("others", ("cyd",))):
        play.do(JoinLadder(ContestEntrant(name, (Player(f"{name}0"), Player(f"{name}1")), owners=owners)))
        play.slots[name] = 1
    assert [set(due.seats) for due in play.pair_and_start()] == [{"us", "others"}]
    assert play.do(RateMatch("m9", FinishOrder(((Player("us"),), (Player("them"),)), (1, 2)))) == []


# Challenges


def test_a_challenge_starts_first_once_all_have_free_slots() -> None:
    play = started_ladder(*"abcd")
    first, other = play.ladder.matches_in_play
    requested = (first.seats[0], other.seats[0])
    play.do(ChallengeEntrants("r", requested))
    play.result(first, 1, 2)
    assert play.pair_and_start() == []  # A slot is reserved.
    play.result(other, 1, 2)
    assert [set(due.seats) for due in play.pair_and_start()] == [set(requested), set("abcd") - set(requested)]


def test_the_challenges_of_a_caller_count_until_they_are_done() -> None:
    play = new_ladder(DUEL, *"abc", room=2)
    play.do(ChallengeEntrants("ann/r", ("a", "b")))
    play.do(ChallengeEntrants("ann/s", ("a", "c")))
    play.do(ChallengeEntrants("bob/r", ("b", "c")))

    def open_of(caller: str) -> list[set[str]]:
        return [set(pairing.entrants) for pairing in play.ladder.open_challenges_of(caller)]

    assert (open_of("ann/"), open_of("bob/"), open_of("cyd/")) == ([{"a", "b"}, {"a", "c"}], [{"b", "c"}], [])
    play.result(play.start_matches()[0], 1, 2)
    assert open_of("ann/") == [{"a", "c"}]
    play.do(LeaveLadder("a"))
    assert len(open_of("ann/")) == 1  # Its match is in play.


def test_only_the_last_challenges_that_are_done_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.contests.ladder.state.MAX_DONE_CHALLENGES", 2)
    play = new_ladder(DUEL, *"abcd")
    play.do(ChallengeEntrants("open", ("c", "d")))
    del play.slots["c"]
    for number in range(5):
        play.do(ChallengeEntrants(str(number), ("a", "b")))
        play.result(play.start_matches()[0], 1, 2)
    assert list(play.ladder.challenges) == ["open", "2", "3", "4"]
    assert len(play.ladder.pairings) == 4


def test_a_repeated_void_changes_nothing() -> None:
    play = started_ladder("a", "b")
    (due,) = play.ladder.matches_in_play
    assert play.void(due)
    assert play.void(due) == []


def test_a_challenge_of_an_offline_entrant_reserves_no_slot() -> None:
    play = new_ladder(DUEL, *"abc")
    del play.slots["a"]
    play.do(ChallengeEntrants("r", ("a", "b")))
    assert [set(due.seats) for due in play.pair_and_start()] == [{"b", "c"}]


def test_a_repeated_request_is_the_same_challenge_even_when_it_is_over() -> None:
    play = new_ladder(DUEL, "a", "b")
    play.do(ChallengeEntrants("r", ("a", "b")))
    play.result(play.start_matches()[0], 1, 2)
    play.pair_and_start()
    assert play.do(ChallengeEntrants("r", ("b", "a"))) == []
    requested = find_challenge(play.ladder, "r")
    assert requested
    assert requested.is_done
    play.join("c")
    with pytest.raises(RequestIdReused):
        play.do(ChallengeEntrants("r", ("a", "c")))


# Seasons, and the end


def test_a_new_season_widens_ratings_and_keeps_the_old_standings() -> None:
    play = started_ladder("a", "b")
    play.result(play.ladder.matches_in_play[0], 1, 2)
    old = play.ladder.standings()
    assert play.do(StartSeason("r")) == [SeasonStarted(2, "r")]
    assert play.do(StartSeason("r")) == []
    best = play.ladder.standings()[0]
    assert best.rating.rating.value == old[0].rating.rating.value
    assert old[0].rating.rating.deviation < best.rating.rating.deviation <= INITIAL_DEVIATION
    assert (best.rating.matches, best.record.wins) == (0, 0)
    assert play.ladder.standings(season=1) == old


def test_a_repeated_request_is_recognised_after_a_departure_and_after_the_closure() -> None:
    play = new_ladder(DUEL, "a", "b", "c")
    requested = StartSeason("s"), ChallengeEntrants("r", ("a", "b"))
    for command in requested:
        play.do(command)
    for change in (LeaveLadder("a"), CloseLadder(), FinishClosure()):
        assert play.do(change)
        assert [play.do(command) for command in requested] == [[], []]
        with pytest.raises(RequestIdReused):
            play.do(ChallengeEntrants("r", ("b", "c")))
    with pytest.raises(LadderClosed):
        play.do(StartSeason("another"))


def test_a_closing_ladder_stops_pairing_and_waits_for_its_matches() -> None:
    play = started_ladder(*"abcd")
    first, other = play.ladder.matches_in_play
    assert play.do(CloseLadder("bye")) == [LadderClosureStarted("bye")]
    assert play.do(CloseLadder()) == play.do(FinishClosure()) == []
    with pytest.raises(LadderClosed):
        play.join("e")
    assert play.pair() == []
    play.result(first, 1, 2)
    play.void(other)
    assert (play.ladder.due_matches, play.ladder.open_pairings) == ([], [])
    assert play.do(FinishClosure()) == [LadderClosureFinished()]
    assert play.do(RateMatch("late", FinishOrder(((A,), (B,)), (1, 2)))) == []


# Standings


def test_standings_are_by_rating_with_provisional_entrants_last() -> None:
    play = new_ladder(replace(DUEL, provisional_matches=2), *"abc")
    for number, (winner, loser) in enumerate((("a", "b"), ("a", "b"), ("c", "a"))):
        play.do(RateMatch(f"m{number}", FinishOrder(((Player(winner),), (Player(loser),)), (1, 2))))
    rows = play.ladder.standings({"a": A})
    assert [(row.rank, row.entrant.name, row.provisional) for row in rows] == [
        (1, "a", False),
        (2, "b", False),
        (3, "c", True),
    ]
    assert [row.idle for row in rows] == [False, True, True]
    assert (rows[0].record.wins, rows[0].record.losses) == (2, 1)


# Properties

steps = st.lists(st.tuples(st.sampled_from("jlprvscv"), st.integers(0, 7)), max_size=60)


@settings(max_examples=60)
@given(
    steps,
    st.sampled_from([DUEL, replace(DUEL, duplicate=DuplicateSets(), max_concurrent_matches=3), TOC, TOC_PARTNERS]),
)
def test_replaying_the_log_gives_the_same_ladder_and_ratings(steps: list[tuple[str, int]], terms) -> None:  # type: ignore[no-untyped-def]
    play = new_ladder(terms, *"abcdefg")
    for what, which in steps:
        name = "abcdefgh"[which]
        playing = play.ladder.matches_in_play
        if what == "j" and name not in play.ladder.entrants:
            play.join(name, room=1 + which % 2)
        elif what == "l" and name in play.ladder.entrants:
            play.do(LeaveLadder(name))
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
            play.do(ChallengeEntrants(f"c{len(play.log)}", tuple(present[: terms.table_size])))
        assert all(here.free_slots >= 0 for here in play.available)
    assert replay(terms, play.log) == play.ladder
    assert recompute_ratings(play.log) == play.ladder.current_season.ratings
    numbers = [int(event.pairing.id) for event in play.log if isinstance(event, PairingPlanned)]
    assert all(later == earlier + 1 for earlier, later in pairwise(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("terms", [DUEL, TOC], ids=["two", "toc"])
def test_a_long_ladder_is_fair_in_matches_opponents_and_seats(
    terms: LadderPlayTerms,
) -> None:
    strengths = {f"bot{17 * number % 50:02}": 800 + 30.0 * number for number in range(50)}
    play = new_ladder(replace(terms, rematch_after=5, max_concurrent_matches=8), *strengths)
    ranks, draws = ByStrength(strengths, Chance(b"results")), Chance(b"who ends first")
    while play.ladder.planned_count < 2500 // terms.table_size:
        play.pair_and_start()
        playing = play.ladder.matches_in_play
        which, draws = draws.below(len(playing))
        play.result(playing[which], *ranks(play, playing[which]))
    tables = [event.pairing.entrants for event in play.log if isinstance(event, PairingPlanned)]
    played = Counter(name for table in tables for name in table)
    assert max(played.values()) - min(played.values()) <= max(played.values()) // 2
    for name in strengths:
        met = [set(table) - {name} for table in tables if name in table]
        soon = sum(bool(opponents & other) for opponents, other in pairwise(met))
        assert soon <= len(met) // 10
        sat = Counter(table.index(name) for table in tables if name in table)
        assert max(sat.values()) - min(sat[seat] for seat in range(terms.table_size)) <= 4
