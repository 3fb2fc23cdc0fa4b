"""A fixed loop to measure by: integers, a dictionary, a list, calls, as an engine in Python uses them.

It never changes, so that the ratio to it means the same on every machine and on every day.
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
    """The CPU time that `work` takes in this process."""
    started = time.process_time()
    work()
    return time.process_time() - started


def loop_seconds() -> float:
    """The CPU time of one turn of the loop."""
    return cpu_seconds(calibration_loop) / LOOPS
