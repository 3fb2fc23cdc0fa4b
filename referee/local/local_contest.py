"""A match or an arena on this machine: plays the pairings of its plan that have no record in its results folder."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from referee.local.arena_client import ArenaClient
from referee.local.bot_pool import BotPool, BotStartFailed, SeatedBots, raise_for_crashed
from referee.local.embedded_server import embedded_with_bots
from referee.local.entrant import Entrant
from referee.local.plan import LocalPairing, Plan
from referee.local.results_folder import MatchFinish, ResultsFolder
from referee.match.clock import UNTIMED, rules_in
from referee.server.referee_server import ServerInfo

START_EVENT = "play_started"


@dataclass(frozen=True, slots=True)
class SkippedPairing:
    """A pairing that was not played because a bot could not be started."""

    pairing: LocalPairing
    entrant: Entrant
    why: str


Done = MatchFinish | SkippedPairing


class MatchScheduler:
    """Plays pairings on one server, a limited number at once, and saves their records."""

    def __init__(self, client: ArenaClient, bot_pool: BotPool, folder: ResultsFolder, max_concurrent: int) -> None:
        self._client = client
        self._bot_pool = bot_pool
        self._folder = folder
        self._max_concurrent = max_concurrent
        self._absent: dict[Entrant, str] = {}
        """Bots that could not be started, with the reasons; they are not tried again."""

    async def play(self, pairings: Iterable[LocalPairing], callback: Callable[[Done], None]) -> None:
        """Play all pairings, and call `callback` when each is done."""
        waiting = iter(pairings)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._max_concurrent):
                group.create_task(self._play_next(waiting, callback))

    async def _play_next(self, waiting: Iterator[LocalPairing], callback: Callable[[Done], None]) -> None:
        """Play the next pairing until there are no more."""
        for pairing in waiting:
            callback(await self._play_pairing(pairing))

    async def _play_pairing(self, pairing: LocalPairing) -> Done:
        for entrant in pairing.entrants:
            if entrant in self._absent:
                return SkippedPairing(pairing, entrant, self._absent[entrant])
        try:
            return await self._play_match(pairing)
        except BotStartFailed as failed:
            why = self._absent.setdefault(failed.entrant, str(failed))
            return SkippedPairing(pairing, failed.entrant, why)

    async def _play_match(self, pairing: LocalPairing) -> MatchFinish:
        """Play a pairing, again if a process crashed before the start. Raises BotStartFailed."""
        while True:
            async with self._bot_pool.seated(pairing.entrants) as instances:
                finish = await self._try_match(pairing, instances)
            if finish:
                return finish

    async def _try_match(self, pairing: LocalPairing, instances: SeatedBots) -> MatchFinish | None:
        """Play one match. Return None if an instance that had worked before crashed before the start.

        Raises BotStartFailed.
        """
        match_id = await self._client.create_match(pairing, [instances[entrant].name for entrant in pairing.seats])
        async with aclosing(self._client.events(match_id)) as events:
            refusal = self._bot_pool.wait_for_refusal(instances.values(), pairing.terms.game.name)
            try:
                began = await _wait_for_start(events, instances, asyncio.create_task(refusal))
            except BotStartFailed:
                await self._client.abort(match_id)
                raise
        if began is None and not await self._client.has_begun(match_id):
            await self._client.abort(match_id)
            raise_for_crashed(instances.values())
            return None
        if began is False:
            await self._bot_pool.raise_for_silent(instances.values(), pairing.terms.game.name)
        for instance in instances.values():
            instance.proven = True
        async with aclosing(self._client.events(match_id)) as events:
            async for _ in events:
                pass  # Wait for the end.
        record = await self._client.record(match_id)
        return await asyncio.to_thread(self._folder.keep, pairing, record)


@dataclass(frozen=True, slots=True)
class LocalContest:
    """A plan, the working directory of its bots, and its results folder."""

    plan: Plan
    run_in: Path
    folder: ResultsFolder
    site: bool = False
    """Whether a web site shows it as it is played."""

    def read_results(self) -> tuple[list[MatchFinish], list[LocalPairing]]:
        """Return the matches of earlier runs and the pairings left to play.

        Raises TermsChanged, InvalidRecordFile or BadPlan.
        """
        self.plan.check_sandbox(self.run_in)
        finishes, left = [], []
        for pairing in self.plan.pairings():
            finish = self.folder.finish(pairing)
            if finish:
                finishes.append(finish)
            else:
                left.append(pairing)
        return finishes, left

    @asynccontextmanager
    async def open(self) -> AsyncIterator["ContestRuntime"]:
        """Run the server until the end, then stop it and all bots. Raises StartupError."""
        patient = any(UNTIMED in rules_in(terms.match_terms.time_control) for terms in self.plan.terms)
        running = embedded_with_bots(self.plan, self.run_in, self.folder, patient=patient, site=self.site)
        async with running as server:
            scheduler = MatchScheduler(server.client, server.bot_pool, self.folder, self.plan.parallel)
            yield ContestRuntime(server.info, scheduler)


@dataclass(frozen=True, slots=True)
class ContestRuntime:
    """The running server of a contest, and the scheduler of its matches."""

    server: ServerInfo
    scheduler: MatchScheduler


async def _wait_for_start(
    events: AsyncIterator[str], instances: SeatedBots, refusal: asyncio.Task[None]
) -> bool | None:
    """Wait for the start. Return False if the match ended before it, None if a bot crashed, perhaps after the start.

    Raises the BotStartFailed of `refusal`, if that is raised first.
    """
    beginning = asyncio.create_task(_wait_for_event(START_EVENT, events))
    crashes = [asyncio.create_task(instance.wait()) for instance in instances.values()]
    tasks = (beginning, refusal, *crashes)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if refusal.done() and not beginning.done():
            await refusal
        return beginning.result() if beginning.done() else None
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _wait_for_event(kind: str, events: AsyncIterator[str]) -> bool:
    async for event in events:
        if event == kind:
            return True
    return False
