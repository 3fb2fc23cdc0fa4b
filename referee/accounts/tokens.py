"""Access tokens, their roles, and quotas: limits of one holder, over all of its tokens and bots.

A secret is made of random bytes, shown once and not stored. Its SHA-256 is stored, which is enough to recognise it;
no slow hash is needed, since 32 random bytes cannot be guessed.
"""

import hashlib
from base64 import b32encode
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from msgspec import Struct
from msgspec.structs import fields, replace

from referee.accounts.account_errors import BadField
from referee.accounts.names import check_name, check_words

SECRET_BYTES = 32
HOLDER_CHARS = 64
LABEL_CHARS = 200
MINUTE_MS = 60_000
PROVIDER_HOLDER = "oidc:"
"""Prefix of the holders that an identity provider names. Stored tokens do not have it, except those of bots."""
FIRST_ADMIN = "admin"
"""Holder of the administrator token that a server creates at its first start."""


class Role(Enum):
    """What a token permits."""

    SPECTATOR = "spectator"
    BOT = "bot"
    AUTHOR = "author"
    ORGANISER = "organiser"
    ADMIN = "admin"
    PUBLIC = "public"
    """A caller without a token, where the server lets the public read. No token has this role."""


@dataclass(frozen=True, slots=True)
class MintedSecret:
    """A new secret and its hash."""

    secret: str = field(repr=False)
    sha256: bytes


def mint_secret(random_bytes: bytes, prefix: str = "rf_") -> MintedSecret:
    """Encode 32 random bytes as a prefix and 52 lower-case letters and digits, selectable by a double click."""
    assert len(random_bytes) == SECRET_BYTES
    secret = prefix + b32encode(random_bytes).decode().rstrip("=").lower()
    return MintedSecret(secret, sha256_of(secret))


def sha256_of(secret: str) -> bytes:
    """Return the hash by which a token is found."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


class BudgetOwner(Struct, frozen=True, gc=False):
    """A bot, or a holder with all tokens but those of its bots; its calls, bytes and streams are counted together."""

    holder: str
    bot: str = ""
    """Empty: the other tokens."""


class Token(Struct, frozen=True, gc=False):
    """Stored data of a token, without its secret. Times are Unix milliseconds. Raises BadName or BadField."""

    sha256: bytes
    role: Role
    holder: str
    """The person or team that it was issued to."""
    created_ms: int
    bot: str = ""
    """The bot that it authenticates, if its role is bot."""
    label: str = ""
    expires_ms: int | None = None
    used_ms: int | None = None
    """When it was last used, rounded down to the minute."""
    revoked: bool = False

    def __post_init__(self) -> None:
        check_words("holder", self.holder, HOLDER_CHARS, at_least=1)
        check_words("label", self.label, LABEL_CHARS)
        if self.role is Role.BOT:
            check_name(self.bot)
        elif self.bot:
            raise BadField("bot", "only a token of role bot belongs to a bot")
        if self.expires_ms is not None and self.expires_ms <= self.created_ms:
            raise BadField("expire_time", "it must be in the future")

    @property
    def id(self) -> str:
        """Public identifier, safe in lists and logs."""
        return f"tk_{self.sha256.hex()[:16]}"

    @property
    def is_stored(self) -> bool:
        """Whether it is in the store, and not of an identity provider."""
        return self.role is Role.BOT or not self.holder.startswith(PROVIDER_HOLDER)

    def is_valid_at(self, now_ms: int) -> bool:
        return not self.revoked and (self.expires_ms is None or now_ms < self.expires_ms)


def revoked(token: Token) -> Token:
    return replace(token, revoked=True)


def used(token: Token, now_ms: int) -> Token:
    return replace(token, used_ms=now_ms - now_ms % MINUTE_MS)


class TokenFilter(Struct, frozen=True, gc=False):
    """Which tokens to list. All given fields must match."""

    holder: str = ""
    bot: str = ""
    valid_at_ms: int | None = None


ALL_TOKENS = TokenFilter()
MAX_INVALID_TOKENS_PER_BOT = 100
"""Revoked and expired tokens of a bot that are kept, since its owner can create and revoke them without end."""


class Quota(Struct, frozen=True, gc=False):
    """Limits; 0 means the default of the server. Raises BadField."""

    max_matches: int = 0
    max_streams: int = 0
    calls_per_minute: int = 0
    max_bots: int = 0
    max_tokens: int = 0
    max_stored_bytes: int = 0
    max_authors: int = 0
    max_bot_streams: int = 0
    max_contests: int = 0
    max_received_bytes: int = 0

    def __post_init__(self) -> None:
        for limit in fields(self):
            if getattr(self, limit.name) < 0:
                raise BadField(limit.name, "it must not be negative")

    def filled(self, usual: "Quota") -> "Quota":
        """Return this quota with the limits of `usual` where it has none."""
        return Quota(*(getattr(self, limit.name) or getattr(usual, limit.name) for limit in fields(self)))


class DefaultQuotas(Struct, frozen=True, gc=False):
    """Quotas of holders without one of their own."""

    organiser: Quota
    """Of every holder that is not an author."""
    author: Quota
    """Of authors, and of every holder that an identity provider names, since the role of these is not stored."""


class Tokens(Protocol):
    """Store of all tokens. Every method raises StoreUnavailable if it cannot be used now."""

    async def add_token(self, token: Token, max_valid: int) -> None:
        """Insert a token. Raises TooManyNames if its holder has `max_valid` valid ones at its creation.

        If it belongs to a bot, deletes the oldest invalid tokens of this bot beyond `MAX_INVALID_TOKENS_PER_BOT`, but
        never its first token, which a repeated registration returns.
        """

    async def find_token(self, sha256: bytes) -> Token | None:
        """Return the token with that hash, valid or not; None: there is none."""

    async def tokens(self, wanted: TokenFilter = ALL_TOKENS, before: str = "", limit: int | None = None) -> list[Token]:
        """Return tokens, the newest first, older than the one with the id `before`. Raises NoSuchToken."""

    async def revoked(self, token_ids: Collection[str]) -> set[str]:
        """Return those of the ids whose tokens are revoked or do not exist."""

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        """Change the last use and the revocation of a token atomically, and return it. Raises NoSuchToken.

        `change` may be called in another thread; if it raises, nothing changes.
        """


class Quotas(Protocol):
    """Store of quotas. Every method raises StoreUnavailable if it cannot be used now."""

    async def quota(self, holder: str) -> Quota | None:
        """Return the quota of a holder; None: the default limits apply."""

    async def holders(self, after: str = "", limit: int | None = None) -> list[str]:
        """Return the holders of tokens, bots and quotas, ordered by name, after the name `after`."""

    async def stored_bytes(self, holder: str) -> int:
        """Return the stored size of what the holder created: finished matches, and the terms of other matches and
        contests.
        """

    async def is_author(self, holder: str) -> bool:
        """Return whether the default limits of authors apply to a holder.

        They do if it has a token of role author, even a revoked one, and no other of role organiser or admin that is
        not revoked.
        """

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        """Set the quota of a holder; None removes it."""
