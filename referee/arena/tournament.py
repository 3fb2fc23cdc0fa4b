"""A tournament on one machine: the referee embedded and keeping its books in a folder, so that it can go on later."""

import asyncio
import errno
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf import json_format
from referee_api.v1 import contest_pb2, tournament_pb2
from referee_api.v1.tournament_pb2 import TournamentEntry
from referee_client import Organiser, Refused

from engines.refusals import Refusal
from referee.arena.contest import LOG, RECORDS
from referee.arena.contest_file import TournamentPlan
from referee.arena.desk import Desk
from referee.arena.embedded import embedded
from referee.arena.entrant import Entrant
from referee.arena.launcher import Launcher, logs_in
from referee.arena.on_paper import check_begins
from referee.arena.refusals import BadPlan, OtherTerms
from referee.arena.troupe import Troupe
from referee.telemetry.log_wishes import LogFormat, LogLevel
from referee.telemetry.logs import set_up_logs
from referee.telemetry.outages import Outage
from referee.wiring.books import CannotStart
from referee.wiring.house import Open

DATA = "referee"
TOKEN = "token"
ASKED = "asked.json"
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors that pass when somebody makes room."""

Tell = Callable[[TournamentEntry], None]


@dataclass(frozen=True, slots=True)
class Held:
    """A plan, where its bots run, and the folder where all of it is kept."""

    plan: TournamentPlan
    run_in: Path
    out: Path

    def check(self) -> None:
        """Raises the refusal of what could not begin, and OtherTerms if one that was asked for otherwise has begun."""
        check_begins(self.plan.terms, self.plan.entrants)
        if self.plan.sandbox:
            self.plan.sandbox.check(self.run_in / bot.folder for bot in self.plan.bots)
        file = self.out / ASKED
        if file.exists() and file.read_text(encoding="utf-8") != self._asked():
            raise OtherTerms(str(file), "terms or entrants")

    def has_begun(self) -> None:
        """From now on the folder is that of this tournament, and of no other."""
        write_whole(self.out / ASKED, self._asked())

    def _asked(self) -> str:
        terms = json_format.MessageToDict(self.plan.terms)
        entrants = [json_format.MessageToDict(entrant) for entrant in self.plan.entrants]
        return f"{json.dumps({'terms': terms, 'entrants': entrants}, indent=2, sort_keys=True)}\n"

    @asynccontextmanager
    async def opened(self, outage: Outage) -> AsyncIterator["Stage"]:
        """The referee is there until the end; what it knows stays in the folder. Raises CannotStart.

        `outage` hears when nothing can be written there, and when it can again.
        """
        try:
            for folder in (logs_in(self.out), self.out / RECORDS):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotStart(f"cannot write to {self.out}: {error.strerror}") from None
        data = self.out / DATA
        patient = self.plan.terms.match_terms.time_control.rule.HasField("untimed")
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            set_up_logs(LogFormat.JSON, LogLevel.INFO, log)
            async with embedded(self.plan.start_within_s, patient, data, outage) as at:
                token = _token(data, at)
                async with Desk(at.grpc, token) as desk:
                    launcher = Launcher(at.grpc, self.run_in, self.out, self.plan.sandbox)
                    troupe = Troupe(desk, launcher, self.plan.matches_a_bot)
                    with Organiser(at.grpc, token) as organiser:
                        try:
                            yield Stage(self, at, organiser, troupe, outage)
                        finally:
                            await troupe.end()


def _token(data: Path, at: Open) -> str:
    """The administrator's, which is told once. Raises CannotStart if nobody has kept it."""
    file = data / TOKEN
    if at.admin_token:
        write_whole(file, at.admin_token)
    if not file.exists():
        raise CannotStart(f"{data} was begun by another program; choose another folder by --out")
    return file.read_text(encoding="utf-8")


def write_whole(file: Path, text: str) -> None:
    """Whole or not at all, whenever this process is killed; and for nobody else to read."""
    part = file.with_name(f"{file.name}.part")
    part.touch(0o600)
    part.write_text(text, encoding="utf-8")
    part.replace(file)


class TooFewCame(Exception):
    """Without those who would not start it cannot begin; `str()` says why not. Nothing has been made."""


@dataclass(slots=True)
class Stage:
    """Where a tournament is held."""

    held: Held
    at: Open
    organiser: Organiser
    troupe: Troupe
    outage: Outage
    absent: dict[Entrant, str] = field(default_factory=dict)
    """Who would not start, or not again, and why."""

    @property
    def plan(self) -> TournamentPlan:
        return self.held.plan

    @property
    def records(self) -> Path:
        return self.held.out / RECORDS

    @property
    def game(self) -> str:
        return self.plan.terms.match_terms.rules.game

    async def made_before(self) -> tournament_pb2.Tournament | None:
        """That of an earlier run, if there was one."""
        try:
            return await asyncio.to_thread(self.organiser.tournaments.get, self.plan.name)
        except Refused as refused:
            if refused.reason != "NO_SUCH_TOURNAMENT":
                raise
            return None

    async def done_before(self) -> int:
        """Pairings of earlier runs. A bye is no pairing that anybody plays."""
        pairings = await asyncio.to_thread(lambda: list(self.organiser.tournaments.pairings(self.plan.name)))
        return sum(one.phase == contest_pb2.PAIRING_PHASE_DONE and len(one.entrants) > 1 for one in pairings)

    async def begin(self, made: tournament_pb2.Tournament | None) -> tournament_pb2.Tournament:
        """The bots come, and whoever does not is left out. What was not made before is made of those who came.

        Raises TooFewCame, or BadPlan if the referee does not take it.
        """
        self.absent |= await self.troupe.begin(self.plan.bots, self.game, self.plan.start_within_s)
        if made is None:
            await self._make()
        for bot in self.absent if made else ():
            await self._withdraw(bot)
        begun = await asyncio.to_thread(self._started)
        self.held.has_begun()
        return begun

    def _started(self) -> tournament_pb2.Tournament:
        """Without those who did not come back nothing may be left to play: then it is over already."""
        try:
            return self.organiser.tournaments.start(self.plan.name)
        except Refused as refused:
            if refused.reason != "TOURNAMENT_OVER":
                raise
            return self.organiser.tournaments.get(self.plan.name)

    async def _make(self) -> None:
        absent = {bot.name for bot in self.absent}
        entrants = [one for one in self.plan.entrants if absent.isdisjoint(ref.bot for ref in one.bots)]
        try:
            check_begins(self.plan.terms, entrants)
        except Refusal as why:
            raise TooFewCame(str(why)) from None
        try:
            await asyncio.to_thread(
                lambda: self.organiser.tournaments.create(
                    self.plan.name, entrants=entrants, title=self.plan.title, plan=self.plan.terms
                )
            )
        except Refused as refused:
            raise BadPlan(self.plan.name, refused.message) from None

    async def play(self, tell: Tell) -> None:
        """To the end; `tell` hears of every entry, those of earlier runs included. Raises Refused."""
        there = [bot for bot in self.plan.bots if bot not in self.absent]
        async with asyncio.TaskGroup() as keepers:
            keeping = [keepers.create_task(self._keep(bot)) for bot in there]
            async with aclosing(self._entries()) as entries:
                async for entry in entries:
                    await self._take(entry)
                    tell(entry)
            for task in keeping:
                task.cancel()

    async def _keep(self, bot: Entrant) -> None:
        """It is there, until it is not to be brought back."""
        self.absent[bot] = await self.troupe.stay(bot, self.game, self.plan.start_within_s)
        await self._withdraw(bot)

    async def _withdraw(self, bot: Entrant) -> None:
        """All entrants that cannot play without it."""
        for entrant in self.plan.entrants:
            if bot.name in {ref.bot for ref in entrant.bots}:
                try:
                    await asyncio.to_thread(
                        self.organiser.tournaments.withdraw, self.plan.name, entrant.name, "it would not start"
                    )
                except Refused as refused:
                    # It has left before, or all is over.
                    if refused.reason not in {"NOT_AN_ENTRANT", "TOURNAMENT_OVER"}:
                        raise

    async def _entries(self) -> AsyncGenerator[TournamentEntry, None]:
        watching = self.organiser.tournaments.watch(self.plan.name)
        try:
            while entry := await asyncio.to_thread(next, watching, None):
                yield entry
        finally:
            watching.close()

    async def _take(self, entry: TournamentEntry) -> None:
        pairing = entry.pairing
        if pairing.phase == contest_pb2.PAIRING_PHASE_DONE:
            for bot in self._bots_of(pairing):
                self.troupe.has_played(bot)
            await self._keep_now(pairing)

    def _bots_of(self, pairing: contest_pb2.Pairing) -> set[str]:
        return {ref.bot for entrant in self.plan.entrants if entrant.name in pairing.entrants for ref in entrant.bots}

    async def _keep_now(self, pairing: contest_pb2.Pairing) -> None:
        """If there is room; what does not fit is kept at the end."""
        try:
            await asyncio.to_thread(self._keep_records, pairing)
        except OSError as why:
            if why.errno not in NO_ROOM:
                raise
            self.outage(f"cannot write the records of {pairing.id}: {why.strerror}")

    async def keep_records(self) -> None:
        """All that may be seen now; also those that an earlier run did not come to keep."""
        pairings = await asyncio.to_thread(lambda: list(self.organiser.tournaments.pairings(self.plan.name)))
        for pairing in pairings:
            await asyncio.to_thread(self._keep_records, pairing)

    def _keep_records(self, pairing: contest_pb2.Pairing) -> None:
        """Those that are not kept yet, of matches that are over and may be seen."""
        for number, match_id in enumerate(pairing.match_ids, 1):
            file = self.records / f"{pairing.id}.{number}.jsonl"
            if not file.exists():
                try:
                    self.organiser.record(match_id, file)
                except Refused as refused:
                    if refused.reason != "MATCH_NOT_OVER":
                        raise
