"""Quotas of holders in SQLite, and what counts against them."""

from sqlite3 import Connection

from msgspec.structs import astuple, fields

from referee.accounts.tokens import Quota
from referee.storage.account_rows import QUOTA_COLUMNS
from referee.storage.sqlite.store import SqliteStore, row_limit

SELECT_QUOTA = f"SELECT {QUOTA_COLUMNS} FROM quotas WHERE holder = ?"

SET_QUOTA = f"INSERT OR REPLACE INTO quotas (holder, {QUOTA_COLUMNS}) VALUES (?{', ?' * len(fields(Quota))})"

SELECT_HOLDERS = """
    SELECT holder FROM (SELECT holder FROM tokens UNION SELECT owner FROM bots UNION SELECT holder FROM quotas)
    WHERE holder > ?
    ORDER BY holder
    LIMIT ?
"""

SELECT_STORED_BYTES = "SELECT bytes FROM stored_bytes WHERE holder = ?"
"""Counted by triggers of the database."""

SELECT_IS_AUTHOR = """
    SELECT EXISTS (SELECT 1 FROM tokens WHERE holder = :holder AND role = 'author')
        AND NOT EXISTS (
            SELECT 1 FROM tokens WHERE holder = :holder AND role IN ('organiser', 'admin') AND NOT revoked
        )
"""

DELETE_QUOTA = "DELETE FROM quotas WHERE holder = ?"


class SqliteQuotas:
    """A Quotas port in SQLite."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def quota(self, holder: str) -> Quota | None:
        return await self._store.read(lambda file: _quota(file, holder))

    async def holders(self, after: str = "", limit: int | None = None) -> list[str]:
        values = (after, row_limit(limit))
        return await self._store.read(lambda file: [name for (name,) in file.execute(SELECT_HOLDERS, values)])

    async def stored_bytes(self, holder: str) -> int:
        row = await self._store.read(lambda file: file.execute(SELECT_STORED_BYTES, (holder,)).fetchone())
        return int(row[0]) if row else 0

    async def is_author(self, holder: str) -> bool:
        row = await self._store.read(lambda file: file.execute(SELECT_IS_AUTHOR, {"holder": holder}).fetchone())
        return bool(row[0])

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        await self._store.write(lambda file: _set_quota(file, holder, quota))


def _quota(file: Connection, holder: str) -> Quota | None:
    row = file.execute(SELECT_QUOTA, (holder,)).fetchone()
    return Quota(*row) if row else None


def _set_quota(file: Connection, holder: str, quota: Quota | None) -> None:
    if quota:
        file.execute(SET_QUOTA, (holder, *astuple(quota)))
    else:
        file.execute(DELETE_QUOTA, (holder,))
