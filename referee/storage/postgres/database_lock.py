"""Lock of a whole database, as the lock of a data directory: two servers, or a server and a migration, exclude each
other. The nodes of a cluster share it, so that a migration finds the database in use.

PostgreSQL releases the lock when its connection breaks, for example because PostgreSQL is restarted. The lock is then
acquired again. Another server may have held it meanwhile; the logs stay correct, because each append names the entry
that it follows.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import structlog

from referee.live.ports import StoreUnavailable
from referee.storage.postgres.database import BROKEN, Connection, PostgresDatabase

SERVER_LOCK = 7_700_002
"""Key of the advisory lock."""

TRY_LOCK = "SELECT pg_try_advisory_lock($1)"

TRY_SHARED_LOCK = "SELECT pg_try_advisory_lock_shared($1)"

UNLOCK = "SELECT pg_advisory_unlock_all()"

SELECT_HOLDERS = """
    SELECT pid FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

CHECK_INTERVAL_S = 2
"""How often the connection of a lock is checked."""
RETRY_S = 0.2
"""Pause between attempts to acquire a lock again."""
START_WAIT_S = 3
"""How long a starting server or a migration waits for the lock of its predecessor, which may still be closing."""

T = TypeVar("T")

log = structlog.get_logger("referee")


class DatabaseInUse(Exception):
    """Somebody else holds the lock. `str()` is one sentence."""

    def __init__(self) -> None:
        super().__init__("a server already uses this database")


class DatabaseLock:
    """A lock on a connection of its own. PostgreSQL releases it when the connection or the process ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.pid: int = connection.get_server_pid()
        """Process of PostgreSQL that holds the lock."""

    @classmethod
    async def acquire(cls, database: PostgresDatabase, *, shared: bool = False) -> "DatabaseLock":
        """Acquire the lock without waiting. The database need not be open. Raises DatabaseInUse or StoreUnavailable."""
        connection = await database.connect(is_writer=False)
        lock = cls(connection)
        try:
            if not await connection.fetchval(TRY_SHARED_LOCK if shared else TRY_LOCK, SERVER_LOCK):
                raise DatabaseInUse
        except BaseException:
            await lock.release()
            raise
        return lock

    async def wait_until_lost(self) -> None:
        """Return when the connection is broken, and the lock therefore lost."""
        with suppress(*BROKEN):
            while not self._connection.is_closed():
                await self._connection.execute("SELECT 1")
                await asyncio.sleep(CHECK_INTERVAL_S)
        self._connection.terminate()

    async def release(self) -> None:
        """Release the lock. Idempotent."""
        with suppress(*BROKEN):  # Then it is released as well.
            await self._connection.execute(UNLOCK)
        self._connection.terminate()


async def acquire_after_predecessor(acquire: Callable[[], Awaitable[T]]) -> T:
    """Return what `acquire` returns, once a server that has just ended has released the lock. Raises DatabaseInUse."""
    loop = asyncio.get_running_loop()
    until_s = loop.time() + START_WAIT_S
    while True:
        try:
            return await acquire()
        except DatabaseInUse:
            if loop.time() >= until_s:
                raise
            await asyncio.sleep(RETRY_S)


class DatabaseLockKeeper:
    """Holds the lock from `open` to `close`, and acquires it again when its connection breaks."""

    def __init__(self, database: PostgresDatabase, lost: Callable[[str], None], *, shared: bool = False) -> None:
        """`lost` is called with a sentence if somebody else has the lock when this one acquires it again."""
        self._database = database
        self._lost = lost
        self._shared = shared
        self._lock: DatabaseLock | None = None
        self._keeping: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Acquire the lock. The database need not be open. Raises DatabaseInUse or StoreUnavailable."""
        self._lock = await acquire_after_predecessor(self._acquire)
        self._keeping = asyncio.create_task(self._keep(self._lock))

    async def close(self) -> None:
        """Release the lock. Closing twice is allowed."""
        if self._keeping:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        lock, self._lock = self._lock, None
        if lock:
            await lock.release()

    async def _acquire(self) -> DatabaseLock:
        return await DatabaseLock.acquire(self._database, shared=self._shared)

    async def _keep(self, lock: DatabaseLock) -> None:
        try:
            while True:
                await lock.wait_until_lost()
                log.warning("connection of the database lock lost")
                self._lock = lock = await self._acquire_again(lock.pid)
                log.info("database lock acquired again")
        except DatabaseInUse as why:
            self._lost(str(why))

    async def _acquire_again(self, former_pid: int) -> DatabaseLock:
        """Raises DatabaseInUse if somebody else has the lock."""
        while True:
            try:
                return await self._acquire()
            except StoreUnavailable:
                pass  # PostgreSQL cannot be reached, by others perhaps neither.
            except DatabaseInUse:
                # PostgreSQL may not know yet that the former connection is broken.
                holders = await self._holders()
                if holders and former_pid not in holders:
                    raise
            await asyncio.sleep(RETRY_S)

    async def _holders(self) -> list[int]:
        """Return the processes of PostgreSQL that hold the lock; empty if they cannot be read."""
        try:
            connection = await self._database.connect(is_writer=False)
            try:
                return [pid for (pid,) in await connection.fetch(SELECT_HOLDERS, SERVER_LOCK)]
            finally:
                connection.terminate()
        except (StoreUnavailable, *BROKEN):
            return []
