"""Events: facts about a match, and how much of each a viewer may see.

The state of a match is the fold of its events; `evolve` applies each without checks. `at_us` is match time. An event
contains all that is needed to compute its effect, so that a record can be replayed and verified offline. The names of
events and fields in logs and records are those of `referee.storage.codec`.
"""

from dataclasses import dataclass, replace
from enum import Enum

from engines.api import REFEREE, Position, Seat, Viewer
from referee.match.clock import Micros
from referee.match.clock_charge import ClockCharge
from referee.match.result import Fault, RatingChange, Result
from referee.match.setup import Player, Setup


class MoveSource(Enum):
    """Party that chose a move."""

    BOT = "bot"
    RANDOM = "random"
    """A policy, with a move drawn from the seed of the match."""
    DEFAULT = "default"
    """A policy, with the default move of the game."""


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """The match was created. Always the first event, and the only one before the end that contains the seed."""

    at_us: Micros
    setup: Setup


@dataclass(frozen=True, slots=True)
class SeatTaken:
    at_us: Micros
    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class NonceAdded:
    at_us: Micros
    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class PlayStarted:
    at_us: Micros
    seated: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class MovePlayed:
    at_us: Micros
    seat: Seat
    token: str
    move: str
    source: MoveSource = MoveSource.BOT
    row: ClockCharge | None = None
    """None if the seat had dropped out, so that no bot was asked."""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class MoveRefused:
    """A rejected move, which counts as an attempt. Before the end only its own seat may see it."""

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
    row: ClockCharge
    move: str = ""
    """The late answer, or empty if none arrived."""
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
class SeatDisconnected:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatReconnected:
    at_us: Micros
    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchResumed:
    """Match time resumed after the referee was down or could not write the log."""

    at_us: Micros
    down_ms: int


@dataclass(frozen=True, slots=True)
class PlayEnded:
    """The match has its result, and its seed is revealed. Always the last event."""

    at_us: Micros
    result: Result
    seed: bytes
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes by the result, in order of seats. Empty if the match is unrated or void."""


Event = (
    MatchCreated
    | SeatTaken
    | NonceAdded
    | PlayStarted
    | MovePlayed
    | MoveRefused
    | FlagFell
    | DrawOffered
    | DrawDeclined
    | SeatResigned
    | SeatForfeited
    | SeatDisconnected
    | SeatReconnected
    | MatchResumed
    | PlayEnded
)


def seated_bots(event: Event) -> dict[Seat, str]:
    """Return the bot of each seat that the event fills or opens; the bot of an open seat is empty."""
    if isinstance(event, SeatTaken):
        return {event.seat: event.player.bot}
    if isinstance(event, MatchCreated | PlayStarted):
        players = event.setup.players if isinstance(event, MatchCreated) else event.seated
        return {seat: player.bot for seat, player in enumerate(players)}
    return {}


def redact(event: Event, before: Position | None, viewer: Viewer) -> Event | None:
    """Return `event`, which happened in the position `before`, as `viewer` may see it; None if it is hidden completely.

    This is the one place that decides visibility. The seed is hidden until the end. The game decides how much of a move
    is visible. A rejected attempt is visible to its own seat only. The text of an opening is removed because it may
    contain hidden information; the position after `PlayStarted` shows the visible part.
    """
    if viewer == REFEREE:
        return event
    if isinstance(event, MatchCreated):
        return replace(event, setup=replace(event.setup, seed=b"", opening=""))
    if isinstance(event, MoveRefused):
        return event if event.seat == viewer else None
    if isinstance(event, MovePlayed):
        assert before is not None
        move = before.visible_move(event.seat, event.move, viewer)
        return replace(event, move=move, request_id=event.request_id if event.seat == viewer else "")
    if isinstance(event, FlagFell) and event.seat != viewer:
        return replace(event, move="", request_id="")
    return event
