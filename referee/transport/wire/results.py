"""Converts results of matches, and ratings: their changes by a match, and estimates of Elo."""

from collections.abc import Iterable

from referee_api.v1 import rating_pb2, result_pb2

from referee.contests.strength.elo import EloEstimate
from referee.contests.strength.rating import RatingRecord
from referee.live.ports import fault_id
from referee.match.result import EndCause, EndKind, Fault, PlayerRating, RatingChange, Result
from referee.match.result import Forfeit as CoreForfeit

ENDINGS = {
    EndCause.RULES: result_pb2.ENDING_RULES,
    EndCause.RESIGNATION: result_pb2.ENDING_RESIGNATION,
    EndCause.DRAW_AGREED: result_pb2.ENDING_DRAW_AGREED,
    EndCause.DRAW_CLAIMED: result_pb2.ENDING_DRAW_CLAIMED,
    EndCause.ADJUDICATION: result_pb2.ENDING_ADJUDICATION,
}
VOIDS = {
    EndCause.NOT_STARTED: result_pb2.VOID_CAUSE_NOT_STARTED,
    EndCause.ABORTED: result_pb2.VOID_CAUSE_ABORTED,
    EndCause.DECLARED: result_pb2.VOID_CAUSE_DECLARED,
    EndCause.ENGINE_FAULT: result_pb2.VOID_CAUSE_ENGINE_FAULT,
    EndCause.REFEREE_FAULT: result_pb2.VOID_CAUSE_REFEREE_FAULT,
}
BROKEN = (EndCause.ENGINE_FAULT, EndCause.REFEREE_FAULT)
FAULTS = {
    Fault.TIME: result_pb2.FORFEIT_CAUSE_TIME,
    Fault.ILLEGAL_MOVE: result_pb2.FORFEIT_CAUSE_ILLEGAL_MOVE,
    Fault.DISCONNECTED: result_pb2.FORFEIT_CAUSE_DISCONNECTED,
    Fault.WITHDRAWN: result_pb2.FORFEIT_CAUSE_WITHDRAWN,
}


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
        message.voided.CopyFrom(result_pb2.VoidResult(cause=VOIDS[result.cause], message=result.reason, fault_id=fault))
    elif result.kind is EndKind.FORFEITED:
        message.forfeited.CopyFrom(result_pb2.ForfeitedResult(forfeits=map(forfeit_of, result.forfeits)))
    else:
        message.played.CopyFrom(result_pb2.PlayedResult(ending=ENDINGS[result.cause], reason=result.reason))
    return message


def maybe_result(result: Result | None, match_id: str) -> result_pb2.Result | None:
    return None if result is None else result_of(result, match_id)


def forfeit_of(forfeit: CoreForfeit) -> result_pb2.Forfeit:
    return result_pb2.Forfeit(seat=forfeit.seat, cause=FAULTS[forfeit.fault], ply=forfeit.ply)


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
