"""Runs functions on a SQLite database, on behalf of the adapters for accounts, tokens, quotas and bot logs.

As in the match log, one thread writes and another reads, and all functions that wait for the writer share one
transaction. Each runs in a savepoint of its own: an exception undoes that function only.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from referee.live.ports import LogUnavailable
from referee.storage.sqlite.batch_thread import BatchThread, BatchThreadClosed, result_or_error
from referee.storage.sqlite.database import (
    BUSY_MS,
    Durability,
    OpenedFiles,
    open_for_reading,
    open_for_writing,
    transaction,
)

T = TypeVar("T")

Operation: TypeAlias = Callable[[sqlite3.Connection], Any]

NO_LIMIT = -1
"""Value of LIMIT in SQL for all rows."""


class SqliteStore:
    """A database for any number of event loops and processes on one file."""

    def __init__(self, path: Path, durability: Durability = Durability.FULL, busy_ms: int = BUSY_MS) -> None:
        """Open or create the file. Raises LogUnavailable or NewerDatabase."""
        try:
            self._writing = open_for_writing(path, durability, busy_ms)
            self._reading = open_for_reading(path, busy_ms)
            self._files = OpenedFiles(path)
        except (OSError, sqlite3.Error) as cause:
            raise _unavailable(cause) from cause
        self._writer: BatchThread[Operation, Any] = BatchThread("store writer", self._write, self._writing.close)
        self._reader: BatchThread[Operation, Any] = BatchThread("store reader", self._read, self._reading.close)

    async def write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Call `operation` in another thread, within a transaction, and return its result after the commit.

        Raises what it raises, or LogUnavailable; in both cases nothing was written. The operation is carried out even
        if the caller is cancelled meanwhile.
        """
        result: T = await _submit(self._writer, operation)
        return result

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Call `query` in another thread and return its result. Raises what it raises, or LogUnavailable."""
        result: T = await _submit(self._reader, query)
        return result

    async def close(self) -> None:
        """Carry out what is queued, then close the database. Closing twice is allowed."""
        await self._writer.close()
        await self._reader.close()

    def _write(self, operations: Sequence[Operation]) -> list[Any]:
        self._files.check_unchanged()
        with transaction(self._writing):
            return [self._in_savepoint(operation) for operation in operations]

    def _in_savepoint(self, operation: Operation) -> Any:
        self._writing.execute("SAVEPOINT operation")
        result = result_or_error(operation, self._writing)
        if isinstance(result, sqlite3.Error):  # Such as a full disk: it concerns the whole transaction.
            raise result
        if isinstance(result, Exception):
            self._writing.execute("ROLLBACK TO operation")
        self._writing.execute("RELEASE operation")
        return result

    def _read(self, queries: Sequence[Operation]) -> list[Any]:
        return [result_or_error(query, self._reading) for query in queries]


async def _submit(thread: BatchThread[Operation, Any], operation: Operation) -> Any:
    try:
        return await thread.submit(operation)
    except (sqlite3.Error, BatchThreadClosed) as cause:
        raise _unavailable(cause) from cause


def _unavailable(cause: Exception) -> LogUnavailable:
    return LogUnavailable(f"the database is unavailable: {cause}")
