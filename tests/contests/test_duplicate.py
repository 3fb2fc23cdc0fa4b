"""Duplicate play: the same start with the seats exchanged, and pairings of whole sets."""

from collections import Counter

import pytest
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from engines.chance import Chance
from referee.contests.pairing import DuplicateSets, MatchScore
from referee.contests.tournament.tournament_terms import Pools, TournamentFormat
from tests.contests.tournament_harness import TournamentHarness, level, play_terms, started


def twice(form: TournamentFormat, names: str = "abcd", openings: int = 0, arrangements: int = 2) -> TournamentHarness:
    return started(play_terms(form, b"seed", duplicate=DuplicateSets(arrangements, openings)), names)


@pytest.mark.parametrize("form", [RoundRobin(), Swiss(rounds=2), Gauntlet(challengers=("a",)), Elimination()], ids=str)
def test_every_pairing_is_a_set_with_one_start_and_the_seats_exchanged(form: TournamentFormat) -> None:
    tournament = twice(form).tournament
    for progress in tournament.pairings.values():
        first, other = progress.due_matches
        assert first.seats == other.seats[::-1]
        start = tournament.set_start(first)
        assert start == tournament.set_start(other)
        assert start
        assert start.seed == Chance(b"seed").fork(f"{progress.pairing.id}/1").seed
        assert start.set_id == f"{progress.pairing.id}/1"
    seeds = {tournament.set_start(due) for due in tournament.due_matches()}
    assert len(seeds) == len(tournament.pairings)


def test_a_repeated_attempt_has_the_same_start() -> None:
    play = twice(RoundRobin(), "ab")
    due = play.tournament.due_matches()[0]
    before = play.tournament.set_start(due)
    play.void(due)
    again = play.tournament.due_matches()[0]

    assert (again.attempt, play.tournament.set_start(again)) == (2, before)


def test_without_duplicate_play_matches_have_no_common_start() -> None:
    tournament = started(RoundRobin(), "ab").tournament

    assert tournament.set_start(tournament.due_matches()[0]) is None


def test_a_set_is_over_when_all_its_matches_have_results() -> None:
    play = twice(RoundRobin(), "ab")
    first, other = play.tournament.due_matches()
    progress = play.tournament.pairings["1.1"]
    assert not progress.is_set_over(1)
    play.result(first, MatchScore((1, 2)))
    play.void(other)
    assert not play.tournament.pairings["1.1"].is_set_over(1)
    assert not play.tournament.pairings["1.1"].is_set_over(1, except_id="1.1/2.1")
    assert play.tournament.pairings["1.1"].is_set_over(1, except_id="1.1/2.2")
    (again,) = play.tournament.due_matches()
    play.result(again, MatchScore((1, 2)))
    assert play.tournament.pairings["1.1"].is_set_over(1)


def test_three_entrants_at_a_table_take_every_seat_in_a_set() -> None:
    play = twice(Pools(1, 3), "abc", arrangements=3)

    sat = Counter((name, seat) for due in play.tournament.due_matches() for seat, name in enumerate(due.seats))
    assert set(sat.values()) == {1}
    assert len(sat) == 9


def openings(play: TournamentHarness) -> dict[str, list[int | None]]:
    """Return the openings that were used, by round."""
    starts = {
        due.id: (due, play.tournament.set_start(due))
        for progress in play.tournament.pairings.values()
        for due in progress.due_matches
    }
    found: dict[str, list[int | None]] = {}
    for due, start in starts.values():
        assert start
        found.setdefault("".join(sorted(due.pairing.participants)), []).append(start.opening)
    return found


def test_openings_are_taken_in_turn_round_by_round() -> None:
    tournament = twice(RoundRobin(), "abcd", openings=2).tournament

    taken = {
        (due.pairing.round, start.opening)
        for due in tournament.due_matches()
        if (start := tournament.set_start(due)) is not None
    }
    assert taken == {(1, 0), (2, 1), (3, 0)}


def test_a_rematch_in_the_next_cycle_has_another_opening() -> None:
    for pair, taken in openings(twice(RoundRobin(cycles=3), "abcd", openings=3)).items():
        assert Counter(taken) == {0: 2, 1: 2, 2: 2}, pair


def test_a_knock_out_pairing_is_played_in_whole_sets() -> None:
    play = twice(Elimination(matches_per_pairing=3, max_extra_matches=1), "ab")

    assert len(play.tournament.due_matches()) == 4
    while play.tournament.due_matches():
        play.result(due := play.tournament.due_matches()[0], level(due))
    assert len(play.tournament.pairings["w1.1"].scores) == 6


def test_a_further_set_is_completed_even_if_its_first_match_is_won() -> None:
    play = twice(Elimination(max_extra_matches=4), "ab")
    for due in play.tournament.due_matches():
        play.result(due, level(due))
    first, other = play.tournament.due_matches()
    play.result(first, MatchScore((1, 2)))

    assert play.tournament.due_matches() == [other]
    play.result(other, MatchScore((2, 1)))
    third, _ = play.tournament.due_matches()
    assert (third.number, third.set_number) == (5, 3)
