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


ChooseFunction: TypeAlias = Callable[[Turn], Answer | Awaitable[Answer]]
Bot: TypeAlias = ChooseFunction | Chooser | type[Chooser]


class Players:
    """The player of each seat: the bot's function or object, or an instance of its class."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._instances: dict[Key, Any] = {}
        """The instances by seat, if the bot is a class."""

    @property
    def is_async(self) -> bool:
        """Whether the bot is asynchronous, as far as its first call need not show it, as it must of a lambda."""
        choose: Any = getattr(self._bot, "choose", self._bot)
        return any(map(inspect.iscoroutinefunction, (choose, type(choose).__call__)))

    def choose(self, key: Key, turn: Turn) -> Any:
        """Return the answer of the bot, or an awaitable of it."""
        player = self._player(key)
        return getattr(player, "choose", player)(turn)

    def notify(self, key: Key, name: str, *arguments: object) -> Any:
        """Call the bot's method of this name, if it has one, and return its result, which may be an awaitable."""
        method = getattr(self._player(key), name, None)
        return method(*arguments) if method else None

    def remove(self, key: Key) -> None:
        """Remove the player of a match that is over."""
        self._instances.pop(key, None)

    def _player(self, key: Key) -> Any:
        if not inspect.isclass(self._bot):
            return self._bot
        if key not in self._instances:
            self._instances[key] = self._bot()
        return self._instances[key]
