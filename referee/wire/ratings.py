"""Converts ratings, rating changes and Elo estimates."""

from collections.abc import Iterable

from referee_api.v1 import rating_pb2

from referee.contests.strength.elo import EloEstimate
from referee.contests.strength.rating import RatingRecord
from referee.match.result import PlayerRating, RatingChange


def rating_of(rating: PlayerRating) -> rating_pb2.Rating:
    return rating_pb2.Rating(
        value=rating.value, deviation=rating.deviation, matches=rating.matches, provisional=rating.provisional
    )


def rated_of(rated: RatingRecord, *, provisional: bool) -> rating_pb2.Rating:
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


def estimate_of(estimate: EloEstimate) -> rating_pb2.EloEstimate:
    return rating_pb2.EloEstimate(
        elo=estimate.elo, low_elo=estimate.low, high_elo=estimate.high, superiority=estimate.superiority
    )
