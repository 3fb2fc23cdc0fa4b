"""Pauses a bot after too many consecutive faults.

A fault is a match that the bot forfeited by being late, illegal or absent. A match finished without a fault resets
the count; a void match does not count.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from referee.accounts.bots import Accounts, with_fault, without_faults
from referee.live.bot_notifier import BotNotifier
from referee.live.ports import Entry, LogUnavailable, Time
from referee.match.events import PlayEnded
from referee.match.result import EndKind, Fault, Result
from referee.match.state import Match


class AutoPause:
    """A `MatchObserver` that counts in background tasks. Faults that cannot be stored are not counted."""

    def __init__(
        self, accounts: Accounts, notifier: BotNotifier, time: Time, max_faults_in_row: Callable[[Match], int]
    ) -> None:
        """`max_faults_in_row` returns how many consecutive faults pause a bot if the last one was in that match."""
        self._accounts = accounts
        self._notifier = notifier
        self._time = time
        self._max_faults_in_row = max_faults_in_row
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

    async def flush(self) -> None:
        """Wait until all faults so far are counted."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _count(self, bot: str, fault: Fault | None, match: Match) -> None:
        with suppress(LogUnavailable):
            if fault:
                await self._add(bot, fault, match)
            elif (await self._accounts.bot(bot)).faults:
                await self._accounts.change_bot(bot, without_faults)

    async def _add(self, name: str, fault: Fault, match: Match) -> None:
        match_id, max_faults, at_ms = match.setup.match_id, self._max_faults_in_row(match), self._time.wall_ms()
        message = f"{max_faults} faults in a row, the last one in match {match_id}: {fault.value}"
        bot = await self._accounts.change_bot(name, lambda bot: with_fault(bot, max_faults, message, at_ms))
        if bot.pause is None:
            self._notifier.fault_counted(bot, fault, match_id, max_faults - bot.faults)
        elif bot.pause.message == message:  # This fault has paused the bot.
            self._notifier.paused(bot, bot.pause)


def _faults(match: Match, result: Result) -> dict[str, Fault | None]:
    """Return each bot of the match with its first fault; None: it had none."""
    faults: dict[str, Fault | None] = {player.bot: None for player in match.players}
    for forfeit in reversed(result.forfeits):
        faults[match.players[forfeit.seat].bot] = forfeit.fault
    return faults
