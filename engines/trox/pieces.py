"""The pieces: where a piece may lie, the cells around it, and the colours of its cells.

A spot is the place of a piece, as an integer: its middle cell, and which of the three neighbours of the middle is the
excluded cell, which is not part of the piece. Counter-clockwise from the excluded cell come the outer cells A and B. A
kind is the order of the colours: in NBR, A is black, the middle blue, and B red.

Around every piece there is a ring of sixteen cells that share a side or a point with it. What is laid in the ring, as a
set of sixteen bits, decides whether a piece fits (see `holes`).
"""

from itertools import product
from typing import Final

from engines.trox.lattice import AROUND, cell_at, corners, neighbours

COLOURS: Final = "NBR"
COLOUR_NAMES: Final = ("black", "blue", "red")
KINDS: Final = ("BNR", "BRN", "NBR", "NRB", "RBN", "RNB")
"""The six orders of colours, sorted."""
KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
COLOURS_OF: Final = tuple(tuple(COLOURS.index(letter) for letter in kind) for kind in KINDS)
"""Colours of A, middle and B as numbers, by kind."""

PIECES: Final = 12
TURN_BITS: Final = 2
RING_CELLS: Final = 16
COVERED: Final = 1 << RING_CELLS
"""Bit above those of the ring: the spot itself is not free."""


def spot_of(middle: int, excluded: int) -> int | None:
    """Return the spot, or None if the two cells are not neighbours."""
    if excluded not in neighbours(middle):
        return None
    return middle << TURN_BITS | neighbours(middle).index(excluded)


def middle_of(spot: int) -> int:
    return spot >> TURN_BITS


def excluded_of(spot: int) -> int:
    middle = middle_of(spot)
    return middle + AROUND[middle & 1][spot & 3]


def cells_of(spot: int) -> tuple[int, int, int]:
    """Return the cells A, middle and B."""
    middle = middle_of(spot)
    around = AROUND[middle & 1]
    turn = spot & 3
    return middle + around[turn - 2], middle, middle + around[turn - 1]


def ring_of(spot: int) -> list[int]:
    """Return the cells around a piece in order, starting with the excluded one."""
    cells = cells_of(spot)
    points = set().union(*map(corners, cells))
    ring = [excluded_of(spot)]
    met = {*cells, *ring}
    while len(ring) < RING_CELLS:
        # The ring is a closed strip: each of its cells has two neighbours in it.
        following = next(cell for cell in neighbours(ring[-1]) if cell not in met and corners(cell) & points)
        ring.append(following)
        met.add(following)
    return ring


def orientation(spot: int) -> int:
    """Return which of the six orientations a piece has, as an index of `NEAR`."""
    return spot & 7


_SPOTS_HERE: Final = [cell_at(0, 0, down) << TURN_BITS | turn for down in (False, True) for turn in range(3)]
FIRST: Final = _SPOTS_HERE[2]
"""The spot of the first piece: on 0.0u, without 0.-1d."""
CONTACTS: Final = sum(
    1 << place for place, cell in enumerate(ring_of(FIRST)) if set(neighbours(cell)) & set(cells_of(FIRST))
)
"""The cells of the ring that share a side with the piece."""


def _felt(spot: int) -> list[tuple[int, int]]:
    """Return the cells that affect a spot, each with the bits that are set when it is laid."""
    ring = [(cell, 1 << place) for place, cell in enumerate(ring_of(spot))]
    return ring + [(cell, COVERED) for cell in cells_of(spot)]


Near = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]
"""Distances to the spots that a piece covers, and to the others that it affects, each with the bits that are set."""


def _near() -> list[Near]:
    near: list[dict[int, int]] = [{} for _ in range(8)]
    for laid, spot in product(_SPOTS_HERE, _SPOTS_HERE):
        seen = near[orientation(laid)]
        for (cell, means), laid_cell in product(_felt(spot), cells_of(laid)):
            if cell & 1 == laid_cell & 1:
                # The distance of the spot for which the two cells are the same one.
                far = spot - laid + (laid_cell - cell << TURN_BITS)
                seen[far] = seen.get(far, 0) | means
    return [_parted(seen) for seen in near]


def _parted(seen: dict[int, int]) -> Near:
    far = {distance: bits for distance, bits in seen.items() if bits < COVERED}
    return tuple(seen.keys() - far.keys()), tuple(far.items())


NEAR: Final = _near()
"""What a piece affects, by orientation."""
