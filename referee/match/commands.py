"""Commands: requests to a match. `decide` returns the events that follow, or raises an error."""

from dataclasses import dataclass

from msgspec import Struct

from engines.api import Seat
from referee.match.clock_charge import TurnMeasurement
from referee.match.result import EndCause
from referee.match.setup import Player


@dataclass(frozen=True, slots=True)
class TakeSeat:
    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class AddNonce:
    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class StartPlay:
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


class FallFlag(Struct, frozen=True, gc=False):
    """Check whether the time of a seat is over. Sent by a timer; harmless if it comes too early or more than once."""

    seat: Seat
    measured: TurnMeasurement


@dataclass(frozen=True, slots=True)
class Resign:
    seat: Seat


@dataclass(frozen=True, slots=True)
class WithdrawBot:
    """Take a bot out of the match: before play its seats become open, in play they forfeit."""

    bot: str


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Offer a draw, or accept the pending offers."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AcceptDraw:
    """Accept the pending draw offers."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    seat: Seat


@dataclass(frozen=True, slots=True)
class ClaimDraw:
    seat: Seat


@dataclass(frozen=True, slots=True)
class DisconnectSeat:
    """The bot of the seat no longer has a session."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ReconnectSeat:
    seat: Seat


@dataclass(frozen=True, slots=True)
class EndGracePeriod:
    """Check whether a bot has been offline for longer than the grace period. Harmless if it is repeated."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ResumeMatch:
    """Resume match time after an outage of the referee."""

    down_ms: int


@dataclass(frozen=True, slots=True)
class AbortMatch:
    """Abort the match: a seat before its first move, or the organiser (None) at any time."""

    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """Declare the match void, after a failure of the infrastructure or by an administrator."""

    cause: EndCause
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AdjudicateMatch:
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
