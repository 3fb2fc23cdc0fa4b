"""Ratings with uncertainty, updated by the order in which the sides of each match finished.

The model is "Bradley-Terry full" of Weng and Lin, from the library openskill: each side is compared with every other
side. The unit is Elo: between two players with certain ratings, a difference of 400 means ten points to one. Strengths
on one side add up. The same results in the same order give the same ratings.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Generic, TypeVar

from msgspec import Struct
from openskill.models import BradleyTerryFull

from referee.contests.strength.elo import ELO_SCALE
from referee.match.result import EndKind, Result

Player = TypeVar("Player", bound=Hashable)
"""Any rated identity, such as a version of a bot, or partners."""


class FinishOrder(Struct, Generic[Player], frozen=True, gc=False):
    """Sides with their ranks, from 1; equal ranks are shared. A void match has none.

    A player cannot play for two sides, nor twice for one.
    """

    sides: tuple[tuple[Player, ...], ...]
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.sides) == len(self.ranks) > 1:
            raise ValueError("there must be at least two sides, and one rank for each")
        if len(set(self.players)) < len(self.players):
            raise ValueError("a player cannot play twice in one match")

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(player for side in self.sides for player in side)

    def side_pairs(self) -> Iterator[tuple[tuple[Player, ...], tuple[Player, ...], float]]:
        """Yield all pairs of sides, with the score of the first against the second: 1, 0.5 or 0."""
        for (side, its), (other, theirs) in combinations(zip(self.sides, self.ranks, strict=True), 2):
            yield side, other, ((its < theirs) + (its <= theirs)) / 2


def finish_order_of(result: Result, sides: tuple[tuple[Player, ...], ...]) -> FinishOrder[Player] | None:
    """Return the finish order of a match, or None if it is void."""
    return None if result.kind is EndKind.VOID else FinishOrder(sides, result.side_ranks)


def pair_weight(sides: int) -> float:
    """Return the weight of each pair of sides in a match, relative to a match of two.

    A match of k sides has k (k - 1) / 2 pairs, but all follow from one order of finish. For equal players, the number
    of opponents that one is ahead of varies (k + 1) / 3 times as much as if each pair had been played separately, so
    each pair has the inverse of that as its weight.
    """
    return 3 / (sides + 1)


INITIAL_VALUE = 1500.0
"""Rating of a new player, and zero of the model, so that sides of unequal size start equal."""

INITIAL_DEVIATION = 250.0
"""Standard deviation of a new player's rating."""

MATCH_DEVIATION = 5.0
"""Standard deviation added (in squares) by each match, for errors of the model and changes in strength."""

SEASON_DEVIATION = 200.0
"""Standard deviation added (in squares) by a new season."""

VERSION_DEVIATION = 100.0
"""Standard deviation added (in squares) by a new version of a bot."""

DAYS_OF_YEAR = 365


class SkillRating(Struct, frozen=True, gc=False):
    """Estimated strength. The true strength is within two deviations in 95 of 100 cases."""

    value: float = INITIAL_VALUE
    deviation: float = INITIAL_DEVIATION

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.value - 2 * self.deviation, self.value + 2 * self.deviation

    @property
    def lower_bound(self) -> float:
        """The value less two deviations, by which standings rank, so that luck counts little."""
        return self.value - 2 * self.deviation

    def for_new_season(self) -> "SkillRating":
        """Return the same value with a larger deviation, at most that of a new player."""
        return self._widened(SEASON_DEVIATION)

    def for_new_version(self, share: float) -> "SkillRating":
        """Return the rating with which a new version starts; `share`: how much of the deviation is added (0 to 1)."""
        return self._widened(VERSION_DEVIATION * math.sqrt(share))

    def after_absence(self, days: int) -> "SkillRating":
        """Return the rating after days without a match. It is as uncertain as a new one after a year at most."""
        return self._widened(INITIAL_DEVIATION * math.sqrt(days / DAYS_OF_YEAR)) if days else self

    def _widened(self, added: float) -> "SkillRating":
        most = max(INITIAL_DEVIATION, self.deviation)
        return SkillRating(self.value, min(most, math.hypot(self.deviation, added)))


UNRATED = SkillRating()


def rate_match(sides: Sequence[Sequence[SkillRating]], ranks: Sequence[int]) -> tuple[tuple[SkillRating, ...], ...]:
    """Return the ratings after a match whose sides finished with these ranks, from 1.

    The order in which sides and players are listed does not affect the result, not even in the last digit.
    """
    seats = [sorted(range(len(side)), key=lambda seat: _sorting(side[seat])) for side in sides]
    listed = [[side[seat] for seat in of_side] for side, of_side in zip(sides, seats, strict=True)]
    order = sorted(range(len(sides)), key=lambda side: (ranks[side], [_sorting(rating) for rating in listed[side]]))
    model = _model(len(sides))
    updated = model.rate(
        [[model.rating(rating.value - INITIAL_VALUE, rating.deviation) for rating in listed[side]] for side in order],
        ranks=[float(ranks[side]) for side in order],
    )
    after = {
        (side, seat): _moved(sides[side][seat], INITIAL_VALUE + rated.mu, rated.sigma, pair_weight(len(sides)))
        for side, of_side in zip(order, updated, strict=True)
        for seat, rated in zip(seats[side], of_side, strict=True)
    }
    return tuple(tuple(after[number, seat] for seat in range(len(side))) for number, side in enumerate(sides))


def _sorting(rating: SkillRating) -> tuple[float, float]:
    return rating.value, rating.deviation


def _moved(before: SkillRating, value: float, deviation: float, weight: float) -> SkillRating:
    """Scale the update of the model, which adds up the updates of all opponents as if each had been met separately."""
    return SkillRating(before.value + weight * (value - before.value), min(INITIAL_DEVIATION, deviation))


@cache
def _model(sides: int) -> BradleyTerryFull:
    """Return the model for a number of sides. `gamma` is how much each pair reduces the deviation."""
    weight = pair_weight(sides)
    return BradleyTerryFull(
        mu=0.0,
        sigma=INITIAL_DEVIATION,
        beta=ELO_SCALE / math.sqrt(2),
        tau=MATCH_DEVIATION,
        gamma=lambda *_: weight,
    )


class RatingRecord(Struct, frozen=True, gc=False):
    """A rating, and the number of matches in it."""

    rating: SkillRating = UNRATED
    matches: int = 0


NO_RATING = RatingRecord()
"""The record of a player that has not been rated."""


class RatingUpdate(Struct, Generic[Player], frozen=True, gc=False):
    """The effect of one match on one rating."""

    player: Player
    before: RatingRecord
    after: RatingRecord


def compute_rating_updates(
    ratings: Mapping[Player, RatingRecord], finish: FinishOrder[Player], weight: float = 1.0
) -> tuple[RatingUpdate[Player], ...]:
    """Return the effect of a match on the ratings of its players, in the order of sides.

    `weight`: how much the match counts, from 0 to 1.
    """
    before = [[ratings.get(player, NO_RATING) for player in side] for side in finish.sides]
    after = rate_match([[record.rating for record in side] for side in before], finish.ranks)
    return tuple(
        RatingUpdate(player, record, RatingRecord(_weighted(record.rating, new_rating, weight), record.matches + 1))
        for players, records, new_ratings in zip(finish.sides, before, after, strict=True)
        for player, record, new_rating in zip(players, records, new_ratings, strict=True)
    )


def _weighted(before: SkillRating, after: SkillRating, weight: float) -> SkillRating:
    """Return the rating after a part of an update. The variance, not the deviation, changes by that part."""
    if weight == 1:
        return after
    variance = before.deviation**2 + weight * (after.deviation**2 - before.deviation**2)
    return SkillRating(before.value + weight * (after.value - before.value), math.sqrt(variance))


def widen_ratings(ratings: Mapping[Player, RatingRecord]) -> dict[Player, RatingRecord]:
    """Return the ratings at the start of a new season: less certain, and without matches."""
    return {player: RatingRecord(each.rating.for_new_season()) for player, each in ratings.items()}
