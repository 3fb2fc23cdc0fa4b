"""Plays the matches of a plan: so many at once, each to its end, its record kept."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass

from referee.arena.crew import Copy, Crew, Seated, WouldNotStart
from referee.arena.desk import Desk
from referee.arena.entrant import Entrant
from referee.arena.kept import Finish, Folder
from referee.arena.schedule import Pairing

BEGINS = "play_began"


@dataclass(frozen=True, slots=True)
class Missed:
    """A pairing that was not played: this bot of it would not start."""

    pairing: Pairing
    entrant: Entrant
    why: str


Done = Finish | Missed


class Conductor:
    def __init__(self, desk: Desk, crew: Crew, folder: Folder, at_once: int) -> None:
        self._desk = desk
        self._crew = crew
        self._folder = folder
        self._at_once = at_once
        self._absent: dict[Entrant, str] = {}
        """Who would not start, and why. It is not tried again."""

    async def play(self, pairings: Iterable[Pairing], tell: Callable[[Done], None]) -> None:
        """Each to its end; `tell` hears of each when it is done."""
        waiting = iter(pairings)
        async with asyncio.TaskGroup() as tables:
            for _ in range(self._at_once):
                tables.create_task(self._play_on(waiting, tell))

    async def _play_on(self, waiting: Iterator[Pairing], tell: Callable[[Done], None]) -> None:
        """At one table: whatever comes next, until there is nothing more."""
        for pairing in waiting:
            tell(await self._done(pairing))

    async def _done(self, pairing: Pairing) -> Done:
        for entrant in pairing.entrants:
            if entrant in self._absent:
                return Missed(pairing, entrant, self._absent[entrant])
        try:
            return await self._played(pairing)
        except WouldNotStart as failed:
            why = self._absent.setdefault(failed.entrant, str(failed))
            return Missed(pairing, failed.entrant, why)

    async def _played(self, pairing: Pairing) -> Finish:
        """Raises WouldNotStart."""
        while True:
            async with self._crew.seated(pairing.entrants) as copies:
                finish = await self._match(pairing, copies)
            if finish:
                return finish

    async def _match(self, pairing: Pairing, copies: Seated) -> Finish | None:
        """None: a process died before it began, and had been in order before. Raises WouldNotStart."""
        match_id = await self._desk.make(pairing, [copies[entrant].name for entrant in pairing.seats])
        async with aclosing(self._desk.happenings(match_id)) as happenings:
            began = await _begins(happenings, copies)
            if began is None:
                await self._desk.call_off(match_id)
                _blame_the_dead(copies.values())
                return None
            if not began:
                await self._blame_the_absent(pairing, copies.values())
            for copy in copies.values():
                copy.proven = True
            async for _ in happenings:
                pass  # Until it is over.
        record = await self._desk.record(match_id)
        return await asyncio.to_thread(self._folder.keep, pairing, record)

    async def _blame_the_absent(self, pairing: Pairing, copies: Iterable[Copy]) -> None:
        """Raises WouldNotStart for whom the match has waited in vain."""
        for copy in copies:
            if not await self._desk.is_ready(copy.name, pairing.terms.game.name):
                silent = f"it did not say Hello, or does not take {pairing.terms.game.name}"
                raise WouldNotStart(copy.entrant, f"{silent}; {_last_words(copy)}")


async def _begins(happenings: AsyncIterator[str], copies: Seated) -> bool | None:
    """Does it? False: it was over before. None: a bot has died while it waited."""
    beginning = asyncio.create_task(_happens(BEGINS, happenings))
    deaths = [asyncio.create_task(copy.process.exited()) for copy in copies.values() if copy.process]
    try:
        await asyncio.wait([beginning, *deaths], return_when=asyncio.FIRST_COMPLETED)
        return beginning.result() if beginning.done() else None
    finally:
        for task in (beginning, *deaths):
            task.cancel()
        await asyncio.gather(beginning, *deaths, return_exceptions=True)


async def _happens(kind: str, happenings: AsyncIterator[str]) -> bool:
    async for happened in happenings:
        if happened == kind:
            return True
    return False


def _blame_the_dead(copies: Iterable[Copy]) -> None:
    """Raises WouldNotStart for a process that died without having begun any match."""
    for copy in copies:
        if copy.process and not copy.process.runs and not copy.proven:
            raise WouldNotStart(copy.entrant, _last_words(copy))


def _last_words(copy: Copy) -> str:
    return copy.process.last_words() if copy.process else ""
