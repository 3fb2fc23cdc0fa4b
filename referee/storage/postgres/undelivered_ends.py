"""The results that bots have not confirmed yet, in the table that the match log fills."""

from collections.abc import Sequence

from referee.live.outbox import MatchEnded
from referee.storage.postgres.database import PostgresDatabase, is_storable

SELECT_UNDELIVERED_ENDS = """
    SELECT match_id, seat FROM undelivered_ends JOIN matches USING (match)
    WHERE bot = $1 AND over = 1
    ORDER BY match DESC, seat DESC
    LIMIT $2
"""

DELETE_UNDELIVERED_ENDS = """
    WITH delivered AS MATERIALIZED (
        SELECT match, seat
        FROM unnest($1::text[], $2::bigint[]) AS ended (match_id, seat)
        JOIN matches USING (match_id) JOIN undelivered_ends USING (match, seat)
        ORDER BY match, seat FOR UPDATE OF undelivered_ends
    )
    DELETE FROM undelivered_ends USING delivered
    WHERE undelivered_ends.match = delivered.match AND undelivered_ends.seat = delivered.seat
"""
"""Locks the rows in a fixed order, so that two processes do not wait for each other."""


class PostgresUndeliveredEnds:
    """An UndeliveredEnds for any number of processes."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_UNDELIVERED_ENDS, bot, limit))
        return [MatchEnded(match_id, seat) for match_id, seat in reversed(rows)]

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        storable = [ended for ended in ends if is_storable(ended.match_id)]
        matches, seats = [ended.match_id for ended in storable], [ended.seat for ended in storable]
        await self._database.write(lambda connection: connection.execute(DELETE_UNDELIVERED_ENDS, matches, seats))
