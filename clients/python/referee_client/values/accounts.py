"""Tokens, quotas and invitations."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["", "spectator", "bot", "organiser", "admin", "author"]
"""Role of a token, which decides what the token permits.

`spectator`: to read public information.
`bot`: to play for one bot, and to read public information.
`organiser`: to register bots, to create matches, ladders and tournaments, to manage one's own, and to read public
    information.
`admin`: everything except playing and reading hidden information.
`author`: to register bots, to manage one's own, to let them join ladders and tournaments, to create unrated matches,
    and to read public information. Its default limits are lower than those of an organiser.
"""


@dataclass(frozen=True, kw_only=True)
class Token:
    """A token without its secret."""

    id: str = ""
    """Public id for lists and logs."""
    role: Role = ""
    """Role, which decides what the token permits."""
    holder: str = ""
    """The person or team that has it."""
    bot: str = ""
    """With role bot: the bot that it acts for. Otherwise empty."""
    label: str = ""
    """Purpose of the token, as given when it was created."""
    create_time: datetime | None = None
    """Time when it was created. None: it is a token of an identity provider, which does not say so."""
    expire_time: datetime | None = None
    """Time when it expires. None: never."""
    last_use_time: datetime | None = None
    """Time when it was last used, to the minute. None: never."""
    revoked: bool = False
    """Whether it was revoked."""


@dataclass(frozen=True, kw_only=True)
class NewToken:
    """A new token with its secret, which cannot be read again later."""

    secret: str = ""
    """The secret. It cannot be read again later."""
    token: Token = field(default_factory=Token)
    """The token without its secret."""


@dataclass(frozen=True, kw_only=True)
class Quota:
    """Limits of a holder.

    Calls, received bytes and streams are counted for each of its bots by itself (the calls with tokens of this bot),
    and for all its other tokens together; so no bot is refused anything for what another one did. In requests, 0 is the
    server's default; in responses all numbers are set.
    """

    max_matches: int = 0
    """Maximum number of matches in play."""
    max_streams: int = 0
    """Maximum number of open streams of the holder's own tokens, which are those of Watch methods."""
    max_calls_per_minute: int = 0
    """Maximum number of calls in a minute, evenly spaced, with bursts of up to a tenth of it: of the holder's own
    tokens, and the same of each bot.
    """
    max_bots: int = 0
    """Maximum number of registered bots."""
    max_tokens: int = 0
    """Maximum number of active tokens."""
    max_stored_bytes: int = 0
    """Maximum stored size of the matches and contests that the holder created, in bytes: whole logs of finished
    matches, and the terms (options, openings, entrants) of all others. Archived matches, and matches created by
    contests, do not count.
    """
    max_authors: int = 0
    """Maximum number of authors that the holder has invited, or can still invite with invitations that are not
    revoked, expired or used up.
    """
    max_bot_streams: int = 0
    """Maximum number of open Play streams of each bot, and the same of Watch streams."""
    max_contests: int = 0
    """Maximum number of ladders and tournaments that the holder created and that are not over."""
    max_received_bytes: int = 0
    """Maximum size of the request messages received in a minute, in bytes: of the holder's own tokens, and the same
    of each bot. Play streams are not counted, and a move is never refused.
    """


@dataclass(frozen=True, kw_only=True)
class QuotaUsage:
    """Resources that a holder uses."""

    matches: int = 0
    """Number of matches in play."""
    streams: int = 0
    """Number of open streams of its own tokens."""
    calls: int = 0
    """Number of calls of its own tokens in the last minute, without rejected ones."""
    bots: int = 0
    """Number of registered bots."""
    tokens: int = 0
    """Number of active tokens."""
    stored_bytes: int = 0
    """Stored size of matches and contests, in bytes. 0 on a server without storage."""
    authors: int = 0
    """Number of authors that redeemed invitations of the holder, and of further uses of its open invitations."""
    bot_streams: int = 0
    """Number of open streams of one kind, Play or Watch, of the bot that has the most."""
    bot_calls: int = 0
    """Number of calls in the last minute of the bot that made the most, without rejected ones and moves."""
    contests: int = 0
    """Number of ladders and tournaments that are not over."""
    received_bytes: int = 0
    """Size of the request messages received in the last minute, in bytes: of its own tokens, or of the bot that
    sent the most, whichever is greater.
    """


@dataclass(frozen=True, kw_only=True)
class HolderQuota:
    """A holder with its limits, and how much of them it uses."""

    holder: str = ""
    """The holder."""
    quota: Quota = field(default_factory=Quota)
    """The limits."""
    own_quota: Quota = field(default_factory=Quota)
    """The limits that were set for this holder; 0 for those that were not. None: none was."""
    usage: QuotaUsage = field(default_factory=QuotaUsage)
    """Current usage."""


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """An invitation without its code."""

    id: str = ""
    """Public id for lists and logs."""
    organiser: str = ""
    """The holder that created it."""
    label: str = ""
    """Purpose of the invitation, as given when it was created."""
    max_uses: int = 0
    """How many authors can redeem it."""
    uses: int = 0
    """How many authors have redeemed it."""
    create_time: datetime | None = None
    """Time when it was created."""
    expire_time: datetime | None = None
    """Time when it expires."""
    revoked: bool = False
    """Whether it was revoked."""


@dataclass(frozen=True, kw_only=True)
class Redemption:
    """One use of an invitation."""

    holder: str = ""
    """The author that redeemed it."""
    token_id: str = ""
    """Id of the token that the author received."""
    create_time: datetime | None = None
    """Time of the redemption."""


@dataclass(frozen=True, kw_only=True)
class NewInvitation:
    """A new invitation with its code, which cannot be read again later."""

    invitation: Invitation = field(default_factory=Invitation)
    """The invitation without its code."""
    code: str = ""
    """The code. Empty if an earlier request with this `request_id` created the invitation."""


@dataclass(frozen=True, kw_only=True)
class DrainState:
    """What a server that shuts down waits for."""

    matches_in_play: int = 0
    """Number of matches in play on this server; they continue after the next start."""
    streams: int = 0
    """Number of open streams on this server."""
