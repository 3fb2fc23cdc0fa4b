"""Bots whose node the coordinator cannot reach, or does not know: it waits for them.

While it waits, no flag of theirs falls and no absence is written. When a bot is back, or the wait is over, it is
charged nothing for its open turns so far: nobody knows when it could have answered.
"""

from collections.abc import Callable, Collection

from referee.live.ports import Time
from referee.match.clock import Micros


def ignore(_: str) -> None:
    """Do nothing: no bot has turns."""


class LostBots:
    def __init__(self, time: Time, given_up: Callable[[str], None]) -> None:
        """`given_up` is called with each bot that was not back in time."""
        self._time = time
        self._given_up = given_up
        self._until_us: dict[str, Micros] = {}
        self.excuse: Callable[[str], None] = ignore
        """Called with each bot to which no time so far must be charged."""

    def __contains__(self, bot: str) -> bool:
        return bot in self._until_us

    def add(self, bots: Collection[str], return_within_us: Micros) -> None:
        """Wait for these bots for that long."""
        until_us = self._time.monotonic_us() + return_within_us
        self._until_us.update(dict.fromkeys(bots, until_us))
        self._time.call_at(until_us, lambda: self._give_up(until_us))

    def update(self, bot: str, *, online: bool) -> bool:
        """Wait for the bot no longer if it is online. Return whether it is online or is still waited for."""
        if online:
            self._end(bot)
        return online or bot in self

    def discard(self, bot: str) -> None:
        """The bot was not lost, and nothing is excused."""
        self._until_us.pop(bot, None)

    def clear(self) -> None:
        """Wait for none, because another node is the coordinator."""
        self._until_us.clear()

    def _give_up(self, until_us: Micros) -> None:
        for bot in [bot for bot, ends_us in self._until_us.items() if ends_us == until_us]:
            self._end(bot)
            self._given_up(bot)

    def _end(self, bot: str) -> None:
        if self._until_us.pop(bot, None) is not None:
            self.excuse(bot)
