"""Garbage collection whose cost does not grow with the number of live matches.

Nearly everything that a server releases is freed by reference counting. The collector is needed for reference cycles
only, most of which come from exceptions and are short-lived. A full collection visits every object, though: with ten
thousand live matches it blocks the event loop for half a second. Therefore what survives its first collection is
frozen, which excludes it from later ones; reference counting still frees it. A cycle that was alive when it was frozen
is freed by a full collection, which is rare.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

THRESHOLD = 20_000
"""Net allocations between two collections, each of which takes ten to twenty milliseconds.

A busy server allocates thousands of objects for moves in flight that are freed a moment later; they should not trigger
collections.
"""
FREEZES_PER_FULL_COLLECTION = 1_000


class SurvivorFreezer:
    """Callback of the garbage collector that freezes all objects after each collection."""

    def __init__(self, request_full_collection: Callable[[], object]) -> None:
        self._request_full_collection = request_full_collection
        self._freezes = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if phase != "stop":
            return
        gc.freeze()
        self._freezes += 1
        if self._freezes % FREEZES_PER_FULL_COLLECTION == 0:
            self._request_full_collection()


def collect_all() -> None:
    """Run a full collection, including frozen objects."""
    gc.unfreeze()
    gc.collect()


@contextmanager
def frozen_survivors(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Collect young objects only and freeze those that survive, while this context is active."""
    # A collection cannot start another one, and may run in any thread.
    freezer = SurvivorFreezer(lambda: loop.call_soon_threadsafe(collect_all))
    thresholds = gc.get_threshold()
    gc.set_threshold(THRESHOLD)
    gc.callbacks.append(freezer)
    try:
        yield
    finally:
        gc.callbacks.remove(freezer)
        gc.unfreeze()
        gc.set_threshold(*thresholds)
