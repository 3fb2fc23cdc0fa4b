"""Thresholds of the garbage collector, tuned for a process with a large and long-lived heap.

Nearly everything that a server releases is freed by reference counting. The collector is needed for reference cycles
only, and a full collection visits every live object: with ten thousand matches that takes longer than many of their
moves. So collections are made rare, but not disabled, or cycles would accumulate.
"""

import gc

YOUNG_THRESHOLD = 20_000
"""Net allocations before the young generation is collected, which takes about ten milliseconds.

A busy server allocates thousands of objects for moves in flight that are freed a moment later; they should not trigger
collections.
"""
OLD_THRESHOLD = 5
"""Collections of one generation before the next older one is collected.

So at most half a million objects accumulate, or a quarter of the live ones if that is more, before a full collection.
"""


def raise_gc_thresholds() -> None:
    """Make collections rare. To be called before any state is loaded."""
    gc.set_threshold(YOUNG_THRESHOLD, OLD_THRESHOLD, OLD_THRESHOLD)


def freeze_loaded_objects() -> None:
    """Exclude all current objects from future collections. To be called once the state is loaded."""
    gc.collect()
    gc.freeze()
