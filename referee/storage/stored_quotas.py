"""Quotas of holders in a database, and what counts against them."""

from msgspec.structs import astuple, fields

from referee.accounts.tokens import Quota
from referee.storage.account_rows import QUOTA_COLUMNS
from referee.storage.sql import Database, numbered, row_limit

LIMITS = [field.name for field in fields(Quota)]

SELECT_QUOTA = f"SELECT {QUOTA_COLUMNS} FROM quotas WHERE holder = $1"

SET_QUOTA = f"""
    INSERT INTO quotas (holder, {QUOTA_COLUMNS}) VALUES ({numbered(["holder", *LIMITS])})
    ON CONFLICT (holder) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in LIMITS)}
"""

SELECT_HOLDERS = """
    SELECT holder FROM (SELECT holder FROM tokens UNION SELECT owner FROM bots UNION SELECT holder FROM quotas) AS known
    WHERE holder > $1
    ORDER BY holder
    LIMIT $2
"""

SELECT_STORED_BYTES = "SELECT bytes FROM stored_bytes WHERE holder = $1"
"""Counted by triggers of SQLite, and by the groups of the match log in PostgreSQL."""

SELECT_IS_AUTHOR = """
    SELECT EXISTS (SELECT 1 FROM tokens WHERE holder = $1 AND role = 'author')
        AND NOT EXISTS (SELECT 1 FROM tokens WHERE holder = $1 AND role IN ('organiser', 'admin') AND revoked = 0)
"""

DELETE_QUOTA = "DELETE FROM quotas WHERE holder = $1"


class StoredQuotas:
    """A Quotas port in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def quota(self, holder: str) -> Quota | None:
        row = await self._database.read(lambda connection: connection.fetchrow(SELECT_QUOTA, holder))
        return Quota(*row) if row else None

    async def holders(self, after: str = "", limit: int | None = None) -> list[str]:
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_HOLDERS, after, row_limit(limit)))
        return [holder for (holder,) in rows]

    async def stored_bytes(self, holder: str) -> int:
        stored = await self._database.read(lambda connection: connection.fetchval(SELECT_STORED_BYTES, holder))
        return int(stored or 0)

    async def is_author(self, holder: str) -> bool:
        return bool(await self._database.read(lambda connection: connection.fetchval(SELECT_IS_AUTHOR, holder)))

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        query, values = (SET_QUOTA, astuple(quota)) if quota else (DELETE_QUOTA, ())
        await self._database.write(lambda connection: connection.change(query, holder, *values))
