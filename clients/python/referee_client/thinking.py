"""Runs the bot's code: in threads, on the event loop, or (in `workers`) in separate processes.

Calls for one seat are made one at a time and in order, while the stream keeps working. Whatever exception a bot raises
becomes a BotBroke.
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

from referee_client.answers import Answer, checked
from referee_client.bot import Cast, Key
from referee_client.matches import End, Match
from referee_client.turn import Turn

T = TypeVar("T")


class BotBroke(Exception):
    """The bot's own code raised an exception. `str()` is the traceback."""


class Thinker(ABC):
    """Calls the bot. All methods that call it raise BotBroke."""

    @abstractmethod
    async def choose(self, key: Key, turn: Turn) -> Answer: ...

    @abstractmethod
    async def started(self, key: Key, match: Match) -> None: ...

    @abstractmethod
    async def ended(self, key: Key, end: End) -> None:
        """Notify the bot of the end, and remove the seat."""

    @abstractmethod
    def close(self) -> None:
        """Stop without waiting for calls that still run."""


class OnLoop(Thinker):
    """Runs a bot whose `choose` is asynchronous."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._order: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def choose(self, key: Key, turn: Turn) -> Answer:
        return checked_or_broke(await self._ask(key, lambda: self._cast.choose(key, turn)))

    async def started(self, key: Key, match: Match) -> None:
        await self._ask(key, lambda: self._cast.tell(key, "started", match, key[1]))

    async def ended(self, key: Key, end: End) -> None:
        try:
            await self._ask(key, lambda: self._cast.tell(key, "ended", end))
        finally:
            self._cast.forget(key)
            self._order.pop(key, None)

    def close(self) -> None:
        """Nothing to do: tasks end with their loop."""

    async def _ask(self, key: Key, ask: Callable[[], object]) -> object:
        async with self._order[key]:
            try:
                answer = ask()
                return await answer if inspect.isawaitable(answer) else answer
            except (Exception, SystemExit, asyncio.CancelledError):
                task = asyncio.current_task()
                if task and task.cancelling():
                    raise  # The answer is not needed any more.
                raise BotBroke(traceback.format_exc()) from None


class InThreads(Thinker):
    """Runs a bot whose `choose` is a plain function, in one thread per seat."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._lines: dict[Key, Line] = {}

    async def choose(self, key: Key, turn: Turn) -> Answer:
        return await self._line(key).does(lambda: checked_or_broke(self._cast.choose(key, turn)))

    async def started(self, key: Key, match: Match) -> None:
        await self._line(key).does(partial(self._cast.tell, key, "started", match, key[1]))

    async def ended(self, key: Key, end: End) -> None:
        line = self._line(key)
        try:
            await line.does(partial(self._cast.tell, key, "ended", end))
        finally:
            line.close()
            del self._lines[key]
            self._cast.forget(key)

    def close(self) -> None:
        for line in self._lines.values():
            line.close()

    def _line(self, key: Key) -> "Line":
        if key not in self._lines:
            self._lines[key] = Line(f"match {key[0]}, seat {key[1]}")
        return self._lines[key]


class Line:
    """A thread that runs jobs one after the other. It does not keep the program from exiting."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def does(self, job: Callable[[], T]) -> "asyncio.Future[T]":
        """Return a future of what `job` returns, or of BotBroke. A job that is cancelled before its turn is skipped."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(lambda: None if future.cancelled() else _settle(loop, future, job))
        return future

    def close(self) -> None:
        """End the thread after the queued jobs."""
        self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            job()


def checked_or_broke(answer: object) -> Answer:
    """Return the answer. Raises BotBroke if it is not a valid answer."""
    try:
        return checked(answer)
    except TypeError:
        raise BotBroke(traceback.format_exc()) from None


def _settle(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[T]", job: Callable[[], T]) -> None:
    try:
        outcome = job()
    except BotBroke as why:
        settle = partial(future.set_exception, why)
    except BaseException:  # Includes SystemExit, so that a bot that exits in one match does not stop its other matches.
        settle = partial(future.set_exception, BotBroke(traceback.format_exc()))
    else:
        settle = partial(future.set_result, outcome)
    with suppress(RuntimeError):  # The loop is closed, so the result is not needed any more.
        loop.call_soon_threadsafe(lambda: None if future.cancelled() else settle())
