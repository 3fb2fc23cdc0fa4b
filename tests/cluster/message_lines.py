"""Converts messages of the contract to the lines of a history."""

from hashlib import blake2b
from typing import Any

from google.protobuf.message import Message
from referee_api.v1 import clock_pb2, entry_pb2, error_pb2, ladder_pb2, play_pb2, result_pb2

from tests.cluster.history import Charge, EntryReceived, GameResult, MatchEndReceived, TurnReceived, VerdictReceived

CHANGING = {"online", "seed_commitment", "record", "presence"}
"""Fields that may be told differently later: who is online, and what is published after the end."""

FAULTS = {
    result_pb2.FORFEIT_CAUSE_TIME: "time",
    result_pb2.FORFEIT_CAUSE_ILLEGAL_MOVE: "illegal_move",
    result_pb2.FORFEIT_CAUSE_DISCONNECTED: "disconnected",
    result_pb2.FORFEIT_CAUSE_WITHDRAWN: "withdrawn",
}


def turn_received(turn: play_pb2.Turn, at_us: int) -> TurnReceived:
    left_us = turn.time_left_ms * 1000 if turn.HasField("time_left_ms") else None
    return TurnReceived(
        turn.match_id, turn.seat, turn.turn_token, turn.ply, turn.position, left_us, turn.repeated, at_us=at_us
    )


def verdict_received(verdict: play_pb2.Verdict, at_us: int) -> VerdictReceived:
    outcome = verdict.WhichOneof("outcome") or ""
    reason = ""
    if outcome == "rejected":
        reason = error_pb2.ErrorReason.Name(verdict.rejected.error.reason).removeprefix("ERROR_REASON_")
    charge = charge_of(verdict.clock_charge) if verdict.HasField("clock_charge") else None
    return VerdictReceived(
        verdict.match_id,
        verdict.turn_token,
        outcome,
        verdict.accepted.entry_number,
        reason,
        charge,
        verdict.repeated,
        at_us=at_us,
    )


def match_end_received(ended: play_pb2.MatchEnded, at_us: int) -> MatchEndReceived:
    ratings = tuple((change.bot, change.after.value) for change in ended.ratings)
    return MatchEndReceived(ended.match_id, ended.seat, game_result(ended.result), ratings, at_us=at_us)


def charge_of(charge: clock_pb2.ClockCharge) -> Charge:
    return Charge(charge.asked_us, charge.arrived_us, charge.network_credit_us, charge.stall_us, charge.charged_us)


def game_result(result: result_pb2.Result) -> GameResult:
    """Return a result in the words of records."""
    ranks = tuple(seat.rank for seat in result.seats)
    match result.WhichOneof("kind"):
        case "played":
            cause = result_pb2.Ending.Name(result.played.ending).removeprefix("ENDING_").lower()
            return GameResult("played", cause, ranks, reason=result.played.reason)
        case "forfeited":
            forfeits = tuple((forfeit.seat, FAULTS[forfeit.cause]) for forfeit in result.forfeited.forfeits)
            return GameResult("forfeited", "fault", ranks, forfeits)
        case _:
            cause = result_pb2.VoidCause.Name(result.voided.cause).removeprefix("VOID_CAUSE_").lower()
            return GameResult("void", cause, reason=result.voided.message)


def match_entry(log: str, entry: entry_pb2.Entry, at_us: int) -> EntryReceived:
    """Return the line for an entry of a match."""
    kind = entry.WhichOneof("event") or ""
    event: Any = getattr(entry, kind) if kind else None
    seat, move, charge, result = None, "", None, None
    match kind:
        case "":
            pass
        case "move_played":
            seat, move = event.played.seat, event.played.move
        case "play_ended":
            result = game_result(event.result)
        case _ if "seat" in event.DESCRIPTOR.fields_by_name:
            seat = event.seat
    if kind in {"move_played", "choice_sealed", "flag_fell"} and event.HasField("clock_charge"):
        charge = charge_of(event.clock_charge)
    written_ms = entry.create_time.ToMilliseconds()
    return EntryReceived(log, entry.number, kind, written_ms, seat, move, charge, result, _digest(event), at_us=at_us)


def ladder_entry(log: str, entry: ladder_pb2.LadderEntry, at_us: int) -> EntryReceived:
    """Return the line for an entry of a ladder."""
    kind = entry.WhichOneof("event") or ""
    event = getattr(entry, kind) if kind else None
    return EntryReceived(
        log, entry.number, kind, entry.create_time.ToMilliseconds(), digest=_digest(event), at_us=at_us
    )


def _digest(message: Message | None) -> str:
    if message is None:
        return ""
    lasting = type(message)()
    lasting.CopyFrom(message)
    _clear_changing(lasting)
    return blake2b(lasting.SerializeToString(deterministic=True), digest_size=8).hexdigest()


def _clear_changing(message: Any) -> None:
    for field, content in message.ListFields():
        if field.name in CHANGING:
            message.ClearField(field.name)
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for part in content if field.is_repeated else [content]:
                _clear_changing(part)
