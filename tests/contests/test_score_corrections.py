"""Results of tournaments that staff strikes, corrects or restores, and what follows from them."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from referee_values import Elimination, RoundRobin, Swiss

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
from referee.contests.tournament.commands import CancelTournament, CorrectScore, ReopenPairing
from referee.contests.tournament.events import TournamentEvent
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import SprtTrial, TournamentFormat
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
