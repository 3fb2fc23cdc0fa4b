"""Pairings by hand, postponed and reopened pairings, and absences that staff declares."""

import pytest
from msgspec.structs import replace
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests.contest_errors import (
    BadPairings,
    CommandNotAllowed,
    NoSuchPairing,
    PairingNotChangeable,
    UnknownEntrant,
)
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.commands import (
    DeclareAbsent,
    PairRound,
    PostponePairing,
    ReopenPairing,
    StartTournamentMatch,
    TournamentCommand,
    WithdrawEntrant,
)
from referee.contests.tournament.events import EntrantsAbsent, PairingPostponed, PairingReopened, PairingsReplaced
from referee.contests.tournament.staff_acts import unused_id
from referee.contests.tournament.tournament_terms import Pools, SprtTrial
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, replay, started

WHY, ANN = "the hall was closed", "ann"


def begin(play: TournamentHarness, due: DueMatch) -> None:
    play.do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, f"m{due.id}"))


def play_round(play: TournamentHarness) -> None:
    for due in play.tournament.due_matches():
        begin(play, due)
        play.result(due, better_name_wins(due))


def pair(play: TournamentHarness, number: int, *pairings: str) -> list[object]:
    return [*play.do(PairRound(number, tuple(tuple(names) for names in pairings), WHY, ANN))]


def reopen(play: TournamentHarness, pairing: str) -> list[object]:
    return [*play.do(ReopenPairing(pairing, WHY, ANN))]


def open_pairings(play: TournamentHarness) -> dict[str, str]:
    return {progress.pairing.id: "".join(progress.pairing.entrants) for progress in play.tournament.open_pairings}


def assert_refused(play: TournamentHarness, command: TournamentCommand, error: type[Exception], why: str) -> None:
    before = play.tournament
    with pytest.raises(error, match=why):
        play.do(command)
    assert play.tournament is before


def test_a_round_can_be_paired_by_hand_before_it_begins() -> None:
    play = started(Swiss(rounds=2), "abcd")
    (event,) = pair(play, 1, "ab", "cd")
    assert isinstance(event, PairingsReplaced)
    assert (event.message, event.by, sorted(event.dropped)) == (WHY, ANN, ["1.1", "1.2"])
    assert open_pairings(play) == {"1.1-2": "ab", "1.2-2": "cd"}
    assert pair(play, 1, "ab", "cd") == [], "a repeated request changes nothing"
    pair(play, 1, "ba", "dc")
    assert open_pairings(play) == {"1.1-3": "ba", "1.2-3": "dc"}
    play.play_out()
    assert play.tournament.phase == "finished"
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_only_pairings_that_have_not_begun_are_replaced() -> None:
    play = started(Swiss(rounds=2), "abcde")
    first = play.tournament.due_matches()[0]
    begin(play, first)
    rest = "".join(name for name in "abcde" if name not in first.pairing.entrants)
    pair(play, 1, rest[2] + rest[0], rest[1])
    assert first.pairing.id in play.tournament.pairings
    assert play.tournament.pairings["1.3-2"].pairing.is_bye
    assert play.tournament.due_matches()[0].pairing.entrants == (rest[2], rest[0])


@pytest.mark.parametrize(
    ("number", "pairings", "error", "why"),
    [
        (2, ("ab", "cd"), BadPairings, "only for round 1"),
        (1, ("ab", "cx"), UnknownEntrant, "x"),
        (1, ("ab", "ac"), BadPairings, "each entrant of a pairing that has not begun once"),
        (1, ("ab",), BadPairings, "two entrants each"),
        (1, ("abc", "d"), BadPairings, "two entrants each"),
    ],
)
def test_pairings_by_hand_must_fit_the_round(
    number: int, pairings: tuple[str, ...], error: type[Exception], why: str
) -> None:
    command = PairRound(number, tuple(map(tuple, pairings)), WHY, ANN)
    assert_refused(started(Swiss(rounds=2), "abcd"), command, error, why)


def test_a_round_that_has_begun_and_other_formats_cannot_be_paired_by_hand() -> None:
    play = started(Swiss(rounds=2), "abcd")
    for due in play.tournament.due_matches():
        begin(play, due)
    assert_refused(play, PairRound(1, (("a", "b"), ("c", "d")), WHY, ANN), BadPairings, "has begun")
    command = PairRound(1, (("a", "b"),), WHY, ANN)
    assert_refused(started(RoundRobin(), "ab"), command, BadPairings, "Swiss")
    assert_refused(entered(Swiss(rounds=1), "ab"), command, CommandNotAllowed, "entry")


def test_a_match_or_an_absence_of_a_pairing_that_was_replaced_is_ignored() -> None:
    play = started(Swiss(rounds=2), "abcd")
    due = play.tournament.due_matches()[0]
    pair(play, 1, "ab", "cd")
    assert play.do(StartTournamentMatch(due.pairing.id, 1, 1, "m1")) == []
    assert play.do(DeclareAbsent(due.pairing.id, due.pairing.entrants, "away")) == []
    by_staff = DeclareAbsent(due.pairing.id, due.pairing.entrants, WHY, ANN)
    assert_refused(play, by_staff, NoSuchPairing, due.pairing.id)


def test_a_pairing_can_be_postponed_until_it_is_played() -> None:
    play = started(Swiss(rounds=2), "abcd")
    due = play.tournament.due_matches()[0]
    postponed = PostponePairing(due.pairing.id, 5_000, WHY, ANN)
    assert play.do(postponed) == [PairingPostponed(due.pairing.id, 5_000, WHY, ANN)]
    assert play.tournament.pairings[due.pairing.id].not_before_ms == 5_000
    assert play.do(postponed) == []
    begin(play, due)
    assert_refused(play, replace(postponed, until_ms=9), PairingNotChangeable, "being played")
    play.result(due, MatchScore((1, 2)))
    assert_refused(play, replace(postponed, until_ms=9), PairingNotChangeable, "finished")
    assert_refused(play, replace(postponed, pairing="9.9"), NoSuchPairing, "9.9")


def test_a_reopened_pairing_is_played_again_as_another_attempt() -> None:
    play = started(RoundRobin(), "abcd")
    due = play.tournament.due_matches()[0]
    begin(play, due)
    play.result(due, MatchScore((1, 2)))
    assert reopen(play, due.pairing.id) == [PairingReopened(due.pairing.id, (), WHY, ANN)]
    progress = play.tournament.pairings[due.pairing.id]
    assert (progress.has_scores, [due_match.attempt for due_match in progress.due_matches]) == (False, [2])
    assert reopen(play, due.pairing.id) == [], "a repeated request changes nothing"
    play.play_out()
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_reopening_drops_a_next_swiss_round_that_has_not_begun() -> None:
    play = started(Swiss(rounds=2), "abcd")
    play_round(play)
    (event,) = reopen(play, "1.1")
    assert isinstance(event, PairingReopened)
    assert (sorted(event.dropped), list(open_pairings(play))) == (["2.1", "2.2"], ["1.1"])
    play_round(play)
    assert list(open_pairings(play)) == ["2.1-2", "2.2-2"]


def test_a_pairing_cannot_be_reopened_once_the_next_round_has_begun() -> None:
    play = started(Swiss(rounds=2), "abcd")
    play_round(play)
    begin(play, play.tournament.due_matches()[0])
    assert_refused(play, ReopenPairing("1.1", WHY, ANN), PairingNotChangeable, "pairing 2.1 follows from it")


def test_a_pairing_of_a_knock_out_is_fixed_once_the_next_one_is_planned() -> None:
    play = started(Elimination(), "abcd")
    first, second = play.tournament.due_matches()
    begin(play, first)
    play.result(first, better_name_wins(first))
    reopen(play, first.pairing.id)
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    command = ReopenPairing(second.pairing.id, WHY, ANN)
    assert_refused(play, command, PairingNotChangeable, "follows from it")


def test_pools_can_be_reopened_whatever_follows() -> None:
    play = started(Pools(2, 3), "abc")
    play_round(play)
    assert reopen(play, "1.1") == [PairingReopened("1.1", (), WHY, ANN)]


def test_what_is_not_finished_a_bye_a_test_or_an_entrant_that_left_cannot_be_reopened() -> None:
    play = started(Swiss(rounds=2), "abc")
    command = ReopenPairing(play.tournament.due_matches()[0].pairing.id, WHY, ANN)
    assert_refused(play, command, PairingNotChangeable, "not finished")
    bye = next(progress.pairing.id for progress in play.tournament.pairings.values() if progress.pairing.is_bye)
    assert_refused(play, replace(command, pairing=bye), PairingNotChangeable, "a bye")
    trial = started(SprtTrial(SprtParameters(elo1=5, max_matches=8)), "ab")
    first = next(iter(trial.tournament.pairings))
    assert_refused(trial, replace(command, pairing=first), PairingNotChangeable, "a test")
    left = started(RoundRobin(), "abc")
    left.do(WithdrawEntrant("a"))
    pairing = next(row.pairing.id for row in left.tournament.pairings.values() if "a" in row.pairing.entrants)
    assert_refused(left, replace(command, pairing=pairing), PairingNotChangeable, "a has withdrawn")


def test_staff_can_declare_an_entrant_absent_and_set_that_aside() -> None:
    play = started(Swiss(rounds=2), "abcd")
    due = play.tournament.due_matches()[0]
    absentee, other = due.pairing.entrants
    declared = DeclareAbsent(due.pairing.id, (absentee,), WHY, ANN)
    assert play.do(declared) == [EntrantsAbsent(due.pairing.id, (absentee,), WHY, ANN)]
    assert play.do(declared) == []
    assert_refused(play, replace(declared, entrants=(other,)), PairingNotChangeable, "finished or being played")
    reopen(play, due.pairing.id)
    assert play.tournament.no_shows == {absentee: 0}
    assert due.pairing.id in open_pairings(play)
    stranger = next(name for name in "abcd" if name not in due.pairing.entrants)
    assert_refused(play, replace(declared, entrants=(stranger,)), PairingNotChangeable, "does not play in it")


def test_an_id_is_never_used_twice() -> None:
    assert [unused_id("3.1", taken) for taken in ([], ["3.1"], ["3.1", "3.1-2"])] == ["3.1", "3.1-2", "3.1-3"]
