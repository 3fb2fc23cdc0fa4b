"""What the author of a bot learns about it: its private log, notices, and the automatic pause after faults.

Notices are sent to the open sessions of the bot and recorded in its log. Notes are written in the background, so that
no move waits for them. They are bounded by bot: if too many arrive at once, the newest are kept. Notes that arrive
while the store is unavailable are lost; the log is a help and not authoritative.

A fault is a match that the bot forfeited by being late, illegal or absent. Too many consecutive ones pause the bot. A
match finished without a fault resets the count; a void match does not count. Nor do matches that others made outside of
the contests that the bot has joined: anybody could otherwise have it paused.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from referee_values import ForfeitCause

from engines.api import Seat
from referee.accounts.bot_log import (
    ALL_LINES,
    BotLog,
    ForfeitNote,
    LateMoveNote,
    LineFilter,
    Note,
    NoteKind,
    NoticeNote,
    NumberedNote,
)
from referee.accounts.bots import Accounts, Bot, BotPause, with_fault, without_faults
from referee.accounts.tokens import BudgetOwner
from referee.live.ports import Entry, StoreUnavailable, Time
from referee.live.sessions import Session
from referee.match.events import FlagFell, PlayEnded, SeatForfeited
from referee.match.result import EndKind, Result
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
        self, bot: str, wanted: LineFilter = ALL_LINES, after: int = 0, limit: int | None = None
    ) -> list[NumberedNote]:
        """Return lines as `BotLog.read` does, once all pending notes are written. Raises StoreUnavailable."""
        await self.flush()
        return await self._bot_log.read(bot, wanted, after, limit)

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
        with suppress(StoreUnavailable):
            await self._bot_log.append(bot, notes)


class FaultRecorder:
    """A `MatchObserver` that records late moves and forfeits in the private logs of bots."""

    sees_moves = False

    def __init__(self, recorder: BotLogRecorder) -> None:
        self._recorder = recorder

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        for entry in entries:
            event = entry.event
            if isinstance(event, FlagFell):
                assert before  # A flag fall is never the first event of a match.
                self._note(entry, match, event.seat, before.ply, LateMoveNote(event.row, match.controls[event.seat]))
            elif isinstance(event, SeatForfeited):
                forfeit = next(forfeit for forfeit in match.forfeits if forfeit.seat == event.seat)
                self._note(entry, match, event.seat, forfeit.ply, ForfeitNote(forfeit))

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: a fault of the server is not a fault of a bot."""

    def _note(self, entry: Entry, match: Match, seat: Seat, ply: int, what: NoteKind) -> None:
        player = match.players[seat]
        self._recorder.record(player.bot, Note(entry.at_ms, player.version, what, entry.match_id, seat, ply))


class BotNotifier:
    def __init__(self, recorder: BotLogRecorder, sessions_of: Callable[[str], Sequence[Session]], time: Time) -> None:
        """`sessions_of` returns the open sessions of a bot."""
        self._recorder = recorder
        self._sessions_of = sessions_of
        self._time = time

    def paused(self, bot: Bot, pause: BotPause) -> None:
        details = (("cause", pause.cause.value), ("faults", str(bot.faults)))
        self._notify(bot, NoticeNote("paused", pause.message, details))

    def returned(self, bot: Bot) -> None:
        self._notify(bot, NoticeNote("resumed", f"{bot.name} is no longer paused"))

    def fault_counted(self, bot: Bot, fault: ForfeitCause, match_id: str, left: int) -> None:
        """Notify of a counted fault; `left` more in a row pause the bot."""
        message = f"a fault was counted in match {match_id}: {fault}; {left} more in a row pause {bot.name}"
        details = (("fault", fault), ("match_id", match_id), ("left", str(left)))
        self._notify(bot, NoticeNote("fault_counted", message, details))

    def quota_near(self, bot: Bot, quota: str, used: int, limit: int) -> None:
        """Notify that most of a quota of the owner is used."""
        message = f"{used} of {limit} are used of the quota {quota} of {bot.owner}; what goes beyond it is refused"
        details = (("quota", quota), ("used", str(used)), ("limit", str(limit)))
        self._notify(bot, NoticeNote("quota_nearly_exhausted", message, details))

    def version_frozen(self, bot: Bot, tournament: str, frozen: str, online: str) -> None:
        """Notify that a bot is not available for a tournament, since another version plays there."""
        message = (
            f"{bot.name} plays in {tournament} with version {frozen}, which is frozen; {online} gets no match there"
        )
        details = (("tournament", tournament), ("frozen", frozen), ("online", online))
        self._notify(bot, NoticeNote("version_frozen", message, details))

    def _notify(self, bot: Bot, noticed: NoticeNote) -> None:
        for session in self._sessions_of(bot.name):
            session.outbox.put(("notice", noticed.about), noticed)
        self._recorder.record(bot.name, Note(self._time.wall_ms(), bot.latest_version, noticed))


class QuotaNotifier:
    """Notifies bots when 80 % of a quota is used, and again only after usage was down to half.

    If the quota of one bot is used, it is this bot; otherwise, all bots of the holder.
    """

    def __init__(
        self, accounts: Accounts, notifier: BotNotifier, sessions_of: Callable[[str], Sequence[Session]]
    ) -> None:
        """`sessions_of` returns the open sessions of a bot."""
        self._accounts = accounts
        self._notifier = notifier
        self._sessions_of = sessions_of
        self._warned: set[tuple[BudgetOwner, str]] = set()
        """Owners of budgets, each with a quota that was nearly used up at the last check."""

    async def check_usage(self, owner: BudgetOwner, quota: str, used: int, limit: int) -> None:
        """Notify the bots that are online if the quota is nearly used up. Raises StoreUnavailable."""
        which = (owner, quota)
        if 2 * used <= limit:
            self._warned.discard(which)
        elif 5 * used >= 4 * limit and which not in self._warned:
            self._warned.add(which)
            for bot in await self._bots_of(owner):
                if self._sessions_of(bot.name):
                    self._notifier.quota_near(bot, quota, used, limit)

    async def _bots_of(self, owner: BudgetOwner) -> Sequence[Bot]:
        if owner.bot:
            return [await self._accounts.bot(owner.bot)]
        return await self._accounts.bots(owner=owner.holder)


class AutoPause:
    """A `PresenceObserver` that counts in background tasks. Faults that cannot be stored are not counted."""

    sees_moves = False

    def __init__(
        self,
        accounts: Accounts,
        notifier: BotNotifier,
        time: Time,
        max_faults_in_row: Callable[[Match], int],
        counts: Callable[[Bot, Match], Awaitable[bool]],
    ) -> None:
        """`max_faults_in_row` returns how many consecutive faults pause a bot if the last one was in that match.

        `counts` returns whether the bot plays in that match by the will of its owner. Other matches are ignored.
        """
        self._accounts = accounts
        self._notifier = notifier
        self._time = time
        self._max_faults_in_row = max_faults_in_row
        self._counts = counts
        self._tasks: set[asyncio.Task[None]] = set()

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        result = match.result
        if result and result.kind is not EndKind.VOID and isinstance(entries[-1].event, PlayEnded):
            for bot, fault in _faults(match, result).items():
                task = asyncio.create_task(self._count(bot, fault, match))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: a fault of the server is not a fault of a bot."""

    def on_presence_changed(self, bot: str) -> None:
        """Do nothing."""

    async def flush(self) -> None:
        """Wait until all faults so far are counted."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _count(self, name: str, fault: ForfeitCause | None, match: Match) -> None:
        with suppress(StoreUnavailable):
            bot = await self._accounts.bot(name)
            if not (fault or bot.faults) or not await self._counts(bot, match):
                return
            if fault:
                await self._add(name, fault, match)
            else:
                await self._accounts.change_bot(name, without_faults)

    async def _add(self, name: str, fault: ForfeitCause, match: Match) -> None:
        match_id, max_faults, at_ms = match.setup.match_id, self._max_faults_in_row(match), self._time.wall_ms()
        faults = f"{max_faults} faults in a row, the last one in match {match_id}: {fault}"
        message = f"{faults}; resume it by `referee bot return {name}`"
        bot = await self._accounts.change_bot(name, lambda bot: with_fault(bot, max_faults, message, at_ms))
        if bot.pause is None:
            self._notifier.fault_counted(bot, fault, match_id, max_faults - bot.faults)
        elif bot.pause.message == message:  # This fault has paused the bot.
            self._notifier.paused(bot, bot.pause)


def _faults(match: Match, result: Result) -> dict[str, ForfeitCause | None]:
    """Return each bot of the match with its first fault; None: it had none. Withdrawn bots are left out."""
    faults: dict[str, ForfeitCause | None] = {player.bot: None for player in match.players}
    for forfeit in reversed(result.forfeits):
        faults[match.players[forfeit.seat].bot] = forfeit.cause
    return {bot: fault for bot, fault in faults.items() if fault != "withdrawn"}
