"""The garbage collector runs rarely, but it runs."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from referee.server.referee_server import GC_YOUNG_THRESHOLD, freeze_loaded_objects, raise_gc_thresholds


class Circle:
    """Reference cycle, which only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_circles_are_freed_though_nobody_asks_for_it() -> None:
    raise_gc_thresholds()
    freeze_loaded_objects()
    first = weakref.ref(Circle())
    kept = [Circle() for _ in range(2 * GC_YOUNG_THRESHOLD)]
    assert first() is None
    assert kept


def test_what_is_there_when_all_is_taken_up_is_never_looked_at_again() -> None:
    there = [Circle()]
    freeze_loaded_objects()
    known = weakref.ref(there.pop())
    gc.collect()
    assert known() is not None
