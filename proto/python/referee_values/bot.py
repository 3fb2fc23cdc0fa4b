"""Bots: their versions, presence and private logs."""

from typing import Literal

from referee_values.clock import ClockCharge
from referee_values.error import ErrorDetail, ErrorReason
from referee_values.play import Notice
from referee_values.result import Forfeit
from referee_values.value import Count, Count64, Int64, Timestamp, Value

ConsentScope = Literal["", "own", "own_and_contests", "anyone"]
"""From whom a bot takes matches.

- `""`: Not used.
- `"own"`: Only from its own holder.
- `"own_and_contests"`: Also in contests that its owner or the bot itself enters, and in open seats that they take.
- `"anyone"`: Also from every other holder; organisers may enter it in their contests too.
"""
PauseCause = Literal["", "faults", "admin"]
"""Party that paused a bot.

- `""`: Not used.
- `"faults"`: Too many consecutive faults. The owner can resume the bot.
- `"admin"`: An administrator. Only an administrator can resume the bot.
"""


class BotVersion(Value, frozen=True, kw_only=True):
    """One version of a bot."""

    version: str = ""
    """Name of the version, such as `1.4.2`, up to 64 characters."""
    note: str = ""
    """Release notes by its owner, up to 1000 characters."""
    create_time: Timestamp | None = None
    """Time when it was registered, explicitly or by its first Hello."""


class Session(Value, frozen=True, kw_only=True):
    """An open Play stream of a bot."""

    id: str = ""
    """Session id, as written in logs."""
    version: str = ""
    """Version that the session plays for."""
    games: tuple[str, ...] = ()
    """Games that it accepts. Empty: all."""
    max_matches: Count = 0
    """Maximum number of concurrent matches."""
    round_trip_us: Int64 = 0
    """Last measured round-trip time, in microseconds."""
    open_time: Timestamp | None = None
    """Time when the session was opened."""


class Consent(Value, frozen=True, kw_only=True):
    """From whom a bot takes matches, and on which conditions.

    Matches and contests that the bot's own holder creates are always taken. The conditions, which are all fields but
    the first, hold for those of everybody else. They are checked whenever somebody seats the bot: in CreateMatch,
    JoinMatch, JoinLadder, Challenge, CreateTournament and EnterTournament. A change does not affect matches and
    contests that the bot is in already. Administrators are bound like everybody else.
    """

    scope: ConsentScope = ""
    """From whom it takes matches. Default CONSENT_SCOPE_OWN_AND_CONTESTS."""
    games: tuple[str, ...] = ()
    """Games that it plays, each 1 to 64 characters, up to 32 of them. Default empty: all."""
    min_first_move_ms: Count | None = None
    """Least time for the first move, in milliseconds: the main time, the first period or the time for one move,
    together with a delay and with all that is available before the flag falls. Every seat must have it. A match
    without a clock is taken only if this and `min_move_ms` are 0. Not set: 1000. 0: any.
    """
    min_move_ms: Count = 0
    """Least time that every later move has at least, in milliseconds, however much was used before: the increment,
    the delay, the free time, the time for one move, or the period of a byo-yomi; 0 for other clocks. Every seat must
    have it. Default 0: any.
    """
    accept_odds: bool = False
    """Whether it takes matches at odds: seats with different clocks, a given start of the game outside of duplicate
    play, or a given seed. Default false.
    """
    max_matches_per_maker: Count = 0
    """Maximum number of its unfinished matches that the same other holder created, up to 1000, not counting matches
    that contests create. Default 0: 2.
    """


class Pause(Value, frozen=True, kw_only=True):
    """Pause of a bot, which gets no new matches."""

    cause: PauseCause = ""
    """Party that paused the bot."""
    message: str = ""
    """Reason in one sentence, for its owner."""
    pause_time: Timestamp | None = None
    """Time when it was paused."""


class RejectedItem(Value, frozen=True, kw_only=True):
    """An item that a bot sent and the server rejected."""

    move: str = ""
    """The move, if it was one; cut to 1000 characters."""
    error: ErrorDetail | None = None
    """Reason for the rejection."""


class SessionLost(Value, frozen=True, kw_only=True):
    """A session that ended other than by the bot's own choice."""

    session_id: str = ""
    """Id of the session."""
    reason: ErrorReason = ""
    """The error that closed it; HEARTBEAT_LOST if the connection broke."""


class Presence(Value, frozen=True, kw_only=True):
    """Whether a bot is online."""

    sessions: tuple[Session, ...] = ()
    """Its open sessions. Empty: it is offline."""
    change_time: Timestamp | None = None
    """Time when it last went online or offline."""
    matches_in_play: Count = 0
    """Number of its matches in play."""


class BotLogEntry(Value, frozen=True, kw_only=True):
    """An entry of a bot's private log."""

    number: Count64 = 0
    """Number of the entry; increases from 1."""
    create_time: Timestamp | None = None
    """Time when the entry was written."""
    version: str = ""
    """The version of the bot."""
    match_id: str = ""
    """Id of the match. Empty if the entry is not about a match."""
    seat: Count | None = None
    """The bot's seat, from 0. Not set if the entry is not about a match."""
    ply: Count | None = None
    """The ply, from 0. Not set if the entry is not about a turn."""
    item_rejected: RejectedItem | None = None
    """An item that the bot sent was rejected."""
    clock_expired: ClockCharge | None = None
    """The bot's time ran out; the charge that proves it."""
    forfeited: Forfeit | None = None
    """The bot forfeited a game."""
    session_lost: SessionLost | None = None
    """A session ended other than by the bot's own choice."""
    notice: Notice | None = None
    """A notice was sent to the bot."""

    @property
    def event(self) -> RejectedItem | ClockCharge | Forfeit | SessionLost | Notice | None:
        """Event that the entry records."""
        return self.item_rejected or self.clock_expired or self.forfeited or self.session_lost or self.notice


class Bot(Value, frozen=True, kw_only=True):
    """A bot as everybody can see it."""

    name: str = ""
    """Its name: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter."""
    owner: str = ""
    """Holder of the token that registered it."""
    description: str = ""
    """Description by its owner, up to 1000 characters."""
    latest_version: str = ""
    """The version registered last. Empty: none."""
    presence: Presence = Presence()
    """Whether it is online."""
    pause: Pause | None = None
    """Pause during which it gets no new matches. Not set: it is not paused."""
    create_time: Timestamp | None = None
    """Time when it was registered."""
    consent: Consent = Consent()
    """From whom it takes matches, and on which conditions, with all defaults filled in."""
