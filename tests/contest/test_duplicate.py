"""Duplicate play: the same start again with the seats exchanged, and pairings that count whole sets."""

from collections import Counter

import pytest

from engines.chance import Chance
from referee.contest.duplicate import Duplicate
from referee.contest.formats import Elimination, Format, Gauntlet, Pools, RoundRobin, Swiss
from referee.contest.pairing import Score
from referee.contest.terms import Terms
from tests.contest.plays import Play, level, started


def twice(form: Format, names: str = "abcd", openings: int = 0, arrangements: int = 2) -> Play:
    return started(Terms(form, b"seed", duplicate=Duplicate(arrangements, openings)), names)


@pytest.mark.parametrize("form", [RoundRobin(), Swiss(2), Gauntlet(("a",)), Elimination()], ids=str)
def test_every_pairing_is_a_set_with_one_start_and_the_seats_exchanged(form: Format) -> None:
    tournament = twice(form).tournament
    for course in tournament.courses.values():
        one, other = course.due
        assert one.seats == other.seats[::-1]
        start = tournament.start_of(one)
        assert start == tournament.start_of(other)
        assert start
        assert start.seed == Chance(b"seed").fork(f"{course.pairing.id}/1").seed
        assert start.set == f"{course.pairing.id}/1"
    seeds = {tournament.start_of(due) for due in tournament.due()}
    assert len(seeds) == len(tournament.courses)


def test_a_match_that_is_played_again_begins_as_it_did() -> None:
    play = twice(RoundRobin(), "ab")
    due = play.tournament.due()[0]
    before = play.tournament.start_of(due)
    play.void(due)
    again = play.tournament.due()[0]

    assert (again.attempt, play.tournament.start_of(again)) == (2, before)


def test_where_nothing_is_played_twice_matches_have_no_start_in_common() -> None:
    tournament = started(RoundRobin(), "ab").tournament

    assert tournament.start_of(tournament.due()[0]) is None


def test_a_set_is_over_when_all_its_matches_have_results() -> None:
    play = twice(RoundRobin(), "ab")
    one, other = play.tournament.due()
    course = play.tournament.courses["1.1"]
    assert not course.set_over(1)
    play.result(one, Score((1, 2)))
    play.void(other)
    assert not play.tournament.courses["1.1"].set_over(1)
    assert not play.tournament.courses["1.1"].set_over(1, but="1.1/2.1")
    assert play.tournament.courses["1.1"].set_over(1, but="1.1/2.2")
    (again,) = play.tournament.due()
    play.result(again, Score((1, 2)))
    assert play.tournament.courses["1.1"].set_over(1)


def test_three_at_a_table_sit_everywhere_in_a_set() -> None:
    play = twice(Pools(1, 3), "abc", arrangements=3)

    sat = Counter((name, seat) for due in play.tournament.due() for seat, name in enumerate(due.seats))
    assert set(sat.values()) == {1}
    assert len(sat) == 9


def openings(play: Play) -> dict[str, list[int | None]]:
    """By round: which openings were taken."""
    starts = {due.id: (due, play.tournament.start_of(due)) for it in play.tournament.courses.values() for due in it.due}
    found: dict[str, list[int | None]] = {}
    for due, start in starts.values():
        assert start
        found.setdefault("".join(sorted(due.pairing.names)), []).append(start.opening)
    return found


def test_openings_are_taken_in_turn_round_by_round() -> None:
    tournament = twice(RoundRobin(), "abcd", openings=2).tournament

    taken = {
        (due.pairing.round, start.opening)
        for due in tournament.due()
        if (start := tournament.start_of(due)) is not None
    }
    assert taken == {(1, 0), (2, 1), (3, 0)}


def test_who_meets_again_in_the_next_cycle_begins_with_another_opening() -> None:
    for pair, taken in openings(twice(RoundRobin(3), "abcd", openings=3)).items():
        assert Counter(taken) == {0: 2, 1: 2, 2: 2}, pair


def test_a_knock_out_pairing_is_played_in_whole_sets() -> None:
    play = twice(Elimination(matches=3, extra=1), "ab")

    assert len(play.tournament.due()) == 4
    while play.tournament.due():
        play.result(due := play.tournament.due()[0], level(due))
    assert len(play.tournament.courses["w1.1"].scores) == 6


def test_a_further_set_is_played_to_its_end_though_its_first_match_was_won() -> None:
    play = twice(Elimination(extra=4), "ab")
    for due in play.tournament.due():
        play.result(due, level(due))
    one, other = play.tournament.due()
    play.result(one, Score((1, 2)))

    assert play.tournament.due() == [other]
    play.result(other, Score((2, 1)))
    third, _ = play.tournament.due()
    assert (third.number, third.set) == (5, 3)
