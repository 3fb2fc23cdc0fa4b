"""The garbage collector, fitted to a process that holds much for long.

Nearly all that a referee lets go is freed at once, because nothing points to it any more. The collector is there for
what points to itself in a circle, and each time it looks at everything that is alive: with ten thousand matches that
takes longer than many of their moves. So it is to look seldom, but it is to look, or circles would pile up.
"""

import gc

YOUNG_AT_MOST = 20_000
"""So many more things made than let go, and the youngest are looked through: ten milliseconds, more or less.

A busy process has thousands of moves in hand at once, which are all gone a moment later: these are not worth a look.
"""
ROUNDS = 5
"""So many looks at the youngest for one at the older ones, and so many of those for one at everything.

So half a million things may pile up, or a quarter of what is alive if that is more, before all is looked through.
"""


def look_seldom() -> None:
    """To be called before anything is taken up."""
    gc.set_threshold(YOUNG_AT_MOST, ROUNDS, ROUNDS)


def settle() -> None:
    """To be called when all is loaded and taken up: what is here now is not looked at again."""
    gc.collect()
    gc.freeze()
