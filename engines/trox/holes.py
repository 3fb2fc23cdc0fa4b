"""Where a piece fits, decided by the sixteen cells around it and nothing else.

The ground hangs together by sides. So where the empty cells around a new piece fall into two runs,
the piece closes a loop: the ground leads from the one contact to the other, the piece leads back,
and of two runs on the two sides of a loop one is inside. It is cut off, whatever the plane looks
like farther away. And where they are one run, every way that led through the spot can go round it,
and nothing is cut off. Nowhere is there a need to search.

What parts two runs depends on the rule. Where empty cells hang together by their sides (`edge`), any
ground between them does, though it touch the piece in a point only. Where a common point will do
(`vertex`), only ground that touches along a side.
"""

from functools import cache
from typing import Final

from engines.trox.pieces import CONTACTS, COVERED, RING_CELLS


@cache
def fitting(rule: str) -> bytes:
    """By what is laid around a spot: 1 where a piece fits by `hole_rule`, 0 where not."""
    parted = {"edge": _parted_by_points, "vertex": _parted_by_sides}.get(rule)
    free = bytes([ring & CONTACTS != 0 and not (parted and parted(ring)) for ring in range(COVERED)])
    return free + bytes(COVERED)  # Nothing fits on a spot that is covered.


def _parted_by_points(ring: int) -> bool:
    """Do the empty cells fall into several runs, if they must share sides?"""
    turned = ring >> 1 | (ring & 1) << (RING_CELLS - 1)
    return (ring ^ turned).bit_count() > 2


def _parted_by_sides(ring: int) -> bool:
    """Do they, if a common point is enough?"""
    return sum(ring & side != 0 and ring & on != on for side, on in _ALONG) > 1


def _along() -> list[tuple[int, int]]:
    """Each cell that shares a side with the piece, and the way on along the ring to the next such."""
    places = [place for place in range(RING_CELLS) if CONTACTS >> place & 1]
    ways = []
    for start, end in zip(places, [*places[1:], places[0] + RING_CELLS], strict=True):
        on = sum(1 << place % RING_CELLS for place in range(start + 1, end + 1))
        ways.append((1 << start, on))
    return ways


_ALONG: Final = _along()
