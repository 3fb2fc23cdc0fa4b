"""Acceleration of a Swiss tournament by the Baku method (FIDE handbook, C.04.5.1).

The players of the upper half have virtual points in the first half of the rounds, so that strong players meet sooner.
Virtual points count only for pairing: one in the first half of the accelerated rounds, then half a point.
"""

from msgspec import Struct


class Acceleration(Struct, frozen=True, gc=False):
    upper: frozenset[str]
    """Players with virtual points."""
    rounds: int
    """Number of rounds of the tournament."""

    def virtual_points(self, name: str, number: int) -> float:
        """Return the virtual points of a player in a round."""
        accelerated = _half(self.rounds)
        if name not in self.upper or number > accelerated:
            return 0.0
        return 1.0 if number <= _half(accelerated) else 0.5


NO_ACCELERATION = Acceleration(frozenset(), 0)


def upper_half(players: int) -> int:
    """Return the size of the upper half, rounded up to an even number."""
    return 2 * -(-players // 4)


def _half(number: int) -> int:
    return -(-number // 2)
