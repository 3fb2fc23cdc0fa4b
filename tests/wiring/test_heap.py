"""The garbage collector looks seldom, and looks all the same."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from referee.wiring import heap


class Circle:
    """It points to itself: only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_circles_are_freed_though_nobody_asks_for_it() -> None:
    heap.look_seldom()
    heap.settle()
    first = weakref.ref(Circle())
    kept = [Circle() for _ in range(2 * heap.YOUNG_AT_MOST)]
    assert first() is None
    assert kept


def test_what_is_there_when_all_is_taken_up_is_never_looked_at_again() -> None:
    there = [Circle()]
    heap.settle()
    known = weakref.ref(there.pop())
    gc.collect()
    assert known() is not None
