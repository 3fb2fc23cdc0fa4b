"""The moves of a fast position as a sequence that makes a move only when somebody asks for it.

The moves of a position are sums: a pawn that walks and a cell of its colour, a spot and the way to lay a piece on it.
The number of moves follows from the numbers of summands, and a move from two of them. So a random playout, which needs
the number of moves and one of them, does not make hundreds of others.
"""

from collections.abc import Iterator
from typing import Final

Summands = tuple[int, ...]


class MoveSequence:
    """The sums of each of `starts` and each of `ends`, then those of the second pair, then those of the third."""

    __slots__ = ("_ends", "_length", "_second_ends", "_second_starts", "_starts", "_third_ends", "_third_starts")

    def __init__(
        self,
        starts: Summands,
        ends: Summands,
        second_starts: Summands = (),
        second_ends: Summands = (),
        third_starts: Summands = (),
        third_ends: Summands = (),
    ) -> None:
        # A loop over a list of pairs would be shorter and take a third more time.
        self._starts = starts
        self._ends = ends
        self._second_starts = second_starts
        self._second_ends = second_ends
        self._third_starts = third_starts
        self._third_ends = third_ends
        self._length = (
            len(starts) * len(ends) + len(second_starts) * len(second_ends) + len(third_starts) * len(third_ends)
        )

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> int:
        """Return a move by its index, which may be negative as that of a list. Raises IndexError."""
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        many = len(self._ends)
        if index < len(self._starts) * many:
            return self._starts[index // many] + self._ends[index % many]
        index -= len(self._starts) * many
        many = len(self._second_ends)
        if index < len(self._second_starts) * many:
            return self._second_starts[index // many] + self._second_ends[index % many]
        index -= len(self._second_starts) * many
        many = len(self._third_ends)
        return self._third_starts[index // many] + self._third_ends[index % many]

    def __iter__(self) -> Iterator[int]:
        found = [start + end for start in self._starts for end in self._ends]
        found += [start + end for start in self._second_starts for end in self._second_ends]
        found += [start + end for start in self._third_starts for end in self._third_ends]
        return iter(found)


NO_MOVES: Final = MoveSequence((), ())


def listed(moves: list[int]) -> MoveSequence:
    """Return a sequence of given moves."""
    return MoveSequence(tuple(moves), (0,))
