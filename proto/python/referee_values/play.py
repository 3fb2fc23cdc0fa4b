"""Items of the Play stream, by which bot and server communicate.

The server sends turns and the bot answers them. Each turn is self-contained: a bot needs no memory between turns. An
answer has the token of its turn, so that a repeated answer counts once and an answer to an old turn has no effect.
"""

from collections.abc import Mapping
from typing import Literal

from referee_values.clock import Clock, ClockCharge
from referee_values.error import ErrorDetail
from referee_values.game import Rules, SeatMove
from referee_values.match import Match
from referee_values.rating import RatingChange
from referee_values.record import RecordInfo
from referee_values.result import Result
from referee_values.seed import SeedCommitment
from referee_values.value import EMPTY, Count, Count64, Int32, Int64, Value

NoticeKind = Literal["", "paused", "resumed", "fault_counted", "quota_nearly_exhausted", "version_frozen"]
"""Subject of a notice.

- `""`: Not used.
- `"paused"`: The bot was paused and gets no new matches. Metadata: cause, faults.
- `"resumed"`: The bot was resumed. No metadata.
- `"fault_counted"`: A fault was counted. After `left` more consecutive faults the bot is paused. Metadata: fault,
  match_id, left.

- `"quota_nearly_exhausted"`: A quota is nearly exhausted. Metadata: quota, used, limit.
- `"version_frozen"`: A tournament plays another version of the bot, which was frozen, so that the connected one gets
  no match there. Metadata: tournament, frozen, online.
"""


class TurnOptions(Value, frozen=True, kw_only=True):
    """Optional contents of each turn, in addition to the position."""

    max_legal_moves: Count = 0
    """Maximum number of legal moves to list. Default 0: none. The server can have a lower limit."""
    include_view: bool = False
    """Whether to include the view as JSON. Default false."""
    full_move_history: bool = False
    """Whether to include all moves since the start instead of those since the seat's last turn. Default false."""


class Welcome(Value, frozen=True, kw_only=True):
    """The session is open."""

    bot: str = ""
    """Name of the bot."""
    version: str = ""
    """Version that the session plays for."""
    session_id: str = ""
    """Id of the session, as written in logs."""
    referee_version: str = ""
    """Version of the server software."""
    max_matches: Count = 0
    """Maximum number of concurrent matches: as requested, or less if the quota allows less."""
    matches_in_play: Count = 0
    """Number of matches of the bot that are in play. All pending turns are sent next."""
    ping_interval_ms: Int64 = 0
    """Interval of pings, in milliseconds."""
    heartbeat_timeout_ms: Int64 = 0
    """Time without a pong after which the server closes the session, in milliseconds. A bot that has received
    nothing for as long should open a new connection.
    """
    max_message_bytes: Int64 = 0
    """Maximum size of a message. Larger messages are read, up to four times as large, if only texts of moves exceed
    it; each of these moves is rejected.
    """


class NonceRequest(Value, frozen=True, kw_only=True):
    """Asks a seat for a nonce for the seed of a match that is about to start."""

    match_id: str = ""
    """Id of the match."""
    seat: Count = 0
    """The bot's seat, from 0; with random seats, the position in the list that is shuffled."""
    commitment: bytes = b""
    """SHA-256 of the server's seed: 32 bytes."""
    time_left_ms: Int64 = 0
    """Time for which the server waits, in milliseconds. An answer is optional."""


class Nonce(Value, frozen=True, kw_only=True):
    """Contribution of a seat to the seed."""

    match_id: str = ""
    """Id of the match."""
    seat: Count = 0
    """The seat of the request, from 0."""
    nonce: bytes = b""
    """The nonce, up to 64 bytes."""


class Move(Value, frozen=True, kw_only=True):
    """Answers a turn."""

    match_id: str = ""
    """Id of the match."""
    turn_token: str = ""
    """Token of the turn, which also identifies the seat."""
    move: str = ""
    """The move in the game's notation."""
    offer_draw: bool = False
    """Whether to offer a draw with the move. Default false."""
    score: Int32 | None = None
    """What the bot expects for its side, in hundredths of a point of the game; positive: it is ahead. Others find it
    only in the record of the finished match. Default: not set; the bot does not say.
    """


class Resignation(Value, frozen=True, kw_only=True):
    """Resigns for a seat."""

    match_id: str = ""
    """Id of the match."""
    seat: Count | None = None
    """The seat, from 0. Default: the bot's only seat in the match."""


class DrawOffer(Value, frozen=True, kw_only=True):
    """Offers a draw to all other sides."""

    match_id: str = ""
    """Id of the match."""
    seat: Count | None = None
    """The seat, from 0. Default: the bot's only seat in the match."""


class DrawAnswer(Value, frozen=True, kw_only=True):
    """Answers all open draw offers."""

    match_id: str = ""
    """Id of the match."""
    seat: Count | None = None
    """The seat, from 0. Default: the bot's only seat in the match."""
    accept: bool = False
    """Whether to accept (true) or decline (false)."""


class DrawClaim(Value, frozen=True, kw_only=True):
    """Claims a draw that the rules grant without the consent of the other sides."""

    match_id: str = ""
    """Id of the match."""
    seat: Count | None = None
    """The seat, from 0. Default: the bot's only seat in the match."""


class Acceptance(Value, frozen=True, kw_only=True):
    """The item was accepted and written to the log."""

    entry_number: Count64 = 0
    """Number of the last entry of the match after the item."""
    ply: Count = 0
    """Number of moves played after the item."""


class StaleAnswer(Value, frozen=True, kw_only=True):
    """The item answers a turn that is over. Nothing changed."""

    current_turn_token: str = ""
    """Token of the seat's pending turn. Empty if there is none."""


class Ping(Value, frozen=True, kw_only=True):
    """Heartbeat, which also measures the round-trip time."""

    id: Count64 = 0
    """Id to be copied into the pong."""
    round_trip_us: Int64 = 0
    """Last measured round-trip time, in microseconds. 0 before the first pong."""


class Pong(Value, frozen=True, kw_only=True):
    """Answers a ping. A delayed answer increases the measured round-trip time, but network credit is capped."""

    id: Count64 = 0
    """Id of the ping."""


class Draining(Value, frozen=True, kw_only=True):
    """The server is about to shut down. Matches are kept, and their clocks stop meanwhile."""

    grace_period_ms: Int64 = 0
    """Time for which the stream stays open for pending turns, in milliseconds."""
    reconnect_delay_ms: Int64 = 0
    """Time to wait before reconnecting, in milliseconds."""


class SessionTakenOver(Value, frozen=True, kw_only=True):
    """A newer session of the same bot version has taken over the seats. This stream ends with SESSION_TAKEN_OVER."""

    new_session_id: str = ""
    """Id of the newer session."""


class MatchStarted(Value, frozen=True, kw_only=True):
    """A match of the bot started."""

    match: Match = Match()
    """The match with its terms, opponents and commitment."""
    seat: Count = 0
    """The bot's seat, from 0. A bot with several seats gets one item for each."""
    rules_hash: str = ""
    """Hash of the rules in the terms of the match, as in `Turn`. Empty unless they are large."""


class Turn(Value, frozen=True, kw_only=True):
    """A seat has to move.

    It is sent again with the same token and the current clock after a reconnect, and whenever a draw offer changes
    it. A turn that has not been sent yet is replaced by a newer one.
    """

    match_id: str = ""
    """Id of the match."""
    seat: Count = 0
    """The seat that has to move, from 0."""
    turn_token: str = ""
    """Token of this turn, to be copied into the answer. Opaque, and unique within the match only."""
    rules: Rules = Rules()
    """The game and all its options. Not set if they are large and were already sent for this seat in this stream,
    with MatchStarted or an earlier turn; `rules_hash` then identifies them.
    """
    rules_hash: str = ""
    """Identifies rules of more than 4096 encoded bytes. Opaque. Empty for all others, which every turn contains."""
    ply: Count = 0
    """Number of moves played."""
    position: str = ""
    """The position in the game's notation, with `?` for hidden information."""
    view_json: str = ""
    """The position as JSON in the game's view schema. Empty unless requested."""
    move_history: tuple[SeatMove, ...] = ()
    """Moves since the seat's last turn, or all moves if requested, as this seat can see them."""
    legal_moves: tuple[str, ...] = ()
    """Legal moves in order, up to the limit. Empty unless requested."""
    legal_moves_truncated: bool = False
    """Whether there are more legal moves than listed."""
    legal_move_count: Count | None = None
    """Number of legal moves. Not set if they were not requested, or are too many to count quickly."""
    clocks: tuple[Clock, ...] = ()
    """Clocks of all seats at the time of sending, in seat order."""
    time_left_ms: Int64 | None = None
    """Time until this seat's flag falls, at the time of sending, in milliseconds. Not set: untimed."""
    attempts_left: Count = 0
    """Answers left in this turn, including the next one, before the policy for illegal moves applies. At least 1."""
    draw_offer_seats: tuple[Count, ...] = ()
    """Other seats with an open draw offer. A move declines it."""
    simultaneous: bool = False
    """Whether other seats choose at the same time. No choice is revealed before all are made."""
    repeated: bool = False
    """Whether this turn was sent before."""


class TurnExpired(Value, frozen=True, kw_only=True):
    """A turn no longer needs an answer, because a policy moved for the seat or the seat dropped out. Not sent when
    the match ended, which MatchEnded reports.
    """

    match_id: str = ""
    """Id of the match."""
    turn_token: str = ""
    """Token of the turn."""
    substitute_move: str = ""
    """The move that was played instead. Empty if none was."""
    clock_charge: ClockCharge = ClockCharge()
    """The charge, if the flag fell. Otherwise not set."""


class Rejection(Value, frozen=True, kw_only=True):
    """The item was rejected. Nothing changed except the number of attempts."""

    error: ErrorDetail = ErrorDetail()
    """Reason for the rejection."""
    attempts_left: Count | None = None
    """Attempts left in this turn; 0 if the policy for illegal moves applies now. Not set if attempts are not
    counted.
    """


class MatchEnded(Value, frozen=True, kw_only=True):
    """A match of the bot ended. Delivered to every seat at least once: it is sent again in the next session unless a
    later pong shows that it arrived.
    """

    match_id: str = ""
    """Id of the match."""
    seat: Count = 0
    """The bot's seat, from 0."""
    result: Result = Result()
    """Result of the match."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order. Empty if the match is unrated or void."""
    record: RecordInfo = RecordInfo()
    """The record, if it is published already; otherwise use GetMatch or GetRecord later."""
    seed_commitment: SeedCommitment = SeedCommitment()
    """The seed and its commitment, if the seed is revealed already."""


class Notice(Value, frozen=True, kw_only=True):
    """Information for the bot's author, which needs no answer. It is also written to the bot's private log."""

    kind: NoticeKind = ""
    """Subject of the notice."""
    message: str = ""
    """One sentence in English."""
    metadata: Mapping[str, str] = EMPTY
    """The variables of the message by name, as text."""


class Hello(Value, frozen=True, kw_only=True):
    """Introduces a bot, whose name follows from its token. A later Hello replaces everything but the version; a bot
    that wants no new matches sends one with `max_matches` 0.
    """

    version: str = ""
    """Version of the bot, up to 64 characters, for which ratings are kept. New versions are registered. Default
    empty: the version registered last.
    """
    games: tuple[str, ...] = ()
    """Games that it plays. Default empty: all."""
    max_matches: Count | None = None
    """Maximum number of concurrent matches. 0: no new ones. Not set: 1. The quota can allow fewer."""
    turn_options: TurnOptions = TurnOptions()
    """Optional contents of each turn. Default: neither legal moves nor view."""
    client: str = ""
    """Name and version of the client library for the server's log, up to 64 characters. Default empty."""
    verdicts_with_turns: bool = False
    """Whether the verdict on an accepted move can wait for the next message to the bot, usually its next turn,
    instead of being sent in a message of its own. It waits for at most 300 milliseconds. Default false.
    """


class Verdict(Value, frozen=True, kw_only=True):
    """Result of an item that the bot sent. Every item gets one, except pongs and accepted Hellos, which are answered
    by Welcome. It precedes the next turn of its seat, which is often in the same message.
    """

    item_id: Count64 = 0
    """`item_id` of the item. 0 if it had none."""
    match_id: str = ""
    """Id of the match."""
    turn_token: str = ""
    """For a move: its turn token. Otherwise empty."""
    accepted: Acceptance | None = None
    """The item was accepted."""
    rejected: Rejection | None = None
    """The item was rejected."""
    stale: StaleAnswer | None = None
    """The item answers a turn that is over."""
    clock_charge: ClockCharge = ClockCharge()
    """Time charged. Set for an accepted move, and for one that arrived after the flag fell."""
    repeated: bool = False
    """Whether the item was a repetition, and this is its original verdict."""

    @property
    def outcome(self) -> Acceptance | Rejection | StaleAnswer | None:
        """The outcome."""
        return self.accepted or self.rejected or self.stale


class BotItem(Value, frozen=True, kw_only=True):
    """An item that a bot sends."""

    item_id: Count64 = 0
    """Number chosen by the bot, repeated in the verdict on this item. Default 0: none."""
    hello: Hello | None = None
    """Introduces the bot. Required as the first item, and sent again whenever something in it changes."""
    move: Move | None = None
    """Answers a turn."""
    pong: Pong | None = None
    """Answers a ping."""
    resignation: Resignation | None = None
    """Resigns for a seat."""
    draw_offer: DrawOffer | None = None
    """Offers a draw."""
    draw_answer: DrawAnswer | None = None
    """Answers all open draw offers."""
    draw_claim: DrawClaim | None = None
    """Claims a draw by the rules."""
    nonce: Nonce | None = None
    """Adds a nonce to the seed."""

    @property
    def item(self) -> Hello | Move | Pong | Resignation | DrawOffer | DrawAnswer | DrawClaim | Nonce | None:
        """The item."""
        return (
            self.hello
            or self.move
            or self.pong
            or self.resignation
            or self.draw_offer
            or self.draw_answer
            or self.draw_claim
            or self.nonce
        )


class RefereeItem(Value, frozen=True, kw_only=True):
    """An item that the server sends."""

    welcome: Welcome | None = None
    """Answers every accepted Hello."""
    nonce_request: NonceRequest | None = None
    """Asks for a nonce for the seed of a match."""
    match_started: MatchStarted | None = None
    """A match of the bot started."""
    turn: Turn | None = None
    """A seat has to move."""
    verdict: Verdict | None = None
    """Result of an item that the bot sent."""
    turn_expired: TurnExpired | None = None
    """A turn no longer needs an answer."""
    match_ended: MatchEnded | None = None
    """A match of the bot ended."""
    ping: Ping | None = None
    """Heartbeat, to be answered immediately."""
    draining: Draining | None = None
    """The server is about to shut down."""
    session_taken_over: SessionTakenOver | None = None
    """A newer session has taken over the seats, and this stream ends."""
    notice: Notice | None = None
    """Information for the bot's author."""

    @property
    def item(
        self,
    ) -> (
        Welcome
        | NonceRequest
        | MatchStarted
        | Turn
        | Verdict
        | TurnExpired
        | MatchEnded
        | Ping
        | Draining
        | SessionTakenOver
        | Notice
        | None
    ):
        """The item."""
        return (
            self.welcome
            or self.nonce_request
            or self.match_started
            or self.turn
            or self.verdict
            or self.turn_expired
            or self.match_ended
            or self.ping
            or self.draining
            or self.session_taken_over
            or self.notice
        )
