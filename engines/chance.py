"""Deterministic random numbers: the same seed gives the same draws in every language.

Draw number k (0, 1, 2, …) is the first four bytes of SHA-256(seed ‖ k as four bytes), both big-endian: a number from 0
to 2**32 - 1. A number below n is a draw modulo n; draws in the last, incomplete run of n numbers are discarded, so that
all numbers are equally likely. Shuffling uses the Fisher–Yates algorithm, from the last place down to the second.
`docs/chance.md` has test vectors.
"""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

RANGE = 1 << 32
_first_number = Struct(">I").unpack_from


@dataclass(frozen=True)
class Chance:
    """Immutable random generator: a seed, and the number of draws that have been taken from it."""

    seed: bytes
    drawn: int = 0

    def below(self, n: int) -> "tuple[int, Chance]":
        """Return a number from 0 to n - 1, and the generator after it. `n` is from 1 to 2**32."""
        number, drawn = _below(n, self.seed, self.drawn)
        return number, Chance(self.seed, drawn)

    def shuffled(self, things: Iterable[T]) -> "tuple[tuple[T, ...], Chance]":
        """Return the things in a random order, and the generator after it."""
        order = list(things)
        drawn = self.drawn
        for last in range(len(order) - 1, 0, -1):
            other, drawn = _below(last + 1, self.seed, drawn)
            order[last], order[other] = order[other], order[last]
        return tuple(order), Chance(self.seed, drawn)

    def fork(self, purpose: str) -> "Chance":
        """Return an independent generator whose seed is HMAC-SHA-256 of the purpose, keyed by this seed."""
        return Chance(hmac.digest(self.seed, purpose.encode(), "sha256"))


def _below(n: int, seed: bytes, drawn: int) -> tuple[int, int]:
    """Return a number from 0 to n - 1, and how many draws have been taken after it."""
    fair = RANGE - RANGE % n
    while True:
        number: int = _first_number(sha256(seed + drawn.to_bytes(4, "big")).digest())[0]
        drawn += 1
        if number < fair:
            return number % n, drawn
