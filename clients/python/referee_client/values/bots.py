"""Bots, their sessions and their private log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from referee_client.errors import Refusal
from referee_client.values.results import Forfeit
from referee_client.values.time_controls import ClockCharge

ConsentScope: TypeAlias = Literal["", "own", "own_and_contests", "anyone"]
"""From whom a bot takes matches.

`own`: only from its own holder.
`own_and_contests`: also in contests that its owner or the bot itself enters, and in open seats that they take.
`anyone`: also from every other holder; organisers may enter it in their contests too.
"""

PauseCause: TypeAlias = Literal["", "faults", "admin"]
"""Party that paused a bot.

`faults`: too many consecutive faults. The owner can resume the bot.
`admin`: an administrator. Only an administrator can resume the bot.
"""

NoticeKind: TypeAlias = Literal["", "paused", "resumed", "fault_counted", "quota_nearly_exhausted"]
"""Subject of a notice.

`paused`: the bot was paused and gets no new matches. Metadata: cause, faults.
`resumed`: the bot was resumed. No metadata.
`fault_counted`: a fault was counted. After `left` more consecutive faults the bot is paused. Metadata: fault,
    match_id, left.
`quota_nearly_exhausted`: a quota is nearly exhausted. Metadata: quota, used, limit.
"""


@dataclass(frozen=True, kw_only=True)
class Consent:
    """From whom a bot takes matches, and on which conditions.

    Matches and contests that the bot's own holder creates are always taken. The conditions, which are all fields but
    the first, hold for those of everybody else. They are checked whenever somebody seats the bot: in CreateMatch,
    JoinMatch, JoinLadder, Challenge, CreateTournament and EnterTournament. A change does not affect matches and
    contests that the bot is in already. Administrators are bound like everybody else.
    """

    scope: ConsentScope = ""
    """From whom it takes matches. Default: `own_and_contests`."""
    games: tuple[str, ...] = ()
    """Games that it plays, each 1 to 64 characters, up to 32 of them. Default empty: all."""
    min_first_move_ms: int | None = None
    """Least time for the first move, in milliseconds: the main time, the first period or the time for one move,
    together with a delay and with all that is available before the flag falls. Every seat must have it. A match
    without a clock is taken only if this and `min_move_ms` are 0. None: 1000. 0: any.
    """
    min_move_ms: int = 0
    """Least time that every later move has at least, in milliseconds, however much was used before: the increment,
    the delay, the free time, the time for one move, or the period of a byo-yomi; 0 for other clocks. Every seat
    must have it. Default 0: any.
    """
    accept_odds: bool = False
    """Whether it takes matches at odds: seats with different clocks, a given start of the game outside of duplicate
    play, or a given seed. Default false.
    """
    max_matches_per_maker: int = 0
    """Maximum number of its unfinished matches that the same other holder created, up to 1000, not counting matches
    that contests create. Default 0: 2.
    """


@dataclass(frozen=True, kw_only=True)
class BotVersion:
    """One version of a bot."""

    version: str = ""
    """Name of the version, such as `1.4.2`, up to 64 characters."""
    note: str = ""
    """Release notes by its owner, up to 1000 characters."""
    create_time: datetime | None = None
    """Time when it was registered, explicitly or by its first Hello."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """An open Play stream of a bot."""

    id: str = ""
    """Session id, as written in logs."""
    version: str = ""
    """Version that the session plays for."""
    games: tuple[str, ...] = ()
    """Games that it accepts. Empty: all."""
    max_matches: int = 0
    """Maximum number of concurrent matches."""
    round_trip_us: int = 0
    """Last measured round-trip time, in microseconds."""
    open_time: datetime | None = None
    """Time when the session was opened."""


@dataclass(frozen=True, kw_only=True)
class Presence:
    """Whether a bot is online."""

    sessions: tuple[Session, ...] = ()
    """Its open sessions. Empty: it is offline."""
    change_time: datetime | None = None
    """Time when it last went online or offline."""
    matches_in_play: int = 0
    """Number of its matches in play."""


@dataclass(frozen=True, kw_only=True)
class Pause:
    """Pause of a bot, which gets no new matches."""

    cause: PauseCause = ""
    """Party that paused the bot."""
    message: str = ""
    """Reason in one sentence, for its owner."""
    pause_time: datetime | None = None
    """Time when it was paused."""


@dataclass(frozen=True, kw_only=True)
class BotAccount:
    """A bot as everybody can see it."""

    name: str = ""
    """Its name: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter."""
    owner: str = ""
    """Holder of the token that registered it."""
    description: str = ""
    """Description by its owner, up to 1000 characters."""
    latest_version: str = ""
    """The version registered last. Empty: none."""
    presence: Presence = field(default_factory=Presence)
    """Whether it is online."""
    pause: Pause | None = None
    """Pause during which it gets no new matches. None: it is not paused."""
    create_time: datetime | None = None
    """Time when it was registered."""
    consent: Consent = field(default_factory=Consent)
    """From whom it takes matches, and on which conditions, with all defaults filled in."""


@dataclass(frozen=True, kw_only=True)
class RejectedItem:
    """An item that a bot sent and the server rejected."""

    move: str = ""
    """The move, if it was one; cut to 1000 characters."""
    error: Refusal | None = None
    """Reason for the rejection."""


@dataclass(frozen=True, kw_only=True)
class SessionLost:
    """A session that ended other than by the bot's own choice."""

    session_id: str = ""
    """Id of the session."""
    reason: str = ""
    """The error that closed it; HEARTBEAT_LOST if the connection broke."""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Information for the bot's author, which needs no answer. It is also written to the bot's private log."""

    kind: NoticeKind = ""
    """Subject of the notice."""
    message: str = ""
    """One sentence in English."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The variables of the message by name, as text."""


BotLogEvent: TypeAlias = RejectedItem | ClockCharge | Forfeit | SessionLost | Notice


@dataclass(frozen=True, kw_only=True)
class BotLogEntry:
    """An entry of a bot's private log."""

    number: int = 0
    """Number of the entry; increases from 1."""
    create_time: datetime | None = None
    """Time when the entry was written."""
    version: str = ""
    """The version of the bot."""
    match_id: str = ""
    """Id of the match. Empty if the entry is not about a match."""
    seat: int | None = None
    """The bot's seat, from 0. None if the entry is not about a match."""
    ply: int | None = None
    """The ply, from 0. None if the entry is not about a turn."""
    event: BotLogEvent | None = None
    """Event that the entry records."""
