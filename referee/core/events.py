"""What has happened in a match. A match is its events; `evolve` never refuses one.

`at_us` is match time. An event says all that is needed to compute what followed, so that a record can
be played again, and checked, without asking anybody.
"""

from dataclasses import dataclass
from enum import Enum

from engines.api import Seat
from referee.core.clock import Micros
from referee.core.rating import RatingChange
from referee.core.result import Fault, Result
from referee.core.row import ClockRow
from referee.core.setup import Player, Setup


class Source(Enum):
    """Who chose a move."""

    BOT = "bot"
    RANDOM = "random"
    """A policy, by a draw from the match's seed."""
    DEFAULT = "default"
    """A policy, by the game's own default."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The match was made. Always the first event, and the only one that holds the seed before the end."""

    at_us: Micros
    setup: Setup


@dataclass(frozen=True, slots=True)
class SeatTaken:
    at_us: Micros
    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class NonceGiven:
    at_us: Micros
    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class PlayBegan:
    at_us: Micros
    seated: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class MovePlayed:
    at_us: Micros
    seat: Seat
    token: str
    move: str
    source: Source = Source.BOT
    row: ClockRow | None = None
    """None where nobody was asked: the seat had dropped out."""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class MoveRefused:
    """An attempt that counts. Only its seat is told before the end."""

    at_us: Micros
    seat: Seat
    token: str
    move: str
    reason: str
    """MALFORMED_MOVE or ILLEGAL_MOVE."""
    rule: str
    sentence: str
    attempts_left: int
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class FlagFell:
    at_us: Micros
    seat: Seat
    token: str
    row: ClockRow
    move: str = ""
    """The answer that came too late, if one came."""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class DrawOffered:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class DrawDeclined:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatResigned:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatForfeited:
    at_us: Micros
    seat: Seat
    fault: Fault


@dataclass(frozen=True, slots=True)
class SeatGone:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatBack:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class RefereeBack:
    """The referee was down, or could not write the log, and is back. Match time stood still."""

    at_us: Micros
    down_ms: int


@dataclass(frozen=True, slots=True)
class PlayEnded:
    """The match has its result, and its seed is known. Always the last event."""

    at_us: Micros
    result: Result
    seed: bytes
    ratings: tuple[RatingChange, ...] = ()
    """What the result did to ratings, in order of seats. None if the match is unrated, or void."""


Event = (
    Opened
    | SeatTaken
    | NonceGiven
    | PlayBegan
    | MovePlayed
    | MoveRefused
    | FlagFell
    | DrawOffered
    | DrawDeclined
    | SeatResigned
    | SeatForfeited
    | SeatGone
    | SeatBack
    | RefereeBack
    | PlayEnded
)
