"""The program `referee` on a machine whose wall clock is wrong: `--wall-clock-shift-s` is how far it is ahead.

Only the clock that Python reads is shifted. It is the only one by which a node writes times.
"""

import sys
import time

FLAG = "--wall-clock-shift-s"


def shift_wall_clock(seconds: float) -> None:
    """Let `time.time` and `time.time_ns` be ahead by this much, or behind if it is negative."""
    true_time, true_time_ns = time.time, time.time_ns
    time.time = lambda: true_time() + seconds
    time.time_ns = lambda: true_time_ns() + round(seconds * 1e9)


if __name__ == "__main__":
    at = sys.argv.index(FLAG)
    shift_wall_clock(float(sys.argv[at + 1]))
    del sys.argv[at : at + 2]
    # Not imported before, so that nothing of it can have kept the true clock.
    from referee.cli import main

    main()
