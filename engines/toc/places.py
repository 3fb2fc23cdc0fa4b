"""The places: 72 ring cells, a corridor of four cells per colour, and tables that are computed from them once.

A place is a number: the ring cells are 0 to 71, clockwise; H1 to H4 of a colour's own corridor are 72 to 75; the
reserve is 76. A set of places is an integer with one bit per place. In the set of a colour's pawns, the corridor bits
mean that colour's own corridor, so no pawn can be in the corridor of another colour.
"""

from typing import Final

SEATS: Final = 4
PARTNER: Final[tuple[int, ...]] = (2, 3, 0, 1)
PAWNS_EACH: Final = 4

RING: Final = 72
H1: Final = 72
H4: Final = 75
DEPTH: Final = 4
"""How many places a corridor has."""
RESERVE: Final = 76
NOWHERE: Final = -1

NAMES: Final = (*map(str, range(RING)), "H1", "H2", "H3", "H4", "R")
NUMBERS: Final = {name: place for place, name in enumerate(NAMES)}
BITS: Final = tuple(1 << place for place in range(RESERVE))
ON_RING: Final = (1 << RING) - 1
EVERYWHERE: Final = (1 << RESERVE) - 1
ALL_HOME: Final = 15
"""The pawns of a colour, shifted down by H1, when all four are in the corridor."""

STARTS: Final[tuple[int, ...]] = (0, 18, 36, 54)
START_CELLS: Final = sum(BITS[cell] for cell in STARTS)

MOST_STEPS: Final = 13
STEPS_BACK: Final = 4
AHEAD: Final = tuple(tuple((cell + steps) % RING for cell in range(RING)) for steps in range(MOST_STEPS + 1))
"""The ring cell that many steps ahead, by number of steps and ring cell."""
AHEAD_BITS: Final = tuple(tuple(BITS[to] for to in ahead) for ahead in AHEAD)
"""The bit of this cell."""
CORRIDOR: Final = tuple(tuple(H1 + deep for deep in range(DEPTH) if inside >> deep & 1) for inside in range(1 << DEPTH))
"""The corridor places in a set of which H1 is the lowest bit."""
BACK: Final = tuple((cell - STEPS_BACK) % RING for cell in range(RING))
"""The ring cell four cells back, by ring cell."""
WAY: Final = tuple(
    tuple(sum(BITS[(cell + step) % RING] for step in range(1, steps + 1)) for cell in range(RING))
    for steps in range(MOST_STEPS + 1)
)
"""The set of cells that are stepped on, including the last one, by number of steps and ring cell."""


def places_in(places: int) -> list[int]:
    """Return the numbers of the places in a set, in order."""
    found = []
    while places:
        low = places & -places
        found.append(low.bit_length() - 1)
        places ^= low
    return found


def home(pawns: int) -> bool:
    """Return whether all four pawns of a colour are in its corridor."""
    return pawns >> H1 == ALL_HOME


def reserve(pawns: int) -> int:
    """Return how many pawns of a colour are in its reserve."""
    return PAWNS_EACH - pawns.bit_count()
