"""Encoding of a move as an integer.

The lowest six bits are the card. Up to four parts of fourteen bits follow, the first part lowest: seven bits for the
place that a pawn leaves and seven for the place that it goes to. A move without parts is a discard. Two flags above the
parts mark the swap of a jack and the gift of a card. The bits above the flags are a set of ring cells: those whose
pawns a 7 kills in passing, if the player may choose.
"""

from collections.abc import Sequence
from typing import Final

CARD_BITS: Final = 6
PLACE_BITS: Final = 7
PART_BITS: Final = 14
START_SHIFT: Final = CARD_BITS + PLACE_BITS
CARD_MASK: Final = 63
PLACE_MASK: Final = 127
SWAP: Final = 1 << 62
GIFT: Final = 1 << 63
PARTS_MASK: Final = SWAP - 1
KILLS_SHIFT: Final = 64


def way(start: int, to: int) -> int:
    """Return a move of one part, without a card."""
    return (start << PLACE_BITS | to) << CARD_BITS


def divided_way(parts: Sequence[int]) -> int:
    """Return a move of several parts in the given order, without a card."""
    move = 0
    for part in reversed(parts):
        move = move << PART_BITS | part
    return move << CARD_BITS


def parts_of(move: int) -> list[tuple[int, int]]:
    """Return the parts of a move in order: the place that each leaves, and the place that it goes to."""
    parts = (move & PARTS_MASK) >> CARD_BITS
    found = []
    while parts:
        found.append((parts >> PLACE_BITS & PLACE_MASK, parts & PLACE_MASK))
        parts >>= PART_BITS
    return found
