"""Runs the bot in worker processes, so that a bot that needs a whole processor does not block its stream.

All seats of a match stay with one worker, so that a bot that is a class keeps its state. A worker process that dies is
replaced, and its call is repeated once.
"""

import asyncio
import inspect
import multiprocessing
import pickle
import signal
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Any

from referee_client.answers import Answer
from referee_client.bot import Bot, Cast, Key
from referee_client.errors import Misconfigured
from referee_client.matches import End, Match
from referee_client.thinking import BotBroke, Line, Thinker, checked_or_broke
from referee_client.turn import Turn

# A fork would copy the locks of threads, but not the threads.
SPAWN = multiprocessing.get_context("spawn")


class InWorkers(Thinker):
    def __init__(self, bot: Bot, workers: int) -> None:
        try:
            pickle.dumps(bot)
        except Exception as why:
            raise Misconfigured(f"workers need a bot that can be imported by its name: {why}") from None
        self._workers = [Worker(bot, number) for number in range(workers)]
        self._seats: dict[Key, Worker] = {}

    async def choose(self, key: Key, turn: Turn) -> Answer:
        answer: Answer = await self._worker(key).call("choose", key, turn)
        return answer

    async def started(self, key: Key, match: Match) -> None:
        await self._worker(key).call("started", key, match)

    async def ended(self, key: Key, end: End) -> None:
        try:
            await self._worker(key).call("ended", key, end)
        finally:
            del self._seats[key]

    def close(self) -> None:
        for worker in self._workers:
            worker.close()

    def _worker(self, key: Key) -> "Worker":
        """Return the worker of the match, or else the one with the fewest seats."""
        if key not in self._seats:
            busy = Counter(self._seats.values())
            held = (worker for (match_id, _), worker in self._seats.items() if match_id == key[0])
            self._seats[key] = next(held, None) or min(self._workers, key=lambda worker: busy[worker])
        return self._seats[key]


class Worker:
    """A worker process, and the thread that communicates with it."""

    def __init__(self, bot: Bot, number: int) -> None:
        self._bot = bot
        self._name = f"worker {number}"
        self._line = Line(self._name)
        self._pipe: Connection | None = None
        self._process: Any = None
        self._closed = False

    async def call(self, what: str, key: Key, about: object) -> Any:
        """Return what the bot answers. Raises BotBroke, also if the worker process dies twice."""
        return await self._line.does(lambda: self._call(what, key, about))

    def close(self) -> None:
        self._closed = True
        self._line.close()
        if self._process:
            self._process.kill()

    def _call(self, what: str, key: Key, about: object) -> Any:
        for _ in range(2):
            try:
                pipe = self._pipe or self._start()
                pipe.send((what, key, about))
                broke, answer = pipe.recv()
            except (EOFError, OSError):
                self._pipe = None
                continue
            if broke:
                raise BotBroke(answer)
            return answer
        raise BotBroke(f"{self._name} died of it, twice\n")

    def _start(self) -> Connection:
        if self._closed:
            raise EOFError
        self._pipe, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=work, args=(self._bot, theirs), name=self._name, daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe


def work(bot: Bot, pipe: Connection) -> None:
    """Main loop of a worker process, which runs until its program ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the program, which ends its workers.
    with asyncio.Runner() as runner:
        asks = _asks(Cast(bot), runner)
        while True:
            try:
                what, key, about = pipe.recv()
            except EOFError:
                return
            try:
                answer = (False, asks[what](key, about))
            except BaseException:
                answer = (True, traceback.format_exc())
            pipe.send(answer)


def _asks(cast: Cast, runner: asyncio.Runner) -> dict[str, Callable[[Key, Any], object]]:
    """Return the calls that a worker accepts. Asynchronous bots run on the worker's own loop."""

    def done(answer: object) -> object:
        return runner.run(_awaited(answer)) if inspect.isawaitable(answer) else answer

    def choose(key: Key, turn: Turn) -> Answer:
        return checked_or_broke(done(cast.choose(key, turn)))

    def started(key: Key, match: Match) -> None:
        done(cast.tell(key, "started", match, key[1]))

    def ended(key: Key, end: End) -> None:
        try:
            done(cast.tell(key, "ended", end))
        finally:
            cast.forget(key)

    return {"choose": choose, "started": started, "ended": ended}


async def _awaited(answer: Awaitable[object]) -> object:
    return await answer
