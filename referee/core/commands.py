"""What a match can be asked. Each may be refused."""

from dataclasses import dataclass

from engines.api import Seat
from referee.core.result import Cause
from referee.core.row import Measured
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class TakeSeat:
    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class GiveNonce:
    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Begin:
    """All are there: let play begin."""


MAX_MOVE_CHARS = 1000
"""A longer text is a malformed move; no engine reads it."""


@dataclass(frozen=True, slots=True)
class SubmitMove:
    seat: Seat
    token: str
    move: str
    measured: Measured
    request_id: str = ""
    """The caller's own name for this answer, kept so that the same request gives the same answer."""
    offers_draw: bool = False


@dataclass(frozen=True, slots=True)
class FallFlag:
    """A timer says that the time of a seat may be over. Too early or too often does no harm."""

    seat: Seat
    measured: Measured


@dataclass(frozen=True, slots=True)
class Resign:
    seat: Seat


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Offer a draw, or accept the offers that stand."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AcceptDraw:
    """Accept the offers that stand."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    seat: Seat


@dataclass(frozen=True, slots=True)
class ClaimDraw:
    seat: Seat


@dataclass(frozen=True, slots=True)
class Leave:
    """The seat's bot has no session any more."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Return:
    seat: Seat


@dataclass(frozen=True, slots=True)
class EndGrace:
    """A timer says that a bot may have been away for too long. Too early or too often does no harm."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Resume:
    """The referee was down, and is back."""

    down_ms: int


@dataclass(frozen=True, slots=True)
class Abort:
    """Call the match off: by a seat before its first move, or by whoever made it (None) at any time."""

    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Void:
    """The infrastructure broke, or an administrator says so."""

    cause: Cause
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """A person decides. Sides that share a rank are level; 1 is best."""

    side_ranks: tuple[int, ...]
    reason: str = ""


Command = (
    TakeSeat
    | GiveNonce
    | Begin
    | SubmitMove
    | FallFlag
    | Resign
    | OfferDraw
    | AcceptDraw
    | DeclineDraw
    | ClaimDraw
    | Leave
    | Return
    | EndGrace
    | Resume
    | Abort
    | Void
    | Adjudicate
)
