"""The cost of a move as the number of calls of Python functions, which does not depend on the machine."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.server import play_in_process
from tests.server.play_in_process import run_matches


class CallCounter(AbstractContextManager["CallCounter"]):
    """Counts the calls of Python functions in this thread, except those of the bots."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> "CallCounter":
        sys.setprofile(self._count)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)

    def _count(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename != play_in_process.__file__:
            self.calls += 1


@pytest.mark.parametrize(("pairs", "matches_per_bot", "max_calls"), [(8, 1, 210), (2, 64, 185)])
def test_a_move_costs_few_function_calls(tmp_path: Path, pairs: int, matches_per_bot: int, max_calls: int) -> None:
    counter = CallCounter()
    moves = run_matches(tmp_path, "alquerque", pairs, matches_per_bot, counter)
    assert moves == pairs * matches_per_bot * len(play_in_process.recorded_moves("alquerque"))
    assert counter.calls / moves <= max_calls
