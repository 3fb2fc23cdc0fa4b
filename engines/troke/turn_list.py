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

    __slots__ = ("_many", "_segments", "_steps", "_turns")

    def __init__(self, turns: list[int], steps: int, segments: list[Segment]) -> None:
        self._turns = turns
        """The turn of each step of the set."""
        self._steps = steps
        self._segments = segments
        self._many = steps.bit_count() + (segments[-1][2] if segments else 0)

    def __len__(self) -> int:
        return self._many

    def __getitem__(self, index: int) -> int:
        left = index if index >= 0 else index + self._many
        if not 0 <= left < self._many:
            raise IndexError(index)
        before = 0
        for start, ends, up_to in self._segments:
            if left < up_to:
                return start | _nth(ends, left - before) << 1
            before = up_to
        return self._turns[_nth(self._steps, left - before)]

    def __iter__(self) -> Iterator[int]:
        found = [start | end << 1 for start, ends, _ in self._segments for end in circles(ends)]
        return iter(found + [self._turns[step] for step in circles(self._steps)])

    def __contains__(self, turn: object) -> bool:
        return any(turn == one for one in self)


def listed(turns: Iterable[int]) -> TurnList:
    """Return the list of the given turns other than a pass."""
    segments = [
        (turn & ~LAST_CIRCLE, 1 << ((turn & LAST_CIRCLE) >> 1), index) for index, turn in enumerate(turns, start=1)
    ]
    return TurnList([], 0, segments)


def _nth(among: int, index: int) -> int:
    """Return the circle or step with that index in a set."""
    while index:
        among &= among - 1
        index -= 1
    return (among & -among).bit_length() - 1
