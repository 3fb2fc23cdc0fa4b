"""Decides where a piece fits, from the sixteen cells around it alone.

The ground is connected by sides. If the empty cells around a new piece form two runs, the piece closes a loop: the
ground connects the two contacts, and the piece connects them too. One of the two runs is inside this loop and is cut
off, whatever the rest of the plane looks like. If the empty cells form one run, every path through the spot can be
replaced by one around it, and nothing is cut off. Therefore no search is necessary.

What separates two runs depends on the rule. If empty cells are connected by sides (`edge`), any ground between them
separates them, even if it touches the piece only at a point. If a common point is sufficient (`vertex`), only ground
that shares a side with the piece does.
"""

from functools import cache
from typing import Final

from engines.trox.pieces import CONTACTS, COVERED, RING_CELLS


@cache
def fitting(rule: str) -> bytes:
    """Return a table by what is laid around a spot: 1 if a piece fits by `hole_rule`, 0 if not."""
    parted = {"edge": _parted_by_points, "vertex": _parted_by_sides}.get(rule)
    free = bytes([ring & CONTACTS != 0 and not (parted and parted(ring)) for ring in range(COVERED)])
    return free + bytes(COVERED)  # Nothing fits on a covered spot.


def _parted_by_points(ring: int) -> bool:
    """Return whether the empty cells form several runs if they are connected by sides only."""
    turned = ring >> 1 | (ring & 1) << (RING_CELLS - 1)
    return (ring ^ turned).bit_count() > 2


def _parted_by_sides(ring: int) -> bool:
    """Return whether the empty cells form several runs if a common point connects them."""
    return sum(ring & side != 0 and ring & on != on for side, on in _ALONG) > 1


def _along() -> list[tuple[int, int]]:
    """Return each cell that shares a side with the piece, with the cells along the ring up to the next such cell."""
    places = [place for place in range(RING_CELLS) if CONTACTS >> place & 1]
    ways = []
    for start, end in zip(places, [*places[1:], places[0] + RING_CELLS], strict=True):
        on = sum(1 << place % RING_CELLS for place in range(start + 1, end + 1))
        ways.append((1 << start, on))
    return ways


_ALONG: Final = _along()
