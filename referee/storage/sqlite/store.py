"""Threads that use a SQLite database, and the store for accounts, tokens, quotas and bot logs.

Of each database file one thread writes and another reads. Each handles its requests in batches: while it is busy with
one batch, further requests queue up and become the next batch. So a batch is one request under low load, and one
transaction for hundreds of requests under high load.
"""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from referee.live.ports import LogUnavailable
from referee.storage.sqlite.database import (
    BUSY_MS,
    Durability,
    OpenedFiles,
    open_for_reading,
    open_for_writing,
    transaction,
)

T = TypeVar("T")
RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")

Operation: TypeAlias = Callable[[sqlite3.Connection], Any]


class BatchThreadClosed(Exception):
    """A request that was submitted after `close`."""


class _Queued(NamedTuple, Generic[RequestT, ResultT]):
    request: RequestT
    future: asyncio.Future[ResultT]


_Completed: TypeAlias = tuple[asyncio.Future[ResultT], ResultT | Exception]


class BatchThread(Generic[RequestT, ResultT]):
    """Handles requests from any number of event loops, in the order of their submission.

    `handle` gets a batch and returns a result or an exception for each request; if it raises, all requests of the batch
    get that exception. `at_end` is called in the thread after the last batch.
    """

    def __init__(
        self,
        name: str,
        handle: Callable[[Sequence[RequestT]], Sequence[ResultT | Exception]],
        at_end: Callable[[], None],
    ) -> None:
        self._handle = handle
        self._at_end = at_end
        self._queue: SimpleQueue[_Queued[RequestT, ResultT] | None] = SimpleQueue()
        self._closed = False
        self._lock = Lock()
        # A daemon thread does not keep the process alive if `close` is never called.
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def submit(self, request: RequestT) -> ResultT:
        """Return the result of the request. Raises BatchThreadClosed.

        The request is handled even if the caller is cancelled meanwhile.
        """
        queued: _Queued[RequestT, ResultT] = _Queued(request, asyncio.get_running_loop().create_future())
        with self._lock:  # Nothing may follow the None that ends the thread.
            if self._closed:
                raise BatchThreadClosed
            self._queue.put(queued)
        return await queued.future

    async def close(self) -> None:
        """Handle what is queued, then end the thread. Closing twice is allowed."""
        with self._lock:
            if not self._closed:
                self._queue.put(None)
            self._closed = True
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        running = True
        while running:
            batch = [self._queue.get()]
            batch += [self._queue.get_nowait() for _ in range(self._queue.qsize())]
            running = batch[-1] is not None
            self._handle_batch([queued for queued in batch if queued is not None])
        self._at_end()

    def _handle_batch(self, batch: list[_Queued[RequestT, ResultT]]) -> None:
        by_loop: defaultdict[asyncio.AbstractEventLoop, list[_Completed[ResultT]]] = defaultdict(list)
        for queued, result in zip(batch, self._results(batch), strict=True):
            by_loop[queued.future.get_loop()].append((queued.future, result))
        # One wake-up for each loop and not for each result: it costs a system call.
        for loop, completed in by_loop.items():
            with suppress(RuntimeError):  # The loop is closed, so nothing awaits its futures.
                loop.call_soon_threadsafe(_complete, completed)

    def _results(self, batch: list[_Queued[RequestT, ResultT]]) -> Sequence[ResultT | Exception]:
        if not batch:
            return ()
        try:
            return self._handle([queued.request for queued in batch])
        except Exception as error:
            return [error] * len(batch)


class DatabaseThreads(Generic[RequestT]):
    """The writing and the reading thread of one database, which may have any number of event loops and processes."""

    def __init__(
        self,
        path: Path,
        durability: Durability,
        busy_ms: int,
        handle: Callable[[Sequence[RequestT]], Sequence[Any]],
        name: str,
        what: str,
    ) -> None:
        """Open or create the file. Raises LogUnavailable or NewerDatabase.

        `handle` writes a batch, in the writing thread. `name` is that of the threads, and `what` that of the database
        in errors.
        """
        self._what = what
        try:
            self.writing = open_for_writing(path, durability, busy_ms)
            self._reading = open_for_reading(path, busy_ms)
            self._files = OpenedFiles(path)
        except (OSError, sqlite3.Error) as cause:
            raise self._unavailable(cause) from cause
        self._handle = handle
        self._writer: BatchThread[RequestT, Any] = BatchThread(f"{name} writer", self._write, self.writing.close)
        self._reader: BatchThread[Operation, Any] = BatchThread(f"{name} reader", self._read, self._reading.close)

    async def write(self, request: RequestT) -> Any:
        """Return the result of a request to the writing thread. Raises LogUnavailable, or the result if it is an error.

        The request is handled even if the caller is cancelled meanwhile.
        """
        return await self._submit(self._writer, request)

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Call `query` in the reading thread and return its result. Raises what it raises, or LogUnavailable."""
        result: T = await self._submit(self._reader, query)
        return result

    async def close(self) -> None:
        """Handle what is queued, then close the database. Closing twice is allowed."""
        await self._writer.close()
        await self._reader.close()

    def _write(self, batch: Sequence[RequestT]) -> Sequence[Any]:
        self._files.check_unchanged()
        return self._handle(batch)

    def _read(self, queries: Sequence[Operation]) -> list[Any]:
        return [result_or_error(query, self._reading) for query in queries]

    async def _submit(self, thread: BatchThread[Any, Any], request: object) -> Any:
        try:
            return await thread.submit(request)
        except BatchThreadClosed:
            raise self._unavailable("it is closed") from None
        except sqlite3.Error as cause:
            raise self._unavailable(cause) from cause

    def _unavailable(self, cause: object) -> LogUnavailable:
        return LogUnavailable(f"{self._what} is unavailable: {cause}")


class SqliteStore:
    """Runs functions on a database. All functions that wait for the writing thread share one transaction.

    Each runs in a savepoint of its own: an exception undoes that function only.
    """

    def __init__(self, path: Path, durability: Durability = Durability.FULL, busy_ms: int = BUSY_MS) -> None:
        """Open or create the file. Raises LogUnavailable or NewerDatabase."""
        self._threads = DatabaseThreads(path, durability, busy_ms, self._write, "store", "the database")
        self.read = self._threads.read
        self.close = self._threads.close

    async def write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Call `operation` in another thread, within a transaction, and return its result after the commit.

        Raises what it raises, or LogUnavailable; in both cases nothing was written. The operation is carried out even
        if the caller is cancelled meanwhile.
        """
        result: T = await self._threads.write(operation)
        return result

    def _write(self, operations: Sequence[Operation]) -> list[Any]:
        connection = self._threads.writing
        with transaction(connection):
            return [_in_savepoint(connection, operation) for operation in operations]


def row_limit(limit: int | None) -> int:
    """Return the value of LIMIT in SQL. None: all rows."""
    return -1 if limit is None else limit


def result_or_error(function: Callable[..., ResultT], *arguments: Any) -> ResultT | Exception:
    """Return what the function returns or raises, so that one failure does not affect the rest of a batch."""
    try:
        return function(*arguments)
    except Exception as error:
        return error


def _in_savepoint(connection: sqlite3.Connection, operation: Operation) -> Any:
    connection.execute("SAVEPOINT operation")
    result = result_or_error(operation, connection)
    if isinstance(result, sqlite3.Error):  # Such as a full disk: it concerns the whole transaction.
        raise result
    if isinstance(result, Exception):
        connection.execute("ROLLBACK TO operation")
    connection.execute("RELEASE operation")
    return result


def _complete(completed: list[_Completed[ResultT]]) -> None:
    for future, result in completed:
        if future.done():  # The caller was cancelled.
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
