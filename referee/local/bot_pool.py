"""Local bots: starts their programs, supervises and restarts them, and stops them.

In an arena each process of a bot plays one match at a time. A bot has as many instances as it plays matches at once,
each with its own name and token; idle instances are reused. In a tournament each bot has one instance.
"""

import asyncio
import os
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from referee.local.arena_client import ArenaClient
from referee.local.bot_process import DIRECTLY, BotProcess, check_program
from referee.local.entrant import Entrant
from referee.local.results_folder import ResultsFolder
from referee.local.sandbox import ENVIRONMENT, Sandbox

PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Environment variables that are passed on to every bot, besides LC_*."""
POLL_INTERVAL_S = 0.1
MAX_CRASHES = 5
"""Consecutive crashes without a finished match, after which a bot of a tournament is given up."""


class Launcher:
    """Starts processes of bots for one server, with their environment, token, folder and optional sandbox."""

    def __init__(self, address: str, run_in: Path, results: ResultsFolder, sandbox: Sandbox | None) -> None:
        """`address` is the server's, `run_in` the plan's folder; sandboxes hide the results folder."""
        self._address = address
        self._run_in = run_in
        self._results = results
        self._sandbox = sandbox
        self._numbers = count()

    async def start(self, entrant: Entrant, name: str, token: str, max_matches: int) -> BotProcess:
        """Start one instance of a bot, called `name`. Raises OSError if its program does not exist."""
        environment = {
            **passed_on(os.environ, entrant),
            "BOT_REFEREE": self._address,
            "BOT_MAX_MATCHES": str(max_matches),
        }
        folder, command, relayed_to = self._run_in / entrant.folder, entrant.command, DIRECTLY
        # A program that listens elsewhere is started by someone else; only our bridge runs here.
        if self._sandbox and not entrant.alone:
            check_program(command[0], folder, environment.get("PATH"))
            port, number = int(self._address.rpartition(":")[2]), next(self._numbers)
            command = self._sandbox.command(command, folder, self._results.path.resolve(), port, number)
            environment |= ENVIRONMENT
            relayed_to = f"{self._address},{self._sandbox.memory_bytes},{self._sandbox.create_group(number) or ''}"
        return await BotProcess.start(
            command, environment, folder, self._results.bot_log(name), token=token, relayed_to=relayed_to
        )


def passed_on(environment: Mapping[str, str], entrant: Entrant) -> dict[str, str]:
    """Return the environment variables that are passed on to a bot."""
    return {
        name: text
        for name, text in environment.items()
        if name in PASSED_ON or name.startswith("LC_") or name in entrant.env
    }


class BotStartFailed(Exception):
    """A bot could not be started. `str()` says why, with the last lines of its output."""

    def __init__(self, entrant: Entrant, why: str) -> None:
        super().__init__(why)
        self.entrant = entrant


@dataclass(slots=True)
class BotInstance:
    """One instance of a bot, with its latest process if it was started."""

    entrant: Entrant
    name: str
    secret: str
    process: BotProcess | None = None
    proven: bool = False
    """Whether the process has started a match."""
    crashes: int = 0
    """Consecutive crashes without a finished match."""

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.is_running

    async def wait(self) -> None:
        """Wait until the process has exited."""
        if self.process:
            await self.process.wait()

    async def end(self) -> None:
        """Stop the process."""
        if self.process:
            await self.process.end()

    def start_failed(self, why: str = "") -> BotStartFailed:
        """Return the error that describes the process; `why` comes first."""
        how = self.process.exit_summary() if self.process else ""
        return BotStartFailed(self.entrant, f"{why}; {how}" if why else how)


SeatedBots = Mapping[Entrant, BotInstance]
"""The instances that play a match, by entrant."""


class BotPool:
    """All instances of all bots, until `end`."""

    def __init__(self, client: ArenaClient, launcher: Launcher, max_matches: int = 1) -> None:
        """`max_matches` is the maximum number of concurrent matches of each process."""
        self._client = client
        self._launcher = launcher
        self._max_matches = max_matches
        self._instances: dict[str, BotInstance] = {}
        self._many: Counter[str] = Counter()
        self._free: dict[str, list[BotInstance]] = defaultdict(list)
        self._alone: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Locks of the bots that have only one instance, held while they play."""

    async def end(self) -> None:
        """Stop all processes."""
        await asyncio.gather(*(instance.end() for instance in self._instances.values()))

    @asynccontextmanager
    async def seated(self, entrants: Iterable[Entrant]) -> AsyncIterator[SeatedBots]:
        """Acquire a running instance of each bot for one match. Raises BotStartFailed if a program does not exist."""
        # Locks are always taken in the same order, so there is no deadlock.
        in_order = sorted(entrants, key=lambda entrant: entrant.name)
        async with AsyncExitStack() as stack:
            yield {entrant: await stack.enter_async_context(self._acquired(entrant)) for entrant in in_order}

    async def start(self, entrants: Iterable[Entrant], game: str, within_s: float) -> dict[Entrant, str]:
        """Start one instance of each bot. Return the bots that are not ready in time, with the reasons."""
        bots = list(entrants)
        instances = [await self._another_instance(bot) for bot in bots]
        tried = await asyncio.gather(*(self._try_start(instance, game, within_s) for instance in instances))
        return {bot: why for bot, why in zip(bots, tried, strict=True) if why}

    async def keep_running(self, entrant: Entrant, game: str, within_s: float) -> str:
        """Restart a bot whenever it crashes, for its next match; the current one is lost.

        Returns the reason when the bot is given up.
        """
        instance = self._instances[entrant.name]
        while True:
            await instance.wait()
            instance.crashes += 1
            if instance.crashes >= MAX_CRASHES:
                return str(instance.start_failed(f"it crashed {instance.crashes} times in a row"))
            while await self._client.is_playing(instance.name):
                await asyncio.sleep(POLL_INTERVAL_S)
            if why := await self._try_start(instance, game, within_s):
                return why

    def reset_crashes(self, bot: str) -> None:
        """Reset the crash counter of a bot of a tournament, after a finished match."""
        if bot in self._instances:
            self._instances[bot].crashes = 0

    async def raise_for_silent(self, instances: Iterable[BotInstance], game: str) -> None:
        """Raise BotStartFailed for an instance that is not online, or does not accept the game."""
        for instance in instances:
            if not await self._client.is_ready(instance.name, game):
                raise _silent(instance, game)

    async def wait_for_refusal(self, instances: Collection[BotInstance], game: str) -> None:
        """Wait until an instance is online that accepts only other games; then raise BotStartFailed."""
        while True:
            await asyncio.sleep(POLL_INTERVAL_S)
            for instance in instances:
                await self._raise_for_refusal(instance, game)

    async def _raise_for_refusal(self, instance: BotInstance, game: str) -> None:
        if await self._client.refuses(instance.name, game):
            raise instance.start_failed(f"it does not accept {game}")

    @asynccontextmanager
    async def _acquired(self, entrant: Entrant) -> AsyncIterator[BotInstance]:
        async with self._alone[entrant.name] if entrant.alone else nullcontext():
            free = self._free[entrant.name]
            instance = free.pop() if free else await self._another_instance(entrant)
            try:
                if not instance.is_running:
                    await self._start(instance)
                yield instance
            finally:
                free.append(instance)

    async def _another_instance(self, entrant: Entrant) -> BotInstance:
        self._many[entrant.name] += 1
        name = entrant.instance_name(self._many[entrant.name])
        instance = self._instances[name] = BotInstance(entrant, name, await self._client.register(name))
        return instance

    async def _start(self, instance: BotInstance) -> None:
        """Start a process of the instance. Raises BotStartFailed if the program does not exist."""
        await instance.end()
        instance.proven = False
        try:
            instance.process = await self._launcher.start(
                instance.entrant, instance.name, instance.secret, self._max_matches
            )
        except OSError as error:
            raise BotStartFailed(instance.entrant, f"{instance.entrant.command[0]}: {error.strerror}") from None

    async def _try_start(self, instance: BotInstance, game: str, within_s: float) -> str:
        """Start a process and wait until it is ready. Return an empty string, or why it is not."""
        try:
            await self._start(instance)
            await self._wait_until_ready(instance, game, within_s)
        except BotStartFailed as failed:
            return str(failed)
        return ""

    async def _wait_until_ready(self, instance: BotInstance, game: str, within_s: float) -> None:
        """Raises BotStartFailed if it is not ready in time."""
        try:
            async with asyncio.timeout(within_s):
                while not await self._client.is_ready(instance.name, game):
                    if not instance.is_running:
                        if await self._client.is_playing(instance.name):
                            return  # It did start, and crashed during a match.
                        raise instance.start_failed()
                    await self._raise_for_refusal(instance, game)
                    await asyncio.sleep(POLL_INTERVAL_S)
        except TimeoutError:
            raise _silent(instance, game) from None


def raise_for_crashed(instances: Iterable[BotInstance]) -> None:
    """Raise BotStartFailed for a process that crashed without having started any match."""
    for instance in instances:
        if instance.process and not instance.is_running and not instance.proven:
            raise instance.start_failed()


def _silent(instance: BotInstance, game: str) -> BotStartFailed:
    return instance.start_failed(f"it sent no Hello, or does not accept {game}")
