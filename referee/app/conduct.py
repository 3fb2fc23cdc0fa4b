"""How bots conduct themselves: after too many faults in a row, a bot is paused.

A fault is a match that the bot forfeited: it was late, illegal or gone. A match that it finished without one
begins the count anew; a void match counts for nothing.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from referee.app.accounts import Accounts, faulted, faultless
from referee.app.notices import Notices
from referee.app.ports import Entry, LogUnavailable, Time
from referee.core.events import PlayEnded
from referee.core.match import Match
from referee.core.result import Fault, Kind, Result


class Conduct:
    """A `floor.Listener`. It counts in the background; what cannot be written when it should be is not counted."""

    def __init__(
        self, accounts: Accounts, notices: Notices, time: Time, in_a_row_at_most: Callable[[Match], int]
    ) -> None:
        """So many faults pause a bot when the last of them was in that match."""
        self._accounts = accounts
        self._notices = notices
        self._time = time
        self._in_a_row_at_most = in_a_row_at_most
        self._counting: set[asyncio.Task[None]] = set()

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        result = match.result
        if result and result.kind is not Kind.VOID and isinstance(entries[-1].event, PlayEnded):
            for bot, fault in _faults(match, result).items():
                task = asyncio.create_task(self._count(bot, fault, match))
                self._counting.add(task)
                task.add_done_callback(self._counting.discard)

    def broke(self, match_id: str, fault: Exception) -> None:
        """No bot's fault."""

    async def counted(self) -> None:
        """Come back when all that has happened is counted."""
        while self._counting:
            await asyncio.wait(self._counting)

    async def _count(self, bot: str, fault: Fault | None, match: Match) -> None:
        with suppress(LogUnavailable):
            if fault:
                await self._add(bot, fault, match)
            elif (await self._accounts.bot(bot)).faults:
                await self._accounts.change_bot(bot, faultless)

    async def _add(self, name: str, fault: Fault, match: Match) -> None:
        match_id, at_most, at_ms = match.setup.match_id, self._in_a_row_at_most(match), self._time.wall_ms()
        message = f"{at_most} faults in a row, the last one in match {match_id}: {fault.value}"
        bot = await self._accounts.change_bot(name, lambda bot: faulted(bot, at_most, message, at_ms))
        if bot.pause is None:
            self._notices.fault_counted(bot, fault, match_id, at_most - bot.faults)
        elif bot.pause.message == message:  # It is this fault that paused it.
            self._notices.paused(bot, bot.pause)


def _faults(match: Match, result: Result) -> dict[str, Fault | None]:
    """Every bot of the match, and its first fault if it had any."""
    faults: dict[str, Fault | None] = {player.bot: None for player in match.players}
    for forfeit in reversed(result.forfeits):
        faults[match.players[forfeit.seat].bot] = forfeit.fault
    return faults
