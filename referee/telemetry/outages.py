"""When the log of the matches cannot be written: heard of once when that begins, and once when it is over."""

from collections.abc import Callable, Sequence

from referee.app.contests.log import Beside
from referee.app.ports import Entry, EventLog, LogUnavailable, Request
from referee.core.events import Event

Outage = Callable[[str], None]
"""Is told why the log cannot be written; empty: it can again."""


def untold(_: str) -> None:
    """There is nobody else to tell."""


class WatchedLog:
    """An EventLog that is another one, watched."""

    def __init__(self, log: EventLog, outage: Outage) -> None:
        self._log = log
        self._outage = outage
        self._away = False

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        try:
            entries = await self._log.append(match_id, after, events, request, beside)
        except LogUnavailable as why:
            self._tell(str(why))
            raise
        self._tell("")
        return entries

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        return await self._log.read(match_id, after, at_most)

    async def openings(self, before: str = "", at_most: int | None = None) -> list[Entry]:
        return await self._log.openings(before, at_most)

    async def unfinished(self) -> list[str]:
        return await self._log.unfinished()

    async def close(self) -> None:
        await self._log.close()

    def _tell(self, why: str) -> None:
        if bool(why) is not self._away:
            self._away = bool(why)
            self._outage(why)
