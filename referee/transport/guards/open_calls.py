"""Open calls: each answer has a deadline by which its reader must take it, and a call can be ended at once.

An answer that the caller does not read (a closed HTTP/2 window) stays in memory until the call ends, and grpc offers a
server no way to end a call without the caller's help: even a status waits behind the unread answer. A call is reset
when nothing refers to it any more. What refers to it is a task of grpc's own, which waits for the caller to go; that
task is found by a task factory, because it is the parent of the task that runs the handler, and it is cancelled.
See docs/decisions/ending-calls.md.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import grpc.aio
import structlog

SWEEPS_PER_DEADLINE = 4
"""Precision of the deadline: a quarter of it."""

GRPC_HANDLER = "_handle_exceptions"
"""Name of the coroutine of grpc.aio that runs a handler."""

log = structlog.get_logger("referee.transport")


class OpenCall:
    """Wraps the context of grpc, and records since when an answer has been waiting to be read."""

    def __init__(
        self, context: Any, method: str, tasks: tuple[asyncio.Task[Any], ...], now: Callable[[], float]
    ) -> None:
        self._context = context
        self.method = method
        self._tasks = tasks
        self._now = now
        self.unread_since: float | None = None
        """Start of the write in progress, by the clock of the loop; None: no write is in progress."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        self.unread_since = self._now()
        await self._context.write(message)
        self.unread_since = None

    async def abort(self, *status: Any) -> None:
        self.mark_answered()
        try:
            await self._context.abort(*status)
        except grpc.aio.AbortError as ended:
            self.at_end(partial(_release_frames, ended))
            raise

    def mark_answered(self) -> None:
        """Start the deadline of the last answer, or of the status, which grpc writes after the handler has returned."""
        self.unread_since = self._now()

    def at_end(self, callback: Callable[[], None]) -> None:
        """Run `callback` when the answer has been written, or the call is lost.

        Callbacks of the grpc context cannot be used: they hold a reference to the call, which prevents its reset.
        """
        self._tasks[-1].add_done_callback(partial(_call, callback))

    def reset(self) -> None:
        """Cancel the call at once; grpc then frees its memory."""
        for task in self._tasks:
            task.cancel()


class OpenCalls:
    """Registry of all open calls of a server, on one event loop."""

    def __init__(self, read_timeout_s: float) -> None:
        """`read_timeout_s`: how long a caller may take to read one answer."""
        self._read_timeout_s = read_timeout_s
        self._open: set[OpenCall] = set()
        self._parents: WeakKeyDictionary[asyncio.Task[Any], asyncio.Task[Any]] = WeakKeyDictionary()
        """Task of grpc that holds a call, by the task that runs its handler."""
        self._sweep: asyncio.TimerHandle | None = None
        self._create_task: Any = _create_default_task

    def __len__(self) -> int:
        return len(self._open)

    def start(self) -> None:
        """Install the task factory in the running loop. Must be called before the server starts."""
        loop = asyncio.get_running_loop()
        self._create_task = loop.get_task_factory() or self._create_task  # Delegates to the previous factory.
        loop.set_task_factory(self._record_parent)
        self._schedule_sweep()

    def stop(self) -> None:
        if self._sweep:
            self._sweep.cancel()

    def begin(self, context: Any, method: str) -> OpenCall:
        """Register the call that the current task handles."""
        task = asyncio.current_task()
        assert task is not None
        parent = self._parents.pop(task, None)
        tasks = (parent, task) if parent else (task,)
        call = OpenCall(context, method, tasks, asyncio.get_running_loop().time)
        self._open.add(call)
        call.at_end(partial(self._open.discard, call))
        return call

    def _record_parent(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = self._create_task(loop, coroutine, **more)
        if getattr(coroutine, "__name__", "") == GRPC_HANDLER and (parent := asyncio.current_task()):
            self._parents[task] = parent
        return task

    def _schedule_sweep(self) -> None:
        every_s = self._read_timeout_s / SWEEPS_PER_DEADLINE
        self._sweep = asyncio.get_running_loop().call_later(every_s, self._reset_unread)

    def _reset_unread(self) -> None:
        late = asyncio.get_running_loop().time() - self._read_timeout_s
        for call in [call for call in self._open if call.unread_since is not None and call.unread_since < late]:
            log.warning("call reset: its answer was not read in time", method=call.method)
            call.reset()
        self._schedule_sweep()


def _release_frames(ended: BaseException) -> None:
    """Let reference counting free what the frames refer to that an error has passed, such as the request.

    grpc keeps the error that ends a call with the call, to which the frames refer. Otherwise hundreds of requests of a
    megabyte would stay until the next collection of garbage.
    """
    error: BaseException | None = ended
    while error:
        error.__traceback__ = None
        error.__context__, error = None, error.__context__


def _call(callback: Callable[[], None], _: "asyncio.Task[Any]") -> None:
    callback()


def _create_default_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> asyncio.Task[Any]:
    return asyncio.Task(coroutine, loop=loop, **more)
