"""The plane of triangular cells, without end for all that a game can need.

A cell (x, y, u or d) is an integer: y in the high bits, then x, and the lowest bit is set where the
point is down. So the three neighbours of a cell lie at fixed distances, and whatever is true in one
place is true everywhere by adding a number. Coordinates go from -99 to 99: twelve pieces that touch
do not get a third of that way from the first.
"""

import re
from functools import lru_cache
from typing import Final

CELL: Final = r"(?:0|-?[1-9][0-9]?)\.(?:0|-?[1-9][0-9]?)[ud]"
"""A cell in writing, as a regular expression."""

_PARTS: Final = re.compile(r"(-?[0-9]+)\.(-?[0-9]+)([ud])", re.ASCII)
_ZERO: Final = 128
_X_BITS: Final = 8
_ROW: Final = 1 << (_X_BITS + 1)

AROUND: Final[tuple[tuple[int, int, int], ...]] = ((1, -1, 1 - _ROW), (-1, 1, _ROW - 1))
"""From a cell that points up, or down, to its three neighbours, counter-clockwise."""


def cell_at(x: int, y: int, down: bool) -> int:
    return ((y + _ZERO) << _X_BITS | (x + _ZERO)) << 1 | down


def place_of(cell: int) -> tuple[int, int, bool]:
    """The x and y of a cell, and whether its point is down."""
    return (cell >> 1) % (1 << _X_BITS) - _ZERO, cell // _ROW - _ZERO, cell & 1 == 1


def neighbours(cell: int) -> tuple[int, int, int]:
    """The cells across its three sides, counter-clockwise."""
    first, second, third = AROUND[cell & 1]
    return cell + first, cell + second, cell + third


def corners(cell: int) -> set[tuple[int, int]]:
    """The three points of the lattice that a cell lies between."""
    x, y, down = place_of(cell)
    return {(x + 1, y), (x, y + 1), (x + 1, y + 1) if down else (x, y)}


@lru_cache(maxsize=8192)
def cell_name(cell: int) -> str:
    x, y, down = place_of(cell)
    return f"{x}.{y}{'ud'[down]}"


@lru_cache(maxsize=8192)
def cell_named(name: str) -> int:
    """The cell of a name that `CELL` matches."""
    x, y, point = re.findall(_PARTS, name)[0]
    return cell_at(int(x), int(y), point == "d")
