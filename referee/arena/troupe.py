"""The bots of a tournament: a process each, started anew when it has died, as long as it comes on at all."""

import asyncio
from collections.abc import Iterable

from referee.arena.desk import Desk
from referee.arena.entrant import Entrant
from referee.arena.launcher import Launcher
from referee.arena.process import BotProcess

LOOK_AGAIN_S = 0.1
DEATHS_AT_MOST = 5
"""In a row, without a match in between."""
SILENT = "it did not say Hello, or does not take"


class Troupe:
    """Everybody's processes, from `begin` to `end`."""

    def __init__(self, desk: Desk, launcher: Launcher, matches_at_most: int) -> None:
        self._desk = desk
        self._launcher = launcher
        self._matches_at_most = matches_at_most
        self._playing: dict[str, BotProcess] = {}
        self._deaths: dict[str, int] = {}
        self._secrets: dict[str, str] = {}

    async def introduce(self, entrants: Iterable[Entrant]) -> None:
        """Make them known to the referee, before any of them is started. To do so twice is no fault."""
        for entrant in entrants:
            if entrant.name not in self._secrets:
                self._secrets[entrant.name] = await self._desk.register(entrant.name)

    async def begin(self, entrants: Iterable[Entrant], game: str, within_s: float) -> dict[Entrant, str]:
        """Start them all. Who is not there in time, and why."""
        bots = list(entrants)
        await self.introduce(bots)
        whys = await asyncio.gather(*(self._come(bot, game, within_s) for bot in bots))
        return {bot: why for bot, why in zip(bots, whys, strict=True) if why}

    async def stay(self, entrant: Entrant, game: str, within_s: float) -> str:
        """Start it anew whenever it has died, for its next match; the one it was in, it has lost.

        Returns when it is not to be brought back, and says why.
        """
        while True:
            process = self._playing[entrant.name]
            await process.exited()
            self._deaths[entrant.name] = deaths = self._deaths.get(entrant.name, 0) + 1
            if deaths >= DEATHS_AT_MOST:
                return f"it died {deaths} times in a row; {process.last_words()}"
            while await self._desk.plays(entrant.name):
                await asyncio.sleep(LOOK_AGAIN_S)
            if why := await self._come(entrant, game, within_s):
                return why

    def has_played(self, bot: str) -> None:
        """It has ended a match, so it is worth starting again."""
        self._deaths.pop(bot, None)

    async def end(self) -> None:
        """Nothing runs any more."""
        await asyncio.gather(*(process.end() for process in self._playing.values()))

    async def _come(self, entrant: Entrant, game: str, within_s: float) -> str:
        """Empty: it is there. Otherwise why not."""
        try:
            process = self._playing[entrant.name] = await self._launcher.start(
                entrant, entrant.name, self._secrets[entrant.name], self._matches_at_most
            )
        except OSError as error:
            return f"{entrant.command[0]}: {error.strerror}"
        try:
            async with asyncio.timeout(within_s):
                while not await self._desk.is_ready(entrant.name, game):
                    if not process.runs:  # It came on, if it died in a match and not before one.
                        return "" if await self._desk.plays(entrant.name) else process.last_words()
                    await asyncio.sleep(LOOK_AGAIN_S)
        except TimeoutError:
            return f"{SILENT} {game}; {process.last_words()}"
        return ""
