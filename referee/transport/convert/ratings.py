"""Ratings, what matches do to them, and estimates of strength."""

from collections.abc import Iterable

from referee_api.v1 import rating_pb2

from referee.contest.estimate import Estimate
from referee.contest.rated import Rated
from referee.core.rating import PlayerRating, RatingChange


def rating_of(rating: PlayerRating) -> rating_pb2.Rating:
    return rating_pb2.Rating(
        value=rating.value, deviation=rating.deviation, matches=rating.matches, provisional=rating.provisional
    )


def rated_of(rated: Rated, *, provisional: bool) -> rating_pb2.Rating:
    return rating_of(PlayerRating(rated.rating.value, rated.rating.deviation, rated.matches, provisional))


def changes_of(ratings: Iterable[RatingChange]) -> list[rating_pb2.RatingChange]:
    return [
        rating_pb2.RatingChange(
            seat=change.seat,
            bot=change.bot,
            version=change.version,
            before=rating_of(change.before),
            after=rating_of(change.after),
        )
        for change in ratings
    ]


def estimate_of(estimate: Estimate) -> rating_pb2.Estimate:
    return rating_pb2.Estimate(
        elo=estimate.elo, low_elo=estimate.low, high_elo=estimate.high, superiority=estimate.superiority
    )
