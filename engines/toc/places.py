"""The track: 72 ring cells and a corridor of four cells a colour, and what follows from them, worked out once.

A place is a number: the ring cells are 0 to 71, clockwise; H1 to H4 of a colour's own corridor are 72
to 75; the reserve is 76. A set of places is an integer, one bit a place. The corridor bits of a set of
pawns mean the corridor of their own colour, so nobody can stand in another's.
"""

SEATS = 4
PARTNER = (2, 3, 0, 1)
PAWNS_EACH = 4

RING = 72
H1 = 72
H4 = 75
RESERVE = 76
NOWHERE = -1

NAMES = (*map(str, range(RING)), "H1", "H2", "H3", "H4", "R")
NUMBERS = {name: place for place, name in enumerate(NAMES)}
BITS = tuple(1 << place for place in range(RESERVE))
ON_RING = (1 << RING) - 1
ALL_HOME = 15
"""A colour's pawns, shifted down by H1, when all four are in the corridor."""

STARTS = (0, 18, 36, 54)
START_CELLS = sum(BITS[cell] for cell in STARTS)

MOST_STEPS = 13
STEPS_BACK = 4
AHEAD = tuple(tuple((cell + steps) % RING for cell in range(RING)) for steps in range(MOST_STEPS + 1))
"""By steps and ring cell: the ring cell so many steps on."""
BACK = tuple((cell - STEPS_BACK) % RING for cell in range(RING))
"""By ring cell: the one four cells back."""
WAY = tuple(
    tuple(sum(BITS[(cell + step) % RING] for step in range(1, steps + 1)) for cell in range(RING))
    for steps in range(MOST_STEPS + 1)
)
"""By steps and ring cell: the cells stepped on, the last one included."""


def places_in(places: int) -> list[int]:
    """The numbers of a set of places, in order."""
    found = []
    while places:
        low = places & -places
        found.append(low.bit_length() - 1)
        places ^= low
    return found


def home(pawns: int) -> bool:
    """Are all four pawns of a colour in its corridor?"""
    return pawns >> H1 == ALL_HOME


def reserve(pawns: int) -> int:
    """How many pawns of a colour are in its reserve."""
    return PAWNS_EACH - pawns.bit_count()
