"""Writes the private logs of bots in the background, so that no move waits for it.

Pending notes are bounded by bot: if too many arrive at once, the newest are kept. Notes that arrive while the store is
unavailable are lost; the log is a help and not authoritative.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from engines.api import Seat
from referee.accounts.bot_log import (
    ALL_LINES,
    BotLog,
    ForfeitNote,
    LateMoveNote,
    LineFilter,
    Note,
    NoteKind,
    NumberedNote,
)
from referee.live.ports import Entry, LogUnavailable
from referee.match.events import FlagFell, SeatForfeited
from referee.match.state import Match

MAX_PENDING_NOTES = 200
"""Limit for each bot; the newest notes are kept."""


class BotLogRecorder:
    """Writes notes in background tasks of one event loop."""

    def __init__(self, bot_log: BotLog) -> None:
        self._bot_log = bot_log
        self._waiting: dict[str, deque[Note]] = {}
        self._writing: asyncio.Task[None] | None = None

    def record(self, bot: str, note: Note) -> None:
        """Queue a note for writing."""
        self._waiting.setdefault(bot, deque(maxlen=MAX_PENDING_NOTES)).append(note)
        if self._writing is None:
            self._write_on()

    async def read(
        self, bot: str, wanted: LineFilter = ALL_LINES, after: int = 0, at_most: int | None = None
    ) -> list[NumberedNote]:
        """Return lines as `BotLog.read` does, once all pending notes are written. Raises LogUnavailable."""
        await self.flush()
        return await self._bot_log.read(bot, wanted, after, at_most)

    async def flush(self) -> None:
        """Wait until all pending notes are written or lost."""
        for _ in range(2):  # The notes that are being written, then those that wait for them.
            if self._writing:
                await asyncio.wait([self._writing])

    def _write_on(self) -> None:
        self._writing = asyncio.create_task(self._write()) if self._waiting else None

    async def _write(self) -> None:
        waiting, self._waiting = self._waiting, {}
        try:
            # Concurrently, so that they share a transaction.
            await asyncio.gather(*(self._append(bot, list(notes)) for bot, notes in waiting.items()))
        finally:
            self._write_on()

    async def _append(self, bot: str, notes: list[Note]) -> None:
        with suppress(LogUnavailable):
            await self._bot_log.append(bot, notes)


class FaultRecorder:
    """A `MatchObserver` that records late moves and forfeits in the private logs of bots."""

    def __init__(self, recorder: BotLogRecorder) -> None:
        self._recorder = recorder

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        for entry in entries:
            event = entry.event
            if isinstance(event, FlagFell):
                assert before  # A flag fall is never the first event of a match.
                self._note(
                    entry, match, event.seat, before.ply, LateMoveNote(event.row, match.setup.controls[event.seat])
                )
            elif isinstance(event, SeatForfeited):
                forfeit = next(forfeit for forfeit in match.forfeits if forfeit.seat == event.seat)
                self._note(entry, match, event.seat, forfeit.ply, ForfeitNote(forfeit))

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: a fault of the server is not a fault of a bot."""

    def _note(self, entry: Entry, match: Match, seat: Seat, ply: int, what: NoteKind) -> None:
        player = match.players[seat]
        self._recorder.record(player.bot, Note(entry.at_ms, player.version, what, entry.match_id, seat, ply))
