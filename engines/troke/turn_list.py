"""A list of turns whose members are made when they are asked for: it keeps sets, and how many turns they stand for.

It consists of segments and of a set of single steps (see `step_table`). A segment is the beginning of turns, the set of
circles on which they may end, and the number of turns up to the end of the segment.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from engines.troke.turns import DIGIT, circles

Segment: TypeAlias = tuple[int, int, int]
LAST_CIRCLE: Final = DIGIT - 1
"""The bits of a turn that hold the circle on which it ends."""


class TurnList:
    """Turns without duplicates."""

    __slots__ = ("count", "segments", "steps", "turns")

    turns: list[int]
    """The turn of each step that may be in the set."""
    steps: int
    segments: list[Segment]
    count: int

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        if index < 0:
            index += self.count
        if not 0 <= index < self.count:
            raise IndexError(index)
        before = 0
        for start, ends, up_to in self.segments:
            if index < up_to:
                return start | _nth(ends, index - before) << 1
            before = up_to
        return self.turns[_nth(self.steps, index - before)]

    def __iter__(self) -> Iterator[int]:
        found = [start | end << 1 for start, ends, _ in self.segments for end in circles(ends)]
        return iter(found + [self.turns[step] for step in circles(self.steps)])

    def __contains__(self, turn: object) -> bool:
        return any(turn == one for one in self)


class Listed(TurnList):
    """The given turns."""

    __slots__ = ()

    def __init__(self, turns: Iterable[int]) -> None:
        self.turns, self.steps = [], 0
        self.segments = [
            (turn & ~LAST_CIRCLE, 1 << ((turn & LAST_CIRCLE) >> 1), index) for index, turn in enumerate(turns, start=1)
        ]
        self.count = len(self.segments)


def _nth(among: int, index: int) -> int:
    """Return the circle or step with that index in a set."""
    while index:
        among &= among - 1
        index -= 1
    return (among & -among).bit_length() - 1
