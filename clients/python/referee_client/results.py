"""Results of matches as words and numbers."""

from typing import Literal

from referee_values import ForfeitedResult, MatchEnded, PlayedResult, Result, SeatResult, VoidResult


def outcome(result: Result) -> Literal["", "played", "forfeited", "void"]:
    """Return the kind of a result as a word; an empty text if this library does not know the kind yet."""
    match result.kind:
        case PlayedResult():
            return "played"
        case ForfeitedResult():
            return "forfeited"
        case VoidResult():
            return "void"
    return ""


def reason(result: Result) -> str:
    """Return the reason in one word.

    Played: a reason of the game, or an `Ending`. Forfeited: the cause of the first forfeit. Void: the cause.
    """
    match result.kind:
        case PlayedResult(ending=ending, reason=reason):
            return reason or ending
        case ForfeitedResult(forfeits=(first, *_)):
            return first.cause
        case VoidResult(cause=cause):
            return cause
    return ""


def scores(result: Result) -> tuple[float, ...]:
    """Return the score of each seat, in the game's own points. Empty if void."""
    return tuple(seat.score for seat in result.seats)


def ranks(result: Result) -> tuple[int, ...]:
    """Return the rank of each seat; 1 is best, and the seats of a side share their rank. Empty if void."""
    return tuple(seat.rank for seat in result.seats)


def seat_result(end: MatchEnded) -> SeatResult | None:
    """Return the score and the rank of the bot's own seat. None if the match is void."""
    return end.result.seats[end.seat] if end.result.seats else None
