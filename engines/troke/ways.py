"""The steps of a colour: sets of circles by circle, computed once for a board and its rules.

A set of circles is an integer with one bit per circle.
"""

from functools import lru_cache

from engines.troke.boards import Board, opposite
from engines.troke.turns import SHAPES, circles, standing_on, stepped


class Ways:
    """The steps of one colour."""

    __slots__ = ("back", "enters", "goal", "lines", "row", "side_rows", "start", "steps")

    def __init__(self, board: Board, colour: int, side_rows_open: bool, frozen: bool) -> None:
        self.start = row_of(board, colour)
        self.goal = row_of(board, opposite(colour))
        self.side_rows = 0 if side_rows_open else row_of(board, colour + 1) | row_of(board, colour - 1)
        """The circles that this colour may not enter."""
        self.lines = [0] * len(board.names)
        """All circles that a line connects to each circle."""
        for circle, other in board.lines:
            self.lines[circle] |= 1 << other
            self.lines[other] |= 1 << circle
        self.row = [lines & self.goal if 1 << at & self.goal else 0 for at, lines in enumerate(self.lines)]
        """The neighbours in the row of each circle of the goal row."""
        self.enters = [self._entered(board, colour, at) for at in range(len(board.names))]
        """The circles that an assembly may enter from each circle."""
        self.steps = [0 if frozen and 1 << at & self.goal else to for at, to in enumerate(self.enters)]
        """The circles that a piece may enter from each circle if it begins its turn there."""
        self.back = self._reversals(board, colour)
        """The step straight back after each plain sideways step, as turns, if the piece could make it."""

    def _entered(self, board: Board, colour: int, at: int) -> int:
        if 1 << at & self.goal:
            return self.row[at]
        to = sum(1 << circle for circle in circles(self.lines[at]) if board.advance(colour, at, circle) >= 0)
        return to & ~self.side_rows

    def _reversals(self, board: Board, colour: int) -> dict[int, int]:
        return {
            stepped(standing_on(shape, at), to, False): stepped(standing_on(shape, to), at, False)
            for at, entered in enumerate(self.steps)
            for to in circles(entered)
            if 1 << at & self.steps[to] and (1 << at & self.row[to] or not board.advance(colour, at, to))
            for shape in range(len(SHAPES))
        }


@lru_cache(maxsize=64)
def ways_of(board: Board, colour: int, side_rows_open: bool, frozen: bool) -> Ways:
    """Return the steps of a colour. They are cached for all games because they take long to compute."""
    return Ways(board, colour, side_rows_open, frozen)


def row_of(board: Board, colour: int) -> int:
    """Return the start row of a colour as a set. `colour` is taken modulo 4."""
    return sum(1 << circle for circle in board.rows[colour % 4])
