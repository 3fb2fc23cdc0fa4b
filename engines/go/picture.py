"""Drawing of the board for a terminal."""

from engines.go.notation import COLOURS
from engines.go.points import LETTERS
from engines.go.stones import Stones

SIGNS = {"black": "●", "white": "○"}
EMPTY = "·"


def picture(stones: Stones) -> str:
    """Return the rows, with the stones."""
    points = stones.points
    signs = [_sign(stones, bit) for bit in points.bits]
    rows = [
        f"{row + 1:2} {' '.join(signs[row * points.size : (row + 1) * points.size])}"
        for row in range(points.size - 1, -1, -1)
    ]
    return "\n".join([*rows, f"   {' '.join(LETTERS[: points.size])}"])


def caption(stones: Stones, barred: int, plies: int) -> str:
    """Return what the drawing of an unfinished game does not show."""
    said = [f"{SIGNS[COLOURS[stones.mover]]} {COLOURS[stones.mover]} to move"]
    if stones.passes:
        said.append(f"{COLOURS[1 - stones.mover]} has passed")
    if barred:
        said.append(f"ko forbids {' '.join(stones.points.listed(barred))}")
    said.append(f"{plies} plies")
    return ", ".join(said)


def _sign(stones: Stones, bit: int) -> str:
    if bit & stones.empty:
        return EMPTY
    return SIGNS["black" if bit & stones.black else "white"]
