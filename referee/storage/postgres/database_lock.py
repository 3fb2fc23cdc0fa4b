"""Lock of a whole database, as the lock of a data directory: two servers, or a server and a migration, exclude each
other. The nodes of a cluster share it, so that a migration finds the database in use.
"""

from contextlib import suppress

from referee.storage.postgres.database import BROKEN, Connection, PostgresDatabase

SERVER_LOCK = 7_700_002
"""Key of the advisory lock."""

TRY_LOCK = "SELECT pg_try_advisory_lock($1)"

UNLOCK = "SELECT pg_advisory_unlock_all()"

TRY_SHARED_LOCK = "SELECT pg_try_advisory_lock_shared($1)"


class DatabaseInUse(Exception):
    """Somebody else holds the lock. `str()` is one sentence."""

    def __init__(self) -> None:
        super().__init__("a server already uses this database")


class DatabaseLock:
    """A lock on a connection of its own. PostgreSQL releases it when the connection or the process ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    async def acquire(cls, database: PostgresDatabase, *, shared: bool = False) -> "DatabaseLock":
        """Acquire the lock of an open database without waiting. Raises DatabaseInUse or LogUnavailable."""
        connection = await database.connect()
        lock = cls(connection)
        try:
            if not await connection.fetchval(TRY_SHARED_LOCK if shared else TRY_LOCK, SERVER_LOCK):
                raise DatabaseInUse
        except BaseException:
            await lock.release()
            raise
        return lock

    async def release(self) -> None:
        """Release the lock. Idempotent."""
        with suppress(*BROKEN):  # Then it is released as well.
            await self._connection.execute(UNLOCK)
        self._connection.terminate()
