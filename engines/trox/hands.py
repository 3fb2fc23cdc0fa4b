"""Hands: the pawns that a seat has yet to place, as an integer with two bits per colour, black lowest."""

from typing import Final

from engines.trox.pieces import COLOURS

FULL_HAND: Final = 0b10_10_10


def one_pawn(colour: int) -> int:
    """Return a hand with one pawn of this colour."""
    return 1 << 2 * colour


def in_hand(hand: int, colour: int) -> int:
    """Return how many pawns of a colour are in a hand."""
    return hand >> 2 * colour & 3


def pawns_in(hand: int) -> int:
    return sum(in_hand(hand, colour) for colour in range(len(COLOURS)))


def held(hand: int) -> tuple[int, ...]:
    """Return the colours of the pawns in a hand."""
    return _HELD[hand]


def hand_text(hand: int) -> str:
    """Return the letters of the colours in a hand, or - for an empty one."""
    return _TEXTS[hand]


def _text(hand: int) -> str:
    return "".join([letter * in_hand(hand, colour) for colour, letter in enumerate(COLOURS)]) or "-"


_HELD: Final = [tuple(colour for colour in range(3) if in_hand(hand, colour)) for hand in range(FULL_HAND + 1)]
_TEXTS: Final = [_text(hand) for hand in range(FULL_HAND + 1)]
