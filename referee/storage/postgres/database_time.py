"""The clock of PostgreSQL, which dates all entries."""

from referee.storage.postgres.database import Connection

SELECT_NOW_MS = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"


async def read_now(connection: Connection) -> int:
    """Return Unix milliseconds."""
    now_ms: int = await connection.fetchval(SELECT_NOW_MS)
    return now_ms
