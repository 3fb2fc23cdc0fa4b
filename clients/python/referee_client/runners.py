"""Runs the bot's code: in threads, on the event loop, or (in `workers`) in separate processes.

Calls for one seat are made one at a time and in order, while the stream keeps working. Every exception that a bot
raises becomes a BotFailed.
"""

import asyncio
import inspect
import queue
import threading
import traceback
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from referee_values import Match, MatchEnded

from referee_client.answers import Answer, checked
from referee_client.bot import Key, Players
from referee_client.turn import Turn

T = TypeVar("T")


class BotFailed(Exception):
    """The bot's own code raised an exception. `str()` is the traceback."""


class BotRunner(ABC):
    """Calls the bot. All methods that call it raise BotFailed."""

    @abstractmethod
    async def choose(self, key: Key, turn: Turn) -> Answer: ...

    @abstractmethod
    async def started(self, key: Key, match: Match) -> None: ...

    @abstractmethod
    async def ended(self, key: Key, end: MatchEnded) -> None:
        """Notify the bot of the end, and remove the seat."""

    @abstractmethod
    def close(self) -> None:
        """Stop without waiting for calls that still run."""


class SeatRunner(BotRunner):
    """Runs a bot in one thread per seat, or on the event loop if it is asynchronous, and awaits what is awaitable."""

    def __init__(self, players: Players) -> None:
        self._players = players
        self._locks: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._threads: dict[Key, SerialThread] = {}

    async def choose(self, key: Key, turn: Turn) -> Answer:
        return checked_answer(await self._call(key, partial(self._players.choose, key, turn)))

    async def started(self, key: Key, match: Match) -> None:
        await self._call(key, partial(self._players.notify, key, "started", match, key[1]))

    async def ended(self, key: Key, end: MatchEnded) -> None:
        try:
            await self._call(key, partial(self._players.notify, key, "ended", end))
        finally:
            self._locks.pop(key, None)
            if thread := self._threads.pop(key, None):
                thread.close()
            self._players.remove(key)

    def close(self) -> None:
        for thread in self._threads.values():
            thread.close()

    async def _call(self, key: Key, call: Callable[[], object]) -> object:
        async with self._locks[key]:
            try:
                result = call() if self._players.is_async else await self._thread(key).submit(call)
                # Only its result shows that a lambda or a decorated function is asynchronous.
                return await result if inspect.isawaitable(result) else result
            except (Exception, SystemExit, asyncio.CancelledError) as error:
                task = asyncio.current_task()
                if isinstance(error, BotFailed) or (task and task.cancelling()):
                    raise  # If it was cancelled, the answer is no longer needed.
                raise BotFailed(traceback.format_exc()) from None

    def _thread(self, key: Key) -> "SerialThread":
        if key not in self._threads:
            self._threads[key] = SerialThread(f"match {key[0]}, seat {key[1]}")
        return self._threads[key]


class SerialThread:
    """A thread that runs jobs one after the other. It does not keep the program from exiting."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._run_jobs, name=name, daemon=True).start()

    def submit(self, job: Callable[[], T]) -> "asyncio.Future[T]":
        """Return a future of the result of `job`, or of BotFailed. If it is cancelled early, the job is skipped."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(lambda: None if future.cancelled() else _settle(loop, future, job))
        return future

    def close(self) -> None:
        """End the thread after the queued jobs."""
        self._jobs.put(None)

    def _run_jobs(self) -> None:
        while job := self._jobs.get():
            job()


def checked_answer(answer: object) -> Answer:
    """Return the answer. Raises BotFailed if it is not a valid answer."""
    try:
        return checked(answer)
    except TypeError:
        raise BotFailed(traceback.format_exc()) from None


def _settle(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[T]", job: Callable[[], T]) -> None:
    try:
        outcome = job()
    except BotFailed as failed:
        settle = partial(future.set_exception, failed)
    except BaseException:  # Includes SystemExit, so that a bot that exits in one match does not stop its other matches.
        settle = partial(future.set_exception, BotFailed(traceback.format_exc()))
    else:
        settle = partial(future.set_result, outcome)
    with suppress(RuntimeError):  # The loop is closed, so the result is no longer needed.
        loop.call_soon_threadsafe(lambda: None if future.cancelled() else settle())
