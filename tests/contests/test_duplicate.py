"""Duplicate play: the same start with the seats exchanged, and pairings of whole sets."""

from collections import Counter, defaultdict

import pytest
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from engines.chance import Chance
from referee.contests.pairing import DuplicateSets, MatchScore
from referee.contests.tournament.tournament_terms import Pools, TournamentFormat
from tests.contests.tournament_harness import TournamentHarness, level, started


def twice(form: TournamentFormat, names: str = "abcd", openings: int = 0, arrangements: int = 2) -> TournamentHarness:
    return started(form, names, duplicate=DuplicateSets(arrangements, openings))


@pytest.mark.parametrize("form", [RoundRobin(), Swiss(rounds=2), Gauntlet(challengers=("a",)), Elimination()], ids=str)
def test_every_pairing_is_a_set_with_one_start_and_the_seats_exchanged(form: TournamentFormat) -> None:
    tournament = twice(form).tournament
    for progress in tournament.pairings.values():
        first, other = progress.due_matches
        assert first.seats == other.seats[::-1]
        start = tournament.set_start(first)
        assert start
        assert start == tournament.set_start(other)
        assert start.set_id == f"{progress.pairing.id}/1"
        assert start.seed == Chance(b"seed").fork(start.set_id).seed
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

    def is_over(except_id: str = "") -> bool:
        return play.tournament.pairings["1.1"].is_set_over(1, except_id)

    first, other = play.tournament.due_matches()
    assert not is_over()
    play.result(first, MatchScore((1, 2)))
    play.void(other)
    assert (is_over(), is_over("1.1/2.1"), is_over("1.1/2.2")) == (False, False, True)
    play.play_due()
    assert is_over()


def test_three_entrants_at_a_table_take_every_seat_in_a_set() -> None:
    play = twice(Pools(1, 3), "abc", arrangements=3)
    sat = Counter((name, seat) for due in play.tournament.due_matches() for seat, name in enumerate(due.seats))
    assert sat == {(name, seat): 1 for name in "abc" for seat in range(3)}


def test_openings_are_taken_in_turn_round_by_round_and_another_one_in_a_rematch_in_the_next_cycle() -> None:
    tournament = twice(RoundRobin(cycles=3), "abcd", openings=3).tournament
    by_round: defaultdict[int, set[int | None]] = defaultdict(set)
    by_pair: defaultdict[frozenset[str], list[int | None]] = defaultdict(list)
    for due in tournament.due_matches():
        start = tournament.set_start(due)
        assert start
        by_round[due.pairing.round].add(start.opening)
        by_pair[frozenset(due.seats)].append(start.opening)
    assert [by_round[number] for number in (7, 8, 9)] == [{2}, {0}, {1}]
    assert all(Counter(taken) == {0: 2, 1: 2, 2: 2} for taken in by_pair.values())


def test_a_knock_out_pairing_is_played_in_whole_sets() -> None:
    play = twice(Elimination(matches_per_pairing=3, max_extra_matches=1), "ab")
    assert len(play.tournament.due_matches()) == 4
    play.play_out(level)
    assert len(play.tournament.pairings["w1.1"].scores) == 6


def test_a_further_set_is_completed_even_if_its_first_match_is_won() -> None:
    play = twice(Elimination(max_extra_matches=4), "ab")
    play.play_due(level)
    first, other = play.tournament.due_matches()
    play.result(first, MatchScore((1, 2)))
    assert play.tournament.due_matches() == [other]
    play.result(other, MatchScore((2, 1)))
    third, _ = play.tournament.due_matches()
    assert (third.number, third.set_number) == (5, 3)
