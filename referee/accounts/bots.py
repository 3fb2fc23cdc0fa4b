"""Bots: their owners, versions, pauses and fault counts.

A bot belongs to the holder of the token that registered it. Bots are never deleted, since matches name them.
"""

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from referee.accounts.account_errors import BotNotPaused, BotPaused
from referee.accounts.consent import DEFAULT_CONSENT, Consent
from referee.accounts.names import DESCRIPTION_CHARS, check_name, check_text, check_words
from referee.accounts.tokens import HOLDER_CHARS, Token

VERSION_CHARS = 64


class PauseCause(Enum):
    """What paused a bot."""

    FAULTS = "faults"
    """Too many consecutive faults. The owner may resume the bot."""
    ADMIN = "admin"
    """An administrator paused the bot, and only an administrator may resume it."""


class BotPause(Struct, frozen=True, gc=False):
    """Why a bot gets no new matches."""

    cause: PauseCause
    message: str
    """One sentence for the owner."""
    since_ms: int

    def __post_init__(self) -> None:
        check_words("message", self.message, DESCRIPTION_CHARS, at_least=1)


class Bot(Struct, frozen=True, gc=False):
    """A registered bot. Times are Unix milliseconds. Raises BadName or BadField."""

    name: str
    owner: str
    """The holder that the bot belongs to."""
    created_ms: int
    description: str = ""
    pause: BotPause | None = None
    latest_version: str = ""
    """The version registered last, filled in by the store."""
    faults: int = 0
    """Number of consecutive faults so far."""
    consent: Consent = DEFAULT_CONSENT

    def __post_init__(self) -> None:
        check_name(self.name)
        check_words("owner", self.owner, HOLDER_CHARS, at_least=1)
        check_text("description", self.description)


class Version(Struct, frozen=True, gc=False):
    """One version of a bot. Raises BadField."""

    bot: str
    version: str
    created_ms: int
    note: str = ""

    def __post_init__(self) -> None:
        check_words("version", self.version, VERSION_CHARS, at_least=1)
        check_text("note", self.note)


class MaxNames(Struct, frozen=True, gc=False):
    """Limits of the bots and valid tokens of one holder."""

    bots: int
    tokens: int


class Registration(Struct, frozen=True, gc=False):
    """Result of a registration."""

    bot: Bot
    token: Token
    """The first token of the bot."""
    repeated: bool
    """Whether the same request had registered the bot before; then `token` is the original one."""


def with_fault(bot: Bot, max_consecutive: int, message: str, at_ms: int) -> Bot:
    """Return the bot after one more consecutive fault; at the limit it is paused, with `message` as the reason."""
    bot = replace(bot, faults=bot.faults + 1)
    if bot.pause or bot.faults < max_consecutive:
        return bot
    return paused(bot, BotPause(PauseCause.FAULTS, message, at_ms))


def without_faults(bot: Bot) -> Bot:
    """Return the bot after a match that it finished without a fault."""
    return replace(bot, faults=0)


def paused(bot: Bot, pause: BotPause) -> Bot:
    """Return the bot as paused. A pause by an administrator is not replaced by one for faults."""
    if bot.pause and bot.pause.cause is PauseCause.ADMIN and pause.cause is PauseCause.FAULTS:
        return bot
    return replace(bot, pause=pause)


def returned(bot: Bot) -> Bot:
    """Return the bot as resumed by its owner.

    Raises BotNotPaused, or BotPaused if only an administrator may resume it.
    """
    if bot.pause and bot.pause.cause is PauseCause.ADMIN:
        raise BotPaused(bot.name, bot.pause.cause.value)
    return resumed(bot)


def resumed(bot: Bot) -> Bot:
    """Return the bot as resumed by an administrator, with no faults counted. Raises BotNotPaused."""
    if not bot.pause:
        raise BotNotPaused(bot.name)
    return replace(bot, pause=None, faults=0)


class Accounts(Protocol):
    """Store of all bots. Every method raises StoreUnavailable if it cannot be used now."""

    async def register(self, request_id: str, bot: Bot, token: Token, limits: MaxNames) -> Registration:
        """Insert a bot and its first token, both or neither. A repeated request of the owner inserts nothing.

        Raises NameTaken, TooManyNames, or RequestIdReused if the request registered another name.
        """

    async def bot(self, name: str) -> Bot:
        """Return the bot of that name. Raises NoSuchBot."""

    async def bots(self, owner: str = "", after: str = "", limit: int | None = None) -> list[Bot]:
        """Return bots ordered by name, after the name `after`; those of one owner, if one is given."""

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        """Change description, pause, faults and consent of a bot atomically, and return it. Raises NoSuchBot.

        `change` may be called in another thread; if it raises, nothing changes.
        """

    async def add_version(self, version: Version, limit: int) -> Version:
        """Insert a version, or return the existing one of that name. Raises NoSuchBot, TooManyNames."""

    async def versions(self, bot: str, before: str = "", limit: int | None = None) -> list[Version]:
        """Return versions, the newest first, older than `before`. Raises NoSuchBot, NoSuchVersion."""
