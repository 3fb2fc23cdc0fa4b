"""From what happened back to what was asked.

An event that others did not bring about followed from a command, and says enough to give that command
again: who, when, what was measured. So a match can be decided a second time, by whoever has its record.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from referee.core.commands import (
    Adjudicate,
    Begin,
    ClaimDraw,
    Command,
    DeclineDraw,
    EndGrace,
    FallFlag,
    GiveNonce,
    Leave,
    OfferDraw,
    Resign,
    Resume,
    Return,
    SubmitMove,
    TakeSeat,
    Void,
)
from referee.core.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MovePlayed,
    MoveRefused,
    NonceGiven,
    PlayBegan,
    PlayEnded,
    RefereeBack,
    SeatBack,
    SeatForfeited,
    SeatGone,
    SeatResigned,
    SeatTaken,
    Source,
)
from referee.core.match import Match
from referee.core.result import VOID_CAUSES, Cause, Fault
from referee.core.row import Measured

Following: TypeAlias = Event | None
"""The event recorded after the one in question."""


def command_behind(match: Match, event: Event, following: Following) -> Command | None:
    """What was asked of `match`, so that `event` happened. None: nobody can ask for it, it follows from others."""
    if isinstance(event, MovePlayed):
        return _move(event, following)
    if isinstance(event, MoveRefused):
        return _attempt(event, following)
    if isinstance(event, PlayEnded):
        return _end(match, event)
    return BEHIND[type(event)](event) if type(event) in BEHIND else None


def _move(event: MovePlayed, following: Following) -> Command | None:
    if event.source is not Source.BOT or event.row is None:
        return None
    # An offer right after it, in the same microsecond, came with it; had it come alone, the same would follow.
    offers = isinstance(following, DrawOffered) and (following.seat, following.at_us) == (event.seat, event.at_us)
    return SubmitMove(event.seat, event.token, event.move, event.row.measured, event.request_id, offers)


def _attempt(event: MoveRefused, following: Following) -> Command:
    return SubmitMove(event.seat, event.token, event.move, _measured_of_attempt(event, following), event.request_id)


def _measured_of_attempt(event: MoveRefused, following: Following) -> Measured:
    """The row of an attempt is that of the move played in its stead. Where it has none, it came in time."""
    if isinstance(following, MovePlayed) and following.token == event.token and following.row:
        return following.row.measured
    return Measured(arrived_us=0)


def _end(match: Match, event: PlayEnded) -> Command | None:
    result = event.result
    # Which seat called it off, or claimed the draw, makes no difference to the result.
    if result.cause in VOID_CAUSES:
        return Void(result.cause, result.reason)
    if match.owing and (result.cause is Cause.DRAW_CLAIMED or (result.cause is Cause.FAULT and match.forfeits)):
        return ClaimDraw(match.owing[0].seat)  # A fault that went before outweighs a claim.
    if result.cause is Cause.ADJUDICATION:
        return Adjudicate(result.side_ranks, result.reason)
    return None


def _flag(event: FlagFell) -> Command:
    if event.move or event.request_id:
        return SubmitMove(event.seat, event.token, event.move, event.row.measured, event.request_id)
    return FallFlag(event.seat, event.row.measured)


def _forfeit(event: SeatForfeited) -> Command | None:
    return EndGrace(event.seat) if event.fault is Fault.GONE else None


BEHIND: dict[type, Callable[[Any], Command | None]] = {
    SeatTaken: lambda event: TakeSeat(event.seat, event.player),
    NonceGiven: lambda event: GiveNonce(event.seat, event.nonce),
    PlayBegan: lambda _: Begin(),
    FlagFell: _flag,
    DrawOffered: lambda event: OfferDraw(event.seat),
    DrawDeclined: lambda event: DeclineDraw(event.seat),
    SeatResigned: lambda event: Resign(event.seat),
    SeatForfeited: _forfeit,
    SeatGone: lambda event: Leave(event.seat),
    SeatBack: lambda event: Return(event.seat),
    RefereeBack: lambda event: Resume(event.down_ms),
}
