from collections import Counter
from itertools import combinations

import pytest

from referee.contests.pairing import MatchScore
from referee.contests.tournament.tournament_terms import Pools
from tests.contests.tournament_harness import TournamentHarness, level, started

PARTNERS = ((0, 2), (1, 3))


def tables(play: TournamentHarness) -> list[tuple[str, ...]]:
    return [progress.pairing.entrants for progress in play.tournament.pairings.values() if not progress.pairing.is_bye]


def names(many: int) -> list[str]:
    return [f"P{number:02}" for number in range(many)]


@pytest.mark.parametrize(("many", "at_a_table", "rounds"), [(9, 3, 8), (8, 4, 7), (16, 4, 5), (10, 3, 9), (7, 4, 14)])
def test_entrants_meet_about_equally_often(many: int, at_a_table: int, rounds: int) -> None:
    play = started(Pools(rounds, at_a_table), names(many)).play_out(level)
    met = Counter(frozenset(pair) for table in tables(play) for pair in combinations(table, 2))
    often = [met[frozenset(pair)] for pair in combinations(names(many), 2)]
    assert max(often) - min(often) <= 2


def test_seats_and_byes_rotate() -> None:
    play = started(Pools(12, 3), names(10)).play_out(level)
    sat = Counter((name, seat) for table in tables(play) for seat, name in enumerate(table))
    played = Counter(name for table in tables(play) for name in table)
    assert max(played.values()) - min(played.values()) <= 1
    assert all(max(counts := [sat[name, seat] for seat in range(3)]) - min(counts) <= 2 for name in names(10))


def test_partners_change() -> None:
    play = started(Pools(7, 4, PARTNERS), names(8)).play_out(level)
    stood = Counter(frozenset((table[seat], table[other])) for table in tables(play) for seat, other in PARTNERS)
    assert max(stood.values()) <= 2


def test_partners_have_the_points_of_their_side_and_nothing_against_each_other() -> None:
    play = started(Pools(1, 4, PARTNERS), names(4))
    (due,) = play.tournament.due_matches()
    a, b, c, d = due.pairing.entrants
    play.play_out(lambda _: MatchScore((1, 2, 1, 2)))
    table = play.tournament.round_results()
    assert [table[name][0].points for name in (a, b, c, d)] == [1, 0, 1, 0]
    assert table[a][0].points_against == ((b, 1.0), (d, 1.0))


def test_a_slow_table_does_not_hold_up_the_next_round() -> None:
    play = started(Pools(3, 3), names(6))
    first, slow = play.tournament.due_matches()
    play.result(first, level(first))
    assert play.tournament.round == 2
    assert slow in play.tournament.due_matches()


def test_equal_tournaments_have_equal_tables() -> None:
    assert tables(started(Pools(5, 4), names(13)).play_out()) == tables(started(Pools(5, 4), names(13)).play_out())
