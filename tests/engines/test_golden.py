"""Perft counts, whole games and drawings, which must never change by accident."""

from pathlib import Path

import pytest

from engines.api import Outcome, Table
from engines.walk import perft
from tests.engines.golden import FOLDER, PerftLine, drawing, perft_lines, renew_perft, renewed_game
from tests.third_party_games.third_party_games import FINGERS, NIM

MANY_SEVENS = "66,68,69,71/10,18*,R,R/2,36*,R,R/12,54*,R,R 0 0 3 4S7H7C"
"""A position of Toc with so many ways to split a seven that counting takes seconds."""


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, marks=pytest.mark.slow if MANY_SEVENS in str(line) else ()) for line in perft_lines()],
    ids=lambda line: f"{line.game}: {line}",
)
def test_perft_counts_equal_the_golden_files(line: PerftLine, renewing: bool) -> None:
    counted = line.counted()
    if renewing:
        renew_perft(counted)
    else:
        assert counted == line


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.game")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_games_replay_as_written(path: Path, renewing: bool) -> None:
    text = path.read_text(encoding="utf-8")
    now = renewed_game(text)
    if renewing:
        path.write_text(now, encoding="utf-8")
    else:
        assert now == text


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.svg")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_drawings_are_unchanged(path: Path, renewing: bool) -> None:
    now = drawing(path)
    if renewing:
        path.write_text(now, encoding="utf-8")
    else:
        assert now == path.read_text(encoding="utf-8")


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
