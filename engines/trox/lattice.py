"""The plane of triangular cells, large enough for every game.

A cell (x, y, u or d) is an integer: rows of a fixed length by y, in them x, and the lowest bit is set if the cell
points down. So
the three neighbours of a cell are at fixed distances, and shapes can be moved by adding a number. Coordinates range
from -99 to 99; twelve connected pieces reach less than a third of that distance from the first.
"""

import re
from functools import lru_cache
from typing import Final

CELL: Final = r"(?:0|-?[1-9][0-9]?)\.(?:0|-?[1-9][0-9]?)[ud]"
"""Regular expression of the name of a cell."""

_PARTS: Final = re.compile(r"(-?[0-9]+)\.(-?[0-9]+)([ud])", re.ASCII)
_ZERO: Final = 128
_ROW: Final = 2 * 283
"""Distance to the same cell of the next row. Twice an odd number, so that the hashes of near cells differ: laying a
piece takes 3 to 6 % less."""

AROUND: Final[tuple[tuple[int, int, int], ...]] = ((1, -1, 1 - _ROW), (-1, 1, _ROW - 1))
"""Distances from a cell that points up, or down, to its three neighbours, counter-clockwise."""


def cell_at(x: int, y: int, down: bool) -> int:
    return (y + _ZERO) * _ROW + (x + _ZERO) * 2 + down


def place_of(cell: int) -> tuple[int, int, bool]:
    """Return the x and y of a cell, and whether it points down."""
    row, along = divmod(cell, _ROW)
    return (along >> 1) - _ZERO, row - _ZERO, cell & 1 == 1


def neighbours(cell: int) -> tuple[int, int, int]:
    """Return the cells across the three sides of a cell, counter-clockwise."""
    first, second, third = AROUND[cell & 1]
    return cell + first, cell + second, cell + third


def corners(cell: int) -> set[tuple[int, int]]:
    """Return the three points of the lattice that are the corners of a cell."""
    x, y, down = place_of(cell)
    return {(x + 1, y), (x, y + 1), (x + 1, y + 1) if down else (x, y)}


@lru_cache(maxsize=8192)
def cell_name(cell: int) -> str:
    x, y, down = place_of(cell)
    return f"{x}.{y}{'ud'[down]}"


@lru_cache(maxsize=8192)
def cell_named(name: str) -> int:
    """Return the cell with this name, which must match `CELL`."""
    x, y, point = re.findall(_PARTS, name)[0]
    return cell_at(int(x), int(y), point == "d")
