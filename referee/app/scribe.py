"""Who writes the private logs of all bots: in the background, so that no move waits for it.

What waits to be written is bounded: of what goes wrong too fast for the file, a bot keeps the last. While the
file cannot be written nothing is kept at all: the log is a help, and no truth.
"""

import asyncio
from collections import deque
from contextlib import suppress

from referee.app.bot_log import EVERY_LINE, BotLog, Line, Note, WantedLines
from referee.app.ports import LogUnavailable

WAITING_AT_MOST = 200
"""Notes of one bot."""


class Scribe:
    """For one event loop."""

    def __init__(self, bot_log: BotLog) -> None:
        self._bot_log = bot_log
        self._waiting: dict[str, deque[Note]] = {}
        self._writing: asyncio.Task[None] | None = None

    def note(self, bot: str, note: Note) -> None:
        """Have it written down soon."""
        self._waiting.setdefault(bot, deque(maxlen=WAITING_AT_MOST)).append(note)
        if self._writing is None:
            self._write_on()

    async def read(
        self, bot: str, wanted: WantedLines = EVERY_LINE, after: int = 0, at_most: int | None = None
    ) -> list[Line]:
        """As `BotLog.read`, with all that was noted before. Raises LogUnavailable."""
        await self.written()
        return await self._bot_log.read(bot, wanted, after, at_most)

    async def written(self) -> None:
        """Come back when all that waits now is written, or lost."""
        for _ in range(2):  # What is being written now, and then what waits for that.
            if self._writing:
                await asyncio.wait([self._writing])

    def _write_on(self) -> None:
        self._writing = asyncio.create_task(self._write()) if self._waiting else None

    async def _write(self) -> None:
        waiting, self._waiting = self._waiting, {}
        try:
            # At once, so that they share a transaction.
            await asyncio.gather(*(self._append(bot, list(notes)) for bot, notes in waiting.items()))
        finally:
            self._write_on()

    async def _append(self, bot: str, notes: list[Note]) -> None:
        with suppress(LogUnavailable):
            await self._bot_log.append(bot, notes)
