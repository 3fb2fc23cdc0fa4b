"""Converts results of matches, and ratings: their changes by a match, and estimates of Elo."""

from collections.abc import Iterable

from referee_api.conversion import enum_number
from referee_api.v1 import rating_pb2, result_pb2

from referee.contests.strength.elo import EloEstimate
from referee.contests.strength.rating import RatingRecord
from referee.live.ports import fault_id
from referee.match.result import EndCause, EndKind, Forfeit, RatingChange, Result
from referee.transport.wire.basic_types import copy_fields

BROKEN = (EndCause.ENGINE_FAULT, EndCause.REFEREE_FAULT)


def result_of(result: Result, match_id: str = "") -> result_pb2.Result:
    """Convert the result of a match; of a position, if `match_id` is empty."""
    message = result_pb2.Result(
        seats=[
            result_pb2.SeatResult(seat=seat, score=score, rank=rank)
            for seat, (score, rank) in enumerate(zip(result.scores, result.ranks, strict=True))
        ],
        sides=[
            result_pb2.SideResult(score=score, rank=rank)
            for score, rank in zip(result.side_scores, result.side_ranks, strict=True)
        ],
    )
    if result.kind is EndKind.VOID:
        fault = fault_id(match_id) if result.cause in BROKEN else ""
        cause = enum_number(result_pb2.VoidCause, result.cause.value)
        message.voided.CopyFrom(result_pb2.VoidResult(cause=cause, message=result.reason, fault_id=fault))
    elif result.kind is EndKind.FORFEITED:
        message.forfeited.CopyFrom(result_pb2.ForfeitedResult(forfeits=map(_forfeit_of, result.forfeits)))
    else:
        ending = enum_number(result_pb2.Ending, result.cause.value)
        message.played.CopyFrom(result_pb2.PlayedResult(ending=ending, reason=result.reason))
    return message


def maybe_result(result: Result | None, match_id: str) -> result_pb2.Result | None:
    return None if result is None else result_of(result, match_id)


def _forfeit_of(forfeit: Forfeit) -> result_pb2.Forfeit:
    return copy_fields(forfeit, result_pb2.Forfeit)


def rated_of(rated: RatingRecord, *, provisional: bool) -> rating_pb2.Rating:
    return copy_fields(rated.rating, rating_pb2.Rating, matches=rated.matches, provisional=provisional)


def changes_of(ratings: Iterable[RatingChange]) -> list[rating_pb2.RatingChange]:
    return [copy_fields(change, rating_pb2.RatingChange) for change in ratings]


def estimate_of(estimate: EloEstimate | None) -> rating_pb2.EloEstimate | None:
    if estimate is None:
        return None
    return copy_fields(estimate, rating_pb2.EloEstimate, low_elo=estimate.low, high_elo=estimate.high)
