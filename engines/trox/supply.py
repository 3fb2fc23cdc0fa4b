"""The common supply: the kinds of pieces, and how many are left of each."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from engines.trox.pieces import KIND_NUMBERS, KINDS, PIECES

_ROUND: Final = ("NBR", "BRN", "RNB")
"""The kinds whose colours are in the same cyclic order as NBR."""


@dataclass(frozen=True, slots=True)
class Heap:
    """Identical pieces, and the kinds as which they can be laid."""

    kinds: tuple[int, ...]
    pieces: int


def heap(pieces: int, *kinds: str) -> Heap:
    return Heap(tuple(KIND_NUMBERS[kind] for kind in kinds), pieces)


HEAPS: Final[dict[str, tuple[Heap, ...]]] = {
    "6x2": tuple(heap(2, kind) for kind in KINDS),
    "3x4": tuple(heap(4, kind) for kind in _ROUND),
    # Turning a piece over reverses its colours: A and B are exchanged.
    "3x4_flip": tuple(heap(4, kind, kind[::-1]) for kind in _ROUND),
    "identical": (heap(PIECES, "NBR"),),
    "free": (heap(PIECES, *KINDS),),
}
"""The heaps of each `tileset`."""


class Supply:
    """The pieces that are left of each heap. There is one object for each state of the supply of a tileset."""

    __slots__ = ("_after", "heaps", "kinds", "left")

    def __init__(self, heaps: tuple[Heap, ...], left: tuple[int, ...]) -> None:
        self.heaps = heaps
        self.left = left
        self.kinds = tuple(
            sorted([kind for heap, many in zip(heaps, left, strict=True) if many for kind in heap.kinds])
        )
        """The kinds that can still be laid, in order."""
        self._after: dict[int, Supply] = {}

    def without(self, kind: int) -> "Supply":
        """Return the supply after one piece of `kind` has been taken."""
        if kind not in self._after:
            left = tuple([many - (kind in heap.kinds) for heap, many in zip(self.heaps, self.left, strict=True)])
            self._after[kind] = _supply(self.heaps, left)
        return self._after[kind]


@cache
def _supply(heaps: tuple[Heap, ...], left: tuple[int, ...]) -> Supply:
    return Supply(heaps, left)


def full(tileset: str) -> Supply:
    heaps = HEAPS[tileset]
    return _supply(heaps, tuple(heap.pieces for heap in heaps))
