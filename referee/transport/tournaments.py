"""TournamentService: tournaments from outside. To make them, to enter them, and to look at them."""

import asyncio
from typing import Any

from referee_api.v1 import tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb
from referee_api.v1.tournament_service_pb2_grpc import TournamentServiceServicer

from referee.app.accounts import Accounts
from referee.app.contests.book import Step
from referee.app.contests.held import Held
from referee.app.contests.refusals import NotAnEntrant
from referee.app.contests.tournament_wish import ExportFormat, PairingFilter, TournamentFilter, TournamentWish
from referee.app.contests.tournaments import Tournaments as Contests
from referee.app.wish import find_game
from referee.contest.tournament_events import Entrant
from referee.transport.auth import CALLER, Caller
from referee.transport.convert.contests import PAIRING_PHASES, pairing_of, read_entrant
from referee.transport.convert.sprt import sprt_state_of
from referee.transport.convert.terms import Customs
from referee.transport.convert.tournament_entries import state_of_standings, tournament_entry_of
from referee.transport.convert.tournaments import (
    PHASES,
    cross_table_of,
    read_tournament_terms,
    standings_of,
    tournament_of,
)
from referee.transport.convert.words import named
from referee.transport.matches import check_request_id
from referee.transport.paging import after, page, page_size, parted
from referee.transport.quota import Allowances
from referee.transport.rights import Rights, need_organiser, runs, who_comes, who_is_meant

EXPORT_CHARS_AT_ONCE = 64_000
PAIRINGS_AT_ONCE = 1_000
"""Converted before the event loop goes on: ten milliseconds."""
EXPORTS = {
    pb.EXPORT_FORMAT_CSV: ExportFormat.CSV,
    pb.EXPORT_FORMAT_JSON: ExportFormat.JSON,
    pb.EXPORT_FORMAT_TRF: ExportFormat.TRF,
}


class Tournaments(TournamentServiceServicer):
    def __init__(
        self,
        tournaments: Contests,
        accounts: Accounts,
        customs: Customs,
        allowances: Allowances,
        items_per_message_at_most: int,
    ) -> None:
        self._tournaments = tournaments
        self._rights = Rights(accounts)
        self._customs = customs
        self._allowances = allowances
        self._items_per_message_at_most = items_per_message_at_most

    async def CreateTournament(self, request: pb.CreateTournamentRequest, context: Any) -> pb.CreateTournamentResponse:
        check_request_id(request.request_id)
        await self._allowances.need_room_on_disk(CALLER.get().holder)
        terms = read_tournament_terms(request.terms, self._customs)
        entrants = [read_entrant(entrant, f"entrants[{at}]") for at, entrant in enumerate(request.entrants)]
        wish = TournamentWish(
            request.name,
            CALLER.get().holder,
            request.request_id,
            terms,
            request.title,
            tuple(Entrant(name, None, bots) for name, bots in entrants),
        )
        return pb.CreateTournamentResponse(tournament=self._told(await self._tournaments.create(wish)))

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Any) -> pb.GetTournamentResponse:
        return pb.GetTournamentResponse(tournament=self._told(await self._tournaments.tournament(request.name)))

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Any) -> pb.ListTournamentsResponse:
        size = page_size(request.page_size)
        if request.game:
            find_game(self._customs.games, request.game)
        phase = named(PHASES, request.phase, "phase") if request.phase else None
        wanted = TournamentFilter(request.game, request.bot, phase)
        found = await self._tournaments.tournaments(wanted, after(request), size + 1)
        shown, token = await page(request, found, size, lambda held: held.name, self._told)
        return pb.ListTournamentsResponse(tournaments=shown, next_page_token=token)

    async def EnterTournament(self, request: pb.EnterTournamentRequest, context: Any) -> pb.EnterTournamentResponse:
        caller = CALLER.get()
        held = await self._tournaments.tournament(request.tournament)
        name, bots = who_comes(request.entrant, caller)
        await self._rights.need_all(caller, held.organiser, bots, "EnterTournament for another's bot")
        held = await self._tournaments.enter(held.name, Entrant(name, None, bots))
        return pb.EnterTournamentResponse(tournament=self._told(held))

    async def WithdrawEntrant(self, request: pb.WithdrawEntrantRequest, context: Any) -> pb.WithdrawEntrantResponse:
        caller = CALLER.get()
        held = await self._tournaments.tournament(request.tournament)
        entrant = who_is_meant(request.entrant, caller, held.tournament.entrants.values())
        if entrant is None:
            raise NotAnEntrant(held.name, request.entrant or caller.bot)
        await self._rights.need_one(caller, held.organiser, entrant.bots, "WithdrawEntrant of another")
        held = await self._tournaments.withdraw(held.name, entrant.name, request.message)
        return pb.WithdrawEntrantResponse(tournament=self._told(held))

    async def StartTournament(self, request: pb.StartTournamentRequest, context: Any) -> pb.StartTournamentResponse:
        held = await self._own(request.name, "StartTournament")
        return pb.StartTournamentResponse(tournament=self._told(await self._tournaments.start(held.name)))

    async def CancelTournament(self, request: pb.CancelTournamentRequest, context: Any) -> pb.CancelTournamentResponse:
        held = await self._own(request.name, "CancelTournament")
        held = await self._tournaments.cancel(held.name, request.message)
        return pb.CancelTournamentResponse(tournament=self._told(held))

    async def ListPairings(self, request: pb.ListPairingsRequest, context: Any) -> pb.ListPairingsResponse:
        size = page_size(request.page_size)
        phase = named(PAIRING_PHASES, request.phase, "phase") if request.phase else None
        wanted = PairingFilter(request.round, request.entrant, phase)
        found = await self._tournaments.pairings(request.tournament, wanted, after(request), size + 1)
        shown, token = await page(request, found, size, lambda course: course.pairing.id, pairing_of)
        return pb.ListPairingsResponse(pairings=shown, next_page_token=token)

    async def GetTournamentStandings(
        self, request: pb.GetTournamentStandingsRequest, context: Any
    ) -> pb.GetTournamentStandingsResponse:
        held = await self._tournaments.tournament(request.tournament)
        table = await self._tournaments.tables.rows(held, request.after_round)
        test = held.tournament.test
        return pb.GetTournamentStandingsResponse(
            standings=standings_of(table, held.tournament.tie_breaks), sprt=sprt_state_of(test) if test else None
        )

    async def GetCrossTable(self, request: pb.GetCrossTableRequest, context: Any) -> pb.GetCrossTableResponse:
        held = await self._tournaments.tournament(request.tournament)
        return pb.GetCrossTableResponse(rows=cross_table_of(await self._tournaments.tables.cross_table(held)))

    async def ExportTournament(  # type: ignore[override]  # It writes by itself.
        self, request: pb.ExportTournamentRequest, context: Any
    ) -> None:
        form = named(EXPORTS, request.format, "format")
        for some in parted(await self._tournaments.export(request.tournament, form), EXPORT_CHARS_AT_ONCE):
            await context.write(pb.ExportTournamentResponse(text="".join(some)))

    async def WatchTournament(  # type: ignore[override]  # It writes by itself.
        self, request: pb.WatchTournamentRequest, context: Any
    ) -> None:
        caller = CALLER.get()
        async with self._allowances.stream(caller):
            number = request.after if request.HasField("after") else None
            whole, watching = await self._tournaments.watch(request.tournament, number)
            first = pb.WatchTournamentResponse()
            await self._tell_whole(whole, first.items.add().whole)
            await context.write(first)
            async for steps in watching:
                for some in parted(steps, self._items_per_message_at_most):
                    entries = [await self._entry(step, caller) for step in some]
                    items = [pb.WatchTournamentItem(entry=entry) for entry in entries]
                    await context.write(pb.WatchTournamentResponse(items=items))

    def _told(self, held: Held) -> tournament_pb2.Tournament:
        return tournament_of(held, self._customs, with_openings=_sees_openings(CALLER.get(), held))

    async def _entry(self, step: Step[Held], caller: Caller) -> tournament_pb2.TournamentEntry:
        held = state_of_standings(step)
        table = await self._tournaments.tables.rows(held) if held else []
        return tournament_entry_of(step, self._customs, table, with_openings=_sees_openings(caller, step.state))

    async def _tell_whole(self, held: Held, told: pb.WatchedTournament) -> None:
        """In place, because the message may be large, and would be copied."""
        table = await self._tournaments.tables.rows(held) if held.started_ms is not None else []
        told.number = held.number
        told.tournament.CopyFrom(self._told(held))
        told.standings.extend(standings_of(table, held.tournament.tie_breaks))
        for some in parted(held.tournament.open, PAIRINGS_AT_ONCE):
            told.pairings.extend(map(pairing_of, some))
            await asyncio.sleep(0)

    async def _own(self, name: str, what: str) -> Held:
        """Raises UnknownTournament or NotYours."""
        held = await self._tournaments.tournament(name)
        need_organiser(CALLER.get(), held.organiser, f"{what} for a tournament of another")
        return held


def _sees_openings(caller: Caller, held: Held) -> bool:
    """While it goes on they are a secret of its organiser's."""
    return held.over or runs(caller, held.organiser)
