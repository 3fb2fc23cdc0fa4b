"""The bot processes of an arena. Each plays one match at a time.

A bot has as many instances as it plays matches at once, each with its own name and token. Idle instances are reused,
crashed ones are restarted.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass

from referee.local.arena_client import ArenaClient
from referee.local.bot_process import BotProcess
from referee.local.entrant import Entrant
from referee.local.launcher import Launcher


class BotStartFailed(Exception):
    """A bot was not ready for its match. `str()` says why, with the last lines of its output."""

    def __init__(self, entrant: Entrant, why: str) -> None:
        super().__init__(why)
        self.entrant = entrant


@dataclass(slots=True)
class BotInstance:
    """One instance of a bot, with its process if it was started."""

    entrant: Entrant
    name: str
    secret: str
    process: BotProcess | None = None
    proven: bool = False
    """Whether the current process has started a match before."""


SeatedBots = Mapping[Entrant, BotInstance]
"""The instances that play a match, by entrant."""


class MatchBotPool:
    """All instances of all bots, created on demand, until `end`."""

    def __init__(self, client: ArenaClient, launcher: Launcher) -> None:
        self._client = client
        self._launcher = launcher
        self._many: Counter[str] = Counter()
        self._free: dict[str, list[BotInstance]] = defaultdict(list)
        self._alone: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Locks of the bots that have only one instance, held while they play."""
        self._started: list[BotProcess] = []

    @asynccontextmanager
    async def seated(self, entrants: Iterable[Entrant]) -> AsyncIterator[SeatedBots]:
        """Acquire an instance of each bot for one match. Raises BotStartFailed if its program does not exist."""
        # Locks are always taken in the same order, so there is no deadlock.
        in_order = sorted(entrants, key=lambda entrant: entrant.name)
        async with AsyncExitStack() as stack:
            yield {entrant: await stack.enter_async_context(self._taken(entrant)) for entrant in in_order}

    async def end(self) -> None:
        """Stop all processes."""
        await asyncio.gather(*(process.end() for process in self._started))

    @asynccontextmanager
    async def _taken(self, entrant: Entrant) -> AsyncIterator[BotInstance]:
        async with self._alone[entrant.name] if entrant.alone else nullcontext():
            free = self._free[entrant.name]
            instance = free.pop() if free else await self._another(entrant)
            try:
                if instance.process is None or not instance.process.is_running:
                    await self._start(instance)
                yield instance
            finally:
                free.append(instance)

    async def _another(self, entrant: Entrant) -> BotInstance:
        self._many[entrant.name] += 1
        name = entrant.instance_name(self._many[entrant.name])
        return BotInstance(entrant, name, await self._client.register(name))

    async def _start(self, instance: BotInstance) -> None:
        instance.proven = False
        try:
            instance.process = await self._launcher.start(instance.entrant, instance.name, instance.secret, 1)
        except OSError as error:
            raise BotStartFailed(instance.entrant, f"{instance.entrant.command[0]}: {error.strerror}") from None
        self._started.append(instance.process)
