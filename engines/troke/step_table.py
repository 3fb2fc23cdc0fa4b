"""Numbers of the single steps on a board, and the layout of the integer that keeps all sets of a position.

A step is a shape, the circle it leaves and the circle it enters. Steps are numbered in the order of their turns, so a
set of steps is an integer with one bit per step. All sets that the search needs are packed into one integer, the
*packed* sets. When a piece moves, `traces` tells which bits change. From the lowest bits upwards, it consists of

    blocked      the steps to circles where there is a piece of the same shape
    first        the steps to circles where there is a piece of the next shape that can be captured (TWM, in a circle)
    second       the steps to circles where there is a piece of the shape after that, which can be captured
    occupied     the circles of all towers, walls and moats
    loose        those that can be captured: the ones not on their owner's goal row
    leaving      the steps that lead away from the pieces of each colour, allowed or not
"""

from functools import lru_cache

from engines.troke.boards import Board
from engines.troke.turns import SHAPES, standing_on, stepped

COLOUR_ORDER = (0, 2, 1, 3)
"""Red and White come first, because a game of two seats has only them."""


class StepTable:
    """The steps of a board."""

    __slots__ = ("_entering", "_number", "circles", "every_circle", "leaving", "occupied", "second", "steps", "turns")

    def __init__(self, board: Board) -> None:
        self.circles = len(board.names)
        self.every_circle = (1 << self.circles) - 1
        pairs = sorted(pair for one, other in board.lines for pair in ((one, other), (other, one)))
        shapes = range(len(SHAPES))
        self.steps = len(SHAPES) * len(pairs)
        """The number of steps, which is the width of a set of steps."""
        self.second, self.occupied = 2 * self.steps, 3 * self.steps
        """Places in the packed sets."""
        self.turns = [
            stepped(standing_on(shape, at), to, captures)
            for captures in (False, True)
            for shape in shapes
            for at, to in pairs
        ]
        """Each step as a turn, first all without and then all with a capture."""
        self._number = {turn: number for number, turn in enumerate(self.turns[: self.steps])}
        self.leaving = self._sets([pair[0] for pair in pairs])
        """The steps of each shape from each circle."""
        self._entering = self._sets([pair[1] for pair in pairs])

    def bit(self, turn: int) -> int:
        """Return the set of the step that is this turn; it is empty if the turn is not a step without a capture."""
        number = self._number.get(turn)
        return 0 if number is None else 1 << number

    def traces(self, colour: int, shape: int, goal: int) -> list[int]:
        """Return the bits of the packed sets that are set for a piece on each circle; `goal` is its goal row."""
        return [self._trace(colour, shape, circle, bool(goal & 1 << circle)) for circle in range(self.circles)]

    def shift(self, colour: int) -> int:
        """Return the place of the steps `leaving` pieces of a colour in the packed sets."""
        return (3 + COLOUR_ORDER[colour]) * self.steps + 2 * len(SHAPES) * self.circles

    def capturing(self, shape: int, circle: int) -> tuple[int, int]:
        """Return the steps that capture a piece: those of the shape before it, and of the one after it."""
        return self._entering[(shape + 2) % 3][circle], self._entering[(shape + 1) % 3][circle]

    def _trace(self, colour: int, shape: int, circle: int, arrived: bool) -> int:
        first, second = (0, 0) if arrived else self.capturing(shape, circle)
        place = 1 << shape * self.circles + circle
        there = place if arrived else place | place << len(SHAPES) * self.circles
        return (
            self._entering[shape][circle]
            | first << self.steps
            | second << 2 * self.steps
            | there << 3 * self.steps
            | self.leaving[shape][circle] << self.shift(colour)
        )

    def _sets(self, circle_of: list[int]) -> list[list[int]]:
        found = [[0] * self.circles for _ in SHAPES]
        for shape in range(len(SHAPES)):
            for index, circle in enumerate(circle_of):
                found[shape][circle] |= 1 << shape * len(circle_of) + index
        return found


@lru_cache(maxsize=64)
def table_of(board: Board) -> StepTable:
    return StepTable(board)
