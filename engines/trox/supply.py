"""The common supply: which kinds of pieces there are, and how many of each."""

from dataclasses import dataclass
from typing import Final

from engines.trox.pieces import KIND_NUMBERS, KINDS, PIECES

_ROUND: Final = ("NBR", "BRN", "RNB")
"""One kind and those that have its colours in the same cyclic order."""


@dataclass(frozen=True, slots=True)
class Heap:
    """Pieces that are all alike, and the kinds they can be laid as."""

    kinds: tuple[int, ...]
    pieces: int


def heap(pieces: int, *kinds: str) -> Heap:
    return Heap(tuple(KIND_NUMBERS[kind] for kind in kinds), pieces)


HEAPS: Final[dict[str, tuple[Heap, ...]]] = {
    "6x2": tuple(heap(2, kind) for kind in KINDS),
    "3x4": tuple(heap(4, kind) for kind in _ROUND),
    # Turned over, a piece shows its colours the other way round: A and B change places.
    "3x4_flip": tuple(heap(4, kind, kind[::-1]) for kind in _ROUND),
    "identical": (heap(PIECES, "NBR"),),
    "free": (heap(PIECES, *KINDS),),
}
"""By `tileset`."""


class Supply:
    """What is left of the heaps."""

    __slots__ = ("heaps", "kinds", "left")

    def __init__(self, heaps: tuple[Heap, ...], left: tuple[int, ...]) -> None:
        self.heaps = heaps
        self.left = left
        self.kinds = tuple(
            sorted([kind for heap, many in zip(heaps, left, strict=True) if many for kind in heap.kinds])
        )
        """The kinds that can still be laid, in order."""

    def without(self, kind: int) -> "Supply":
        """The supply when one of `kinds` has been taken."""
        left = tuple([many - (kind in heap.kinds) for heap, many in zip(self.heaps, self.left, strict=True)])
        return Supply(self.heaps, left)


def full(tileset: str) -> Supply:
    heaps = HEAPS[tileset]
    return Supply(heaps, tuple(heap.pieces for heap in heaps))
