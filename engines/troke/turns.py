"""Encoding of a turn as an integer: the piece, the circle where it starts, and each circle it enters.

A turn is a number in base 256. The first digits are the shape (1 tower, 2 wall, 3 moat) and the number of the start
circle; each further digit is twice the number of the circle entered, plus one if pieces are captured there. So each
turn has exactly one number, and turns of more steps have larger ones. 0 is the pass. A flag above all digits marks a
demand; the functions of this module expect turns without it.
"""

from typing import Final

PASS: Final = 0
SHAPES: Final = ("tower", "wall", "moat")

DIGIT_BITS: Final = 8
DIGIT: Final = 255
STARTS: Final = 1 << 10
"""Smaller numbers are a shape and a circle, before any step."""
TWO_STEPS: Final = STARTS << DIGIT_BITS
"""Smaller numbers are turns of one step."""
MAX_STEPS: Final = 3
DEMAND: Final = 1 << 40
"""Flag above all digits: the player demands that the opposite seat clears its start row (TK-16)."""


def standing_on(shape: int, circle: int) -> int:
    """Return the beginning of every turn of that piece. Shapes count from 0 everywhere except in a turn."""
    return shape + 1 << DIGIT_BITS | circle


def stepped(turn: int, circle: int, captures: bool) -> int:
    """Return the turn with one more step."""
    return turn << DIGIT_BITS | circle << 1 | captures


def start_of(turn: int) -> int:
    """Return the shape and circle that a turn begins with, in the form of `standing_on`."""
    while turn >= STARTS:
        turn >>= DIGIT_BITS
    return turn


def steps_of(turn: int) -> list[tuple[int, bool]]:
    """Return each circle that a turn enters, and whether pieces are captured there."""
    steps = []
    while turn >= STARTS:
        steps.append(((turn & DIGIT) >> 1, bool(turn & 1)))
        turn >>= DIGIT_BITS
    return steps[::-1]


def circles(among: int) -> list[int]:
    """Return the numbers of the circles in a set."""
    found = []
    while among:
        lowest = among & -among
        among ^= lowest
        found.append(lowest.bit_length() - 1)
    return found
