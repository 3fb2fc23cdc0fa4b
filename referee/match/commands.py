"""Commands: requests to a match. `decide` returns the events that follow, or raises an error."""

from msgspec import Struct

from engines.api import Seat
from referee.match.clock_charge import TurnMeasurement
from referee.match.result import EndCause
from referee.match.setup import Player


class TakeSeat(Struct, frozen=True, gc=False):
    seat: Seat
    player: Player


class AddNonce(Struct, frozen=True, gc=False):
    seat: Seat
    nonce: bytes


class StartPlay(Struct, frozen=True, gc=False):
    """Start play: all bots are online."""


MAX_MOVE_CHARS = 1000
"""A longer text is a malformed move and is not passed to the engine."""


class SubmitMove(Struct, frozen=True, gc=False):
    seat: Seat
    token: str
    move: str
    measured: TurnMeasurement
    request_id: str = ""
    """The caller's idempotency key for this answer."""
    offers_draw: bool = False
    score: int | None = None
    """What the bot expects for its side. It decides nothing unless the terms say so."""


class FallFlag(Struct, frozen=True, gc=False):
    """Check whether the time of a seat is over. Sent by a timer; harmless if it comes too early or more than once."""

    seat: Seat
    measured: TurnMeasurement


class Resign(Struct, frozen=True, gc=False):
    seat: Seat


class WithdrawBot(Struct, frozen=True, gc=False):
    """Take a bot out of the match: before play its seats become open, in play they forfeit."""

    bot: str


class OfferDraw(Struct, frozen=True, gc=False):
    """Offer a draw, or accept the pending offers."""

    seat: Seat


class AcceptDraw(Struct, frozen=True, gc=False):
    """Accept the pending draw offers."""

    seat: Seat


class DeclineDraw(Struct, frozen=True, gc=False):
    seat: Seat


class ClaimDraw(Struct, frozen=True, gc=False):
    seat: Seat


class DisconnectSeat(Struct, frozen=True, gc=False):
    """The bot of the seat no longer has a session."""

    seat: Seat


class ReconnectSeat(Struct, frozen=True, gc=False):
    seat: Seat


class EndGracePeriod(Struct, frozen=True, gc=False):
    """Check whether a bot has been offline for longer than the grace period. Harmless if it is repeated."""

    seat: Seat


class ResumeMatch(Struct, frozen=True, gc=False):
    """Resume match time after an outage of the referee."""

    down_ms: int


class AbortMatch(Struct, frozen=True, gc=False):
    """Abort the match: a seat before its first move, or the organiser (None) at any time."""

    seat: Seat | None = None


class VoidMatch(Struct, frozen=True, gc=False):
    """Declare the match void, after a failure of the infrastructure or by an administrator."""

    cause: EndCause
    reason: str = ""


class AdjudicateMatch(Struct, frozen=True, gc=False):
    """Set the result by the decision of a person. 1 is the best rank; sides with equal ranks are tied."""

    side_ranks: tuple[int, ...]
    reason: str = ""


Command = (
    TakeSeat
    | AddNonce
    | StartPlay
    | SubmitMove
    | FallFlag
    | Resign
    | WithdrawBot
    | OfferDraw
    | AcceptDraw
    | DeclineDraw
    | ClaimDraw
    | DisconnectSeat
    | ReconnectSeat
    | EndGracePeriod
    | ResumeMatch
    | AbortMatch
    | VoidMatch
    | AdjudicateMatch
)
