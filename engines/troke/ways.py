"""The steps of a colour: sets of circles by circle, computed once for a board and its rules.

A set of circles is an integer with one bit per circle.
"""

from functools import lru_cache
from typing import TypeAlias

from engines.troke.boards import Board, opposite
from engines.troke.step_table import table_of
from engines.troke.turns import DIGIT, DIGIT_BITS, SHAPES, circles, standing_on, stepped

Hit: TypeAlias = tuple[int, int, int, int, int, int, int, int]
"""A step that captures: the beginning of the turns that go on after it, the circles that it leaves and enters, as sets,
the former again if it can be entered from the latter, all circles that can be entered from there, the shape that is
captured, the third shape, and the one that moves."""


class Ways:
    """The steps of one colour."""

    __slots__ = (
        "allowed",
        "arriving",
        "back",
        "enters",
        "goal",
        "hits",
        "lines",
        "others",
        "row",
        "shift",
        "side_rows",
        "start",
        "start_full",
        "steps",
        "traces",
    )

    def __init__(self, board: Board, colour: int, side_rows_open: bool, frozen: bool) -> None:
        self.start = row_of(board, colour)
        self.goal = row_of(board, opposite(colour))
        self.side_rows = 0 if side_rows_open else row_of(board, colour + 1) | row_of(board, colour - 1)
        """The circles that this colour may not enter."""
        self.lines = [0] * len(board.names)
        """All circles that a line connects to each circle."""
        for one, other in board.lines:
            self.lines[one] |= 1 << other
            self.lines[other] |= 1 << one
        self.row = [lines & self.goal if 1 << at & self.goal else 0 for at, lines in enumerate(self.lines)]
        """The neighbours in the row of each circle of the goal row."""
        self.enters = [self._entered(board, colour, at) for at in range(len(board.names))]
        """The circles that an assembly may enter from each circle."""
        self.steps = [0 if frozen and 1 << at & self.goal else to for at, to in enumerate(self.enters)]
        """The circles that a piece may enter from each circle if it begins its turn there."""
        table = table_of(board)
        self.back = self._reversals(board, colour)
        """The step straight back after each plain sideways step, as a set of one step, if the piece could make it."""
        self.allowed = sum(1 << number for number in range(table.steps) if self._allows(table.turns[number]))
        """The steps that a piece may begin its turn with."""
        self.arriving = sum(
            1 << number for number in range(table.steps) if self.goal & 1 << ((table.turns[number] & DIGIT) >> 1)
        )
        """The steps to a circle of the goal row."""
        self.others = [[~steps for steps in of_shape] for of_shape in table.leaving]
        """All steps but those of each shape from each circle."""
        self.traces = [table.traces(colour, shape, self.goal) for shape in range(len(SHAPES))]
        """The packed sets of a single piece of each shape on each circle."""
        self.shift = table.shift(colour)
        """The place of the steps that leave the pieces of this colour, in the packed sets."""
        self.start_full = sum(self.start << shape * table.circles for shape in range(3)) << 3 * table.steps
        """The packed set of all circles of the start row, for each shape."""
        self.hits = [
            self._hit(table.turns[table.steps + number], next_one)
            for next_one in (1, 2)
            for number in range(table.steps)
        ]
        """Each step that captures the next shape, and then each that captures the one after it."""

    def _entered(self, board: Board, colour: int, at: int) -> int:
        if 1 << at & self.goal:
            return self.row[at]
        to = sum(1 << circle for circle in circles(self.lines[at]) if board.advance(colour, at, circle) >= 0)
        return to & ~self.side_rows

    def _allows(self, step: int) -> bool:
        return bool(self.steps[step >> DIGIT_BITS & DIGIT] & 1 << ((step & DIGIT) >> 1))

    def _hit(self, step: int, further: int) -> Hit:
        start, to, shape = step >> DIGIT_BITS & DIGIT, (step & DIGIT) >> 1, (step >> 2 * DIGIT_BITS) - 1
        captured, other = (shape + further) % 3, (shape - further) % 3
        return (
            step << DIGIT_BITS,
            1 << start,
            1 << to,
            1 << start & self.enters[to],
            self.enters[to],
            captured,
            other,
            shape,
        )

    def _reversals(self, board: Board, colour: int) -> dict[int, int]:
        table = table_of(board)
        return {
            stepped(standing_on(shape, at), to, False): table.bit(stepped(standing_on(shape, to), at, False))
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
