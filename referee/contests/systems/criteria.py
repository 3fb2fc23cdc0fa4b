"""FIDE's criteria for the pairs of a round (C.04.3, C.1 to C.21), as weights of pairs.

A weight is one large number whose digits are the criteria, the most important one first, so the matching of greatest
weight satisfies them in their order. A digit is positive for what a pair gains, and negative for what it loses: the
number of pairs of a bracket is fixed by C.6, so both lead to the same choice.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

FIRST, SECOND = 0, 1


class PreferenceStrength(IntEnum):
    """Strength of a colour preference."""

    NONE = 0
    """It has not played."""
    MILD = 1
    """Seats are balanced; the preference is for the other seat than last time."""
    STRONG = 2
    """One seat was taken once more often than the other."""
    ABSOLUTE = 3
    """One seat was taken at least twice more often, or twice in succession."""


class Float(IntEnum):
    """How the score of an opponent compared with the own one in a round (A.4)."""

    DOWN = -1
    LEVEL = 0
    UP = 1


@dataclass(frozen=True)
class DutchPlayer:
    """A player to be paired."""

    points: float
    """Virtual points included."""
    number: int
    """Its seed, from 1."""
    seats: Sequence[int] = ()
    """Former seats, the latest last."""
    floats: Sequence[Float] = ()
    """By round, the latest last."""
    opponents: Collection[int] = field(default=frozenset())
    """Numbers of those that it played with."""
    may_have_bye: bool = True

    @cached_property
    def surplus(self) -> int:
        """How many times more often it was first than second."""
        return len(self.seats) - 2 * sum(self.seats)

    @cached_property
    def repeated_seat(self) -> int | None:
        """The seat of its last two games, if it was the same."""
        return self.seats[-1] if len(self.seats) > 1 and self.seats[-1] == self.seats[-2] else None

    @cached_property
    def preference(self) -> int | None:
        """The preferred seat. A repeated seat counts more than a surplus, as in bbpPairings."""
        if self.repeated_seat is None and self.surplus:
            return SECOND if self.surplus > 0 else FIRST
        return 1 - self.seats[-1] if self.seats else None

    @cached_property
    def strength(self) -> PreferenceStrength:
        if abs(self.surplus) > 1 or self.repeated_seat is not None:
            return PreferenceStrength.ABSOLUTE
        if self.surplus:
            return PreferenceStrength.STRONG
        return PreferenceStrength.MILD if self.seats else PreferenceStrength.NONE

    def floated(self, rounds_ago: int, way: Float) -> bool:
        return len(self.floats) >= rounds_ago and self.floats[-rounds_ago] is way


@dataclass(frozen=True)
class RoundRules:
    """The absolute criteria of a round."""

    played: int
    """How many rounds were played before."""
    is_last: bool
    forbidden: Collection[tuple[int, ...]] = ()
    """Pairs of numbers, the lower one first, that must not be paired although they have not met."""

    def may_meet(self, player: DutchPlayer, other: DutchPlayer) -> bool:
        """Return whether a pair satisfies C.1 and C.3."""
        if other.number in player.opponents:
            return False
        if self.forbidden and tuple(sorted((player.number, other.number))) in self.forbidden:
            return False
        return not _want_same_absolutely(player, other) or self._is_topscorer(player) or self._is_topscorer(other)

    def _is_topscorer(self, player: DutchPlayer) -> bool:
        return self.is_last and player.points > self.played / 2


def _want_same_absolutely(player: DutchPlayer, other: DutchPlayer) -> bool:
    return player.strength == other.strength == PreferenceStrength.ABSOLUTE and player.preference == other.preference


@dataclass
class Bye:
    """What is known about the bye of a round with an odd number of players (C.5, C.9)."""

    candidates: Collection[int]
    """Numbers of the players that may get the bye."""
    points: float
    """Points of the one that will get the bye."""
    floats_alone: bool
    """Whether it is the only one to float down from the current bracket. C.9 is applied then only: otherwise, who gets
    the bye is decided in a later bracket."""


class Criteria:
    """Weights of the pairs of one round. Call `weight` with the higher player first."""

    def __init__(self, rules: RoundRules, groups: Sequence[Sequence[DutchPlayer]]) -> None:
        """`groups` are the players by points, the highest ones first."""
        self.rules = rules
        self.count_bits = max(8, sum(map(len, groups)).bit_length() + 3)
        """Width of a digit that counts players or pairs."""
        self.order_bits = 3 * self.count_bits + 1
        """Bits below all criteria, by which the search orders what is equally good."""
        self._place: dict[float, int] = {}
        """By points, the place of their number of players in a digit that compares points, the highest ones first."""
        self.points_bits = 0
        for group in reversed(groups):
            self._place[group[0].points] = 1 << self.points_bits
            self.points_bits += len(group).bit_length()
        self.bye: Bye | None = None

    def bye_weight(self, player: DutchPlayer, other: DutchPlayer, top: float) -> int:
        """Return the weight of a pair when only the points of the bye are sought: as few as possible (C.5).

        Of equal ones, as many of the first group as possible meet within the group. 0: they may not meet.
        """
        if not self.rules.may_meet(player, other):
            return 0
        weight = 1 + (not player.may_have_bye) + (not other.may_have_bye)
        weight = weight << self.points_bits | self._place[player.points] + self._place[other.points]
        return weight << self.count_bits | (other.points >= top)

    def weight(self, player: DutchPlayer, other: DutchPlayer, *, in_bracket: bool, in_next: bool) -> int:
        """Return how well a pair satisfies the criteria. 0: they may not meet."""
        if not self.rules.may_meet(player, other):
            return 0
        bits, points_bits, points = self.count_bits, self.points_bits, self._place[player.points]
        weight, unplayed = 1, 0
        if self.bye:
            weight += (player.number not in self.bye.candidates) + (other.number not in self.bye.candidates)
            if self.bye.floats_alone:
                unplayed = sum(
                    self.rules.played - len(who.opponents) for who in (player, other) if who.points == self.bye.points
                )
        # C.6 precedes C.7. Only the higher player's points count, because the other one is a resident.
        weight = (weight << bits | in_bracket) << points_bits | in_bracket * points
        weight = (weight << bits | in_next) << points_bits | in_next * points  # C.8
        weight = weight << 2 * bits | unplayed  # C.9
        if not in_bracket:
            return weight << 8 * bits + 4 * points_bits + self.order_bits
        for lost in _colours_lost(player, other):
            weight = (weight << bits) - lost
        floats = [_Refloat(player, other, rounds_ago) for rounds_ago in (1, 2)]
        for refloat in floats:
            weight = ((weight << bits) + refloat.residents << bits) - refloat.is_up  # C.14 to C.17
        for refloat in floats:  # C.18 to C.21
            moved_down = points if refloat.moved_down else 0
            weight = ((weight << points_bits) + moved_down << points_bits) - (points if refloat.is_up else 0)
        return weight << self.order_bits


class _Refloat:
    """Whether the players of a pair float as they did some rounds ago, or are kept from that."""

    __slots__ = ("is_up", "moved_down", "residents")

    def __init__(self, player: DutchPlayer, other: DutchPlayer, rounds_ago: int) -> None:
        meets_lower = player.points > other.points
        floated_down = player.floated(rounds_ago, Float.DOWN)
        self.residents = other.floated(rounds_ago, Float.DOWN) + (floated_down and not meets_lower)
        """How many residents floated down, and do not do so again."""
        self.moved_down = floated_down and meets_lower
        """Whether the higher player floated down, was moved down again, and is to be moved no further."""
        self.is_up = meets_lower and other.floated(rounds_ago, Float.UP)
        """Whether the lower player floats up again."""


def _colours_lost(player: DutchPlayer, other: DutchPlayer) -> tuple[bool, bool, bool, bool]:
    """Return which of C.10 to C.13 the pair does not satisfy."""
    if player.preference is None or player.preference != other.preference:
        return False, False, False, False
    absolute = _want_same_absolutely(player, other)
    unbalanced = absolute and abs(player.surplus) > 1 and abs(other.surplus) > 1
    strong = not absolute and min(player.strength, other.strength) >= PreferenceStrength.STRONG
    return unbalanced, absolute and _is_third_in_succession(player, other), True, strong


def _is_third_in_succession(player: DutchPlayer, other: DutchPlayer) -> bool:
    """Return whether a player gets a seat for the third time (C.11), of two that both absolutely want the other seat.

    The rules of seats (E.2) give the preference to the player of the greater surplus. Of equal ones, either may lose.
    """
    if abs(player.surplus) == abs(other.surplus):
        return player.repeated_seat is not None and player.repeated_seat == other.repeated_seat
    loser = min(player, other, key=lambda each: abs(each.surplus))
    return loser.repeated_seat is not None
