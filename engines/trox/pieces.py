"""The pieces: where one may lie, what is around it, and how its cells are coloured.

A spot is where a piece lies, as an integer: its middle cell and which of the three neighbours of the
middle is not part of it, the excluded one. Counter-clockwise from the excluded cell come the piece's
outer cells A and B. A kind is the order of its colours, as in NBR: A black, middle blue, B red.

Around every piece runs a ring of sixteen cells, those that share a side or a point with it. What is
laid in the ring decides whether a piece fits (see `holes`), as a set of sixteen bits.
"""

from itertools import product
from typing import Final

from engines.trox.lattice import AROUND, cell_at, corners, neighbours

COLOURS: Final = "NBR"
COLOUR_NAMES: Final = ("black", "blue", "red")
KINDS: Final = ("BNR", "BRN", "NBR", "NRB", "RBN", "RNB")
"""The six orders of colours, in the order of their texts."""
KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
COLOURS_OF: Final = tuple(tuple(COLOURS.index(letter) for letter in kind) for kind in KINDS)
"""By kind: the colours of A, middle and B, as numbers."""

PIECES: Final = 12
SPOT_BITS: Final = 5
"""A spot leaves its lowest bits empty: a move has the kind and the pawn's cell in them."""
TURN_BITS: Final = 2
RING_CELLS: Final = 16
COVERED: Final = 1 << RING_CELLS
"""Beyond the bits of the ring: the spot itself is not free."""


def spot_of(middle: int, excluded: int) -> int | None:
    """The spot, or None if the two cells are no neighbours."""
    if excluded not in neighbours(middle):
        return None
    return (middle << TURN_BITS | neighbours(middle).index(excluded)) << SPOT_BITS


def middle_of(spot: int) -> int:
    return spot >> (SPOT_BITS + TURN_BITS)


def excluded_of(spot: int) -> int:
    middle = middle_of(spot)
    return middle + AROUND[middle & 1][spot >> SPOT_BITS & 3]


def cells_of(spot: int) -> tuple[int, int, int]:
    """The cells A, middle and B."""
    middle = middle_of(spot)
    around = AROUND[middle & 1]
    turn = spot >> SPOT_BITS & 3
    return middle + around[turn - 2], middle, middle + around[turn - 1]


def ring_of(spot: int) -> list[int]:
    """The cells around a piece, in their order, from the excluded one."""
    cells = cells_of(spot)
    points = set().union(*map(corners, cells))
    ring = [excluded_of(spot)]
    met = {*cells, *ring}
    while len(ring) < RING_CELLS:
        # The ring is a closed strip: each of its cells has two of its neighbours in it.
        following = next(cell for cell in neighbours(ring[-1]) if cell not in met and corners(cell) & points)
        ring.append(following)
        met.add(following)
    return ring


def orientation(spot: int) -> int:
    """One of the six ways in which a piece lies, as an index of `NEAR`."""
    return spot >> SPOT_BITS & 7


_SPOTS_HERE: Final = [
    (cell_at(0, 0, down) << TURN_BITS | turn) << SPOT_BITS for down in (False, True) for turn in range(3)
]
FIRST: Final = _SPOTS_HERE[2]
"""Where the first piece lies: on 0.0u, without 0.-1d."""
CONTACTS: Final = sum(
    1 << place for place, cell in enumerate(ring_of(FIRST)) if set(neighbours(cell)) & set(cells_of(FIRST))
)
"""The cells of the ring that share a side with the piece."""


def _felt(spot: int) -> list[tuple[int, int]]:
    """The cells that matter to a spot, and what it means to it that they are laid."""
    ring = [(cell, 1 << place) for place, cell in enumerate(ring_of(spot))]
    return ring + [(cell, COVERED) for cell in cells_of(spot)]


def _near() -> list[list[tuple[int, int]]]:
    near: list[dict[int, int]] = [{} for _ in range(8)]
    for laid, spot in product(_SPOTS_HERE, _SPOTS_HERE):
        seen = near[orientation(laid)]
        for (cell, means), laid_cell in product(_felt(spot), cells_of(laid)):
            if cell & 1 == laid_cell & 1:
                # Where the spot must be for the two cells to be the same one.
                far = spot - laid + (laid_cell - cell << TURN_BITS + SPOT_BITS)
                seen[far] = seen.get(far, 0) | means
    return [list(seen.items()) for seen in near]


NEAR: Final = _near()
"""By the orientation of a piece: how far it is to each spot that feels it, and what that one sees of it."""
