"""What a bot may be: a function, an object, or a class of which each match and seat has its own."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from referee_client.answers import Answer
from referee_client.turn import Turn

Key: TypeAlias = tuple[str, int]
"""A match and a seat."""


class Chooser(Protocol):
    """An object with this method is a bot. If it likes, it has `started(match, seat)` and `ended(end)` too."""

    def choose(self, turn: Turn) -> Answer | Awaitable[Answer]: ...


Choosing: TypeAlias = Callable[[Turn], Answer | Awaitable[Answer]]
Bot: TypeAlias = Choosing | Chooser | type[Chooser]


class Cast:
    """Who plays which seat."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._own: dict[Key, Any] = {}
        """Where the bot is a class."""

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(getattr(self._bot, "choose", self._bot))

    def choose(self, key: Key, turn: Turn) -> Any:
        """What the bot answers, or an awaitable of it."""
        player = self._player(key)
        return getattr(player, "choose", player)(turn)

    def tell(self, key: Key, what: str, *news: object) -> Any:
        """Call the bot's method `what`, if it has one. What comes of it may be an awaitable."""
        method = getattr(self._player(key), what, None)
        return method(*news) if method else None

    def forget(self, key: Key) -> None:
        """The match is over."""
        self._own.pop(key, None)

    def _player(self, key: Key) -> Any:
        if not inspect.isclass(self._bot):
            return self._bot
        if key not in self._own:
            self._own[key] = self._bot()
        return self._own[key]
