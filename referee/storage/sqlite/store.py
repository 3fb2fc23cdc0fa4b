"""Threads that use a SQLite database, and the store for accounts, tokens, quotas and bot logs.

Of each database one thread writes and another reads. Each handles its requests in batches: while it is busy with
one batch, further requests queue up and become the next batch. So a batch is one request under low load, and one
transaction for hundreds of requests under high load.
"""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from referee.live.ports import StoreUnavailable, settle
from referee.storage.sql import Operation
from referee.storage.sqlite.connection import run_to_end
from referee.storage.sqlite.database import (
    BUSY_MS,
    Durability,
    OpenedFiles,
    Place,
    open_for_reading,
    open_for_writing,
    transaction,
)

T = TypeVar("T")
RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")

Query: TypeAlias = Callable[[sqlite3.Connection], Any]
_Completed: TypeAlias = tuple[Callable[[Any], None], list[Any]]
"""The callback of a group, and its results."""


class BatchThreadClosed(Exception):
    """A request that was submitted after `close`."""


class _Group(NamedTuple, Generic[RequestT, ResultT]):
    """Requests that were submitted together by one event loop."""

    requests: Sequence[RequestT]
    loop: asyncio.AbstractEventLoop
    done: Callable[[Sequence[ResultT | Exception]], None]
    """Called on the loop with the result of each request."""


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
        self._queue: SimpleQueue[_Group[RequestT, ResultT] | None] = SimpleQueue()
        self._closed = False
        self._lock = Lock()
        # A daemon thread does not keep the process alive if `close` is never called.
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(
        self,
        requests: Sequence[RequestT],
        loop: asyncio.AbstractEventLoop,
        done: Callable[[Sequence[ResultT | Exception]], None],
    ) -> None:
        """Handle the requests, and call `done` on `loop` with the result of each. Raises BatchThreadClosed."""
        with self._lock:  # Nothing may follow the None that ends the thread.
            if self._closed:
                raise BatchThreadClosed
            self._queue.put(_Group(requests, loop, done))

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
            self._handle_batch([group for group in batch if group is not None])
        self._at_end()

    def _handle_batch(self, groups: list[_Group[RequestT, ResultT]]) -> None:
        results = iter(self._results([request for group in groups for request in group.requests]))
        by_loop: defaultdict[asyncio.AbstractEventLoop, list[_Completed]] = defaultdict(list)
        for group in groups:
            by_loop[group.loop].append((group.done, list(islice(results, len(group.requests)))))
        # One wake-up for each loop and not for each group: it costs a system call.
        for loop, completed in by_loop.items():
            with suppress(RuntimeError):  # The loop is closed, so nothing awaits its results.
                loop.call_soon_threadsafe(_complete, completed)

    def _results(self, requests: Sequence[RequestT]) -> Sequence[ResultT | Exception]:
        return _results(self._handle, requests) if requests else ()


class CallerThread(Generic[RequestT, ResultT]):
    """Handles requests at once, in the thread that submits them: for a database in memory.

    Waking a thread costs more than what it would do there.
    """

    def __init__(
        self, handle: Callable[[Sequence[RequestT]], Sequence[ResultT | Exception]], at_end: Callable[[], None]
    ) -> None:
        self._handle = handle
        self._at_end = at_end
        self._closed = False

    def submit(
        self,
        requests: Sequence[RequestT],
        loop: asyncio.AbstractEventLoop,
        done: Callable[[Sequence[ResultT | Exception]], None],
    ) -> None:
        """Handle the requests, and call `done` on `loop` with the result of each. Raises BatchThreadClosed."""
        if self._closed:
            raise BatchThreadClosed
        loop.call_soon(done, _results(self._handle, requests))

    async def close(self) -> None:
        """Close the database. Closing twice is allowed."""
        if not self._closed:
            self._at_end()
        self._closed = True


def _results(
    handle: Callable[[Sequence[RequestT]], Sequence[ResultT | Exception]], requests: Sequence[RequestT]
) -> Sequence[ResultT | Exception]:
    try:
        return handle(requests)
    except Exception as error:
        return [error] * len(requests)


_Batches: TypeAlias = BatchThread[RequestT, Any] | CallerThread[RequestT, Any]


def _batches(
    place: Place,
    name: str,
    handle: Callable[[Sequence[RequestT]], Sequence[Any]],
    at_end: Callable[[], None],
) -> _Batches[RequestT]:
    return BatchThread(name, handle, at_end) if isinstance(place, Path) else CallerThread(handle, at_end)


class _WriteGroup(NamedTuple, Generic[RequestT]):
    """Writes of one iteration of an event loop, each with its callback."""

    requests: list[RequestT]
    callbacks: list[Callable[[Any], None]]


class DatabaseThreads(Generic[RequestT]):
    """What writes and what reads a database: two threads, for any number of event loops and processes.

    A database in memory has no threads, and one event loop.
    """

    def __init__(
        self,
        place: Place,
        durability: Durability,
        busy_ms: int,
        handle: Callable[[Sequence[RequestT]], Sequence[Any]],
        name: str,
        what: str,
    ) -> None:
        """Open or create the database. Raises StoreUnavailable or NewerDatabase.

        `handle` writes a batch, in the writing thread. `name` is that of the threads, and `what` that of the database
        in errors.
        """
        self._what = what
        try:
            self.writing = open_for_writing(place, durability, busy_ms)
            self._reading = open_for_reading(place, busy_ms)
            self._files = OpenedFiles(place)
        except (OSError, sqlite3.Error) as cause:
            raise self._unavailable(cause) from cause
        self._handle = handle
        self._groups: dict[asyncio.AbstractEventLoop, _WriteGroup[RequestT]] = {}
        """Writes that the current iteration of each loop has begun."""
        self._writer: _Batches[RequestT] = _batches(place, f"{name} writer", self._write, self.writing.close)
        self._reader: _Batches[Query] = _batches(place, f"{name} reader", self._read, self._reading.close)

    def begin_write(self, request: RequestT, done: Callable[[Any], None]) -> None:
        """Pass a request to the writing thread; call `done` later on this event loop with its result or error."""
        loop = asyncio.get_running_loop()
        group = self._groups.get(loop)
        if group is None:
            self._groups[loop] = group = _WriteGroup([], [])
            loop.call_soon(self._flush, loop)
        group.requests.append(request)
        group.callbacks.append(done)

    async def write(self, request: RequestT) -> Any:
        """Return the result of a request to the writing thread, or raise it if it is an error. Raises StoreUnavailable.

        The request is handled even if the caller is cancelled meanwhile.
        """
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.begin_write(request, partial(settle, result))
        return await result

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Call `query` in the reading thread and return its result. Raises what it raises, or StoreUnavailable."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        try:
            self._reader.submit([query], loop, partial(self._complete, [partial(settle, result)]))
        except BatchThreadClosed:
            raise self._unavailable("it is closed") from None
        return await result

    async def close(self) -> None:
        """Handle what is queued, then close the database. Closing twice is allowed."""
        self._flush(asyncio.get_running_loop())
        await self._writer.close()
        await self._reader.close()

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass all writes of one iteration of a loop to the writing thread at once: waking it costs a system call."""
        group = self._groups.pop(loop, None)
        if group is None:
            return
        try:
            self._writer.submit(group.requests, loop, partial(self._complete, group.callbacks))
        except BatchThreadClosed:
            self._complete(group.callbacks, [self._unavailable("it is closed")] * len(group.requests))

    def _complete(self, callbacks: Sequence[Callable[[Any], None]], results: Sequence[Any]) -> None:
        for done, result in zip(callbacks, results, strict=True):
            done(self._unavailable(result) if isinstance(result, sqlite3.Error) else result)

    def _write(self, batch: Sequence[RequestT]) -> Sequence[Any]:
        self._files.check_unchanged()
        return self._handle(batch)

    def _read(self, queries: Sequence[Query]) -> list[Any]:
        return [result_or_error(query, self._reading) for query in queries]

    def _unavailable(self, cause: object) -> StoreUnavailable:
        error = StoreUnavailable(f"{self._what} is unavailable: {cause}")
        error.__cause__ = cause if isinstance(cause, Exception) else None
        return error


class _Write(NamedTuple):
    operation: Operation[Any]
    durable: bool


class SqliteStore:
    """A Database in SQLite. All operations that wait for the writing thread share one transaction.

    Each runs in a savepoint of its own: an exception undoes that operation only.
    """

    def __init__(self, place: Place, durability: Durability = Durability.FULL, busy_ms: int = BUSY_MS) -> None:
        """Open or create the database. Raises StoreUnavailable or NewerDatabase."""
        self._durability = durability
        self._threads = DatabaseThreads(place, durability, busy_ms, self._write, "store", "the database")
        self.close = self._threads.close

    async def read(self, query: Operation[T]) -> T:
        return await self._threads.read(partial(run_to_end, query))

    async def write(self, operation: Operation[T], *, durable: bool = True) -> T:
        result: T = await self._threads.write(_Write(operation, durable))
        return result

    def _write(self, writes: Sequence[_Write]) -> list[Any]:
        connection = self._threads.writing
        durability = self._durability if any(write.durable for write in writes) else Durability.NORMAL
        connection.execute(f"PRAGMA synchronous = {durability.value}")
        with transaction(connection):
            return [_in_savepoint(connection, write.operation) for write in writes]


def result_or_error(function: Callable[..., ResultT], *arguments: Any) -> ResultT | Exception:
    """Return what the function returns or raises, so that one failure does not affect the rest of a batch."""
    try:
        return function(*arguments)
    except Exception as error:
        return error


def _in_savepoint(connection: sqlite3.Connection, operation: Operation[Any]) -> Any:
    connection.execute("SAVEPOINT operation")
    result = result_or_error(run_to_end, operation, connection)
    if isinstance(result, sqlite3.Error):  # Such as a full disk: it concerns the whole transaction.
        raise result
    if isinstance(result, Exception):
        connection.execute("ROLLBACK TO operation")
    connection.execute("RELEASE operation")
    return result


def _complete(completed: list[_Completed]) -> None:
    for done, results in completed:
        done(results)
