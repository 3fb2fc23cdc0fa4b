"""The garbage collector visits an object once, except in rare full collections."""

import asyncio
import gc
import weakref

import pytest

from referee.server import garbage_collection
from referee.server.garbage_collection import THRESHOLD, frozen_survivors


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
