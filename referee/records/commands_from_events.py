"""Reconstructs the command that caused an event.

An event that does not follow from other events contains all data of its command: seat, time and measurements. This
allows anyone who has the record to decide the match again.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import (
    AddNonce,
    AdjudicateMatch,
    ClaimDraw,
    Command,
    DeclineDraw,
    DisconnectSeat,
    EndGracePeriod,
    FallFlag,
    OfferDraw,
    ReconnectSeat,
    Resign,
    ResumeMatch,
    StartPlay,
    SubmitMove,
    TakeSeat,
    VoidMatch,
)
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MatchResumed,
    MovePlayed,
    MoveRefused,
    MoveSource,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatResigned,
    SeatTaken,
)
from referee.match.result import VOID_CAUSES, EndCause, Fault
from referee.match.state import Match

NextEvent: TypeAlias = Event | None
"""The event recorded after the one in question, if there is one."""


def command_for_event(match: Match, event: Event, following: NextEvent) -> Command | None:
    """Return the command to `match` that caused `event`, or None if it follows from another event."""
    if isinstance(event, MovePlayed):
        return _move(event, following)
    if isinstance(event, MoveRefused):
        return _attempt(event, following)
    if isinstance(event, PlayEnded):
        return _end(match, event)
    return COMMANDS[type(event)](event) if type(event) in COMMANDS else None


def _move(event: MovePlayed, following: NextEvent) -> Command | None:
    if event.source is not MoveSource.BOT or event.row is None:
        return None
    # A draw offer in the same microsecond came with the move; the same events would follow if it had come separately.
    offers = isinstance(following, DrawOffered) and (following.seat, following.at_us) == (event.seat, event.at_us)
    return SubmitMove(event.seat, event.token, event.move, event.row.measured, event.request_id, offers)


def _attempt(event: MoveRefused, following: NextEvent) -> Command:
    return SubmitMove(event.seat, event.token, event.move, _measured_of_attempt(event, following), event.request_id)


def _measured_of_attempt(event: MoveRefused, following: NextEvent) -> TurnMeasurement:
    """Return the measurement in the clock charge of the move played instead, or else one that is in time."""
    if isinstance(following, MovePlayed) and following.token == event.token and following.row:
        return following.row.measured
    return TurnMeasurement(arrived_us=0)


def _end(match: Match, event: PlayEnded) -> Command | None:
    result = event.result
    # The result does not depend on which seat aborted the match or claimed the draw.
    if result.cause in VOID_CAUSES:
        return VoidMatch(result.cause, result.reason)
    if match.owing and (result.cause is EndCause.DRAW_CLAIMED or (result.cause is EndCause.FAULT and match.forfeits)):
        return ClaimDraw(match.owing[0].seat)  # After a forfeit, the cause of a claimed draw is that fault.
    if result.cause is EndCause.ADJUDICATION:
        return AdjudicateMatch(result.side_ranks, result.reason)
    return None


def _flag(event: FlagFell) -> Command:
    if event.move or event.request_id:
        return SubmitMove(event.seat, event.token, event.move, event.row.measured, event.request_id)
    return FallFlag(event.seat, event.row.measured)


def _forfeit(event: SeatForfeited) -> Command | None:
    return EndGracePeriod(event.seat) if event.fault is Fault.GONE else None


COMMANDS: dict[type, Callable[[Any], Command | None]] = {
    SeatTaken: lambda event: TakeSeat(event.seat, event.player),
    NonceAdded: lambda event: AddNonce(event.seat, event.nonce),
    PlayStarted: lambda _: StartPlay(),
    FlagFell: _flag,
    DrawOffered: lambda event: OfferDraw(event.seat),
    DrawDeclined: lambda event: DeclineDraw(event.seat),
    SeatResigned: lambda event: Resign(event.seat),
    SeatForfeited: _forfeit,
    SeatDisconnected: lambda event: DisconnectSeat(event.seat),
    SeatReconnected: lambda event: ReconnectSeat(event.seat),
    MatchResumed: lambda event: ResumeMatch(event.down_ms),
}
