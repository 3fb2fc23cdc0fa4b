"""Types of bots: a function, an object, or a class that is instantiated for each match and seat."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from referee_client.answers import Answer
from referee_client.turn import Turn

Key: TypeAlias = tuple[str, int]
"""A match id and a seat."""


class Chooser(Protocol):
    """An object with this method is a bot. It may also have `started(match, seat)` and `ended(end)`."""

    def choose(self, turn: Turn) -> Answer | Awaitable[Answer]: ...


Choosing: TypeAlias = Callable[[Turn], Answer | Awaitable[Answer]]
Bot: TypeAlias = Choosing | Chooser | type[Chooser]


class Cast:
    """Assigns a player, which is a function or an object, to each seat."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._own: dict[Key, Any] = {}
        """The players by seat, if the bot is a class."""

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(getattr(self._bot, "choose", self._bot))

    def choose(self, key: Key, turn: Turn) -> Any:
        """Return the answer of the bot, or an awaitable of it."""
        player = self._player(key)
        return getattr(player, "choose", player)(turn)

    def tell(self, key: Key, what: str, *news: object) -> Any:
        """Call the bot's method `what`, if it has one, and return its result, which may be an awaitable."""
        method = getattr(self._player(key), what, None)
        return method(*news) if method else None

    def forget(self, key: Key) -> None:
        """Remove the player of a match that is over."""
        self._own.pop(key, None)

    def _player(self, key: Key) -> Any:
        if not inspect.isclass(self._bot):
            return self._bot
        if key not in self._own:
            self._own[key] = self._bot()
        return self._own[key]
