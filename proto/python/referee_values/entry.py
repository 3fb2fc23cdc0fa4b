"""Entries of a match's log, as one viewer can see them.

Entries are numbered 1, 2, 3, … without gaps. An entry that a viewer must not see has its number and no event. If a
match is shown with a delay, its entries arrive late, but complete and in order.
"""

from typing import Literal

from referee_values.clock import ClockCharge
from referee_values.game import SeatMove
from referee_values.match import BotRef, Match, MatchState, Seat
from referee_values.rating import RatingChange
from referee_values.record import RecordInfo
from referee_values.result import Forfeit, Result
from referee_values.seed import SeedCommitment
from referee_values.value import Count, Count64, Int32, Int64, Timestamp, Value

MoveSource = Literal["", "bot", "random", "default"]
"""Party that chose a move.

- `""`: Not used.
- `"bot"`: The bot.
- `"random"`: A policy, at random from the match's seed.
- `"default"`: A policy, as the game's default move.
"""


class SeatVacated(Value, frozen=True, kw_only=True):
    """The bot of a seat was withdrawn before play, and the seat is open. Its nonce, if it gave one, is no longer
    used.
    """

    seat: Count = 0
    """The seat, from 0."""


class MoveRejected(Value, frozen=True, kw_only=True):
    """A seat tried an invalid move."""

    seat: Count = 0
    """The seat, from 0."""
    move: str = ""
    """The text of the move, possibly truncated."""
    message: str = ""
    """Reason why it is invalid, in one sentence."""
    attempts_left: Count = 0
    """Attempts left in this turn."""


class DrawOffered(Value, frozen=True, kw_only=True):
    """A seat offered a draw."""

    seat: Count = 0
    """The seat, from 0."""


class DrawDeclined(Value, frozen=True, kw_only=True):
    """A seat declined the open draw offers, explicitly or by moving."""

    seat: Count = 0
    """The seat, from 0."""


class SeatResigned(Value, frozen=True, kw_only=True):
    """A seat resigned."""

    seat: Count = 0
    """The seat, from 0."""


class SeatDisconnected(Value, frozen=True, kw_only=True):
    """The bot of a seat has no open session."""

    seat: Count = 0
    """The seat, from 0."""
    grace_period_ms: Int64 | None = None
    """Time for which it may be absent while it has to move, in milliseconds. Not set: the clock decides."""


class SeatReconnected(Value, frozen=True, kw_only=True):
    """The bot of a seat has an open session again."""

    seat: Count = 0
    """The seat, from 0."""


class RefereeRecovered(Value, frozen=True, kw_only=True):
    """The server is available again after it was down or could not write its log. Match time stopped meanwhile."""

    downtime_ms: Int64 = 0
    """Time for which it was unavailable by the wall clock, in milliseconds."""


class NonceAdded(Value, frozen=True, kw_only=True):
    """A seat added a nonce to the seed. All nonces are published when play starts."""

    seat: Count = 0
    """The seat, from 0; with random seats, the position in the list that is shuffled."""


class SeatTaken(Value, frozen=True, kw_only=True):
    """A bot took an open seat."""

    seat: Count = 0
    """The seat, from 0."""
    bot: BotRef = BotRef()
    """The bot that took it."""


class PlayStarted(Value, frozen=True, kw_only=True):
    """Play started."""

    seats: tuple[Seat, ...] = ()
    """All seats with bots and versions, in seat order."""
    seed_commitment: SeedCommitment = SeedCommitment()
    """Commitment to the seed, and the nonces of the seats."""
    state: MatchState | None = None
    """State at ply 0, or after the opening."""


class FlagFell(Value, frozen=True, kw_only=True):
    """A seat ran out of time."""

    seat: Count = 0
    """The seat, from 0."""
    clock_charge: ClockCharge | None = None
    """The charge that proves it."""
    move: str = ""
    """The answer that arrived late, if there was one, possibly truncated. Visible to that seat only."""


class ChoiceSealed(Value, frozen=True, kw_only=True):
    """A seat made a hidden choice. The move that reveals it shows what it was."""

    seat: Count = 0
    """The seat, from 0."""
    clock_charge: ClockCharge | None = None
    """Time charged for the move. Not set if the seat was not asked for it."""
    source: MoveSource = ""
    """Party that chose the move."""
    state: MatchState | None = None
    """State after the choice."""


class MovePlayed(Value, frozen=True, kw_only=True):
    """A move was played."""

    played: SeatMove = SeatMove()
    """The move and its seat, as the viewer can see it."""
    revealed: tuple[SeatMove, ...] = ()
    """Hidden choices that this move reveals, as the viewer can see them now, in seat order. They precede the move
    and are included in the ply already.
    """
    source: MoveSource = ""
    """Party that chose the move."""
    clock_charge: ClockCharge | None = None
    """Time charged for the move. Not set if the seat was not asked for it."""
    state: MatchState | None = None
    """State after the move."""
    score: Int32 | None = None
    """What the bot expects for its side, as it sent with the move. Visible to that seat only; others find it in the
    record of the finished match. Not set: the bot did not say.
    """


class PlayEnded(Value, frozen=True, kw_only=True):
    """The match ended."""

    result: Result = Result()
    """The result."""
    seed_commitment: SeedCommitment = SeedCommitment()
    """The seed and its commitment, if the seed is revealed already."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order. Empty if the match is unrated or void."""
    record: RecordInfo | None = None
    """The record, if it is published already."""


class Entry(Value, frozen=True, kw_only=True):
    """An entry of a match's log."""

    number: Count64 = 0
    """Number of the entry, from 1, without gaps."""
    create_time: Timestamp | None = None
    """Time when it was written, by the server's wall clock. Informational: clock charges use match time."""
    match_created: Match | None = None
    """The match was created."""
    seat_taken: SeatTaken | None = None
    """A bot took an open seat."""
    nonce_added: NonceAdded | None = None
    """A seat added a nonce to the seed before the start."""
    play_started: PlayStarted | None = None
    """All bots were online, and play started."""
    choice_sealed: ChoiceSealed | None = None
    """A seat made a hidden choice, which is revealed when all seats have chosen."""
    move_played: MovePlayed | None = None
    """A move was played."""
    move_rejected: MoveRejected | None = None
    """A seat tried an invalid move. Visible to that seat, and to everybody after the end."""
    flag_fell: FlagFell | None = None
    """A seat ran out of time. Later entries have the consequences."""
    draw_offered: DrawOffered | None = None
    """A seat offered a draw."""
    draw_declined: DrawDeclined | None = None
    """A seat declined the open draw offers."""
    seat_resigned: SeatResigned | None = None
    """A seat resigned."""
    seat_forfeited: Forfeit | None = None
    """A seat forfeited the game."""
    seat_disconnected: SeatDisconnected | None = None
    """The bot of a seat has no open session."""
    seat_reconnected: SeatReconnected | None = None
    """The bot of a seat has an open session again."""
    referee_recovered: RefereeRecovered | None = None
    """The server is available again after it was down or could not write its log."""
    play_ended: PlayEnded | None = None
    """The match ended. Always the last entry."""
    seat_vacated: SeatVacated | None = None
    """The bot of a seat was withdrawn before play, and the seat is open."""

    @property
    def event(
        self,
    ) -> (
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
        | None
    ):
        """Event that the entry records. Not set: the viewer must not see it."""
        return (
            self.match_created
            or self.seat_taken
            or self.nonce_added
            or self.play_started
            or self.choice_sealed
            or self.move_played
            or self.move_rejected
            or self.flag_fell
            or self.draw_offered
            or self.draw_declined
            or self.seat_resigned
            or self.seat_forfeited
            or self.seat_disconnected
            or self.seat_reconnected
            or self.referee_recovered
            or self.play_ended
            or self.seat_vacated
        )
