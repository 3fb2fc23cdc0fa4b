"""Tokens: who may come in, and as what.

A token's secret is made of random bytes, shown once, and forgotten. What is kept is its SHA-256, which
is enough to know it again; guessing 32 random bytes is hopeless, so no slow hash is needed.
"""

import hashlib
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from referee.app.names import check_name, check_words
from referee.app.refusals import BadField

SECRET_BYTES = 32
HOLDER_CHARS = 64
LABEL_CHARS = 200
MINUTE_MS = 60_000


class Role(Enum):
    """What a token allows."""

    SPECTATOR = "spectator"
    BOT = "bot"
    ORGANISER = "organiser"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Minted:
    """A new secret, and what is kept of it."""

    secret: str = field(repr=False)
    sha256: bytes


def mint(random_bytes: bytes) -> Minted:
    """The secret made of 32 random bytes: `rf_` and 52 small letters and digits, easy to mark with a double click."""
    assert len(random_bytes) == SECRET_BYTES
    secret = "rf_" + b32encode(random_bytes).decode().rstrip("=").lower()
    return Minted(secret, sha256_of(secret))


def sha256_of(secret: str) -> bytes:
    """By which a token is found."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token: never its secret. Times are Unix milliseconds. Raises BadName or BadField."""

    sha256: bytes
    role: Role
    holder: str
    """The person or team it was given to."""
    created_ms: int
    bot: str = ""
    """With role bot: the bot it speaks for."""
    label: str = ""
    expires_ms: int | None = None
    used_ms: int | None = None
    """When it was last used, to the minute."""
    revoked: bool = False

    def __post_init__(self) -> None:
        check_words("holder", self.holder, HOLDER_CHARS, at_least=1)
        check_words("label", self.label, LABEL_CHARS)
        if self.role is Role.BOT:
            check_name(self.bot)
        elif self.bot:
            raise BadField("bot", "only a token of role bot speaks for a bot")
        if self.expires_ms is not None and self.expires_ms <= self.created_ms:
            raise BadField("expires_at", "it would never be good")

    @property
    def id(self) -> str:
        """No secret: good for lists and logs."""
        return f"tk_{self.sha256.hex()[:16]}"

    def good_at(self, now_ms: int) -> bool:
        return not self.revoked and (self.expires_ms is None or now_ms < self.expires_ms)


def revoked(token: Token) -> Token:
    return replace(token, revoked=True)


def used(token: Token, now_ms: int) -> Token:
    return replace(token, used_ms=now_ms - now_ms % MINUTE_MS)


@dataclass(frozen=True, slots=True)
class WantedTokens:
    """Which tokens to list. What is given must all hold."""

    holder: str = ""
    bot: str = ""
    good_at_ms: int | None = None


EVERY_TOKEN = WantedTokens()


class Tokens(Protocol):
    """The book of all tokens. Every method raises LogUnavailable if it cannot be opened now."""

    async def add_token(self, token: Token, good_at_most: int) -> None:
        """Enter a token. Raises TooManyNames if its holder has so many good ones when it is created."""

    async def token_of(self, sha256: bytes) -> Token | None:
        """The token with that secret, whether it is still good or not. None: there is none."""

    async def tokens(
        self, wanted: WantedTokens = EVERY_TOKEN, before: str = "", at_most: int | None = None
    ) -> list[Token]:
        """Tokens, the newest first, from the first older than the one with the id `before`. Raises UnknownToken."""

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        """The token as changed: when it was used, and whether it is revoked, and nothing else. Raises UnknownToken.

        Nobody else changes it meanwhile. `change` may be called in another thread; what it raises changes nothing.
        """
