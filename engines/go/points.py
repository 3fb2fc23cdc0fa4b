"""The points of a board: one bit for each, their names, their neighbours, and where handicap stones are placed.

Each row has one bit more than it has points. This bit is never set, so that a shift does not lead from the end of a row
to another row.
"""

from functools import lru_cache
from typing import Any, Final

LETTERS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The columns: I is left out."""
MIN_SIZE: Final = 2
MAX_SIZE: Final = len(LETTERS)

SMALLEST_WITH_HANDICAP: Final = 7
SMALLEST_WITH_NINE: Final = 9
"""Smaller boards, and those with an even size, have no middle lines for more than four stones."""
SMALLEST_WITH_FOURTH_LINE: Final = 13
"""Handicap stones are on the third line of smaller boards."""
CORNERS: Final = ((0, 0), (2, 2), (0, 2), (2, 0))
SIDES: Final = ((0, 1), (2, 1), (1, 0), (1, 2))
"""Column and row of handicap stones: 0 near the lower or left edge, 1 in the middle, 2 near the other edge."""
MIDDLE: Final = (1, 1)


class Points:
    """The points of a square board of one size."""

    __slots__ = ("all", "bits", "by_name", "names", "size", "sorted_names", "width")

    def __init__(self, size: int) -> None:
        self.size = size
        self.width = size + 1
        self.bits = tuple([1 << row * self.width + column for row in range(size) for column in range(size)])
        """One bit for each point, from A1 along the rows."""
        self.names = tuple([f"{LETTERS[column]}{row + 1}" for row in range(size) for column in range(size)])
        self.by_name = dict(zip(self.names, self.bits, strict=True))
        self.sorted_names = tuple(sorted(self.by_name.items()))
        """Name and bit of each point, sorted as text."""
        self.all = sum(self.bits)

    def __reduce__(self) -> tuple[Any, ...]:
        return points_of, (self.size,)

    def next_to(self, points: int) -> int:
        """Return all points that are neighbours of one of these."""
        width = self.width
        return (points << 1 | points >> 1 | points << width | points >> width) & self.all

    def fill(self, seed: int, within: int) -> int:
        """Return the points of `seed`, and those of `within` that are connected to them."""
        width = self.width
        while True:
            grown = seed | ((seed << 1 | seed >> 1 | seed << width | seed >> width) & within)
            if grown == seed:
                return seed
            seed = grown

    def listed(self, points: int) -> list[str]:
        """Return the names of points, from A1 along the rows."""
        return [name for name, bit in zip(self.names, self.bits, strict=True) if bit & points]


@lru_cache(maxsize=MAX_SIZE)
def points_of(size: int) -> Points:
    return Points(size)


def max_handicap(size: int) -> int:
    """Return the highest number of handicap stones on a board of this size."""
    if size < SMALLEST_WITH_HANDICAP:
        return 0
    return 9 if size % 2 and size >= SMALLEST_WITH_NINE else 4


def handicap_stones(size: int, many: int) -> int:
    """Return the points of the handicap stones, as the command `fixed_handicap` of GTP places them."""
    line = 3 if size >= SMALLEST_WITH_FOURTH_LINE else 2
    at = (line, size // 2, size - 1 - line)
    places = (*CORNERS, *SIDES)[: many - many % 2] if many > len(CORNERS) else CORNERS[:many]
    if many > len(CORNERS) and many % 2:
        places = (*places, MIDDLE)
    width = points_of(size).width
    return sum([1 << at[row] * width + at[column] for column, row in places])
