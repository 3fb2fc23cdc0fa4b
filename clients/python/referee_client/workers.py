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

from referee_values import Match, MatchEnded

from referee_client.answers import Answer
from referee_client.bot import Bot, Key, Players
from referee_client.errors import Misconfigured
from referee_client.runners import BotFailed, BotRunner, SerialThread, checked_answer
from referee_client.turn import Turn

# A fork would copy the locks of threads, but not the threads.
SPAWN = multiprocessing.get_context("spawn")


class WorkerRunner(BotRunner):
    def __init__(self, bot: Bot, workers: int) -> None:
        try:
            pickle.dumps(bot)
        except Exception as error:
            raise Misconfigured(f"workers need a bot that can be imported by its name: {error}") from None
        self._workers = [Worker(bot, number) for number in range(workers)]
        self._seats: dict[Key, Worker] = {}

    async def choose(self, key: Key, turn: Turn) -> Answer:
        answer: Answer = await self._worker(key).call("choose", key, turn)
        return answer

    async def started(self, key: Key, match: Match) -> None:
        await self._worker(key).call("started", key, match)

    async def ended(self, key: Key, end: MatchEnded) -> None:
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
            seat_counts = Counter(self._seats.values())
            of_match = (worker for (match_id, _), worker in self._seats.items() if match_id == key[0])
            self._seats[key] = next(of_match, None) or min(self._workers, key=lambda worker: seat_counts[worker])
        return self._seats[key]


class Worker:
    """A worker process, and the thread that communicates with it."""

    def __init__(self, bot: Bot, number: int) -> None:
        self._bot = bot
        self._name = f"worker {number}"
        self._thread = SerialThread(self._name)
        self._pipe: Connection | None = None
        self._process: Any = None
        self._closed = False

    async def call(self, method: str, key: Key, argument: object) -> Any:
        """Return what the bot answers. Raises BotFailed, also if the worker process dies twice."""
        return await self._thread.submit(lambda: self._call(method, key, argument))

    def close(self) -> None:
        self._closed = True
        self._thread.close()
        if self._process:
            self._process.kill()

    def _call(self, method: str, key: Key, argument: object) -> Any:
        for _ in range(2):
            try:
                pipe = self._pipe or self._start()
                pipe.send((method, key, argument))
                failed, answer = pipe.recv()
            except (EOFError, OSError):
                self._pipe = None
                continue
            if failed:
                raise BotFailed(answer)
            return answer
        raise BotFailed(f"{self._name} has ended twice during this call\n")

    def _start(self) -> Connection:
        if self._closed:
            raise EOFError
        self._pipe, worker_end = SPAWN.Pipe()
        self._process = SPAWN.Process(target=run_worker, args=(self._bot, worker_end), name=self._name, daemon=True)
        self._process.start()
        worker_end.close()
        return self._pipe


def run_worker(bot: Bot, pipe: Connection) -> None:
    """Main loop of a worker process, which runs until its program ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the program, which ends its workers.
    with asyncio.Runner() as runner:
        methods = _methods(Players(bot), runner)
        while True:
            try:
                method, key, argument = pipe.recv()
            except EOFError:
                return
            try:
                answer = (False, methods[method](key, argument))
            except BaseException:
                answer = (True, traceback.format_exc())
            pipe.send(answer)


def _methods(players: Players, runner: asyncio.Runner) -> dict[str, Callable[[Key, Any], object]]:
    """Return the methods that can be called in a worker. Asynchronous bots run on the worker's own loop."""

    def finish(result: object) -> object:
        return runner.run(_await(result)) if inspect.isawaitable(result) else result

    def choose(key: Key, turn: Turn) -> Answer:
        return checked_answer(finish(players.choose(key, turn)))

    def started(key: Key, match: Match) -> None:
        finish(players.notify(key, "started", match, key[1]))

    def ended(key: Key, end: MatchEnded) -> None:
        try:
            finish(players.notify(key, "ended", end))
        finally:
            players.remove(key)

    return {"choose": choose, "started": started, "ended": ended}


async def _await(result: Awaitable[object]) -> object:
    return await result
