"""Counting lines of play, and ranking scores."""

from engines.api import Outcome, Table
from engines.walk import perft
from tests.third_party_games.third_party_games import FINGERS, NIM


def test_perft_counts_lines_and_stops_at_the_end_of_a_game() -> None:
    nim = NIM.start(NIM.settings({"heap": 3}), b"")
    assert [perft(nim, depth) for depth in range(5)] == [1, 3, 3, 1, 0]


def test_perft_lets_the_first_of_several_seats_move_first() -> None:
    fingers = FINGERS.start(FINGERS.settings(), b"")
    assert [perft(fingers, depth) for depth in range(5)] == [1, 3, 9, 27, 81]


def test_equal_scores_share_a_rank_and_the_next_rank_is_skipped() -> None:
    outcome = Outcome("counted", (3, 5, 5, 1), (3, 5, 5, 1))
    assert outcome.side_ranks == (3, 1, 1, 4)
    teams = Table(("a", "b", "c", "d"), ((0, 2), (1, 3)))
    assert Outcome("counted", (3, 5, 5, 1), (8, 6)).ranks(teams) == (1, 2, 1, 2)
