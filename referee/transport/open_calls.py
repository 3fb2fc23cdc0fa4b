"""Open calls: each answer has a deadline by which its reader must take it, and a call can be ended at once.

An answer that the caller does not read (a closed HTTP/2 window) stays in memory until the call ends, and grpc offers a
server no way to end a call without the caller's help: even a status waits behind the unread answer. A call is reset
when nothing refers to it any more. What refers to it is a task of grpc's own, which waits for the caller to go; that
task is found by a task factory, because it is the parent of the task that runs the handler, and it is cancelled.
See docs/decisions/ending-calls.md.
"""

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import structlog

SWEEPS_PER_DEADLINE = 4
"""How precisely the deadline is kept: to a quarter of it."""

GRPC_HANDLER = "_handle_exceptions"
"""The coroutine of grpc.aio in which a handler runs."""

log = structlog.get_logger("referee.transport")


class OpenCall:
    """The context of a call. It notes since when an answer waits to be read; all else is passed on to grpc."""

    def __init__(
        self, context: Any, method: str, tasks: tuple[asyncio.Task[Any], ...], now: Callable[[], float]
    ) -> None:
        self._context = context
        self.method = method
        self._tasks = tasks
        self._now = now
        self.unread_since: float | None = None
        """When the answer that is being written was begun, by the loop's clock. None: none is being written."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        self.unread_since = self._now()
        await self._context.write(message)
        self.unread_since = None

    async def abort(self, *status: Any) -> None:
        self.answering()
        await self._context.abort(*status)

    def answering(self) -> None:
        """The handler is done: grpc writes the last answer, or the status, from here on."""
        self.unread_since = self._now()

    def at_end(self, callback: Callable[[], None]) -> None:
        """Call it when the answer is written, or the call is lost.

        The callbacks of grpc's own context would not do: they hold the call, so that it could not be reset.
        """
        self._tasks[-1].add_done_callback(lambda _: callback())

    def reset(self) -> None:
        """End the call at once. grpc tells the caller that it is cancelled, and frees the memory of the call."""
        for task in self._tasks:
            task.cancel()


class OpenCalls:
    """All calls that a server has open, on one event loop."""

    def __init__(self, read_within_s: float) -> None:
        """`read_within_s`: how long a caller may take to read one answer."""
        self._read_within_s = read_within_s
        self._open: set[OpenCall] = set()
        self._parents: WeakKeyDictionary[asyncio.Task[Any], asyncio.Task[Any]] = WeakKeyDictionary()
        """By the task in which a handler runs: the task of grpc that holds its call."""
        self._sweep: asyncio.TimerHandle | None = None
        self._make: Any = _task

    def __len__(self) -> int:
        return len(self._open)

    def start(self) -> None:
        """On the running loop. Before the server starts: of calls that began earlier the parents are unknown."""
        loop = asyncio.get_running_loop()
        self._make = loop.get_task_factory() or self._make  # The one before goes on making the tasks.
        loop.set_task_factory(self._made)
        self._sweep_later()

    def stop(self) -> None:
        if self._sweep:
            self._sweep.cancel()

    def begin(self, context: Any, method: str) -> OpenCall:
        """The call that is handled in the current task."""
        task = asyncio.current_task()
        assert task is not None
        parent = self._parents.pop(task, None)
        tasks = (parent, task) if parent else (task,)
        call = OpenCall(context, method, tasks, asyncio.get_running_loop().time)
        self._open.add(call)
        call.at_end(lambda: self._open.discard(call))
        return call

    def _made(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = self._make(loop, coroutine, **more)
        if getattr(coroutine, "__name__", "") == GRPC_HANDLER and (parent := asyncio.current_task()):
            self._parents[task] = parent
        return task

    def _sweep_later(self) -> None:
        every_s = self._read_within_s / SWEEPS_PER_DEADLINE
        self._sweep = asyncio.get_running_loop().call_later(every_s, self._reset_unread)

    def _reset_unread(self) -> None:
        late = asyncio.get_running_loop().time() - self._read_within_s
        for call in [call for call in self._open if call.unread_since is not None and call.unread_since < late]:
            log.info("call reset: its answer was not read in time", method=call.method)
            call.reset()
        self._sweep_later()


def _task(loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> asyncio.Task[Any]:
    return asyncio.Task(coroutine, loop=loop, **more)
