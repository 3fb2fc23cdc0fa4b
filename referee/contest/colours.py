"""Who of two has the first move: FIDE's allocation of colours (C.04.3, E). Seat 0 is white.

It is here, and not left to the pairing library, because that one lets the lower number decide (E.4) where the
rules let the player with more points do so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

FIRST, SECOND = 0, 1


class Strength(IntEnum):
    """Of the wish for a seat."""

    MILD = 1
    """The seats are balanced: the other than last time."""
    STRONG = 2
    """One more than of the other."""
    ABSOLUTE = 3
    """Two more than of the other, or the same twice running."""


@dataclass(frozen=True, slots=True)
class Player:
    """One of two who meet."""

    points: float
    number: int
    """Its seed, from 1."""
    sat: Sequence[int]
    """The seats it has had, the latest last."""

    @property
    def surplus(self) -> int:
        """How much more often it was first than second."""
        return len(self.sat) - 2 * sum(self.sat)

    @property
    def strength(self) -> Strength:
        """Of the wish."""
        if abs(self.surplus) > 1 or (len(self.sat) > 1 and self.sat[-1] == self.sat[-2]):
            return Strength.ABSOLUTE
        return Strength.STRONG if self.surplus else Strength.MILD

    @property
    def wish(self) -> int:
        """The seat it should have; only of somebody who has had one."""
        twice = len(self.sat) > 1 and self.sat[-1] == self.sat[-2]
        if twice or not self.surplus:
            return 1 - self.sat[-1]
        return SECOND if self.surplus > 0 else FIRST


def first_moves(one: Player, other: Player, odd_seat: int) -> bool:
    """Whether `one` has the first move. `odd_seat` is what the lot gave to the seeds of odd number."""
    higher, lower = sorted((one, other), key=lambda it: (-it.points, it.number))
    seat = _seat_of_higher(higher, lower, odd_seat)
    return (seat == FIRST) == (one is higher)


def _seat_of_higher(higher: Player, lower: Player, odd_seat: int) -> int:
    if not higher.sat and not lower.sat:
        return odd_seat if higher.number % 2 else 1 - odd_seat
    if not lower.sat or not higher.sat:
        return higher.wish if higher.sat else 1 - lower.wish
    if higher.wish != lower.wish:
        return higher.wish
    claims = [(it.strength, abs(it.surplus)) for it in (higher, lower)]
    if claims[0] != claims[1]:
        return higher.wish if claims[0] > claims[1] else 1 - lower.wish
    apart = next(
        ((mine, his) for mine, his in zip(higher.sat[::-1], lower.sat[::-1], strict=False) if mine != his), None
    )
    return higher.wish if apart is None else 1 - apart[0]
