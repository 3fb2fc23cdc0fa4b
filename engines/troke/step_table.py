"""Numbers of the single steps of a game, and the layout of the integer that holds all sets of a position.

A step is a shape, the circle that it leaves and the circle that it enters. Steps are numbered in the order of their
turns, so a set of steps is an integer with one bit per step. The *packed* sets of a position are, from the lowest bits:

    blocked      the steps to circles where a piece of the same shape stands
    first        the steps to circles where a piece of the next shape stands, after a moat a tower, that can be captured
    second       the steps to circles where a piece of the shape after that stands, that can be captured
    occupied     the circles of all towers, walls and moats
    loose        those of them that can be captured: the ones that are not on their owner's goal row
    leaving      for each seat, the steps that lead away from its pieces, whether a rule allows them or not

A piece that moves changes the bits of two *traces*: the packed sets of that piece alone on each circle.
"""

from functools import lru_cache
from typing import TypeAlias

from engines.troke.turns import DIGIT, DIGIT_BITS, SHAPES, circles, standing_on, stepped
from engines.troke.ways import Ways

Hit: TypeAlias = tuple[int, int, int, int, int, int, int, int]
"""A step that captures: the beginning of the turns that go on after it, the circles that it leaves and enters, as sets,
the former again if it can be entered from the latter, all circles that can be entered from there, the shape that is
captured, the third shape, and the one that moves."""
THREE = range(len(SHAPES))


class StepTable:
    """The steps of the seats of a game."""

    def __init__(self, all_ways: tuple[Ways, ...]) -> None:
        self.circles = len(all_ways[0].lines)
        self.every_circle = (1 << self.circles) - 1
        pairs = sorted({(at, to) for ways in all_ways for at, ends in enumerate(ways.enters) for to in circles(ends)})
        self.steps = len(SHAPES) * len(pairs)
        """The number of steps, which is the width of a set of them."""
        self.turns = [
            stepped(standing_on(shape, at), to, captures)
            for captures in (False, True)
            for shape in THREE
            for at, to in pairs
        ]
        """Each step as a turn: first all without a capture, then all with one."""
        self.bit = {turn: 1 << number for number, turn in enumerate(self.turns[: self.steps])}
        """Each step without a capture as a set."""
        self.second, self.occupied = 2 * self.steps, 3 * self.steps
        """Places in the packed sets."""
        self.leaving = self._by_circle([at for at, _ in pairs])
        """The steps of each shape from each circle."""
        self.others = [[~steps for steps in of_shape] for of_shape in self.leaving]
        """All steps but those of each shape from each circle."""
        self._entering = self._by_circle([to for _, to in pairs])
        self.seats = [SeatSteps(self, seat, ways) for seat, ways in enumerate(all_ways)]

    def capturing(self, shape: int, circle: int) -> tuple[int, int]:
        """Return the steps that capture a piece: those of the shape before it, and those of the shape after it."""
        return self._entering[(shape + 2) % 3][circle], self._entering[(shape + 1) % 3][circle]

    def trace(self, shape: int, circle: int, arrived: bool) -> int:
        """Return the packed sets of a piece, without the steps that lead away from it."""
        first, second = (0, 0) if arrived else self.capturing(shape, circle)
        place = 1 << shape * self.circles + circle
        there = place if arrived else place | place << len(SHAPES) * self.circles
        return self._entering[shape][circle] | first << self.steps | second << self.second | there << self.occupied

    def packed(self, sets: tuple[int, ...]) -> int:
        """Return the packed sets of a position."""
        found = 0
        for index, pieces in enumerate(sets):
            for circle in circles(pieces):
                found ^= self.seats[index // 3].traces[index % 3][circle]
        return found

    def _by_circle(self, circle_of: list[int]) -> list[list[int]]:
        found = [[0] * self.circles for _ in THREE]
        for shape in THREE:
            for index, circle in enumerate(circle_of):
                found[shape][circle] |= 1 << shape * len(circle_of) + index
        return found


class SeatSteps:
    """The steps of one seat."""

    def __init__(self, table: StepTable, seat: int, ways: Ways) -> None:
        number_of = range(table.steps)
        self.ways = ways
        self.shift = table.occupied + 6 * table.circles + seat * table.steps
        """The place of the steps that lead away from the pieces of this seat, in the packed sets."""
        self.traces = [
            [
                table.trace(shape, circle, bool(ways.goal & 1 << circle)) | table.leaving[shape][circle] << self.shift
                for circle in range(table.circles)
            ]
            for shape in THREE
        ]
        self.start_full = sum(ways.start << shape * table.circles for shape in THREE) << table.occupied
        """The packed sets contain this if the start row is full."""
        self.allowed = sum(1 << number for number in number_of if self._allows(table.turns[number]))
        """The steps with which a piece may begin its turn."""
        self.arriving = sum(1 << number for number in number_of if ways.goal & _entered(table.turns[number]))
        """The steps to a circle of the goal row."""
        self.back = {step: table.bit[back] for step, back in ways.back.items()}
        """The step straight back after each plain sideways step, as a set."""
        self.hits = [
            self._hit(table.turns[table.steps + number], further) for further in (1, 2) for number in number_of
        ]
        """Each step that captures the next shape, and then each that captures the one after it."""

    def _allows(self, step: int) -> bool:
        return bool(self.ways.steps[step >> DIGIT_BITS & DIGIT] & _entered(step))

    def _hit(self, step: int, further: int) -> Hit:
        start, ends, shape = 1 << (step >> DIGIT_BITS & DIGIT), self.ways.enters[(step & DIGIT) >> 1], step >> 16
        captured, other = (shape - 1 + further) % 3, (shape - 1 - further) % 3
        return step << DIGIT_BITS, start, _entered(step), start & ends, ends, captured, other, shape - 1


@lru_cache(maxsize=64)
def table_of(all_ways: tuple[Ways, ...]) -> StepTable:
    return StepTable(all_ways)


def _entered(step: int) -> int:
    return 1 << ((step & DIGIT) >> 1)
