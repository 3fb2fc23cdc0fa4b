"""The clerk of a SQLite file: does what it is told to the tables, and says what came of it.

As with the log of the matches, one thread writes and another reads, and all that waits for the writer
shares one transaction. Within it each order stands apart: what one raises undoes that one only.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from referee.app.ports import LogUnavailable
from referee.storage.in_place import InPlace
from referee.storage.sqlite_file import Durability, open_for_reading, open_for_writing, transaction
from referee.storage.worker import Closed, Worker

T = TypeVar("T")

Order: TypeAlias = Callable[[sqlite3.Connection], Any]

BUSY_MS = 5_000

NO_LIMIT = -1
"""As a LIMIT."""


class Clerk:
    """For any number of event loops, and beside others on the same file."""

    def __init__(self, path: Path, durability: Durability = Durability.FULL, busy_ms: int = BUSY_MS) -> None:
        """Open the file, or make it. Raises LogUnavailable, or NewerDatabase."""
        try:
            self._writing = open_for_writing(path, durability, busy_ms)
            self._reading = open_for_reading(path, busy_ms)
            self._in_place = InPlace(path)
        except (OSError, sqlite3.Error) as cause:
            raise _unavailable(cause) from cause
        self._writer: Worker[Order, Any] = Worker("clerk's writer", self._write, self._writing.close)
        self._reader: Worker[Order, Any] = Worker("clerk's reader", self._read, self._reading.close)

    async def write(self, order: Callable[[sqlite3.Connection], T]) -> T:
        """What `order` gives, once it is committed. It is called in another thread, within a transaction.

        Raises what it raises, or LogUnavailable; either way nothing was written. Who is cancelled while waiting
        does not take the order back.
        """
        answer: T = await _asked(self._writer, order)
        return answer

    async def read(self, order: Callable[[sqlite3.Connection], T]) -> T:
        """What `order` gives, called in another thread. Raises what it raises, or LogUnavailable."""
        answer: T = await _asked(self._reader, order)
        return answer

    async def close(self) -> None:
        """Write what is waiting, and let go. It does no harm to close twice."""
        await self._writer.close()
        await self._reader.close()

    def _write(self, orders: Sequence[Order]) -> list[Any]:
        self._in_place.need()
        with transaction(self._writing):
            return [self._apart(order) for order in orders]

    def _apart(self, order: Order) -> Any:
        self._writing.execute("SAVEPOINT apart")
        answer = _answer_or_error(order, self._writing)
        if isinstance(answer, sqlite3.Error):  # The file's trouble is everybody's.
            raise answer
        if isinstance(answer, Exception):
            self._writing.execute("ROLLBACK TO apart")
        self._writing.execute("RELEASE apart")
        return answer

    def _read(self, orders: Sequence[Order]) -> list[Any]:
        return [_answer_or_error(order, self._reading) for order in orders]


def _answer_or_error(order: Order, connection: sqlite3.Connection) -> Any:
    try:
        return order(connection)
    except Exception as error:
        return error


async def _asked(worker: Worker[Order, Any], order: Order) -> Any:
    try:
        return await worker.ask(order)
    except (sqlite3.Error, Closed) as cause:
        raise _unavailable(cause) from cause


def _unavailable(cause: Exception) -> LogUnavailable:
    return LogUnavailable(f"the database cannot be used now: {cause}")
