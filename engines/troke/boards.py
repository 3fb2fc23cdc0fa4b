"""The boards: circles, lines, the four start rows, and the forward direction of each colour.

No readable drawing of the original board is known, so a board is data. The four boards that come with the game follow
simple rules and are computed here; others can be loaded (see `own_board`).
"""

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

Place: TypeAlias = tuple[int, int]

COLOURS: Final = ("red", "blue", "white", "yellow")
"""The colours in the order of play. The start row of each is on one edge of the board, its goal row opposite."""
EDGES: Final = ("S", "W", "N", "E")
"""The edge of the board on which the start row of each colour lies."""
AHEAD: Final[tuple[Place, ...]] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Forward direction of each colour if its start row is parallel to its edge."""

NAME: Final = re.compile(r"[a-z][1-9][0-9]?", re.ASCII)
"""Pattern of the name of a circle."""
FILES: Final = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Board:
    """A board. Circles are numbered in the order of their names, and all other fields use these numbers."""

    names: tuple[str, ...]
    places: tuple[Place, ...]
    lines: tuple[tuple[int, int], ...]
    rows: tuple[tuple[int, ...], ...]
    """The four circles of each colour's start row."""
    ahead: tuple[Place, ...]
    """The forward direction of each colour."""

    def advance(self, colour: int, start: int, to: int) -> int:
        """Return how far a step leads forward: positive forward, 0 sideways, negative backward."""
        (x, y), (to_x, to_y) = self.places[start], self.places[to]
        right, up = self.ahead[colour]
        return (to_x - x) * right + (to_y - y) * up


def opposite(colour: int) -> int:
    """Return the opposite colour: its start row is the goal row of `colour`."""
    return (colour + 2) % 4


def _laid_out(places: list[Place], strides: tuple[Place, ...]) -> Board:
    """Return a board that connects all circles one of `strides` apart, with a start row on each edge."""
    number = {place: index for index, place in enumerate(places)}
    far = max(x for x, _ in places)
    return Board(
        names=tuple(f"{FILES[x]}{y + 1}" for x, y in places),
        places=tuple(places),
        lines=tuple(
            (number[x, y], number[x + right, y + up])
            for x, y in places
            for right, up in strides
            if (x + right, y + up) in number
        ),
        rows=(
            tuple(number[place] for place in places if place[1] == 0),
            tuple(number[place] for place in places if place[0] == 0),
            tuple(number[place] for place in places if place[1] == far),
            tuple(number[place] for place in places if place[0] == far),
        ),
        ahead=AHEAD,
    )


def _square(side: int) -> list[Place]:
    return [(x, y) for y in range(side) for x in range(side)]


_NEXT_TO: Final[tuple[Place, ...]] = ((1, 0), (0, 1), (1, 1), (-1, 1))
_ROUND_A_GAP: Final[tuple[Place, ...]] = ((2, 0), (0, 2), (1, 1), (-1, 1))

BOARDS: Final = {
    "diamond40": _laid_out([(x, y) for x, y in _square(9) if (x + y) % 2], _ROUND_A_GAP),
    "compact32": _laid_out([(x, y) for x, y in _square(6) if 1 <= x <= 4 or 1 <= y <= 4], _NEXT_TO),
    "cross48": _laid_out([(x, y) for x, y in _square(8) if 2 <= x <= 5 or 2 <= y <= 5], _NEXT_TO),
    "octagon52": _laid_out([(x, y) for x, y in _square(8) if 2 <= x + y <= 12 and abs(x - y) <= 5], _NEXT_TO),
}
