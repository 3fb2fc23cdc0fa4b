"""The bots' processes. Each plays one match at a time, and so thinks about nothing else.

A bot has as many as it needs for the matches it is in: they are copies of it, each with a name and a
token of its own. Who is free takes the next match; who has died is started anew.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass

from referee.arena.desk import Desk
from referee.arena.entrant import Entrant
from referee.arena.launcher import Launcher
from referee.arena.process import BotProcess


class WouldNotStart(Exception):
    """A bot was not there for its match. `str()` says why, in several lines if it said something itself."""

    def __init__(self, entrant: Entrant, why: str) -> None:
        super().__init__(why)
        self.entrant = entrant


@dataclass(slots=True)
class Copy:
    """One process of a bot, or the place of one that has died."""

    entrant: Entrant
    name: str
    secret: str
    process: BotProcess | None = None
    proven: bool = False
    """This very process has begun a match before."""


Seated = Mapping[Entrant, Copy]
"""Who plays a match."""


class Crew:
    """Everybody's processes, from the first that is needed to `end`."""

    def __init__(self, desk: Desk, launcher: Launcher) -> None:
        self._desk = desk
        self._launcher = launcher
        self._many: Counter[str] = Counter()
        self._free: dict[str, list[Copy]] = defaultdict(list)
        self._alone: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held while a bot that has no copies plays."""
        self._started: list[BotProcess] = []

    @asynccontextmanager
    async def seated(self, entrants: Iterable[Entrant]) -> AsyncIterator[Seated]:
        """A copy of each, for one match. Raises WouldNotStart if there is no such program."""
        # In one order for all: who waits for a bot that is alone holds only earlier ones. Nobody waits in a ring.
        in_order = sorted(entrants, key=lambda entrant: entrant.name)
        async with AsyncExitStack() as stack:
            yield {entrant: await stack.enter_async_context(self._taken(entrant)) for entrant in in_order}

    async def end(self) -> None:
        """Nothing runs any more."""
        await asyncio.gather(*(process.end() for process in self._started))

    @asynccontextmanager
    async def _taken(self, entrant: Entrant) -> AsyncIterator[Copy]:
        async with self._alone[entrant.name] if entrant.alone else nullcontext():
            free = self._free[entrant.name]
            copy = free.pop() if free else await self._another(entrant)
            try:
                if copy.process is None or not copy.process.runs:
                    await self._start(copy)
                yield copy
            finally:
                free.append(copy)

    async def _another(self, entrant: Entrant) -> Copy:
        self._many[entrant.name] += 1
        name = entrant.copy(self._many[entrant.name])
        return Copy(entrant, name, await self._desk.register(name))

    async def _start(self, copy: Copy) -> None:
        copy.proven = False
        try:
            copy.process = await self._launcher.start(copy.entrant, copy.name, copy.secret, 1)
        except OSError as error:
            raise WouldNotStart(copy.entrant, f"{copy.entrant.command[0]}: {error.strerror}") from None
        self._started.append(copy.process)
