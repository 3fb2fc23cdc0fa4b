"""The limits of holders in SQLite."""

from dataclasses import astuple
from sqlite3 import Connection

from referee.app.quotas import Quota
from referee.storage.clerk import Clerk

COLUMNS = "matches_at_most, streams_at_most, calls_per_minute, bots_at_most, tokens_at_most, stored_bytes_at_most"

FIND = f"SELECT {COLUMNS} FROM quotas WHERE holder = ?"

SET = f"INSERT OR REPLACE INTO quotas (holder, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"

STORED = "SELECT bytes FROM stored_bytes WHERE holder = ?"
"""The database itself counts them, by triggers."""

TAKE_BACK = "DELETE FROM quotas WHERE holder = ?"


class SqliteQuotas:
    """Quotas by a clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk

    async def quota(self, holder: str) -> Quota | None:
        return await self._clerk.read(lambda file: _quota(file, holder))

    async def stored_bytes(self, holder: str) -> int:
        row = await self._clerk.read(lambda file: file.execute(STORED, (holder,)).fetchone())
        return int(row[0]) if row else 0

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        await self._clerk.write(lambda file: _set(file, holder, quota))


def _quota(file: Connection, holder: str) -> Quota | None:
    row = file.execute(FIND, (holder,)).fetchone()
    return Quota(*row) if row else None


def _set(file: Connection, holder: str, quota: Quota | None) -> None:
    if quota:
        file.execute(SET, (holder, *astuple(quota)))
    else:
        file.execute(TAKE_BACK, (holder,))
