"""Bots of which the coordinator does not know whether they are connected: it waits for them.

Their node cannot be reached, or is not known; or some other node cannot be heard, to which each bot that is offline may
be connected. While the coordinator waits, no flag of theirs falls and no absence is written. When a bot is back, or the
wait is over, it is charged only what it had used before: nobody knows when it could have answered.
"""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from referee.live.match_timing import TurnUse
from referee.live.ports import Time
from referee.match.clock import Micros

Uses = Sequence[tuple[str, TurnUse]]
"""How much time a bot has used in open turns, each with the id of its match."""


class _Wait(Struct, frozen=True):
    until_us: Micros
    uses: Uses
    """What the bot had used before. A turn that is missing counts as unused."""


class LostBots:
    def __init__(
        self,
        time: Time,
        given_up: Callable[[str], None],
        excuse: Callable[[str, Uses], None],
        measure: Callable[[str], Uses],
    ) -> None:
        """`given_up` is called with each bot that was not back in time.

        `excuse` is called with each bot to which no time so far must be charged, but for what it had used before.
        `measure` returns what a bot that goes offline has used.
        """
        self._time = time
        self._given_up = given_up
        self._waits: dict[str, _Wait] = {}
        self._holding = False
        """Whether no wait ends, and every bot that goes offline is waited for, too."""
        self._excuse = excuse
        self._measure = measure

    def __contains__(self, bot: str) -> bool:
        return bot in self._waits

    def add(self, bots: Collection[str], return_within_us: Micros) -> None:
        """Wait for these bots for that long. It is not known how much time they have used."""
        until_us = self._time.monotonic_us() + return_within_us
        for bot in bots:
            self._waits[bot] = _Wait(until_us, self._waits[bot].uses if bot in self._waits else ())
        self._time.call_at(until_us, lambda: self._give_up(until_us))

    def hold(self, bots: Collection[str], unheard_us: Micros) -> None:
        """Wait for these bots, which are offline, and for all that go offline, until `release`.

        They may have been connected to a node of which nothing was heard for `unheard_us` already.
        """
        self._holding = True
        for bot in bots:
            if bot not in self._waits:
                uses = [
                    (match_id, TurnUse(used.token, max(0, used.us - unheard_us)))
                    for match_id, used in self._measure(bot)
                ]
                self._waits[bot] = _Wait(0, uses)

    def release(self, return_within_us: Micros) -> None:
        """Let all waits end after that time, if they were held."""
        if self._holding:
            self._holding = False
            self.add(list(self._waits), return_within_us)

    def update(self, bot: str, *, online: bool) -> bool:
        """Wait for the bot no longer if it is online. Return whether it is online or is still waited for."""
        if online:
            self._end(bot)
        elif self._holding:
            self.hold([bot], unheard_us=0)
        return online or bot in self

    def discard(self, bot: str) -> None:
        """The bot was not lost, and nothing is excused."""
        self._waits.pop(bot, None)

    def clear(self) -> None:
        """Wait for none, because another node is the coordinator."""
        self._waits.clear()
        self._holding = False

    def _give_up(self, until_us: Micros) -> None:
        if self._holding:
            return
        for bot in [bot for bot, wait in self._waits.items() if wait.until_us == until_us]:
            self._end(bot)
            self._given_up(bot)

    def _end(self, bot: str) -> None:
        wait = self._waits.pop(bot, None)
        if wait:
            self._excuse(bot, wait.uses)
