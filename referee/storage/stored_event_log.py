"""What the match log reads in the same way from both databases."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

from referee.live.match_request import EVERY_MATCH, MatchFilter
from referee.live.ports import Entry, EventLog, LogDamaged, MatchArchived, Summaries
from referee.storage import match_summaries
from referee.storage.encoded_appends import bots_by_match, entry_of, log_of
from referee.storage.sql import Operation, SqlConnection, is_storable, row_limit
from referee.storage.stored_contest_log import StoredContestLog

SELECT_ENTRIES = """
    SELECT match_id, number, at_ms, line, request FROM matches JOIN entries USING (match)
    WHERE match_id = $1 AND number > $2
    ORDER BY number
    LIMIT $3
"""

HAS_ENTRIES = "EXISTS (SELECT 1 FROM entries WHERE entries.match = matches.match)"

IS_ARCHIVED = f"SELECT 1 FROM matches WHERE match_id = $1 AND NOT {HAS_ENTRIES}"
"""The row of an archived match stays, so that its id cannot be used again."""

SELECT_STORED = f"SELECT match_id FROM matches WHERE {HAS_ENTRIES} ORDER BY match DESC"

SELECT_UNFINISHED = "SELECT match_id FROM matches WHERE over = 0 ORDER BY match"

SELECT_BOTS_IN_PLAY = """
    SELECT match_id, bot
    FROM match_summaries JOIN match_seats USING (match) JOIN matches USING (match)
    WHERE phase = 'playing' AND over = 0
"""

T = TypeVar("T")


class StoredEventLog(EventLog):
    contests: StoredContestLog
    """The contest log, which is written in the same transactions."""

    @abstractmethod
    async def run(self, query: Operation[T]) -> T:
        """Return the result of an operation that changes nothing. Raises StoreUnavailable, or what it raises."""

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        if not is_storable(match_id):
            return []
        return await self.run(lambda connection: _read_entries(connection, match_id, after, limit))

    async def unfinished(self) -> list[str]:
        return await self._match_ids(SELECT_UNFINISHED)

    async def bots_in_play(self) -> dict[str, list[str]]:
        return bots_by_match(await self.run(lambda connection: connection.fetch(SELECT_BOTS_IN_PLAY)))

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        return await self.run(lambda connection: _read_summaries(connection, wanted, before, limit))

    async def stored_matches(self) -> list[str]:
        """Return the id of every match that has entries, readable or not, the newest first."""
        return await self._match_ids(SELECT_STORED)

    async def _match_ids(self, query: str) -> list[str]:
        return [match_id for (match_id,) in await self.run(lambda connection: connection.fetch(query))]


async def _read_entries(connection: SqlConnection, match_id: str, after: int, limit: int | None) -> list[Entry]:
    rows = await connection.fetch(SELECT_ENTRIES, match_id, after, row_limit(limit))
    if not rows and await connection.fetchrow(IS_ARCHIVED, match_id):
        raise MatchArchived(match_id)
    return [entry_of(row) for row in rows]


async def _read_summaries(connection: SqlConnection, wanted: MatchFilter, before: str, limit: int) -> Summaries:
    async with connection.snapshot():  # The search and the summaries must see the same one.
        matches, stopped_at = await match_summaries.find(connection, wanted, before, limit)
        summaries = await match_summaries.read(connection, matches)
    return Summaries([found for rows in summaries if (found := _summary(rows))], stopped_at)


def _summary(rows: Sequence[Any]) -> list[Entry]:
    """Return the entries of a summary; empty if one of them cannot be decoded."""
    entries = log_of(rows)
    return [] if isinstance(entries, LogDamaged) else entries
