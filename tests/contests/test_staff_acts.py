"""Pairings by hand, postponed and reopened pairings, and absences that staff declares."""

import pytest
from msgspec.structs import replace
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests import contest_errors as errors
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.commands import (
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
from referee.contests.tournament.tournament_terms import Pools, SprtTrial
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, replay, started

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
