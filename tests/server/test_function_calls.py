"""The cost of a move as the number of calls of Python functions, which does not depend on the machine."""

import asyncio
import gc
import sys
import weakref
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from referee.server import garbage_collection
from referee.server.garbage_collection import THRESHOLD, frozen_survivors
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


class ReferenceCycle:
    """Reference cycle, which only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


def test_reference_cycles_are_freed_automatically() -> None:
    with asyncio.Runner() as runner, frozen_survivors(runner.get_loop()):
        first = weakref.ref(ReferenceCycle())
        later_cycles = [ReferenceCycle() for _ in range(2 * THRESHOLD)]
        assert first() is None
        assert later_cycles


def test_what_survives_a_collection_is_not_visited_again() -> None:
    with asyncio.Runner() as runner, frozen_survivors(runner.get_loop()):
        surviving = [ReferenceCycle()]
        gc.collect(0)
        reference = weakref.ref(surviving.pop())
        gc.collect()
        assert reference() is not None


def test_a_rare_full_collection_frees_cycles_that_were_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage_collection, "FREEZES_PER_FULL_COLLECTION", 2)
    with asyncio.Runner() as runner, frozen_survivors(runner.get_loop()):
        surviving = [ReferenceCycle()]
        gc.collect(0)
        reference = weakref.ref(surviving.pop())
        gc.collect(0)
        runner.run(asyncio.sleep(0))
        assert reference() is None


def test_the_collector_is_as_before_when_the_server_has_ended() -> None:
    before = gc.get_threshold(), gc.callbacks[:]
    with asyncio.Runner() as runner, frozen_survivors(runner.get_loop()):
        gc.collect(0)
    assert (gc.get_threshold(), gc.callbacks, gc.get_freeze_count()) == (*before, 0)
