"""Sets of cells of a ground, as integers of 36 bits: the black cells, then the blue ones, then the red ones.

Every piece has one cell of each colour. So the cell of colour c on the piece laid as number p has the number 12 c + p,
and the cells of one colour are twelve bits, which a table converts to numbers.
"""

from functools import lru_cache
from typing import Final

from engines.trox.pieces import COLOURS, PIECES

CELLS: Final = PIECES * len(COLOURS)
OF_A_COLOUR: Final = (1 << PIECES) - 1
OF_A_PIECE: Final = sum(1 << PIECES * colour for colour in range(len(COLOURS)))
"""The cells of the piece laid first; those of piece p are shifted by p bits."""


def colour_of(number: int) -> int:
    return number // PIECES


def _numbers(first: int) -> list[tuple[int, ...]]:
    """Return by set of cells of one colour their numbers, counted from `first`."""
    table: list[tuple[int, ...]] = [()]
    for cells in range(1, OF_A_COLOUR + 1):
        highest = cells.bit_length() - 1
        table.append((*table[cells ^ 1 << highest], first + highest))
    return table


NUMBERS: Final = tuple(_numbers(PIECES * colour) for colour in range(len(COLOURS)))
"""Numbers of the cells in a set of one colour, by colour and by the set as the twelve lowest bits."""


@lru_cache(maxsize=1 << 12)
def numbers_in(cells: int) -> tuple[int, ...]:
    """Return the numbers of the cells in a set."""
    black, blue, red = NUMBERS
    return black[cells & OF_A_COLOUR] + blue[cells >> PIECES & OF_A_COLOUR] + red[cells >> 2 * PIECES]
