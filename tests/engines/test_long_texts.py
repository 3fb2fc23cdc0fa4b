"""Parsing costs linear time: each game rejects 400 000 characters of a kind that its grammar repeats."""

import time

import pytest

from engines.game_errors import IllegalMove, MalformedMove, MalformedPosition
from engines.registry import games

CHARS = 400_000
MAX_CPU_S = 1.0
"""A quadratic parser needs four seconds."""

PIECES = {
    "chess": ("e2e4", "8/", "K", "-", " 1"),
    "alquerque": ("a1", "xc3", "b", "/5", "1,"),
    "trox": ("NBR@0.0u/0.-1d", ",NBR@0.0u/0.-1d", "-", "0.0u,", "N"),
    "troke": ("Tb1", "-c2", "b1:TrWrMr", ",d1:TrMr", "x9"),
    "toc": ("7D:30>33", ",50>54", "R,", "?", "00"),
}
"""Beginnings and continuations of moves and positions, combined in all ways."""


@pytest.mark.parametrize("name", PIECES)
def test_a_far_too_long_text_is_rejected_in_linear_time(name: str) -> None:
    game = games()[name]
    settings = game.settings()
    start = game.start(settings, bytes(32))
    tail = game.start(settings, bytes(32)).text(-2)
    for first in PIECES[name]:
        for more in PIECES[name]:
            long = first + more * (CHARS // len(more))
            began_s = time.thread_time()
            with pytest.raises((MalformedMove, IllegalMove)):
                start.play(start.owing[0], long)
            for text in (long, f"{long} {tail}", f"{tail} {long}", tail.replace(" ", f" {long} ", 1)):
                with pytest.raises(MalformedPosition):
                    game.read(text, settings)
            assert time.thread_time() - began_s < MAX_CPU_S, (first, more)
