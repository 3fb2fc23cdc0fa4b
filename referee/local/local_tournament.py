"""A tournament on this machine: an embedded server with its data in the results folder, so that it can be resumed."""

import asyncio
import errno
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import referee_values as values
from msgspec.structs import replace
from referee_client import Organiser, Refused
from referee_values import NetworkCredit, TournamentEntry, normal

from engines.game_errors import DetailedError
from engines.registry import games
from referee.contests.tournament.commands import StartTournament
from referee.contests.tournament.decide import decide
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.contest_terms import check_tournament_terms
from referee.live.match_request import LiveLimits
from referee.local.bot_pool import BotPool
from referee.local.contest_file import TournamentPlan, entries_of, hosted_terms
from referee.local.embedded_server import embedded_with_bots
from referee.local.entrant import Entrant
from referee.local.results_folder import ResultsFolder
from referee.local.toml_validation import BadPlan
from referee.match.setup import SEED_BYTES
from referee.observability.event_log_metrics import OutageCallback
from referee.server.referee_server import ServerInfo

DISK_FULL_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors that are resolved by freeing disk space."""

EntryCallback = Callable[[TournamentEntry], None]


@dataclass(frozen=True, slots=True)
class LocalTournament:
    """A plan, the working directory of its bots, and its results folder."""

    plan: TournamentPlan
    run_in: Path
    folder: ResultsFolder
    site: bool = False
    """Whether a web site shows it as it is played."""

    def check(self) -> None:
        """Raise a DetailedError if it cannot start; TermsChanged if the folder has a tournament of another plan."""
        check_can_start(self.plan.terms, self.plan.entrants)
        self.plan.check_sandbox(self.run_in)
        self.folder.check_plan(self._plan_json())

    def claim_folder(self) -> None:
        self.folder.claim(self._plan_json())

    def _plan_json(self) -> str:
        plan = {"terms": normal(self.plan.terms), "entrants": self.plan.entrants}
        return f"{msgspec.json.format(msgspec.json.encode(plan, order='sorted')).decode()}\n"

    @asynccontextmanager
    async def open(self, outage: OutageCallback) -> AsyncIterator["TournamentRuntime"]:
        """Run the server until the end; its data stays in the folder. Raises StartupError.

        `outage` is called when the folder becomes unwritable or writable.
        """
        patient = self.plan.terms.match_terms.time_control.rule.untimed is not None
        running = embedded_with_bots(
            self.plan,
            self.run_in,
            self.folder,
            patient=patient,
            resumable=True,
            site=self.site,
            outage=outage,
        )
        async with running as server:
            with Organiser(server.info.grpc, server.token) as organiser:
                yield TournamentRuntime(self, server.info, organiser, server.bot_pool, outage)


def check_can_start(terms: values.TournamentTerms, entrants: Iterable[values.Entrant]) -> None:
    """Raise a DetailedError if the terms or the number of entrants are invalid."""
    wanted = hosted_terms(terms, NetworkCredit())
    check_tournament_terms(wanted, games(), LiveLimits())
    tournament = Tournament(replace(wanted.tournament, seed=bytes(SEED_BYTES)))
    for entry in entries_of(entrants):
        for event in decide(tournament, entry):
            tournament = evolve(tournament, event)
    decide(tournament, StartTournament())


class TooFewEntrants(Exception):
    """The tournament cannot start without the bots that could not be started; `str()` says why."""


@dataclass(slots=True)
class TournamentRuntime:
    """The running server and bots of a tournament."""

    tournament: LocalTournament
    server: ServerInfo
    organiser: Organiser
    bot_pool: BotPool
    outage: OutageCallback
    absent: dict[Entrant, str] = field(default_factory=dict)
    """Bots that could not be started or restarted, with the reasons."""

    @property
    def plan(self) -> TournamentPlan:
        return self.tournament.plan

    @property
    def game(self) -> str:
        return self.plan.terms.match_terms.rules.game

    async def find_tournament(self) -> values.Tournament | None:
        """Return the tournament of an earlier run, or None."""
        try:
            return await asyncio.to_thread(self.organiser.tournaments.get, self.plan.name)
        except Refused as refused:
            if refused.reason != "NO_SUCH_TOURNAMENT":
                raise
            return None

    async def count_done_pairings(self) -> int:
        """Count the finished pairings of earlier runs, without byes."""
        pairings = await asyncio.to_thread(lambda: list(self.organiser.tournaments.pairings(self.plan.name)))
        return sum(one.phase == "done" and len(one.entrants) > 1 for one in pairings)

    async def start(self, found: values.Tournament | None) -> values.Tournament:
        """Start the bots, create the tournament unless `found`, and start it without bots that could not be started.

        Raises TooFewEntrants, or BadPlan if the server rejects the terms.
        """
        self.absent |= await self.bot_pool.start(self.plan.bots, self.game, self.plan.start_within_s)
        if found is None:
            await self._create()
        for bot in self.absent if found else ():
            await self._withdraw(bot)
        started = await asyncio.to_thread(self._start_tournament)
        self.tournament.claim_folder()
        return started

    def _start_tournament(self) -> values.Tournament:
        """Start the tournament. Withdrawals may have ended it already."""
        try:
            return self.organiser.tournaments.start(self.plan.name)
        except Refused as refused:
            if refused.reason != "TOURNAMENT_OVER":
                raise
            return self.organiser.tournaments.get(self.plan.name)

    async def _create(self) -> None:
        absent = {bot.name for bot in self.absent}
        entrants = [one for one in self.plan.entrants if absent.isdisjoint(ref.bot for ref in one.bots)]
        try:
            check_can_start(self.plan.terms, entrants)
        except DetailedError as why:
            raise TooFewEntrants(str(why)) from None
        try:
            await asyncio.to_thread(
                lambda: self.organiser.tournaments.create(
                    self.plan.name,
                    entrants=entrants,
                    title=self.plan.title,
                    plan=self.plan.terms,
                )
            )
        except Refused as refused:
            raise BadPlan(self.plan.name, refused.message) from None

    async def play(self, callback: EntryCallback) -> None:
        """Play to the end. Call `callback` with every entry, including those of earlier runs. Raises Refused."""
        there = [bot for bot in self.plan.bots if bot not in self.absent]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._keep_running(bot)) for bot in there]
            async with aclosing(self._entries()) as entries:
                async for entry in entries:
                    await self._handle(entry)
                    callback(entry)
            for task in tasks:
                task.cancel()

    async def _keep_running(self, bot: Entrant) -> None:
        """Keep a bot running; withdraw it when it is given up."""
        self.absent[bot] = await self.bot_pool.keep_running(bot, self.game, self.plan.start_within_s)
        await self._withdraw(bot)

    async def _withdraw(self, bot: Entrant) -> None:
        """Withdraw all entrants that need the bot."""
        for entrant in self.plan.entrants:
            if bot.name in {ref.bot for ref in entrant.bots}:
                try:
                    await asyncio.to_thread(
                        self.organiser.tournaments.withdraw,
                        self.plan.name,
                        entrant.name,
                        "its bot could not be started",
                    )
                except Refused as refused:
                    # It was withdrawn before, or the tournament is over.
                    if refused.reason not in {"NOT_AN_ENTRANT", "TOURNAMENT_OVER"}:
                        raise

    async def _entries(self) -> AsyncGenerator[TournamentEntry, None]:
        watching = self.organiser.tournaments.watch(self.plan.name)
        try:
            while entry := await asyncio.to_thread(next, watching, None):
                yield entry
        finally:
            watching.close()

    async def _handle(self, entry: TournamentEntry) -> None:
        pairing = entry.event
        if isinstance(pairing, values.Pairing) and pairing.phase == "done":
            for bot in self._bots_of(pairing):
                self.bot_pool.reset_crashes(bot)
            await self._try_save_records(pairing)

    def _bots_of(self, pairing: values.Pairing) -> set[str]:
        return {ref.bot for entrant in self.plan.entrants if entrant.name in pairing.entrants for ref in entrant.bots}

    async def _try_save_records(self, pairing: values.Pairing) -> None:
        """Save the records of a pairing; if the disk is full, they are saved at the end."""
        try:
            await asyncio.to_thread(self._save_records, pairing)
        except OSError as why:
            if why.errno not in DISK_FULL_ERRORS:
                raise
            self.outage(f"cannot write the records of {pairing.id}: {why.strerror}")

    async def save_records(self) -> None:
        """Save all available records that are missing, including those of earlier runs."""
        pairings = await asyncio.to_thread(lambda: list(self.organiser.tournaments.pairings(self.plan.name)))
        for pairing in pairings:
            await asyncio.to_thread(self._save_records, pairing)

    def _save_records(self, pairing: values.Pairing) -> None:
        """Save the missing records of the finished matches of a pairing."""
        for number, match_id in enumerate(pairing.match_ids, 1):
            file = self.tournament.folder.record_of(pairing.id, number)
            if not file.exists():
                try:
                    self.organiser.record(match_id, file)
                except Refused as refused:
                    if refused.reason != "MATCH_NOT_OVER":
                        raise
