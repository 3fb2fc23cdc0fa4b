"""The garbage collector is configured to run rarely."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from referee.server.referee_server import GC_YOUNG_THRESHOLD, freeze_loaded_objects, raise_gc_thresholds


class ReferenceCycle:
    """Reference cycle, which only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _restore_gc() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_reference_cycles_are_freed_automatically() -> None:
    raise_gc_thresholds()
    freeze_loaded_objects()
    first = weakref.ref(ReferenceCycle())
    later_cycles = [ReferenceCycle() for _ in range(2 * GC_YOUNG_THRESHOLD)]
    assert first() is None
    assert later_cycles


def test_objects_loaded_before_the_freeze_are_never_collected() -> None:
    loaded = [ReferenceCycle()]
    freeze_loaded_objects()
    reference = weakref.ref(loaded.pop())
    gc.collect()
    assert reference() is not None
