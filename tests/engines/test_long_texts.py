"""Parsing costs linear time: each game rejects 400 000 characters of a kind that its grammar repeats."""

import pytest

from engines.registry import games
from engines.testing.game_checks import check_long_texts

PIECES = {
    "chess": ("e2e4", "8/", "K", "-", " 1"),
    "alquerque": ("a1", "xc3", "b", "/5", "1,"),
    "go": ("D4", "9/", "b", "ko=A1", ",B2"),
    "trox": ("NBR@0.0u/0.-1d", ",NBR@0.0u/0.-1d", "-", "0.0u,", "N"),
    "troke": ("Tb1", "-c2", "b1:TrWrMr", ",d1:TrMr", "x9"),
    "toc": ("7D:30>33", ",50>54", "R,", "?", "00"),
}
"""Beginnings and continuations of moves and positions, combined in all ways."""


@pytest.mark.parametrize("name", PIECES)
def test_a_far_too_long_text_is_rejected_in_linear_time(name: str) -> None:
    game = games()[name]
    check_long_texts(game.start(game.settings(), bytes(32)), game, PIECES[name])
