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


class Writing:
    """One decision on its way into the log."""

    def __init__(self, desk: Desk, after: int, decided: Decided, request: Request | None) -> None:
        """It belongs right after entry number `after` of the match, and answers the `request`."""
        self.decided = decided
        self.entries: Sequence[Entry] = ()
        """Those that it became: none until it is written."""
        self._desk = desk
        self._after = after
        self._request = request

    async def write(self) -> None:
        """Have it written, and rated if it is a rated end. Raises Conflict of the match, or LogUnavailable."""
        rater = self._desk.rater
        if rater and _is_rated(self.decided):
            await self._rate(rater)
        if not self.entries:
            await self._append((), None)

    async def _rate(self, rater: Rater) -> None:
        for _ in range(TRIES):
            if await self._done_by(rater):
                return
        raise LogUnavailable(f"the ladder of {self._match_id} is never as it was read")

    async def _done_by(self, rater: Rater) -> bool:
        """Nothing is left for it to do. False: its ladder had moved on."""
        try:
            await rater.rate(self.decided.match, self._append)
        except (LogUnavailable, Conflict) as why:
            if self.entries:  # What was written has happened, whatever the rater met afterwards.
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
        decided = self.decided.rated(ratings) if ratings else self.decided
        entries = await self._desk.log.append(self._match_id, self._after, decided.events, self._request, beside)
        self.decided, self.entries = decided, entries
        return entries

    @property
    def _match_id(self) -> str:
        return self.decided.match.setup.match_id


def _is_rated(decided: Decided) -> bool:
    """Looks at what is cheap first: nearly all that is written is no end."""
    end = decided.events[-1]
    if not isinstance(end, PlayEnded) or end.result.kind is Kind.VOID:
        return False
    return LADDER in dict(decided.match.setup.labels)
