"""Bots: who they are, who answers for them, which versions there were.

A bot belongs to the holder of the token that registered it. Bots are never deleted: matches name them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from referee.app.names import DESCRIPTION_CHARS, check_name, check_text, check_words
from referee.app.refusals import BotNotPaused, BotPaused
from referee.app.tokens import HOLDER_CHARS, Token

VERSION_CHARS = 64


class PauseCause(Enum):
    """Who paused a bot."""

    FAULTS = "faults"
    """Too many faults in a row. Its owner may bring it back."""
    ADMIN = "admin"
    """An administrator, who alone may lift it."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Why a bot gets no new matches."""

    cause: PauseCause
    message: str
    """One sentence for its owner."""
    since_ms: int

    def __post_init__(self) -> None:
        check_words("message", self.message, DESCRIPTION_CHARS, at_least=1)


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot that is registered. Times are Unix milliseconds. Raises BadName or BadField."""

    name: str
    owner: str
    """The holder who answers for it."""
    created_ms: int
    description: str = ""
    pause: Pause | None = None
    latest_version: str = ""
    """The one registered last; whoever keeps the accounts fills it in."""
    faults: int = 0
    """In a row, until now."""

    def __post_init__(self) -> None:
        check_name(self.name)
        check_words("owner", self.owner, HOLDER_CHARS, at_least=1)
        check_text("description", self.description)


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a bot. Raises BadField."""

    bot: str
    version: str
    created_ms: int
    note: str = ""

    def __post_init__(self) -> None:
        check_words("version", self.version, VERSION_CHARS, at_least=1)
        check_text("note", self.note)


@dataclass(frozen=True, slots=True)
class NamesAtMost:
    """How many bots, and good tokens, one holder may have."""

    bots: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Registered:
    """What came of a registration."""

    bot: Bot
    token: Token
    """Its first."""
    again: bool
    """The very same request had registered it before; nothing is new, and the token is that of then."""


def faulted(bot: Bot, in_a_row_at_most: int, message: str, at_ms: int) -> Bot:
    """The bot after one more fault: the last that it may have in a row pauses it, and `message` says why."""
    bot = replace(bot, faults=bot.faults + 1)
    if bot.pause or bot.faults < in_a_row_at_most:
        return bot
    return paused(bot, Pause(PauseCause.FAULTS, message, at_ms))


def faultless(bot: Bot) -> Bot:
    """The bot after a match that it finished without a fault."""
    return replace(bot, faults=0)


def paused(bot: Bot, pause: Pause) -> Bot:
    """A pause by an administrator stands until one lifts it, whatever faults follow."""
    if bot.pause and bot.pause.cause is PauseCause.ADMIN and pause.cause is PauseCause.FAULTS:
        return bot
    return replace(bot, pause=pause)


def returned(bot: Bot) -> Bot:
    """The bot as its owner brings it back. Raises BotNotPaused, or BotPaused if only an administrator may."""
    if bot.pause and bot.pause.cause is PauseCause.ADMIN:
        raise BotPaused(bot.name, bot.pause.cause.value)
    return resumed(bot)


def resumed(bot: Bot) -> Bot:
    """The bot as an administrator brings it back, its faults forgotten. Raises BotNotPaused."""
    if not bot.pause:
        raise BotNotPaused(bot.name)
    return replace(bot, pause=None, faults=0)


class Accounts(Protocol):
    """The book of all bots. Every method raises LogUnavailable if it cannot be opened now."""

    async def register(self, request_id: str, bot: Bot, token: Token, at_most: NamesAtMost) -> Registered:
        """Enter a bot and its first token, both or neither. The owner's same request again enters nothing.

        Raises NameTaken, TooManyNames, or RequestIdReused if the request registered another name.
        """

    async def bot(self, name: str) -> Bot:
        """Raises UnknownBot."""

    async def bots(self, owner: str = "", after: str = "", at_most: int | None = None) -> list[Bot]:
        """Bots in order of their names, from the first name beyond `after`; of one owner, if one is given."""

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        """The bot as changed: its description, pause and faults, and nothing else. Raises UnknownBot.

        Nobody else changes it meanwhile. `change` may be called in another thread; what it raises changes nothing.
        """

    async def add_version(self, version: Version, at_most: int) -> Version:
        """Enter a version, or find the one of that name that was there. Raises UnknownBot, TooManyNames."""

    async def versions(self, bot: str, before: str = "", at_most: int | None = None) -> list[Version]:
        """Versions, the newest first, from the first older than `before`. Raises UnknownBot, UnknownVersion."""
