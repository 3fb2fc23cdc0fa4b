"""Play-offs of those who lead level on points after the last round."""

from typing import Any

import pytest
from referee_values import RoundRobin, Swiss

from referee.contests.contest_errors import BadPairings, PairingNotChangeable, TournamentStarted
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.tournament.commands import CorrectScore, PairRound, ReopenPairing
from referee.contests.tournament.tournament_export import estimate_strengths
from referee.contests.tournament.tournament_pairing import compute_planned_size
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.contests.tournament.trf import to_trf
from tests.contests.correction_examples import correct
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, level, replay, started

APART = (("a", "d"), ("b", "c"))
"""Forbidden pairs that end a Swiss tournament of four after two rounds."""


def with_play_off(form: TournamentFormat, names: str, most: int = 2, **more: Any) -> TournamentHarness:
    return started(form, names, play_off_entrants=most, **more)


def until_play_off(play: TournamentHarness) -> TournamentHarness:
    """Play level until the play-off is planned."""
    while not play.tournament.pairings.play_off:
        play.play_out_one(level)
    return play


def worse_name_wins(due: DueMatch) -> MatchScore:
    ranks = better_name_wins(due).ranks
    return MatchScore(tuple(3 - rank for rank in ranks))


def test_two_level_leaders_meet_twice_with_the_seats_exchanged() -> None:
    play = until_play_off(with_play_off(RoundRobin(), "abc"))
    assert [(row.pairing.id, row.pairing.round, row.pairing.entrants) for row in play.tournament.pairings.play_off] == [
        ("p1.1", 4, ("a", "b")),
        ("p1.2", 4, ("b", "a")),
    ]
    play.play_out(worse_name_wins)
    assert play.table == [(1, "b", 1.0), (2, "a", 1.0), (3, "c", 1.0)]
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_a_single_leader_needs_no_play_off() -> None:
    play = with_play_off(RoundRobin(), "abc").play_out()
    assert play.tournament.pairings.play_off == []
    assert play.tournament.round == 3


def test_all_leaders_meet_each_other_up_to_the_limit_of_the_terms() -> None:
    play = until_play_off(with_play_off(RoundRobin(), "abcde", most=4))
    met = [progress.pairing.entrants for progress in play.tournament.pairings.play_off]
    assert sorted(met) == sorted((name, other) for name in "abcd" for other in "abcd" if name != other)


def test_a_level_play_off_is_decided_by_the_tie_breaks() -> None:
    def a_beats_b_alone(due: DueMatch) -> MatchScore:
        """Everybody wins at home but a and b, who win everything but what they play against each other."""
        return level(due) if {*due.pairing.entrants} == {"a", "b"} else better_name_wins(due)

    play = with_play_off(Swiss(rounds=3), "abcdefgh", tie_breaks=("buchholz",)).play_out(a_beats_b_alone)
    assert play.tournament.pairings.play_off
    first, second, *_ = play.tournament.standings()
    assert {first.entrant, second.entrant} == {"a", "b"}
    assert first.points == second.points
    assert first.tie_breaks >= second.tie_breaks


def test_the_points_of_a_play_off_count_nowhere_else() -> None:
    play = until_play_off(with_play_off(RoundRobin(), "abc"))
    before = play.tournament.standings(3)
    play.play_out(worse_name_wins)
    assert play.tournament.standings(3) == before
    assert [row.points for row in play.tournament.standings(4)] == [1.0, 1.0, 1.0]
    assert len(play.tournament.round_results()["a"]) == play.tournament.complete_rounds == 3
    assert all(len(line) <= 91 + 3 * 10 for line in to_trf(play.tournament, "").splitlines())
    assert estimate_strengths(play.tournament)["b"].elo > 0  # These are matches like any other.


def test_the_size_of_the_tournament_grows_by_the_play_off() -> None:
    play = until_play_off(with_play_off(RoundRobin(), "abcd"))
    size = compute_planned_size(play.tournament)
    assert (size.rounds, size.pairings) == (4, 8)
    swiss = until_play_off(with_play_off(Swiss(rounds=3), "abcd"))
    assert compute_planned_size(swiss.tournament).rounds == 4


def test_those_who_have_left_do_not_take_part() -> None:
    """a wins its first two matches and leaves; two others get as many points."""
    play = with_play_off(Swiss(rounds=3), "abcdefgh", most=8)
    while play.tournament.round < 2:
        play.play_out_one()
    last = next(due for due in play.tournament.due_matches() if "a" in due.pairing.entrants)
    play.result(last, better_name_wins(last))
    play.withdraw("a")
    until_play_off(play)
    leaders = {row.entrant for row in play.tournament.standings(3) if row.points == 2}
    assert "a" in leaders
    assert {name for row in play.tournament.pairings.play_off for name in row.pairing.entrants} == leaders - {"a"}


def test_an_entrant_that_leaves_during_the_play_off_loses_the_rest_of_it() -> None:
    play = until_play_off(with_play_off(RoundRobin(), "ab"))
    play.withdraw("a")
    assert play.tournament.phase == "finished"
    assert [(rank, name) for rank, name, _ in play.table] == [(1, "b"), (2, "a")]


def test_a_swiss_that_ended_early_is_not_continued_after_its_play_off() -> None:
    play = with_play_off(Swiss(rounds=3), "abcd", forbidden_pairs=APART).play_out(level)
    assert play.tournament.main_rounds == 2
    assert play.tournament.phase == "finished"


def test_nobody_enters_and_nothing_is_paired_by_hand_during_a_play_off() -> None:
    play = until_play_off(with_play_off(Swiss(rounds=3), "abcd", last_entry_round=2, forbidden_pairs=APART))
    with pytest.raises(TournamentStarted):
        play.enter("late")
    with pytest.raises(BadPairings, match="only for round 2"):
        play.do(PairRound(3, (("a", "b"),), "why", "ann"))


def test_reopening_a_result_drops_a_play_off_that_has_not_begun() -> None:
    play = until_play_off(with_play_off(RoundRobin(), "ab"))
    play.do(ReopenPairing("1.1", "why", "ann"))
    assert play.tournament.dropped == {"p1.1", "p1.2"}
    play.play_out_one(level)
    assert [progress.pairing.id for progress in play.tournament.pairings.play_off] == ["p1.1-2", "p1.2-2"]
    play.play_out_one(level)
    with pytest.raises(PairingNotChangeable, match="follows from it"):
        play.do(ReopenPairing("1.1", "why", "ann"))


def test_after_a_correction_an_entrant_with_more_points_precedes_the_play_off() -> None:
    """b and c are level with a, and a wins the play-off; then c is given the win against b."""
    play = with_play_off(RoundRobin(), "abc")
    while play.tournament.phase == "playing":
        due = play.start()
        play.result(due, level(due) if due.pairing.round < 4 else better_name_wins(due))
    met = next(pairing for pairing in play.planned if {*pairing.entrants} == {"b", "c"})
    ranks = (1, 2) if met.entrants[0] == "c" else (2, 1)
    play.do(CorrectScore(met.id, 1, correct(f"m-{met.id}/1.1", *ranks), 2, MatchScore(ranks)))
    assert play.table == [(1, "c", 1.5), (2, "a", 1.0), (3, "b", 0.5)]
