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
    it = new_ladder(replace(DUEL, **terms), *names)
    it.pair_and_start()
    return it


# Pairing


def test_available_entrants_with_free_slots_are_paired() -> None:
    it = new_ladder(DUEL, *"abcde")
    assert len(it.pair_and_start()) == 2
    assert it.pair() == []


def test_an_entrant_with_two_free_slots_is_paired_twice() -> None:
    it = new_ladder(DUEL, *"abc", room=2)
    assert len(it.pair_and_start()) == 3


def test_an_offline_entrant_is_not_paired() -> None:
    it = new_ladder(DUEL, *"abc")
    del it.slots["a"]
    assert [set(table) for table in it.pair()] == [{"b", "c"}]


def test_the_limit_on_concurrent_matches_holds() -> None:
    it = started_ladder(*"abcdef", max_concurrent_matches=2)
    assert len(it.ladder.matches_in_play) == 2
    it.result(it.ladder.matches_in_play[0], 1, 2)
    assert len(it.pair_and_start()) == 1


def test_a_deferred_match_does_not_delay_others() -> None:
    it = new_ladder(DUEL, *"abcd")
    it.pair()
    away = it.ladder.due_matches[0].pairing.entrants[0]
    del it.slots[away]
    left = set("abcd") - {away}
    assert all(set(due.seats) <= left for due in it.pair_and_start())
    assert len(it.ladder.matches_in_play) == 1


def test_a_match_is_created_once() -> None:
    it = started_ladder("a", "b")
    assert it.ladder.due_matches == []
    assert it.start_matches() == []


def test_terms_are_taken_in_turn() -> None:
    it = new_ladder(replace(DUEL, match_kinds=3), *"abcdefgh")
    assert [it.ladder.match_kind(due.pairing) for due in it.pair_and_start()] == [0, 1, 2, 0]


def test_an_early_rematch_waits_for_others_unless_allowed() -> None:
    it = started_ladder(*"abcd")
    it.result(first := it.ladder.matches_in_play[0], 1, 2)
    assert it.pair() == []
    assert [set(table) for table in it.pair(allow_early_rematch=True)] == [set(first.seats)]


def test_a_paused_ladder_starts_no_matches_and_can_be_resumed() -> None:
    it = started_ladder(*"ab")
    it.join("c", "d")
    assert it.do(PauseLadder("back soon")) == [LadderPaused("back soon")]
    assert it.do(PauseLadder()) == []
    assert it.do(ChallengeEntrants("r", ("c", "d")))
    assert it.pair(allow_early_rematch=True) == []
    assert it.start_matches() == []
    assert it.result(it.ladder.matches_in_play[0], 1, 2)
    assert it.do(ResumeLadder()) == [LadderResumed()]
    assert it.do(ResumeLadder()) == []
    assert [set(due.seats) for due in it.start_matches()] == [{"c", "d"}]
    it.do(CloseLadder())
    for late in (PauseLadder(), ResumeLadder()):
        with pytest.raises(LadderClosed):
            it.do(late)


# Results


def test_a_result_scores_the_pairing_and_changes_the_ratings() -> None:
    it = started_ladder("a", "b")
    (due,) = it.ladder.matches_in_play
    winner, loser = (Player(name) for name in due.seats)
    finish = FinishOrder(((winner,), (loser,)), (1, 2))
    assert it.result(due, 1, 2) == [
        ContestMatchScored("1", 1, MatchScore((1, 2))),
        MatchRated("m0", finish, (), compute_rating_updates({}, finish)),
    ]
    assert (
        it.ladder.current_season.rating(winner).rating.value
        > 1500
        > it.ladder.current_season.rating(loser).rating.value
    )
    assert it.ladder.open_pairings == []


def test_a_result_without_a_start_adds_the_start() -> None:
    it = new_ladder(DUEL, "a", "b")
    it.pair()
    (due,) = it.ladder.due_matches
    events = it.do(RateMatch("m7", it.finish(due, (1, 2)), (), due.id))
    assert events[0] == ContestMatchStarted("1", 1, 1, "m7")


def test_a_result_that_could_not_be_rated_scores_the_pairing() -> None:
    it = started_ladder("a", "b")
    (due,) = it.ladder.matches_in_play
    record = RecordLadderResult(due.id, "m0", it.finish(due, (1, 2)))
    assert it.do(record) == [ContestMatchScored("1", 1, MatchScore((1, 2)))]
    assert it.do(record) == []


def test_a_match_of_another_contest_is_rated_and_scores_nothing() -> None:
    it = started_ladder("a", "b")
    (rated,) = it.do(RateMatch("other", FinishOrder(((A,), (B,)), (1, 2))))
    assert isinstance(rated, MatchRated)
    assert len(it.ladder.matches_in_play) == 1


def test_a_void_match_is_played_again_and_never_rated() -> None:
    it = started_ladder("a", "b")
    (first,) = it.ladder.matches_in_play
    assert it.void(first) == [ContestMatchVoided("1", 1)]
    assert it.do(RateMatch("m0", it.finish(first, (1, 2)), (), first.id))[:-1] == []  # Too late to be scored.
    (again,) = it.start_matches()
    assert (again.pairing.id, again.attempt) == ("1", 2)
    assert it.ladder.current_season.record(A).wins <= 1


def test_a_forfeit_is_a_loss() -> None:
    it = started_ladder("a", "b")
    (due,) = it.ladder.matches_in_play
    loser = Player(due.seats[1])
    it.result(due, 1, 2, forfeited=[loser])
    balance = it.ladder.current_season.record(loser)
    assert (balance.losses, balance.forfeits) == (1, 1)
    assert it.log[-2] == ContestMatchScored("1", 1, MatchScore((1, 2), (loser.bot,)))


def test_a_rating_belongs_to_a_version() -> None:
    it = started_ladder("a", "b")
    it.version["a"] = "2"
    it.result(it.ladder.matches_in_play[0], 1, 1)
    assert it.ladder.current_season.rating(Player("a", "2")).matches == 1
    assert it.ladder.current_season.rating(A).matches == 0
    rows = {row.entrant.name: row.player for row in it.ladder.standings()}
    assert rows["a"] == Player("a", "2")
    rows = {row.entrant.name: row.player for row in it.ladder.standings({"a": Player("a", "3")})}
    assert rows["a"] == Player("a", "3")


def test_with_all_versions_each_rated_version_has_a_row() -> None:
    it = started_ladder("a", "b")
    for version in ("1", "2"):
        it.version["a"] = version
        it.result(it.ladder.matches_in_play[0], 1, 1)
        it.pair_and_start()
    rows = [row.player for row in it.ladder.standings(all_versions=True) if row.entrant.name == "a"]
    assert set(rows) == {Player("a", "1"), Player("a", "2")}


# Sets


def test_a_pairing_is_played_with_the_seats_exchanged_from_the_same_start() -> None:
    it = started_ladder("a", "b", duplicate=DuplicateSets(2, openings=3))
    (first,) = it.ladder.matches_in_play
    it.result(first, 1, 2)
    (second,) = it.pair_and_start()
    assert second.seats == first.seats[::-1]
    assert it.ladder.set_start(first) == it.ladder.set_start(second)
    it.result(second, 1, 2)
    (third,) = it.pair_and_start()
    one, other = it.ladder.set_start(first), it.ladder.set_start(third)
    assert one
    assert other
    assert (one.opening, other.opening) == (0, 1)
    assert one.seed != other.seed


# Tables of four


def test_changing_partners_share_the_result_of_their_side() -> None:
    it = new_ladder(TOC, *"abcd")
    (due,) = it.pair_and_start()
    it.result(due, 1, 2)
    score = it.log[-2]
    assert isinstance(score, ContestMatchScored)
    assert score.score == MatchScore((1, 2, 1, 2))
    assert it.ladder.current_season.rating(Player(due.seats[2])).rating.value > 1500
    assert frozenset(it.pair_and_start()[0].seats[::2]) not in {frozenset(due.seats[::2]), frozenset(due.seats[1::2])}


def test_fixed_partners_have_one_rating_between_them() -> None:
    it = new_ladder(TOC_PARTNERS, "us", "them")
    (due,) = it.pair_and_start()
    it.result(due, 2, 1)
    assert set(it.ladder.current_season.ratings) == {Player("us"), Player("them")}
    (best, _) = it.ladder.standings()
    assert (best.entrant.name, best.player) == (due.seats[1], Player(due.seats[1]))


# Joining and leaving


def test_an_entrant_that_leaves_finishes_its_match_and_is_rated() -> None:
    it = started_ladder("a", "b")
    (due,) = it.ladder.matches_in_play
    it.do(LeaveLadder("a"))
    assert it.ladder.matches_in_play == [due]
    it.result(due, 1, 2)
    assert it.ladder.current_season.rating(A).matches == 1
    assert [row.entrant.name for row in it.ladder.standings()] == ["b"]


def test_a_void_match_of_an_entrant_that_left_is_not_played_again() -> None:
    it = started_ladder("a", "b")
    (due,) = it.ladder.matches_in_play
    it.do(LeaveLadder("a"))
    it.void(due)
    assert it.ladder.open_pairings == []


def test_an_entrant_that_rejoins_keeps_its_ratings() -> None:
    it = started_ladder("a", "b")
    it.result(it.ladder.matches_in_play[0], 1, 2)
    before = it.ladder.current_season.rating(A)
    it.do(LeaveLadder("a"))
    it.join("a")
    assert it.ladder.current_season.rating(A) == before
    assert len(it.pair_and_start()) == 1


def test_a_repeated_join_changes_nothing_and_one_with_another_version_is_an_error() -> None:
    it = new_ladder(DUEL, "a")
    (member,) = it.ladder.entrants.values()
    assert it.do(JoinLadder(ContestEntrant("a", member.bots))) == []
    with pytest.raises(AlreadyOnLadder):
        it.do(JoinLadder(ContestEntrant("a", (replace(member.bots[0], version="2"),))))


def test_an_entrant_cannot_take_over_a_rating_by_using_a_name() -> None:
    it = new_ladder(TOC_PARTNERS, "us")
    it.do(LeaveLadder("us"))
    with pytest.raises(EntrantNameTaken):
        it.do(JoinLadder(ContestEntrant("us", (Player("x"), Player("y")))))


def test_invalid_commands_are_errors() -> None:
    it = new_ladder(DUEL, "a")
    with pytest.raises(AlreadyOnLadder):
        it.do(JoinLadder(ContestEntrant("other", (A,))))
    with pytest.raises(WrongParticipantCount):
        it.do(JoinLadder(entrant("pair", 2)))
    with pytest.raises(NotAMember):
        it.do(LeaveLadder("b"))
    with pytest.raises(NotAMember):
        it.do(ChallengeEntrants("r", ("a", "b")))
    with pytest.raises(WrongParticipantCount, match="a challenge, without repetition, takes 2, not 1"):
        it.do(ChallengeEntrants("r", ("a", "a")))
    with pytest.raises(WrongParticipantCount, match="a challenge takes 2, not 1"):
        it.do(ChallengeEntrants("r", ("a",)))


# Owners


def of_owner(name: str, *owners: str) -> JoinLadder:
    return JoinLadder(ContestEntrant(name, (Player(name),), owners=owners))


def test_bots_of_one_owner_are_neither_paired_nor_challenged() -> None:
    it = new_ladder(DUEL)
    for name, owner in (("a", "ann"), ("b", "ann"), ("c", "cyd")):
        it.do(of_owner(name, owner))
        it.slots[name] = 3
    assert {frozenset(due.seats) for due in it.pair_and_start(allow_early_rematch=True)} == {
        frozenset("ac"),
        frozenset("bc"),
    }
    with pytest.raises(SameOwner, match="a and b have the same owner, so they play no rated match on ladder main"):
        it.do(ChallengeEntrants("r", ("a", "b")))
    assert it.do(ChallengeEntrants("r", ("c", "b")))


def test_bots_that_staff_registered_are_paired() -> None:
    it = new_ladder(DUEL)
    it.do(of_owner("a"))
    it.do(of_owner("b"))
    it.slots = {"a": 1, "b": 1}
    assert [set(due.seats) for due in it.pair_and_start()] == [{"a", "b"}]


def test_a_match_between_bots_of_one_owner_is_never_rated() -> None:
    it = new_ladder(DUEL)
    for name, owner in (("a", "ann"), ("b", "ann"), ("c", "cyd")):
        it.do(of_owner(name, owner))
    it.do(LeaveLadder("b"))
    it.do(JoinLadder(ContestEntrant("bee", (B,), owners=("ann",))))
    assert it.do(RateMatch("m1", FinishOrder(((A,), (B,)), (1, 2)))) == []
    assert len(it.do(RateMatch("m2", FinishOrder(((B,), (C,)), (1, 2))))) == 1
    assert len(it.do(RateMatch("m3", FinishOrder(((A,), (Player("x"),)), (1, 2))))) == 1


def test_partners_never_meet_entrants_that_have_an_owner_in_common_with_them() -> None:
    it = new_ladder(TOC_PARTNERS)
    for name, owners in (("us", ("ann", "bob")), ("them", ("bob", "cyd")), ("others", ("cyd",))):
        it.do(JoinLadder(ContestEntrant(name, (Player(f"{name}0"), Player(f"{name}1")), owners=owners)))
        it.slots[name] = 1
    assert [set(due.seats) for due in it.pair_and_start()] == [{"us", "others"}]
    assert it.do(RateMatch("m9", FinishOrder(((Player("us"),), (Player("them"),)), (1, 2)))) == []


# Challenges


def test_a_challenge_starts_first_once_all_have_free_slots() -> None:
    it = started_ladder(*"abcd")
    one, other = it.ladder.matches_in_play
    requested = (one.seats[0], other.seats[0])
    it.do(ChallengeEntrants("r", requested))
    it.result(one, 1, 2)
    assert it.pair_and_start() == []  # A slot is reserved.
    it.result(other, 1, 2)
    assert [set(due.seats) for due in it.pair_and_start()] == [set(requested), set("abcd") - set(requested)]


def test_the_challenges_of_a_caller_count_until_they_are_done() -> None:
    it = new_ladder(DUEL, *"abc", room=2)
    it.do(ChallengeEntrants("ann/r", ("a", "b")))
    it.do(ChallengeEntrants("ann/s", ("a", "c")))
    it.do(ChallengeEntrants("bob/r", ("b", "c")))

    def open_of(caller: str) -> list[set[str]]:
        return [set(pairing.entrants) for pairing in it.ladder.open_challenges_of(caller)]

    assert (open_of("ann/"), open_of("bob/"), open_of("cyd/")) == ([{"a", "b"}, {"a", "c"}], [{"b", "c"}], [])
    it.result(it.start_matches()[0], 1, 2)
    assert open_of("ann/") == [{"a", "c"}]
    it.do(LeaveLadder("a"))
    assert len(open_of("ann/")) == 1  # Its match is in play.


def test_only_the_last_challenges_that_are_done_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.contests.ladder.state.MAX_DONE_CHALLENGES", 2)
    it = new_ladder(DUEL, *"abcd")
    it.do(ChallengeEntrants("open", ("c", "d")))
    del it.slots["c"]
    for number in range(5):
        it.do(ChallengeEntrants(str(number), ("a", "b")))
        it.result(it.start_matches()[0], 1, 2)
    assert list(it.ladder.challenges) == ["open", "2", "3", "4"]
    assert len(it.ladder.pairings) == 4


def test_a_repeated_void_changes_nothing() -> None:
    it = started_ladder("a", "b")
    (due,) = it.ladder.matches_in_play
    assert it.void(due)
    assert it.void(due) == []


def test_a_challenge_of_an_offline_entrant_reserves_no_slot() -> None:
    it = new_ladder(DUEL, *"abc")
    del it.slots["a"]
    it.do(ChallengeEntrants("r", ("a", "b")))
    assert [set(due.seats) for due in it.pair_and_start()] == [{"b", "c"}]


def test_a_repeated_request_is_the_same_challenge_even_when_it_is_over() -> None:
    it = new_ladder(DUEL, "a", "b")
    it.do(ChallengeEntrants("r", ("a", "b")))
    it.result(it.start_matches()[0], 1, 2)
    it.pair_and_start()
    assert it.do(ChallengeEntrants("r", ("b", "a"))) == []
    requested = find_challenge(it.ladder, "r")
    assert requested
    assert requested.is_done
    it.join("c")
    with pytest.raises(RequestIdReused):
        it.do(ChallengeEntrants("r", ("a", "c")))


# Seasons, and the end


def test_a_new_season_widens_ratings_and_keeps_the_old_standings() -> None:
    it = started_ladder("a", "b")
    it.result(it.ladder.matches_in_play[0], 1, 2)
    old = it.ladder.standings()
    assert it.do(StartSeason("r")) == [SeasonStarted(2, "r")]
    assert it.do(StartSeason("r")) == []
    best = it.ladder.standings()[0]
    assert best.rating.rating.value == old[0].rating.rating.value
    assert old[0].rating.rating.deviation < best.rating.rating.deviation <= INITIAL_DEVIATION
    assert (best.rating.matches, best.record.wins) == (0, 0)
    assert it.ladder.standings(season=1) == old


def test_a_repeated_request_is_recognised_after_a_departure_and_after_the_closure() -> None:
    it = new_ladder(DUEL, "a", "b", "c")
    requested = StartSeason("s"), ChallengeEntrants("r", ("a", "b"))
    for command in requested:
        it.do(command)
    for change in (LeaveLadder("a"), CloseLadder(), FinishClosure()):
        assert it.do(change)
        assert [it.do(command) for command in requested] == [[], []]
        with pytest.raises(RequestIdReused):
            it.do(ChallengeEntrants("r", ("b", "c")))
    with pytest.raises(LadderClosed):
        it.do(StartSeason("another"))


def test_a_closing_ladder_stops_pairing_and_waits_for_its_matches() -> None:
    it = started_ladder(*"abcd")
    one, other = it.ladder.matches_in_play
    assert it.do(CloseLadder("bye")) == [LadderClosureStarted("bye")]
    assert it.do(CloseLadder()) == it.do(FinishClosure()) == []
    with pytest.raises(LadderClosed):
        it.join("e")
    assert it.pair() == []
    it.result(one, 1, 2)
    it.void(other)
    assert (it.ladder.due_matches, it.ladder.open_pairings) == ([], [])
    assert it.do(FinishClosure()) == [LadderClosureFinished()]
    assert it.do(RateMatch("late", FinishOrder(((A,), (B,)), (1, 2)))) == []


# Standings


def test_standings_are_by_rating_with_provisional_entrants_last() -> None:
    it = new_ladder(replace(DUEL, provisional_matches=2), *"abc")
    for number, (winner, loser) in enumerate((("a", "b"), ("a", "b"), ("c", "a"))):
        it.do(RateMatch(f"m{number}", FinishOrder(((Player(winner),), (Player(loser),)), (1, 2))))
    rows = it.ladder.standings({"a": A})
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
    it = new_ladder(terms, *"abcdefg")
    for what, which in steps:
        name = "abcdefgh"[which]
        playing = it.ladder.matches_in_play
        if what == "j" and name not in it.ladder.entrants:
            it.join(name, room=1 + which % 2)
        elif what == "l" and name in it.ladder.entrants:
            it.do(LeaveLadder(name))
        elif what == "p":
            it.pair_and_start(allow_early_rematch=which == 0)
        elif what == "r" and playing:
            it.version[name] = str(which)
            it.result(playing[which % len(playing)], *((1, 1), (1, 2), (2, 1))[which % 3])
        elif what == "v" and playing:
            it.void(playing[which % len(playing)])
        elif what == "s":
            it.do(StartSeason())
        elif what == "c" and len(present := list(it.ladder.entrants)) >= terms.table_size:
            it.do(ChallengeEntrants(f"c{len(it.log)}", tuple(present[: terms.table_size])))
        assert all(here.free_slots >= 0 for here in it.available)
    assert replay(terms, it.log) == it.ladder
    assert recompute_ratings(it.log) == it.ladder.current_season.ratings
    numbers = [int(event.pairing.id) for event in it.log if isinstance(event, PairingPlanned)]
    assert all(later == one + 1 for one, later in pairwise(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("terms", [DUEL, TOC], ids=["two", "toc"])
def test_a_long_ladder_is_fair_in_matches_opponents_and_seats(
    terms: LadderPlayTerms,
) -> None:
    strengths = {f"bot{17 * number % 50:02}": 800 + 30.0 * number for number in range(50)}
    it = new_ladder(replace(terms, rematch_after=5, max_concurrent_matches=8), *strengths)
    ranks, draws = ByStrength(strengths, Chance(b"results")), Chance(b"who ends first")
    while it.ladder.planned_count < 2500 // terms.table_size:
        it.pair_and_start()
        playing = it.ladder.matches_in_play
        which, draws = draws.below(len(playing))
        it.result(playing[which], *ranks(it, playing[which]))
    tables = [event.pairing.entrants for event in it.log if isinstance(event, PairingPlanned)]
    played = Counter(name for table in tables for name in table)
    assert max(played.values()) - min(played.values()) <= max(played.values()) // 2
    for name in strengths:
        met = [set(table) - {name} for table in tables if name in table]
        soon = sum(bool(one & other) for one, other in pairwise(met))
        assert soon <= len(met) // 10
        sat = Counter(table.index(name) for table in tables if name in table)
        assert max(sat.values()) - min(sat[seat] for seat in range(terms.table_size)) <= 4
