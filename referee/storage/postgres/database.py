"""PostgreSQL database: its connections and transactions.

Whatever is wrong with a connection becomes StoreUnavailable, which promises that nothing was changed. If a connection
breaks during a commit, this promise needs a proof: each connection has a row in the table `writers`, and each
transaction writes its number there. Afterwards another connection reads that number, which waits for a transaction that
is still running, and closes the row, so that a transaction that has not begun yet cannot commit any more.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from zlib import crc32

import asyncpg

from referee.accounts.account_errors import BadField
from referee.live.ports import StoreUnavailable
from referee.storage.postgres.schema import migrate, migrations
from referee.storage.sql import SqlConnection, TurnKind

STATEMENT_TIMEOUT_S = 10
"""Maximum time that one statement takes, which includes waiting for locks."""
ANSWER_TIMEOUT_S = STATEMENT_TIMEOUT_S + 5
"""After this time without an answer, the connection is considered broken."""
CONNECT_TIMEOUT_S = 5
LOST_AFTER_S = 15
"""After this time without an answer from this machine, PostgreSQL closes a connection and releases its locks."""
RETRY_S = 0.1
"""Pause between attempts to find out what became of a transaction."""

MAX_CONNECTIONS = 8
"""Default maximum number of connections of one process, apart from the one of the match log."""

SERVER_SETTINGS = {
    "application_name": "referee",
    "statement_timeout": f"{STATEMENT_TIMEOUT_S}s",
    "idle_in_transaction_session_timeout": f"{STATEMENT_TIMEOUT_S}s",
    "default_transaction_isolation": "read committed",
    "tcp_keepalives_idle": f"{LOST_AFTER_S // 3}s",
    "tcp_keepalives_interval": f"{LOST_AFTER_S // 3}s",
    "tcp_keepalives_count": "2",
    "tcp_user_timeout": f"{LOST_AFTER_S}s",
}

ADD_WRITER = "INSERT INTO writers (writer) VALUES ($1)"

WRITE_MARK = "UPDATE writers SET last_write = $2, written_at = now() WHERE writer = $1 AND NOT closed"
"""Writes the number of a transaction. If it changes no row, the transaction must write nothing."""

LOCK_WRITER = "SELECT last_write, xmin::text FROM writers WHERE writer = $1 FOR NO KEY UPDATE"
"""Waits for the transaction of that connection, if one is running. `xmin` is the id of the one that wrote the row."""

CLOSE_WRITER = "UPDATE writers SET closed = true WHERE writer = $1"

DELETE_OLD_WRITERS = "DELETE FROM writers WHERE written_at < now() - interval '30 days'"

PREFETCHED = 250
"""Number of rows that a scan gets at a time."""

TAKE_LOCKS = """
    SELECT pg_advisory_xact_lock($1, key) FROM (SELECT unnest($2::int[]) AS key ORDER BY key) AS keys
"""
"""Locks with a key of one number are other ones."""

DO_NOT_WAIT_FOR_THE_DISK = "SET LOCAL synchronous_commit TO off"

T = TypeVar("T")


class ConnectionReplaced(asyncpg.InterfaceError):  # type: ignore[misc]  # asyncpg has no types.
    """The outcome of a transaction of this connection was asked for, after which it may write nothing."""

    def __init__(self) -> None:
        super().__init__("the connection was replaced")


BROKEN = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What asyncpg raises if a connection or a statement fails. InternalClientError: the server has just ended it."""

INTERRUPTED = (asyncio.CancelledError, *BROKEN)
"""After these a connection may still wait for an answer."""


@dataclass(slots=True)
class WriterMarks:
    """The numbers of the transactions of one connection."""

    writer: int
    """The connection in the table `writers`."""
    last: int = 0

    def next(self) -> "WriteMark":
        self.last += 1
        return WriteMark(self.writer, self.last)


@dataclass(frozen=True, slots=True)
class WriteMark:
    """Identifies one transaction."""

    writer: int
    number: int


class Connection(SqlConnection, Protocol):
    """The part of a connection of asyncpg that is used."""

    marks: WriterMarks

    async def execute(self, query: str, *values: Any) -> str:
        """Run a statement, and return what it did, such as `UPDATE 1`."""

    def cursor(self, query: str, *values: Any, prefetch: int) -> AsyncIterator[Any]:
        """Return an iterator over rows, of which PostgreSQL sends some at a time, within a transaction."""

    def transaction(self, *, isolation: str | None = None, readonly: bool = False) -> Any:
        """Return a transaction: an asynchronous context manager, a savepoint within another transaction."""

    def get_server_pid(self) -> int:
        """Return the process of PostgreSQL that serves the connection."""

    def is_closed(self) -> bool:
        """Return whether the connection is known to be closed."""

    async def close(self) -> None:
        """Close the connection in order."""

    def terminate(self) -> None:
        """Close the connection at once."""


class _SharedConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types.
    """A connection of asyncpg that is an SqlConnection too."""

    __slots__ = ("marks",)

    async def change(self, query: str, *values: Any) -> int:
        return int((await self.execute(query, *values)).rpartition(" ")[2])  # Such as `UPDATE 1`.

    def snapshot(self) -> Any:
        return self.transaction(isolation="repeatable_read", readonly=True)

    async def scan(self, query: str, *values: Any) -> AsyncGenerator[Any, None]:
        async for row in self.cursor(query, *values, prefetch=PREFETCHED):
            yield row

    async def take_turns(self, kind: TurnKind, *names: str) -> None:
        """Take locks that end with the transaction, in one statement and in the order of their keys.

        A count of rows cannot be locked by locking rows. Names with the same key only wait for each other.
        """
        keys = {crc32(name.encode("utf-8", "surrogatepass")) - 2**31 for name in names}  # Signed, of 32 bits.
        await self.fetch(TAKE_LOCKS, kind.value, list(keys))

    async def lock_row(self, query: str, *values: Any) -> Any:
        return await self.fetchrow(f"{query} FOR NO KEY UPDATE", *values)


class PostgresDatabase:
    """A pool of connections, for one event loop. Connections that break are replaced when they are needed."""

    def __init__(self, url: str, *, password_file: Path | None = None, max_connections: int = MAX_CONNECTIONS) -> None:
        """`url` is `postgres://user:password@host:port/database`, with parameters such as `sslmode` as in libpq.

        Without a password it is the content of `password_file`, read for each connection, or that of PGPASSWORD.
        """
        self._url = url
        self._password_file = password_file
        self._max_connections = max_connections
        self._pool: Any = None
        self._closing = False
        self._writes: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Connect, and apply missing migrations. Raises StoreUnavailable or NewerDatabase."""
        try:
            first = await asyncpg.connect(**self._connect_options())
            try:
                await migrate(first, migrations())
            finally:
                await first.close()
            self._pool = await asyncpg.create_pool(
                **self._connect_options(),
                min_size=0,
                max_size=self._max_connections,
                init=_add_writer,
                reset=_keep_session,
            )
            await self.write(lambda connection: connection.execute(DELETE_OLD_WRITERS))
        except (*BROKEN, ValueError) as cause:  # ValueError: the URL or its files cannot be used.
            raise unavailable(cause) from cause

    async def read(self, query: Callable[[Connection], Awaitable[T]]) -> T:
        """Return the result of `query`. Raises StoreUnavailable, BadField, or what else `query` raises."""
        try:
            async with self._acquire() as connection:
                return await query(connection)
        except BROKEN as cause:
            raise _error_of(cause) from cause

    async def write(self, operation: Callable[[Connection], Awaitable[T]], *, durable: bool = True) -> T:
        """See `Database.write`. Raises BadField, too."""
        task = asyncio.ensure_future(self._write(operation, durable))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return await asyncio.shield(task)

    async def find_outcome(
        self,
        mark: WriteMark,
        query: Callable[[Connection, str], Awaitable[T]],
        keep_waiting: Callable[[], bool] = lambda: True,
    ) -> T | None:
        """Return the result of `query` if a transaction whose connection broke was committed; None: it never will be.

        `query` gets the id of the transaction. Returns when the database can say so, or raises StoreUnavailable if this
        object is closed before. `keep_waiting` is called after each attempt that failed.
        """
        while True:
            try:
                async with self._acquire() as connection, connection.transaction():
                    return await _close_writer(connection, mark, query)
            except (*BROKEN, StoreUnavailable):
                if self._closing or not keep_waiting():
                    raise unavailable("whether the last changes were stored is not known") from None
            await asyncio.sleep(RETRY_S)

    async def connect(self, *, is_writer: bool = True) -> Connection:
        """Return a connection apart from the pool. Raises StoreUnavailable.

        Its `marks` number its transactions if it `is_writer`; otherwise it needs no migrations, and must write nothing.
        """
        try:
            connection: Connection = await asyncpg.connect(**self._connect_options())
            try:
                if is_writer:
                    await _add_writer(connection)
            except BaseException:
                connection.terminate()
                raise
        except (*BROKEN, ValueError) as cause:
            raise unavailable(cause) from cause
        return connection

    async def close(self) -> None:
        """Complete what was begun, and close all connections. Closing twice is allowed."""
        self._closing = True
        await asyncio.gather(*self._writes, return_exceptions=True)
        pool, self._pool = self._pool, None
        if pool:
            with suppress(*BROKEN):
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    await pool.close()
            pool.terminate()

    def _connect_options(self) -> dict[str, Any]:
        options = {
            "dsn": self._url,
            "timeout": CONNECT_TIMEOUT_S,
            "command_timeout": ANSWER_TIMEOUT_S,
            "server_settings": SERVER_SETTINGS,
            "connection_class": _SharedConnection,
        }
        if self._password_file is not None:  # Read for each connection, since passwords change.
            options["password"] = self._read_password
        return options

    def _read_password(self) -> str:
        assert self._password_file
        return self._password_file.read_text(encoding="utf-8").strip()

    @asynccontextmanager
    async def _acquire(self) -> AsyncIterator[Connection]:
        """Lend a connection. It is closed if anything is wrong with it. Raises StoreUnavailable."""
        pool = self._pool  # It may be closed while the connection is lent.
        if pool is None:
            raise unavailable("it is closed")
        try:
            connection = await pool.acquire(timeout=ANSWER_TIMEOUT_S)
        except BROKEN as cause:
            raise unavailable(cause) from cause
        try:
            yield connection
        except BaseException as cause:
            if isinstance(cause, INTERRUPTED) and not is_refusal(cause):
                with suppress(*BROKEN):  # The pool has taken it back already if it is known to be broken.
                    connection.terminate()  # Otherwise its release would wait for an answer.
            raise
        finally:
            with suppress(*BROKEN):
                await pool.release(connection)

    async def _write(self, operation: Callable[[Connection], Awaitable[T]], durable: bool) -> T:
        async with self._acquire() as connection:
            transaction, mark = connection.transaction(), connection.marks.next()
            try:
                await transaction.start()
                await write_mark(connection, mark)
                if not durable:
                    await connection.execute(DO_NOT_WAIT_FOR_THE_DISK)
                result = await operation(connection)
            except BaseException as cause:  # Without COMMIT nothing can be committed.
                with suppress(*BROKEN):
                    await transaction.rollback()
                if isinstance(cause, BROKEN):
                    raise _error_of(cause) from cause
                raise
            try:
                await transaction.commit()
            except BROKEN as cause:
                with suppress(*BROKEN):
                    connection.terminate()
                if is_refusal(cause) or not await self.find_outcome(mark, _committed):
                    raise unavailable(cause) from cause
        return result


async def write_mark(connection: Connection, mark: WriteMark) -> None:
    """Begin the changes of a transaction. Raises ConnectionReplaced."""
    if await connection.execute(WRITE_MARK, mark.writer, mark.number) != "UPDATE 1":
        raise ConnectionReplaced


def _error_of(cause: Exception) -> Exception:
    """Return the error of the referee for an error of asyncpg, after which nothing was changed."""
    if isinstance(cause, asyncpg.CharacterNotInRepertoireError):  # The text of a caller, as only PostgreSQL limits it.
        return BadField("text", "it must not contain the character NUL")
    return unavailable(cause)


def unavailable(cause: object) -> StoreUnavailable:
    return StoreUnavailable(f"the database is unavailable: {str(cause) or type(cause).__name__}")


async def _add_writer(connection: Connection) -> None:
    connection.marks = WriterMarks(secrets.randbits(63))
    await connection.execute(ADD_WRITER, connection.marks.writer)


async def _close_writer(
    connection: Connection, mark: WriteMark, query: Callable[[Connection, str], Awaitable[T]]
) -> T | None:
    row = await connection.fetchrow(LOCK_WRITER, mark.writer)
    committed = row is not None and row["last_write"] >= mark.number
    result = await query(connection, row["xmin"]) if committed else None
    await connection.execute(CLOSE_WRITER, mark.writer)
    return result


async def _committed(_connection: Connection, _xid: str) -> bool:
    return True


async def _keep_session(connection: Connection) -> None:
    """Replace what the pool does when a connection is returned: nothing here changes settings of a session."""


def is_refusal(cause: BaseException) -> bool:
    """Return whether PostgreSQL has answered with an error, after which the connection can be used."""
    return isinstance(cause, asyncpg.PostgresError) and cause.severity_en == "ERROR"
