"""Ratings that follow the results one by one, each with how sure it is.

The model is that of Weng and Lin, "Bradley-Terry full", by the library openskill: each side is compared with
every other one. Its unit is chosen so that a rating is Elo: between two players who are both well known,
400 more are ten points for one. Strengths on one side add up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from openskill.models import BradleyTerryFull

from referee.contest.elo import SCALE
from referee.contest.finish import worth_of_a_pair

MIDDLE = 1500.0
"""Where everybody starts. The model counts from here, so that sides of unequal size start out equal."""

UNKNOWN = 250.0
"""The standard deviation of somebody of whom nothing is known yet."""

RESTLESS = 5.0
"""What every match adds to the deviation (squared): how wrong the model may be about it, and the opponents."""

LEFT_OVER = 200.0
"""What a new season adds to the deviation (squared)."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a player seems to be. The true strength lies within two deviations in 95 of 100 cases."""

    value: float = MIDDLE
    deviation: float = UNKNOWN

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.value - 2 * self.deviation, self.value + 2 * self.deviation

    def in_a_new_season(self) -> "Rating":
        """The same value, and half as trusted: wide, but not blank."""
        return Rating(self.value, min(UNKNOWN, math.hypot(self.deviation, LEFT_OVER)))


UNRATED = Rating()


def rate(sides: Sequence[Sequence[Rating]], ranks: Sequence[int]) -> tuple[tuple[Rating, ...], ...]:
    """The ratings after a match in which the sides finished with these ranks, from 1.

    The order in which sides and players are listed makes no difference, not even in the last digit.
    """
    seats = [sorted(range(len(side)), key=lambda seat: _sorting(side[seat])) for side in sides]
    listed = [[side[seat] for seat in of_side] for side, of_side in zip(sides, seats, strict=True)]
    order = sorted(range(len(sides)), key=lambda side: (ranks[side], [_sorting(each) for each in listed[side]]))
    model = _model(len(sides))
    found = model.rate(
        [[model.rating(each.value - MIDDLE, each.deviation) for each in listed[side]] for side in order],
        ranks=[float(ranks[side]) for side in order],
    )
    after = {
        (side, seat): _moved(sides[side][seat], MIDDLE + one.mu, one.sigma, worth_of_a_pair(len(sides)))
        for side, of_side in zip(order, found, strict=True)
        for seat, one in zip(seats[side], of_side, strict=True)
    }
    return tuple(tuple(after[number, seat] for seat in range(len(side))) for number, side in enumerate(sides))


def _sorting(rating: Rating) -> tuple[float, float]:
    return rating.value, rating.deviation


def _moved(before: Rating, value: float, deviation: float, worth: float) -> Rating:
    """The model moves a rating once for each opponent, as if each had been met alone."""
    return Rating(before.value + worth * (value - before.value), min(UNKNOWN, deviation))


@cache
def _model(sides: int) -> BradleyTerryFull:
    """The model for so many sides. Its `gamma` says how much each pair adds to what is known."""
    worth = worth_of_a_pair(sides)
    return BradleyTerryFull(
        mu=0.0,
        sigma=UNKNOWN,
        beta=SCALE / math.sqrt(2),
        tau=RESTLESS,
        gamma=lambda *_: worth,
    )
