"""How what was decided gets into the log: the end of a rated match together with what it does to ratings.

A result and its rating change are one stroke, so that no death in between leaves one without the other, and no
result is rated twice: a match ends once.

No trouble with ratings costs a match. If the log cannot be written, neither is the end of the match: it stands
still, is decided again when it can be, and rated by how its ladder stands then. If only the ladder's log had moved
on, nothing was written either, and the same end is rated anew at once. And if ratings break by a mistake of ours,
the match ends unrated, and the referee's own log says why.
"""

from collections.abc import Sequence
from contextlib import suppress

from referee.app.contests.log import Beside
from referee.app.desk import Desk, Rater
from referee.app.ports import Conflict, Entry, LogUnavailable, Request
from referee.app.wish import LADDER
from referee.core.deciding import Decided
from referee.core.events import PlayEnded
from referee.core.rating import RatingChange
from referee.core.result import Kind

TRIES = 10
"""How often in a row a ladder may turn out to have moved on, before its match is left to stand still for a while."""


async def write(desk: Desk, after: int, decided: Decided, request: Request | None) -> tuple[Decided, Sequence[Entry]]:
    """Have it written right after entry number `after` of its match, as the answer to the `request`.

    It comes back as it was written: rated if it is a rated end. Raises Conflict of the match, or LogUnavailable.
    """
    if desk.rater and _is_rated(decided):
        return await _RatedEnd(desk, desk.rater, after, decided, request).write()
    return decided, await desk.log.append(decided.match.setup.match_id, after, decided.events, request)


class _RatedEnd:
    """The end of a rated match on its way into the log."""

    def __init__(self, desk: Desk, rater: Rater, after: int, decided: Decided, request: Request | None) -> None:
        self._decided = decided
        self._entries: Sequence[Entry] = ()
        """Those that it became: none until it is written."""
        self._desk = desk
        self._rater = rater
        self._after = after
        self._request = request

    async def write(self) -> tuple[Decided, Sequence[Entry]]:
        await self._rate()
        if not self._entries:
            await self._append((), None)
        return self._decided, self._entries

    async def _rate(self) -> None:
        for _ in range(TRIES):
            if await self._rated():
                return
        raise LogUnavailable(f"the ladder of {self._match_id} is never as it was read")

    async def _rated(self) -> bool:
        """Nothing is left for the rater to do. False: its ladder had moved on."""
        try:
            await self._rater.rate(self._decided.match, self._append)
        except (LogUnavailable, Conflict) as why:
            if self._entries:  # What was written has happened, whatever the rater met afterwards.
                self._complain(why)
            elif isinstance(why, Conflict) and why.of != self._match_id:
                return False
            else:
                raise
        except Exception as fault:
            self._complain(fault)
        return True

    def _complain(self, fault: Exception) -> None:
        with suppress(Exception):  # There is nobody left to tell.
            self._desk.keeper.broke(self._match_id, fault)

    async def _append(self, ratings: tuple[RatingChange, ...], beside: Beside | None) -> list[Entry]:
        decided = self._decided.rated(ratings) if ratings else self._decided
        entries = await self._desk.log.append(self._match_id, self._after, decided.events, self._request, beside)
        self._decided, self._entries = decided, entries
        return entries

    @property
    def _match_id(self) -> str:
        return self._decided.match.setup.match_id


def _is_rated(decided: Decided) -> bool:
    """Looks at what is cheap first: nearly all that is written is no end."""
    end = decided.events[-1]
    if not isinstance(end, PlayEnded) or end.result.kind is Kind.VOID:
        return False
    return LADDER in dict(decided.match.setup.labels)
