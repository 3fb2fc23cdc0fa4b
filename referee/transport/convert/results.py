"""How a match ended."""

from referee_api.v1 import result_pb2

from referee.app.faults import fault_id
from referee.core.result import Cause, Fault, Kind, Result
from referee.core.result import Forfeit as CoreForfeit

ENDINGS = {
    Cause.RULES: result_pb2.ENDING_RULES,
    Cause.RESIGNATION: result_pb2.ENDING_RESIGNATION,
    Cause.DRAW_AGREED: result_pb2.ENDING_DRAW_AGREED,
    Cause.DRAW_CLAIMED: result_pb2.ENDING_DRAW_CLAIMED,
    Cause.ADJUDICATION: result_pb2.ENDING_ADJUDICATION,
}
VOIDS = {
    Cause.NOT_STARTED: result_pb2.VOID_CAUSE_NOT_STARTED,
    Cause.ABORTED: result_pb2.VOID_CAUSE_ABORTED,
    Cause.DECLARED: result_pb2.VOID_CAUSE_DECLARED,
    Cause.ENGINE_FAULT: result_pb2.VOID_CAUSE_ENGINE_FAULT,
    Cause.REFEREE_FAULT: result_pb2.VOID_CAUSE_REFEREE_FAULT,
}
BROKEN = (Cause.ENGINE_FAULT, Cause.REFEREE_FAULT)
FAULTS = {
    Fault.TIME: result_pb2.FORFEIT_CAUSE_TIME,
    Fault.ILLEGAL_MOVE: result_pb2.FORFEIT_CAUSE_ILLEGAL_MOVE,
    Fault.GONE: result_pb2.FORFEIT_CAUSE_GONE,
}


def result_of(result: Result, match_id: str = "") -> result_pb2.Result:
    """Of that match; of a position, if it is none."""
    told = result_pb2.Result(
        seats=[
            result_pb2.SeatResult(seat=seat, score=score, rank=rank)
            for seat, (score, rank) in enumerate(zip(result.scores, result.ranks, strict=True))
        ],
        sides=[
            result_pb2.SideResult(score=score, rank=rank)
            for score, rank in zip(result.side_scores, result.side_ranks, strict=True)
        ],
    )
    if result.kind is Kind.VOID:
        fault = fault_id(match_id) if result.cause in BROKEN else ""
        told.voided.CopyFrom(result_pb2.Voided(cause=VOIDS[result.cause], message=result.reason, fault_id=fault))
    elif result.kind is Kind.FORFEITED:
        told.forfeited.CopyFrom(result_pb2.Forfeited(forfeits=map(forfeit_of, result.forfeits)))
    else:
        told.played.CopyFrom(result_pb2.Played(ending=ENDINGS[result.cause], reason=result.reason))
    return told


def maybe_result(result: Result | None, match_id: str) -> result_pb2.Result | None:
    return None if result is None else result_of(result, match_id)


def forfeit_of(forfeit: CoreForfeit) -> result_pb2.Forfeit:
    return result_pb2.Forfeit(seat=forfeit.seat, cause=FAULTS[forfeit.fault], ply=forfeit.ply)
