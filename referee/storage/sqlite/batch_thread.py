"""A thread that handles requests in batches.

While the thread is busy with one batch, further requests queue up and become the next batch. So a batch is one request
under low load, and one transaction for hundreds of requests under high load.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


class BatchThreadClosed(Exception):
    """A request that was submitted after `close`."""

    def __init__(self) -> None:
        super().__init__("it is closed")


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


def result_or_error(function: Callable[..., ResultT], *arguments: Any) -> ResultT | Exception:
    """Return what the function returns or raises, so that one failure does not affect the rest of a batch."""
    try:
        return function(*arguments)
    except Exception as error:
        return error


def _complete(completed: list[_Completed[ResultT]]) -> None:
    for future, result in completed:
        if future.done():  # The caller was cancelled.
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
