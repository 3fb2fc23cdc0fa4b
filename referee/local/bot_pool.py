"""The bot processes of a tournament: one for each bot, restarted when it crashes, up to a limit."""

import asyncio
from collections.abc import Iterable

from referee.local.arena_client import ArenaClient
from referee.local.bot_process import BotProcess
from referee.local.entrant import Entrant
from referee.local.launcher import Launcher

POLL_INTERVAL_S = 0.1
MAX_CRASHES = 5
"""Consecutive crashes without a finished match."""
SILENT = "it sent no Hello, or does not accept"


class BotPool:
    """The processes of all bots, from `start` to `end`."""

    def __init__(self, client: ArenaClient, launcher: Launcher, max_matches: int) -> None:
        self._client = client
        self._launcher = launcher
        self._max_matches = max_matches
        self._playing: dict[str, BotProcess] = {}
        self._crashes: dict[str, int] = {}
        self._secrets: dict[str, str] = {}

    async def register(self, entrants: Iterable[Entrant]) -> None:
        """Register the bots that are not registered yet."""
        for entrant in entrants:
            if entrant.name not in self._secrets:
                self._secrets[entrant.name] = await self._client.register(entrant.name)

    async def start(self, entrants: Iterable[Entrant], game: str, within_s: float) -> dict[Entrant, str]:
        """Start all bots. Return those that are not ready in time, with the reasons."""
        bots = list(entrants)
        await self.register(bots)
        whys = await asyncio.gather(*(self._start_bot(bot, game, within_s) for bot in bots))
        return {bot: why for bot, why in zip(bots, whys, strict=True) if why}

    async def keep_running(self, entrant: Entrant, game: str, within_s: float) -> str:
        """Restart a bot whenever it crashes, for its next match; the current one is lost.

        Returns the reason when the bot is given up.
        """
        while True:
            process = self._playing[entrant.name]
            await process.wait()
            self._crashes[entrant.name] = crashes = self._crashes.get(entrant.name, 0) + 1
            if crashes >= MAX_CRASHES:
                return f"it crashed {crashes} times in a row; {process.exit_summary()}"
            while await self._client.is_playing(entrant.name):
                await asyncio.sleep(POLL_INTERVAL_S)
            if why := await self._start_bot(entrant, game, within_s):
                return why

    def reset_crashes(self, bot: str) -> None:
        """Reset the crash counter, after a finished match."""
        self._crashes.pop(bot, None)

    async def end(self) -> None:
        """Stop all processes."""
        await asyncio.gather(*(process.end() for process in self._playing.values()))

    async def _start_bot(self, entrant: Entrant, game: str, within_s: float) -> str:
        """Start a bot and wait until it is ready. Return an empty string, or why it is not."""
        try:
            process = self._playing[entrant.name] = await self._launcher.start(
                entrant, entrant.name, self._secrets[entrant.name], self._max_matches
            )
        except OSError as error:
            return f"{entrant.command[0]}: {error.strerror}"
        try:
            async with asyncio.timeout(within_s):
                while not await self._client.is_ready(entrant.name, game):
                    if not process.is_running:  # It did start if it crashed during a match.
                        return "" if await self._client.is_playing(entrant.name) else process.exit_summary()
                    await asyncio.sleep(POLL_INTERVAL_S)
        except TimeoutError:
            return f"{SILENT} {game}; {process.exit_summary()}"
        return ""
