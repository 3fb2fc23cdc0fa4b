"""The log of a match."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from referee_client.values.games import SeatMove
from referee_client.values.matches import BotRef, Match, MatchState, RecordInfo, Seat, SeedCommitment
from referee_client.values.ratings import RatingChange
from referee_client.values.results import Forfeit, Result
from referee_client.values.time_controls import ClockCharge

MoveSource: TypeAlias = Literal["", "bot", "random", "default"]
"""Party that chose a move.

`bot`: the bot.
`random`: a policy, at random from the match's seed.
`default`: a policy, as the game's default move.
"""


@dataclass(frozen=True, kw_only=True)
class SeatTaken:
    """A bot took an open seat."""

    seat: int = 0
    """The seat, from 0."""
    bot: BotRef = field(default_factory=BotRef)
    """The bot that took it."""


@dataclass(frozen=True, kw_only=True)
class SeatVacated:
    """The bot of a seat was withdrawn before play, and the seat is open.

    Its nonce, if it gave one, is no longer used.
    """

    seat: int = 0
    """The seat, from 0."""


@dataclass(frozen=True, kw_only=True)
class NonceAdded:
    """A seat added a nonce to the seed. All nonces are published when play starts."""

    seat: int = 0
    """The seat, from 0; with random seats, the position in the list that is shuffled."""


@dataclass(frozen=True, kw_only=True)
class PlayStarted:
    """Play started."""

    seats: tuple[Seat, ...] = ()
    """All seats with bots and versions, in seat order."""
    seed_commitment: SeedCommitment = field(default_factory=SeedCommitment)
    """Commitment to the seed, and the nonces of the seats."""
    state: MatchState | None = None
    """State at ply 0, or after the opening."""


@dataclass(frozen=True, kw_only=True)
class ChoiceSealed:
    """A seat made a hidden choice. The move that reveals it shows what it was."""

    seat: int = 0
    """The seat, from 0."""
    clock_charge: ClockCharge | None = None
    """Time charged for the move. None if the seat was not asked for it."""
    source: MoveSource = ""
    """Party that chose the move."""
    state: MatchState | None = None
    """State after the choice."""


@dataclass(frozen=True, kw_only=True)
class MovePlayed:
    """A move was played."""

    played: SeatMove = field(default_factory=SeatMove)
    """The move and its seat, as the viewer can see it."""
    revealed: tuple[SeatMove, ...] = ()
    """Hidden choices that this move reveals, as the viewer can see them now, in seat order.

    They precede the move and are included in the ply already.
    """
    source: MoveSource = ""
    """Party that chose the move."""
    clock_charge: ClockCharge | None = None
    """Time charged for the move. None if the seat was not asked for it."""
    state: MatchState | None = None
    """State after the move."""
    score: int | None = None
    """What the bot expects for its side, as it sent with the move.

    Visible to that seat only; others find it in the record of the finished match. None: the bot did not say.
    """


@dataclass(frozen=True, kw_only=True)
class MoveRejected:
    """A seat tried an invalid move."""

    seat: int = 0
    """The seat, from 0."""
    move: str = ""
    """The text of the move, possibly truncated."""
    message: str = ""
    """Reason why it is invalid, in one sentence."""
    attempts_left: int = 0
    """Attempts left in this turn."""


@dataclass(frozen=True, kw_only=True)
class FlagFell:
    """A seat ran out of time."""

    seat: int = 0
    """The seat, from 0."""
    clock_charge: ClockCharge | None = None
    """The charge that proves it."""
    move: str = ""
    """The answer that arrived late, if there was one, possibly truncated. Visible to that seat only."""


@dataclass(frozen=True, kw_only=True)
class DrawOffered:
    """A seat offered a draw."""

    seat: int = 0
    """The seat, from 0."""


@dataclass(frozen=True, kw_only=True)
class DrawDeclined:
    """A seat declined the open draw offers, explicitly or by moving."""

    seat: int = 0
    """The seat, from 0."""


@dataclass(frozen=True, kw_only=True)
class SeatResigned:
    """A seat resigned."""

    seat: int = 0
    """The seat, from 0."""


@dataclass(frozen=True, kw_only=True)
class SeatDisconnected:
    """The bot of a seat has no open session."""

    seat: int = 0
    """The seat, from 0."""
    grace_period_ms: int | None = None
    """Time for which it may be absent while it has to move, in milliseconds. None: the clock decides."""


@dataclass(frozen=True, kw_only=True)
class SeatReconnected:
    """The bot of a seat has an open session again."""

    seat: int = 0
    """The seat, from 0."""


@dataclass(frozen=True, kw_only=True)
class RefereeRecovered:
    """The server is available again after it was down or could not write its log. Match time stopped meanwhile."""

    downtime_ms: int = 0
    """Time for which it was unavailable by the wall clock, in milliseconds."""


@dataclass(frozen=True, kw_only=True)
class PlayEnded:
    """The match ended."""

    result: Result = field(default_factory=Result)
    """The result."""
    seed_commitment: SeedCommitment = field(default_factory=SeedCommitment)
    """The seed and its commitment, if the seed is revealed already."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order. Empty if the match is unrated or void."""
    record: RecordInfo | None = None
    """The record, if it is published already."""


MatchEvent: TypeAlias = (
    Match
    | SeatTaken
    | NonceAdded
    | PlayStarted
    | ChoiceSealed
    | MovePlayed
    | MoveRejected
    | FlagFell
    | DrawOffered
    | DrawDeclined
    | SeatResigned
    | Forfeit
    | SeatDisconnected
    | SeatReconnected
    | RefereeRecovered
    | PlayEnded
    | SeatVacated
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of a match's log."""

    number: int = 0
    """Number of the entry, from 1, without gaps."""
    create_time: datetime | None = None
    """Time when it was written, by the server's wall clock. Informational: clock charges use match time."""
    event: MatchEvent | None = None
    """Event that the entry records. None: the viewer must not see it."""
