"""A fixed loop as a unit of measurement: integers, a dictionary, a list and calls, as in an engine written in Python.

It never changes, so that ratios to it are comparable between machines and over time.
"""

import time
from collections.abc import Callable

LOOPS = 20_000


def calibration_loop() -> int:
    table = {bit: bit * 3 for bit in range(64)}
    found: list[int] = []
    state = 12345
    for _ in range(LOOPS):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        low = state & -state
        if state & 7:
            found.append(table[(state >> 8) & 63] ^ low)
        else:
            found.clear()
    return state + len(found)


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that `work` takes in this process."""
    started = time.process_time()
    work()
    return time.process_time() - started


def loop_seconds() -> float:
    """Return the CPU time of one iteration of the loop."""
    return cpu_seconds(calibration_loop) / LOOPS
