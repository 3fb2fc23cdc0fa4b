"""Acts of staff: results that are struck, corrected or restored, pairings by hand, postponed or reopened, absences."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests import contest_errors as errors
from referee.contests.contest_errors import (
    BadRanks,
    MatchNotCounted,
    NoSuchPairing,
    PairingNotChangeable,
    TournamentNotStarted,
)
from referee.contests.corrections import Correction
from referee.contests.pairing import DuplicateSets, MatchScore
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.commands import (
    CancelTournament,
    CorrectScore,
    DeclareAbsent,
    PairRound,
    PostponePairing,
    ReopenPairing,
    StartTournamentMatch,
    TournamentCommand,
)
from referee.contests.tournament.events import (
    EntrantsAbsent,
    PairingPostponed,
    PairingReopened,
    PairingsReplaced,
    TournamentEvent,
)
from referee.contests.tournament.staff_acts import unused_id
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import Pools, SprtTrial, TournamentFormat
from referee.match.match_errors import RequestIdReused
from tests.contests.correction_examples import correct, restore, strike
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, replay, started

NAMES = ("ann", "bob", "cid", "dan")


def play_matches(form: TournamentFormat, most: int, names: Sequence[str] = NAMES, **fields: Any) -> TournamentHarness:
    """Play that many matches, with the ids of the harness."""
    play = started(form, names, **fields)
    for _ in range(most):
        due = play.start()
        play.result(due, better_name_wins(due))
    return play


def apply(play: TournamentHarness, new: Correction, number: int = 1) -> list[TournamentEvent]:
    """Correct a match, whose ranks are in the order of the pairing's entrants."""
    pairing = new.match_id.removeprefix("m-").split("/")[0]
    score = MatchScore(new.ranks) if new.kind == "corrected" else None
    return play.do(CorrectScore(pairing, number, new, 2, score))


def test_a_corrected_result_changes_points_and_tie_breaks_but_no_pairings() -> None:
    play = play_matches(Swiss(rounds=2), 2)
    before = play.tournament
    pairing = before.pairings["1.1"].pairing
    loser = pairing.entrants[1]
    apply(play, correct("m-1.1/1.1", 2, 1))
    assert play.points[loser] == 1
    assert play.planned == [progress.pairing for progress in before.pairings.values()]
    apply(play, restore("m-1.1/1.1"))
    assert play.table == TournamentHarness(before).table
    assert play.tournament.pairings["1.1"] == before.pairings["1.1"]


def test_a_struck_match_gives_no_points_and_is_not_played_again() -> None:
    play = play_matches(RoundRobin(), 3, NAMES[:3])
    assert play.tournament.phase == "finished"
    apply(play, strike("m-1.1/1.1"))
    assert play.tournament.pairings["1.1"].pairing.participants == ("bob", "cid")
    assert play.points == {"ann": 2, "bob": 0, "cid": 0}
    assert [row.losses for row in play.tournament.standings()] == [0, 1, 1]
    assert play.tournament.pairings["1.1"].is_done


def test_a_struck_match_stays_struck_during_play_until_its_pairing_is_reopened() -> None:
    play = play_matches(RoundRobin(), 1)
    pairing = next(iter(play.tournament.pairings))
    apply(play, strike(f"m-{pairing}/1.1"))
    progress = play.tournament.pairings[pairing]
    assert (progress.is_done, progress.due_matches, progress.matches_in_play) == (True, [], [])
    play.do(ReopenPairing(pairing, "play it again", "ann"))
    progress = play.tournament.pairings[pairing]
    assert ([due.attempt for due in progress.due_matches], progress.corrections) == ([2], {})
    with pytest.raises(MatchNotCounted):
        apply(play, restore(f"m-{pairing}/1.1"))


def test_a_struck_match_of_an_entrant_that_left_is_no_walkover() -> None:
    play = play_matches(RoundRobin(), 1, NAMES[:2], duplicate=DuplicateSets())
    play.withdraw("bob")
    assert play.points == {"ann": 2, "bob": 0}
    apply(play, strike("m-1.1/1.1"))
    assert play.points == {"ann": 1, "bob": 0}


def test_a_struck_board_of_teams_gives_no_board_points() -> None:
    play = play_matches(RoundRobin(), 2, NAMES[:2], boards=2)
    assert play.points == {"ann": 2, "bob": 0}
    apply(play, strike("m-1.1/1.1"))
    apply(play, strike("m-1.1/2.1"), number=2)
    assert play.points == {"ann": 0, "bob": 0}
    apply(play, correct("m-1.1/2.1", 2, 1), number=2)
    assert play.points == {"ann": 0, "bob": 2}


def test_results_can_be_corrected_after_the_end_and_after_a_cancellation() -> None:
    play = play_matches(Swiss(rounds=2), 4)
    assert len(apply(play, correct("m-2.1/1.1", 1, 1))) == 1
    cancelled = play_matches(Swiss(rounds=2), 2)
    cancelled.do(CancelTournament())
    assert len(apply(cancelled, correct("m-1.1/1.1", 1, 1))) == 1
    assert (play.tournament.phase, cancelled.tournament.phase) == ("finished", "cancelled")


def test_a_log_with_corrections_gives_the_same_tournament() -> None:
    play = play_matches(Swiss(rounds=2), 3)
    apply(play, correct("m-1.1/1.1", 1, 1))
    apply(play, strike("m-1.2/1.1"))
    again = replay(play.tournament.terms, play.log)
    assert (again.standings(), dict(again.pairings)) == (play.tournament.standings(), dict(play.tournament.pairings))


def test_a_correction_that_changes_nothing_or_is_repeated_is_no_event() -> None:
    play = play_matches(Swiss(rounds=2), 2)
    assert apply(play, restore("m-1.1/1.1")) == []
    first = strike("m-1.1/1.1", request="ann/x")
    apply(play, first)
    assert apply(play, strike("m-1.1/1.1")) == []
    apply(play, restore("m-1.1/1.1"))
    assert apply(play, first) == []
    with pytest.raises(RequestIdReused):
        apply(play, correct("m-1.1/1.1", 1, 1, request="ann/x"))


def test_only_finished_matches_that_count_can_be_corrected() -> None:
    play = play_matches(Swiss(rounds=2), 1)
    due = play.start()
    for wrong in (f"m-{due.id}", "m-1.1/1.9", "m-1.1/9.1"):
        with pytest.raises(MatchNotCounted):
            apply(play, strike(wrong), number=9 if "9.1" in wrong else 1)
    with pytest.raises(NoSuchPairing):
        apply(play, strike("m-7.7/1.1"))
    with pytest.raises(BadRanks):
        apply(play, correct("m-1.1/1.1", 1, 3))
    with pytest.raises(TournamentNotStarted):
        apply(entered(Swiss(rounds=2), NAMES), strike("m-1.1/1.1"))


def test_in_a_bracket_the_winner_is_fixed_once_the_next_pairing_is_planned() -> None:
    play = play_matches(Elimination(), 1)
    apply(play, correct("m-w1.1/1.1", 2, 1))
    play.play_due()
    assert play.tournament.pairings["w2.1"].pairing.entrants == ("dan", "bob")
    before = play.tournament
    for refused in (restore("m-w1.1/1.1"), strike("m-w1.1/1.1")):
        with pytest.raises(PairingNotChangeable, match=r"w2\.1"):
            apply(play, refused)
    assert play.tournament is before


def test_in_a_bracket_a_correction_that_keeps_the_winner_is_possible() -> None:
    play = play_matches(Elimination(matches_per_pairing=2), 5)
    apply(play, correct("m-w1.1/1.1", 1, 1))
    assert play.tournament.pairings["w1.1"].winner == "ann"
    assert play.tournament.pairings["w1.1"].points == (1.5, 0.5)


def test_the_final_of_a_bracket_can_be_corrected_and_decides_the_standings() -> None:
    play = play_matches(Elimination(), 3)
    assert play.table[0][1] == "ann"
    apply(play, correct("m-w2.1/1.1", 2, 1))
    assert play.table[0][1] == "bob"
    apply(play, strike("m-w2.1/1.1"))
    assert len(play.table) == 4


def test_after_a_correction_level_entrants_of_a_bracket_play_on() -> None:
    play = play_matches(Elimination(max_extra_matches=2), 1)
    apply(play, correct("m-w1.1/1.1", 1, 1))
    assert [due.number for due in play.tournament.pairings["w1.1"].due_matches] == [2]


def test_the_results_of_a_test_cannot_be_corrected() -> None:
    play = play_matches(SprtTrial(SprtParameters(10, 0)), 1, NAMES[:2])
    with pytest.raises(PairingNotChangeable, match="test"):
        apply(play, strike("m-1.1/1.1"))


def test_a_forfeit_does_not_count_after_a_correction() -> None:
    play = started(RoundRobin(), NAMES[:2])
    due = play.start()
    play.result(due, replace(better_name_wins(due), forfeited=("bob",)))
    apply(play, correct("m-1.1/1.1", 1, 1))
    assert play.tournament.pairings.forfeit_counts()["bob"] == 0
    apply(play, restore("m-1.1/1.1"))
    assert play.tournament.pairings.forfeit_counts()["bob"] == 1


def test_the_exported_document_has_corrections_and_repeated_matches() -> None:
    play = started(RoundRobin(cycles=3), NAMES[:2])
    for _ in range(3):
        due = play.start()
        play.result(due, replace(better_name_wins(due), moves="ab"))
    apply(play, strike("m-2.1/1.1"))
    document = json.loads(to_json(play.tournament))
    made = [correction for pairing in document["pairings"] for correction in pairing["corrections"]]
    assert made == [{"match_id": "m-2.1/1.1", "kind": "struck", "ranks": [], "message": "why", "by": "ann"}]
    assert "m-3.1/1.1" in json.dumps(document["repeated"])


WHY, ANN = "the hall was closed", "ann"


def swiss(names: str = "abcd") -> TournamentHarness:
    return started(Swiss(rounds=2), names)


def by_hand(number: int, *pairings: str) -> PairRound:
    return PairRound(number, tuple(map(tuple, pairings)), WHY, ANN)


def reopen(play: TournamentHarness, pairing: str) -> list[TournamentEvent]:
    return play.do(ReopenPairing(pairing, WHY, ANN))


def open_pairings(play: TournamentHarness) -> dict[str, str]:
    return {progress.pairing.id: "".join(progress.pairing.entrants) for progress in play.tournament.open_pairings}


def assert_refused(play: TournamentHarness, command: TournamentCommand, error: type[Exception], why: str) -> None:
    before = play.tournament
    with pytest.raises(error, match=why):
        play.do(command)
    assert play.tournament is before


def test_a_round_can_be_paired_by_hand_before_it_begins() -> None:
    play = swiss()
    (event,) = play.do(by_hand(1, "ab", "cd"))
    assert isinstance(event, PairingsReplaced)
    assert (event.message, event.by, sorted(event.dropped)) == (WHY, ANN, ["1.1", "1.2"])
    assert open_pairings(play) == {"1.1-2": "ab", "1.2-2": "cd"}
    assert play.do(by_hand(1, "ab", "cd")) == [], "a repeated request changes nothing"
    play.do(by_hand(1, "ba", "dc"))
    assert open_pairings(play) == {"1.1-3": "ba", "1.2-3": "dc"}
    play.play_out()
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_only_pairings_that_have_not_begun_are_replaced() -> None:
    play = swiss("abcde")
    first = play.start().pairing
    rest = "".join(name for name in "abcde" if name not in first.entrants)
    play.do(by_hand(1, rest[2] + rest[0], rest[1]))
    assert first.id in play.tournament.pairings
    assert play.tournament.pairings["1.3-2"].pairing.is_bye
    assert play.tournament.due_matches()[0].pairing.entrants == (rest[2], rest[0])


@pytest.mark.parametrize(
    ("command", "error", "why"),
    [
        (by_hand(2, "ab", "cd"), errors.BadPairings, "only for round 1"),
        (by_hand(1, "ab", "cx"), errors.NotAnEntrant, "x"),
        (by_hand(1, "ab", "ac"), errors.BadPairings, "each entrant of a pairing that has not begun once"),
        (by_hand(1, "ab"), errors.BadPairings, "two entrants each"),
        (by_hand(1, "abc", "d"), errors.BadPairings, "two entrants each"),
    ],
)
def test_pairings_by_hand_must_fit_the_round(command: PairRound, error: type[Exception], why: str) -> None:
    assert_refused(swiss(), command, error, why)


def test_a_round_that_has_begun_and_other_formats_cannot_be_paired_by_hand() -> None:
    play = swiss()
    for due in play.tournament.due_matches():
        play.start(due)
    assert_refused(play, by_hand(1, "ab", "cd"), errors.BadPairings, "has begun")
    assert_refused(started(RoundRobin(), "ab"), by_hand(1, "ab"), errors.BadPairings, "Swiss")
    assert_refused(entered(Swiss(rounds=1), "ab"), by_hand(1, "ab"), errors.TournamentNotStarted, "has not started")


def test_a_match_or_an_absence_of_a_pairing_that_was_replaced_is_ignored() -> None:
    play = swiss()
    replaced = play.planned[0]
    play.do(by_hand(1, "ab", "cd"))
    assert play.do(StartTournamentMatch(replaced.id, 1, 1, "m1")) == []
    assert play.declare_absent(replaced.id, *replaced.entrants) == []
    by_staff = DeclareAbsent(replaced.id, replaced.entrants, WHY, ANN)
    assert_refused(play, by_staff, errors.NoSuchPairing, replaced.id)


def test_a_pairing_can_be_postponed_until_it_is_played() -> None:
    play = swiss()
    due = play.tournament.due_matches()[0]
    postponed = PostponePairing(due.pairing.id, 5_000, WHY, ANN)
    assert play.do(postponed) == [PairingPostponed(due.pairing.id, 5_000, WHY, ANN)]
    assert play.tournament.pairings[due.pairing.id].not_before_ms == 5_000
    assert play.do(postponed) == []
    play.start(due)
    assert_refused(play, replace(postponed, until_ms=9), errors.PairingNotChangeable, "being played")
    play.result(due, better_name_wins(due))
    assert_refused(play, replace(postponed, until_ms=9), errors.PairingNotChangeable, "finished")
    assert_refused(play, replace(postponed, pairing="9.9"), errors.NoSuchPairing, "9.9")


def test_a_reopened_pairing_is_played_again_as_another_attempt() -> None:
    play = started(RoundRobin(), "abcd")
    due = play.start()
    play.result(due, better_name_wins(due))
    assert reopen(play, due.pairing.id) == [PairingReopened(due.pairing.id, (), WHY, ANN)]
    progress = play.tournament.pairings[due.pairing.id]
    assert (progress.has_scores, [due_match.attempt for due_match in progress.due_matches]) == (False, [2])
    assert reopen(play, due.pairing.id) == [], "a repeated request changes nothing"
    play.play_out()
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_reopening_drops_a_next_swiss_round_that_has_not_begun() -> None:
    play = swiss()
    play.play_due()
    (event,) = reopen(play, "1.1")
    assert isinstance(event, PairingReopened)
    assert (sorted(event.dropped), list(open_pairings(play))) == (["2.1", "2.2"], ["1.1"])
    play.play_due()
    assert list(open_pairings(play)) == ["2.1-2", "2.2-2"]
    play.start()
    assert_refused(play, ReopenPairing("1.1", WHY, ANN), errors.PairingNotChangeable, "pairing 2.1-2 follows from it")


def test_a_pairing_of_a_knock_out_is_fixed_once_the_next_one_is_planned() -> None:
    play = started(Elimination(), "abcd")
    first, second = play.planned
    play.play_out_one()
    reopen(play, first.id)
    play.play_due()
    assert_refused(play, ReopenPairing(second.id, WHY, ANN), errors.PairingNotChangeable, "follows from it")


def test_pools_can_be_reopened_whatever_follows() -> None:
    play = started(Pools(2, 3), "abc")
    play.play_due()
    assert reopen(play, "1.1") == [PairingReopened("1.1", (), WHY, ANN)]


def test_what_is_not_finished_a_bye_a_test_or_an_entrant_that_left_cannot_be_reopened() -> None:
    left = started(RoundRobin(), "abc")
    left.withdraw("a")
    played = next(pairing.id for pairing in left.planned if "a" in pairing.entrants)
    with_bye = swiss("abc")
    bye = next(pairing.id for pairing in with_bye.planned if pairing.is_bye)
    trial = started(SprtTrial(SprtParameters(elo1=5, max_matches=8)), "ab")
    for play, pairing, why in (
        (swiss(), "1.1", "not finished"),
        (with_bye, bye, "a bye"),
        (trial, "1.1", "a test"),
        (left, played, "a has withdrawn"),
    ):
        assert_refused(play, ReopenPairing(pairing, WHY, ANN), errors.PairingNotChangeable, why)


def test_staff_can_declare_an_entrant_absent_and_set_that_aside() -> None:
    play = swiss()
    pairing = play.planned[0]
    absentee, other = pairing.entrants
    declared = DeclareAbsent(pairing.id, (absentee,), WHY, ANN)
    assert play.do(declared) == [EntrantsAbsent(pairing.id, (absentee,), WHY, ANN)]
    assert play.do(declared) == []
    finished = "finished or being played"
    assert_refused(play, replace(declared, entrants=(other,)), errors.PairingNotChangeable, finished)
    reopen(play, pairing.id)
    assert play.tournament.no_shows == {absentee: 0}
    assert pairing.id in open_pairings(play)
    stranger = next(name for name in "abcd" if name not in pairing.entrants)
    assert_refused(play, replace(declared, entrants=(stranger,)), errors.PairingNotChangeable, "does not play in it")


def test_an_id_is_never_used_twice() -> None:
    assert [unused_id("3.1", taken) for taken in ([], ["3.1"], ["3.1", "3.1-2"])] == ["3.1", "3.1-2", "3.1-3"]
