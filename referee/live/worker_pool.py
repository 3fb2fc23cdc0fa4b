"""Runs functions in worker processes with a CPU limit, so that work of unknown length never blocks the event loop.

    pool = WorkerPool()
    result = await pool.run(function, argument, ..., holder=holder, max_cpu_s=2)
    await pool.close()

`function` must be importable by its name (no lambda or closure), and must depend on its arguments alone; arguments,
result and any exception it raises are pickled, so unpickling a result of many megabytes blocks the event loop. A
function that exceeds its CPU limit raises `TooExpensive`; its worker is killed and replaced. A worker is started when
it is first needed, and then reused: the first call takes a second, the others a millisecond. If a worker ends by itself
or cannot be started, the call is retried once, so that it fails only if its own work is the cause.

Threads are not suitable: they share CPython's interpreter lock with the event loop, and cannot be killed.
"""

import asyncio
import os
import pickle
import signal
import socket
import struct
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol, TypeVar, TypeVarTuple, Unpack

import structlog

from engines.game_errors import DetailedError
from referee.live.child_process import ChildProcess

log = structlog.get_logger("referee.live")

T = TypeVar("T")
Args = TypeVarTuple("Args")

MAX_WORKERS = 2
MAX_CALLS_PER_HOLDER = 8
MAX_CPU_S = 2.0
RETRY_AFTER_MS = 1_000
EXIT_TIMEOUT_S = 10
"""Time for a worker to end by itself after it has closed its socket."""

HEADER = struct.Struct(">Qd")
"""Header of a request: the size of its pickle, and its CPU limit in seconds; of a reply: its size, and 0."""
NICENESS = 10
"""Niceness of workers: if all cores are busy, the event loop comes first."""


class TooExpensive(DetailedError):
    """The work needs more CPU time than its limit."""

    def __init__(self, limit_ms: int) -> None:
        sentence = f"this needs more than {limit_ms} ms of CPU time, which is the limit; ask for less at once"
        super().__init__(sentence, limit_ms=str(limit_ms))


class TooManyWaiting(DetailedError):
    """The holder has reached the limit of calls that wait for a result."""

    def __init__(self, limit: int) -> None:
        sentence = f"{limit} calls of this holder are still being computed, which is the limit; wait for one of them"
        super().__init__(sentence, limit=str(limit), retry_after_ms=str(RETRY_AFTER_MS))


class WorkerDied(Exception):
    """A worker ended by itself or could not be started: the memory is full, or there is a bug."""


class RunFunction(Protocol):
    """A function that runs work of unknown length: `WorkerPool.run`, or `run_inline`."""

    async def __call__(
        self, function: Callable[[Unpack[Args]], T], *args: *Args, holder: str = "", max_cpu_s: float | None = None
    ) -> T: ...


async def run_inline(
    function: Callable[[Unpack[Args]], T],
    *args: *Args,
    holder: str = "",  # noqa: ARG001  # The signature of `RunFunction`.
    max_cpu_s: float | None = None,  # noqa: ARG001
) -> T:
    """Call the function at once, without a worker or a limit: for processes without untrusted callers."""
    return function(*args)


class WorkerPool:
    """A pool for one event loop. `close` ends its workers; otherwise they end with this process."""

    def __init__(
        self,
        max_workers: int = MAX_WORKERS,
        max_calls_per_holder: int = MAX_CALLS_PER_HOLDER,
        max_cpu_s: float = MAX_CPU_S,
    ) -> None:
        """`max_cpu_s` is the limit of calls that do not set one."""
        self._max_cpu_s = max_cpu_s
        self._max_calls_per_holder = max_calls_per_holder
        self._free = asyncio.Semaphore(max_workers)
        self._idle: list[_Worker] = []
        self._calls: dict[asyncio.Task[Any], str] = {}
        """Waiting and running calls, with the holder of each."""

    async def run(
        self,
        function: Callable[[Unpack[Args]], T],
        *args: *Args,
        holder: str = "",
        max_cpu_s: float | None = None,
    ) -> T:
        """Return the result of `function(*args)`, computed in a worker process.

        Calls that wait are limited for each `holder`; empty: the call is the server's own, without that limit.
        Raises TooManyWaiting, TooExpensive, WorkerDied, or what the function raises. Cancelling the caller does
        not end the work, which counts towards the limit until it is done, so disconnecting gains nothing.
        """
        if holder and Counter(self._calls.values())[holder] >= self._max_calls_per_holder:
            raise TooManyWaiting(self._max_calls_per_holder)
        call = asyncio.create_task(self._run(pickle.dumps((function, args)), max_cpu_s or self._max_cpu_s))
        self._calls[call] = holder
        call.add_done_callback(self._done)
        succeeded, result = await asyncio.shield(call)
        if not succeeded:
            raise _rebuilt(*result)
        value: T = result
        return value

    async def close(self) -> None:
        """Kill all workers, also those that are busy."""
        for call in list(self._calls):
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        while self._idle:
            await self._idle.pop().kill()

    async def _run(self, request: bytes, max_cpu_s: float) -> Any:
        async with self._free:
            try:
                reply = await self._reply(request, max_cpu_s)
            except WorkerDied as error:
                log.warning("a worker process failed; its call is tried once more", error=str(error))
                reply = await self._reply(request, max_cpu_s)
        return pickle.loads(reply)

    async def _reply(self, request: bytes, max_cpu_s: float) -> bytes:
        worker = self._idle.pop() if self._idle else await _Worker.start()
        try:
            reply = await worker.call(request, max_cpu_s)
        except BaseException:
            await worker.kill()
            raise
        self._idle.append(worker)
        return reply

    def _done(self, call: "asyncio.Task[Any]") -> None:
        del self._calls[call]
        if not call.cancelled():
            call.exception()  # Retrieve it: if the caller was cancelled, asyncio would log it as never retrieved.


class _Worker:
    """A worker process, which serves one call at a time."""

    def __init__(self, process: ChildProcess, replies: asyncio.StreamReader, requests: asyncio.StreamWriter) -> None:
        self._process = process
        self._replies = replies
        self._requests = requests

    @classmethod
    async def start(cls) -> "_Worker":
        """Start a worker process. Raises WorkerDied if the system cannot start one now."""
        program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = ChildProcess([sys.executable, "-c", program], theirs.fileno(), theirs.fileno())
            except OSError as error:
                ours.close()
                raise WorkerDied(f"a worker process cannot be started: {error}") from error
        return cls(process, *await asyncio.open_unix_connection(sock=ours))

    async def call(self, request: bytes, max_cpu_s: float) -> bytes:
        """Return the reply to a request. Raises TooExpensive or WorkerDied; then the worker cannot be used again."""
        try:
            self._requests.write(HEADER.pack(len(request), max_cpu_s) + request)
            await self._requests.drain()
            size, _ = HEADER.unpack(await self._replies.readexactly(HEADER.size))
            return await self._replies.readexactly(size)
        except (OSError, RuntimeError, asyncio.IncompleteReadError):
            # RuntimeError: uvloop raises it for a socket that the worker has closed.
            await self._wait_or_kill()
            if self._process.status == -signal.SIGPROF:
                raise TooExpensive(round(max_cpu_s * 1000)) from None
            raise WorkerDied(f"a worker process ended with status {self._process.status}") from None

    async def _wait_or_kill(self) -> None:
        """Wait until the worker, which has closed its socket, has ended by itself, so that its status tells why."""
        try:
            await asyncio.wait_for(self._process.wait(), EXIT_TIMEOUT_S)
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        self._requests.close()
        self._process.kill()
        await self._process.wait()


def _rebuilt(kind: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    """Return an exception as it was raised in the worker. Pickle alone would call its class with its message."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


def serve() -> None:
    """Run a worker process: answer one request after another until standard input ends."""
    for ignored in (signal.SIGINT, signal.SIGTERM):  # The server handles them, and may still need the result.
        signal.signal(ignored, signal.SIG_IGN)
    os.nice(NICENESS)
    with os.fdopen(os.dup(0), "rb") as requests, os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)  # Output that a library prints must not get between replies.
        while header := requests.read(HEADER.size):
            size, max_cpu_s = HEADER.unpack(header)
            _write(replies, _answer(requests.read(size), max_cpu_s))


def _answer(request: bytes, max_cpu_s: float) -> bytes:
    try:
        function, args = pickle.loads(request)  # Imports the module of the function, outside the CPU limit.
        signal.setitimer(signal.ITIMER_PROF, max_cpu_s)  # SIGPROF ends the process.
        return pickle.dumps((True, function(*args)))
    except Exception as error:
        error.add_note(traceback.format_exc())  # For the log of the calling process.
        return pickle.dumps((False, (type(error), error.args, error.__dict__)))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _write(replies: BinaryIO, reply: bytes) -> None:
    replies.write(HEADER.pack(len(reply), 0) + reply)
    replies.flush()
