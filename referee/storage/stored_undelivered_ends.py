"""The results that bots have not confirmed yet, in the table that the match log fills."""

from collections.abc import Sequence

from referee.live.outbox import MatchEnded
from referee.storage.sql import Database, is_storable

SELECT_UNDELIVERED_ENDS = """
    SELECT match_id, seat FROM undelivered_ends JOIN matches USING (match)
    WHERE bot = $1 AND over = 1
    ORDER BY match DESC, seat DESC
    LIMIT $2
"""

DELETE_UNDELIVERED_END = """
    DELETE FROM undelivered_ends WHERE match = (SELECT match FROM matches WHERE match_id = $1) AND seat = $2
"""


class StoredUndeliveredEnds:
    """An UndeliveredEnds in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_UNDELIVERED_ENDS, bot, limit))
        return [MatchEnded(match_id, seat) for match_id, seat in reversed(rows)]

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        # In a fixed order, so that two processes do not wait for each other's rows.
        keys = sorted((ended.match_id, ended.seat) for ended in ends if is_storable(ended.match_id))
        await self._database.write(lambda connection: connection.executemany(DELETE_UNDELIVERED_END, keys))
