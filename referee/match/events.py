"""Events: facts about a match, and how much of each a viewer may see.

The state of a match is the fold of its events; `evolve` applies each without checks. `at_us` is match time. An event
contains all that is needed to compute its effect, so that a record can be replayed and verified offline. The tag of a
class is the kind of its events in logs and records, and never changes.
"""

from enum import Enum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, structs
from msgspec.structs import replace
from referee_values import ForfeitCause

from engines.api import REFEREE, Position, Seat, Viewer
from referee.match.adjudication import Score
from referee.match.clock import Micros
from referee.match.clock_charge import ClockCharge
from referee.match.result import RatingChange, Result
from referee.match.setup import Player, Setup


class MoveSource(Enum):
    """Party that chose a move."""

    BOT = "bot"
    RANDOM = "random"
    """A policy, with a move drawn from the seed of the match."""
    DEFAULT = "default"
    """A policy, with the default move of the game."""


class MatchCreated(Struct, frozen=True, gc=False, tag_field="kind", tag="match_created"):
    """The match was created. Always the first event, and the only one before the end that contains the seed."""

    at_us: Annotated[Micros, Meta(ge=0, le=0)]
    """Match time starts when the match is created."""
    setup: Setup


class SeatTaken(Struct, frozen=True, gc=False, tag_field="kind", tag="seat_taken"):
    at_us: Micros
    seat: Seat
    player: Player


class SeatVacated(Struct, frozen=True, gc=False, tag_field="kind", tag="seat_vacated"):
    """The bot of the seat was withdrawn before play, and the seat is open again. Its nonce is gone too."""

    at_us: Micros
    seat: Seat


class NonceAdded(Struct, frozen=True, gc=False, tag_field="kind", tag="nonce_added"):
    at_us: Micros
    seat: Seat
    nonce: bytes


class PlayStarted(Struct, frozen=True, gc=False, tag_field="kind", tag="play_started"):
    at_us: Micros
    seated: tuple[Player, ...]


class MovePlayed(Struct, frozen=True, gc=False, tag_field="kind", tag="move_played"):
    at_us: Micros
    seat: Seat
    token: str
    move: str
    source: MoveSource = MoveSource.BOT
    row: ClockCharge | None = None
    """None if the seat had dropped out, so that no bot was asked."""
    request_id: str = ""
    score: Score = UNSET
    """What the bot expects for its side. UNSET, which is not stored: it did not say."""


class MoveRejected(Struct, frozen=True, gc=False, tag_field="kind", tag="move_rejected"):
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


class FlagFell(Struct, frozen=True, gc=False, tag_field="kind", tag="flag_fell"):
    at_us: Micros
    seat: Seat
    token: str
    row: ClockCharge
    move: str = ""
    """The late answer, or empty if none arrived."""
    request_id: str = ""


class DrawOffered(Struct, frozen=True, gc=False, tag_field="kind", tag="draw_offered"):
    at_us: Micros
    seat: Seat


class DrawDeclined(Struct, frozen=True, gc=False, tag_field="kind", tag="draw_declined"):
    at_us: Micros
    seat: Seat


class SeatResigned(Struct, frozen=True, gc=False, tag_field="kind", tag="seat_resigned"):
    at_us: Micros
    seat: Seat


class SeatForfeited(Struct, frozen=True, gc=False, tag_field="kind", tag="seat_forfeited"):
    at_us: Micros
    seat: Seat
    cause: ForfeitCause


class SeatDisconnected(Struct, frozen=True, gc=False, tag_field="kind", tag="seat_disconnected"):
    at_us: Micros
    seat: Seat


class SeatReconnected(Struct, frozen=True, gc=False, tag_field="kind", tag="seat_reconnected"):
    at_us: Micros
    seat: Seat


class RefereeRecovered(Struct, frozen=True, gc=False, tag_field="kind", tag="referee_recovered"):
    """Match time resumed after the referee was down or could not write the log."""

    at_us: Micros
    downtime_ms: Annotated[int, Meta(ge=0)]


class PlayEnded(Struct, frozen=True, gc=False, tag_field="kind", tag="play_ended"):
    """The match has its result, and its seed is revealed. Always the last event."""

    at_us: Micros
    result: Result
    seed: bytes
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes by the result, in order of seats. Empty if the match is unrated or void."""


Event = (
    MatchCreated
    | SeatTaken
    | SeatVacated
    | NonceAdded
    | PlayStarted
    | MovePlayed
    | MoveRejected
    | FlagFell
    | DrawOffered
    | DrawDeclined
    | SeatResigned
    | SeatForfeited
    | SeatDisconnected
    | SeatReconnected
    | RefereeRecovered
    | PlayEnded
)


def seated_bots(event: Event) -> dict[Seat, str]:
    """Return the bot of each seat that the event fills or opens; the bot of an open seat is empty."""
    if isinstance(event, SeatTaken):
        return {event.seat: event.player.bot}
    if isinstance(event, SeatVacated):
        return {event.seat: ""}
    if isinstance(event, MatchCreated | PlayStarted):
        players = event.setup.players if isinstance(event, MatchCreated) else event.seated
        return {seat: player.bot for seat, player in enumerate(players)}
    return {}


def redact(event: Event, before: Position | None, viewer: Viewer) -> Event | None:
    """Return `event`, which happened in the position `before`, as `viewer` may see it; None if it is hidden completely.

    The seed is hidden until the end. The game decides how much of a move is visible. A rejected attempt and a score are
    visible to their own seat only. The text of an opening is removed because it may contain hidden information; the
    position after `PlayStarted` shows the visible part. When a viewer sees it is decided where entries are watched.
    """
    if viewer == REFEREE:
        return event
    if isinstance(event, MatchCreated):
        return structs.replace(event, setup=replace(event.setup, seed=b"", opening=""))
    if isinstance(event, MoveRejected):
        return event if event.seat == viewer else None
    if isinstance(event, MovePlayed):
        assert before is not None
        move = before.visible_move(event.seat, event.move, viewer)
        own = event.seat == viewer
        request_id, score = (event.request_id, event.score) if own else ("", UNSET)
        return structs.replace(event, move=move, request_id=request_id, score=score)
    if isinstance(event, FlagFell) and event.seat != viewer:
        return structs.replace(event, move="", request_id="")
    return event
