"""Tournaments on this machine: an embedded server with its data in the results folder, so that they can be resumed.

An arena has one for each of its games, played one after the other. Bots that are added to it later meet the others in
further tournaments, called `trox--2` and so on.
"""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from dataclasses import replace as with_fields
from itertools import combinations
from pathlib import Path

import msgspec
import referee_values as values
from msgspec.structs import replace
from referee_client import Refused
from referee_values import Gauntlet, NetworkCredit, Pairing, Tournament, TournamentEntry, TournamentTerms, normal

from engines.game_errors import DetailedError
from engines.registry import games
from referee.contests.tournament.commands import StartTournament
from referee.contests.tournament.decide import decide
from referee.contests.tournament.state import Tournament as TournamentPlay
from referee.contests.tournament.state import evolve
from referee.hosting.contest_terms import check_tournament_terms
from referee.live.match_request import LiveLimits
from referee.local.contest_file import TournamentPlan, entries_of, hosted_terms
from referee.local.embedded_server import LocalServer, embedded_with_bots
from referee.local.entrant import Entrant
from referee.local.results_folder import ResultsFolder
from referee.local.toml_validation import BadPlan
from referee.match.setup import SEED_BYTES
from referee.observability.event_log_metrics import OutageCallback

DISK_FULL_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors that are resolved by freeing disk space."""

MAX_VOID_MATCHES = 3
"""A pairing with this many void matches would have more of them: the rules of its game are broken."""

EntryCallback = Callable[[TournamentEntry], None]


@dataclass(frozen=True, slots=True)
class LocalContest:
    """One tournament, or an arena, which has several: its plans, the working directory of its bots, and its folder."""

    plans: tuple[TournamentPlan, ...]
    """They have the same bots."""
    run_in: Path
    folder: ResultsFolder
    site: bool = False
    """Whether a web site shows it as it is played."""
    is_arena: bool = False
    """Whether each tournament has a folder of its own, and bots can be added later."""

    def check(self) -> None:
        """Raise a DetailedError if it cannot start; TermsChanged if the folder has a contest of other plans."""
        self.plans[0].check_sandbox(self.run_in)
        for plan in self.plans:
            try:
                check_can_start(plan.terms, plan.entrants)
            except DetailedError as why:
                raise BadPlan(plan.name, str(why)) from None
            self.folder_of(plan.name).check_plan(self._plan_json(plan))

    def folder_of(self, tournament: str) -> ResultsFolder:
        """Return the folder of the records and the report of a tournament."""
        return ResultsFolder(self.folder.path / tournament) if self.is_arena else self.folder

    def claim_folder(self, plan: TournamentPlan) -> None:
        self.folder_of(plan.name).claim(self._plan_json(plan))

    def _plan_json(self, plan: TournamentPlan) -> str:
        fixed: dict[str, object] = {"terms": normal(plan.terms), "entrants": plan.entrants}
        if self.is_arena:
            fixed = {"terms": normal(replace(plan.terms, max_concurrent_matches=0))}
        return f"{msgspec.json.format(msgspec.json.encode(fixed, order='sorted')).decode()}\n"

    @asynccontextmanager
    async def open(self, outage: OutageCallback) -> AsyncIterator["ContestRuntime"]:
        """Run the server until the end; its data stays in the folder. Raises StartupError.

        `outage` is called when the folder becomes unwritable or writable.
        """
        patient = any(plan.terms.match_terms.time_control.rule.untimed for plan in self.plans)
        running = embedded_with_bots(
            self.plans[0], self.run_in, self.folder, patient=patient, site=self.site, outage=outage
        )
        async with running as server:
            yield ContestRuntime(self, server, outage)


def check_can_start(terms: TournamentTerms, entrants: Iterable[values.Entrant]) -> None:
    """Raise a DetailedError if the terms or the number of entrants are invalid."""
    wanted = hosted_terms(terms, NetworkCredit())
    check_tournament_terms(wanted, games(), LiveLimits())
    tournament = TournamentPlay(replace(wanted.tournament, seed=bytes(SEED_BYTES)))
    for entry in entries_of(entrants):
        for event in decide(tournament, entry):
            tournament = evolve(tournament, event)
    decide(tournament, StartTournament())


class TooFewEntrants(Exception):
    """A tournament cannot start without the bots that could not be started."""


@dataclass(slots=True)
class ContestRuntime:
    """The running server and bots of a contest."""

    contest: LocalContest
    server: LocalServer
    outage: OutageCallback
    absent: dict[Entrant, str] = field(default_factory=dict)
    """Bots that could not be started or restarted, with the reasons."""

    async def tournaments(self, plan: TournamentPlan) -> AsyncIterator["TournamentRuntime"]:
        """Yield the tournaments of a plan: those of earlier runs, then new ones.

        Raises TooFewEntrants, or BadPlan if the server rejects the terms.
        """
        found = await self._find(plan)
        names = [bot.name for bot in plan.bots]
        is_open = not found or any(not earlier.end_time for earlier in found) or bool(self._further(plan, found, names))
        if is_open:
            absent = await self.server.bot_pool.start(plan.bots, plan.game, plan.start_within_s)
            self.absent |= absent
            names = [bot.name for bot in plan.bots if bot not in absent]
        for earlier in found:
            yield TournamentRuntime(self, plan, earlier, names)
        for further in self._further(plan, found, names) if found else [_between(plan, plan.name, names)]:
            yield TournamentRuntime(self, plan, await self._create(further), names)

    async def _find(self, plan: TournamentPlan) -> list[Tournament]:
        """Return the tournaments of earlier runs in their order."""
        found: list[Tournament] = []
        while True:
            try:
                found.append(await self.server.organiser.tournaments.get(_name(plan, len(found))))
            except Refused as refused:
                if refused.reason != "NO_SUCH_TOURNAMENT":
                    raise
                return found

    def _further(self, plan: TournamentPlan, found: Sequence[Tournament], names: Sequence[str]) -> list[TournamentPlan]:
        """Return the tournaments in which the named bots of an arena meet those that they have not met."""
        met = {pair for earlier in found for pair in _pairs_in(earlier)}
        gaps = {
            name: others
            for place, name in enumerate(names)
            if (others := [other for other in names[:place] if frozenset((name, other)) not in met])
        }
        if not (gaps and self.contest.is_arena):
            return []
        if plan.terms.pools:
            return [_between(plan, _name(plan, len(found)), names)]
        return [
            _gauntlet(_between(plan, _name(plan, number), [name, *others]), name)
            for number, (name, others) in enumerate(gaps.items(), len(found))
        ]

    async def _create(self, plan: TournamentPlan) -> Tournament:
        try:
            check_can_start(plan.terms, plan.entrants)
        except DetailedError as why:
            raise TooFewEntrants from why
        try:
            return await self.server.organiser.tournaments.create(
                plan.name, entrants=plan.entrants, title=plan.title, plan=plan.terms
            )
        except Refused as refused:
            raise BadPlan(plan.name, refused.message) from None


def _name(plan: TournamentPlan, number: int) -> str:
    """Return the name of a tournament of a plan, counted from 0."""
    return f"{plan.name}--{number + 1}" if number else plan.name


def _between(plan: TournamentPlan, name: str, bots: Sequence[str]) -> TournamentPlan:
    """Return the plan of a tournament of that name, without the entrants that need other bots of the plan."""
    others = {bot.name for bot in plan.bots}.difference(bots)
    entrants = tuple(entrant for entrant in plan.entrants if others.isdisjoint(ref.bot for ref in entrant.bots))
    return with_fields(plan, name=name, entrants=entrants)


def _gauntlet(plan: TournamentPlan, challenger: str) -> TournamentPlan:
    """Return the plan in which only the challenger meets the others."""
    cycles = plan.terms.round_robin.cycles if plan.terms.round_robin else 0
    gauntlet = Gauntlet(challengers=(challenger,), cycles=cycles)
    return with_fields(plan, terms=replace(plan.terms, round_robin=None, gauntlet=gauntlet))


def _pairs_in(tournament: Tournament) -> Iterator[frozenset[str]]:
    """Yield the pairs of entrants that meet."""
    form = tournament.terms.format
    challengers = form.challengers if isinstance(form, Gauntlet) else ()
    for pair in combinations((entrant.name for entrant in tournament.entrants), 2):
        if not challengers or not set(challengers).isdisjoint(pair):
            yield frozenset(pair)


@dataclass(slots=True)
class TournamentRuntime:
    """A tournament of a running contest."""

    runtime: ContestRuntime
    plan: TournamentPlan
    tournament: Tournament
    bots: Sequence[str]
    """Names of the bots that run."""
    broken_pairing: str = ""
    """A pairing whose matches are void again and again. Empty: none."""

    @property
    def name(self) -> str:
        return self.tournament.name

    @property
    def folder(self) -> ResultsFolder:
        return self.runtime.contest.folder_of(self.name)

    @property
    def server(self) -> LocalServer:
        return self.runtime.server

    async def count_done_pairings(self) -> int:
        """Count the finished pairings of earlier runs, without byes."""
        return sum(pairing.phase == "done" and len(pairing.entrants) > 1 for pairing in await self._pairings())

    async def _pairings(self) -> list[Pairing]:
        return [pairing async for pairing in self.server.organiser.tournaments.pairings(self.name)]

    async def start(self) -> None:
        """Start the tournament unless that was done, and withdraw the entrants whose bots do not run."""
        for bot in {ref.bot for entrant in self.tournament.entrants for ref in entrant.bots}.difference(self.bots):
            await self._withdraw(bot)
        try:
            self.tournament = await self.server.organiser.tournaments.start(self.name)
        except Refused as refused:  # Withdrawals may have ended it already.
            if refused.reason != "TOURNAMENT_OVER":
                raise
            self.tournament = await self.server.organiser.tournaments.get(self.name)
        self.folder.records.mkdir(parents=True, exist_ok=True)
        self.runtime.contest.claim_folder(self.plan)

    async def play(self, callback: EntryCallback) -> None:
        """Play to the end. Call `callback` with every entry, including those of earlier runs. Raises Refused."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._keep_running(bot)) for bot in self.plan.bots if bot.name in self.bots]
            async with aclosing(self.server.organiser.tournaments.watch(self.name)) as entries:
                async for entry in entries:
                    await self._handle(entry)
                    callback(entry)
                    if self.broken_pairing:
                        break
            for task in tasks:
                task.cancel()

    async def _keep_running(self, bot: Entrant) -> None:
        """Keep a bot running; withdraw it when it is given up."""
        why = await self.server.bot_pool.keep_running(bot, self.plan.game, self.plan.start_within_s)
        self.runtime.absent[bot] = why
        await self._withdraw(bot.name)

    async def _withdraw(self, bot: str) -> None:
        """Withdraw all entrants that need the bot."""
        for entrant in self.tournament.entrants:
            if bot in {ref.bot for ref in entrant.bots}:
                try:
                    await self.server.organiser.tournaments.withdraw(
                        self.name, entrant.name, "its bot could not be started"
                    )
                except Refused as refused:
                    # It was withdrawn before, or the tournament is over.
                    if refused.reason not in {"NOT_AN_ENTRANT", "TOURNAMENT_OVER"}:
                        raise

    async def _handle(self, entry: TournamentEntry) -> None:
        pairing = entry.event
        if not isinstance(pairing, Pairing):
            return
        if pairing.phase == "done":
            for entrant in self.tournament.entrants:
                for ref in entrant.bots if entrant.name in pairing.entrants else ():
                    self.server.bot_pool.reset_crashes(ref.bot)
            await self._try_save_records(pairing)
        elif pairing.void_matches >= MAX_VOID_MATCHES:
            self.broken_pairing = pairing.id

    async def _try_save_records(self, pairing: Pairing) -> None:
        """Save the records of a pairing; if the disk is full, they are saved at the end."""
        try:
            await self._save_records(pairing)
        except OSError as why:
            if why.errno not in DISK_FULL_ERRORS:
                raise
            self.runtime.outage(f"cannot write the records of {pairing.id}: {why.strerror}")

    async def save_records(self) -> None:
        """Save all available records that are missing, including those of earlier runs."""
        for pairing in await self._pairings():
            await self._save_records(pairing)

    async def _save_records(self, pairing: Pairing) -> None:
        """Save the missing records of the finished matches of a pairing."""
        for number, match_id in enumerate(pairing.match_ids, 1):
            file = self.folder.record_of(pairing.id, number)
            if not file.exists():
                try:
                    await self.server.organiser.record(match_id, file)
                except Refused as refused:
                    if refused.reason != "MATCH_NOT_OVER":
                        raise
