"""Runs operations on a SQLite connection, in the thread that calls: no statement suspends them."""

import re
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, closing
from functools import lru_cache
from typing import Any, TypeVar

from referee.storage.sql import Operation, TurnKind

T = TypeVar("T")

PARAMETER = re.compile(r"\$(\d+)")


class SqliteConnection:
    """An SqlConnection on a database that has one writer: an operation that writes need not wait for others."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def change(self, query: str, *values: Any) -> int:
        return self._execute(query, values).rowcount

    async def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(_of_sqlite(query), rows)

    async def fetch(self, query: str, *values: Any) -> list[Any]:
        return self._execute(query, values).fetchall()

    async def fetchrow(self, query: str, *values: Any) -> Any:
        return self._execute(query, values).fetchone()

    async def fetchval(self, query: str, *values: Any) -> Any:
        row = self._execute(query, values).fetchone()
        return row[0] if row else None

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[None]:
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    async def scan(self, query: str, *values: Any) -> AsyncGenerator[Any, None]:
        with closing(self._execute(query, values)) as rows:
            for row in rows:
                yield row

    async def take_turns(self, kind: TurnKind, *names: str) -> None:
        """Do nothing."""

    async def lock_row(self, query: str, *values: Any) -> Any:
        return self._execute(query, values).fetchone()

    def _execute(self, query: str, values: Sequence[Any]) -> sqlite3.Cursor:
        return self._connection.execute(_of_sqlite(query), values)


@lru_cache
def _of_sqlite(query: str) -> str:
    return PARAMETER.sub(r"?\1", query)


def run_to_end(operation: Operation[T], connection: sqlite3.Connection) -> T:
    """Return the result of an operation, or raise what it raises."""
    steps: Coroutine[Any, Any, T] = operation(SqliteConnection(connection))
    try:
        steps.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    steps.close()
    raise AssertionError("an operation waits for something else than the database")
