"""Drawing of the board for a terminal."""

from engines.alquerque.geometry import BITS, FILES, PLACES
from engines.alquerque.men import Men
from engines.alquerque.notation import COLOURS, names

SIGNS = {"white": "○", "black": "●", None: "·"}
BETWEEN = ("│ ╲ │ ╱ │ ╲ │ ╱ │", "│ ╱ │ ╲ │ ╱ │ ╲ │")
"""The lines below ranks 5 and 3, and those below ranks 4 and 2."""


def picture(men: Men) -> str:
    """Return the points and the lines between them."""
    rows = []
    for rank in range(4, -1, -1):
        rows.append(f"{rank + 1} " + "───".join(_sign(men, file, rank) for file in range(5)))
        if rank:
            rows.append("  " + BETWEEN[rank % 2])
    rows.append("  " + "   ".join(FILES))
    return "\n".join(rows)


def caption(men: Men, quiet: int) -> str:
    """Return what the drawing of an unfinished game does not show."""
    said = [f"{SIGNS[COLOURS[men.mover]]} {COLOURS[men.mover]} to move"]
    if men.again:
        said.append("must capture once more")
    if men.huffable:
        said.append(f"may huff {' or '.join(names(men.huffable))}")
    said.append(f"{quiet} plies without a capture")
    return ", ".join(said)


def owner(men: Men, bit: int) -> str | None:
    """Return the colour of the man on a point, or None if the point is empty."""
    if bit & men.own:
        return COLOURS[men.mover]
    return COLOURS[1 - men.mover] if bit & men.enemy else None


def _sign(men: Men, file: int, rank: int) -> str:
    return SIGNS[owner(men, BITS[PLACES.index((file, rank)) + 1])]
