"""The moves of a fast position as a sequence that makes a move only when somebody asks for it.

A move is a sum: of the pawn that walks and a cell of its colour, or of a spot and the way to lay a piece on it. The
number of moves follows from the numbers of summands. So a random playout, which needs only the number of moves and one
of them, does not make hundreds of others.
"""

from collections.abc import Iterator
from typing import Final

Summands = tuple[int, ...]


class MoveSequence:
    """The sums of each start, shifted by `shift` bits, and each end, in up to three groups that follow each other."""

    __slots__ = (
        "_ends",
        "_length",
        "_second_at",
        "_second_ends",
        "_second_starts",
        "_shift",
        "_starts",
        "_third_at",
        "_third_ends",
        "_third_starts",
    )

    def __init__(
        self,
        shift: int,
        starts: Summands,
        ends: Summands,
        second_starts: Summands = (),
        second_ends: Summands = (),
        third_starts: Summands = (),
        third_ends: Summands = (),
    ) -> None:
        # A list of groups would be shorter, but listing the walks and picking one would take 40 % more time.
        self._shift = shift
        self._starts = starts
        self._ends = ends
        self._second_starts = second_starts
        self._second_ends = second_ends
        self._third_starts = third_starts
        self._third_ends = third_ends
        self._second_at = second_at = len(starts) * len(ends)
        self._third_at = third_at = second_at + len(second_starts) * len(second_ends)
        self._length = third_at + len(third_starts) * len(third_ends)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> int:
        """Return a move by its index, which may be negative as that of a list. Raises IndexError."""
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        if index < self._second_at:
            starts, ends = self._starts, self._ends
        elif index < self._third_at:
            index -= self._second_at
            starts, ends = self._second_starts, self._second_ends
        else:
            index -= self._third_at
            starts, ends = self._third_starts, self._third_ends
        many = len(ends)
        return (starts[index // many] << self._shift) + ends[index % many]

    def __iter__(self) -> Iterator[int]:
        shift = self._shift
        found = [start + end for start in [start << shift for start in self._starts] for end in self._ends]
        found += [(start << shift) + end for start in self._second_starts for end in self._second_ends]
        found += [(start << shift) + end for start in self._third_starts for end in self._third_ends]
        return iter(found)


NO_MOVES: Final = MoveSequence(0, (), ())


def listed(moves: list[int]) -> MoveSequence:
    """Return a sequence of given moves."""
    return MoveSequence(0, tuple(moves), (0,))
