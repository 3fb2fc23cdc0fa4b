"""TournamentService: creating, entering, watching, listing and exporting tournaments."""

import asyncio
from typing import Any

import grpc.aio
from msgspec.structs import replace
from referee_api.v1 import contest_pb2, tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb
from referee_api.v1.tournament_service_pb2_grpc import (
    TournamentServiceServicer,
    add_TournamentServiceServicer_to_server,
)
from referee_values import TournamentTerms

from referee.accounts.account_errors import BadField
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import NotAnEntrant
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.commands import (
    DeclareAbsent,
    PairRound,
    PostponePairing,
    ReopenPairing,
    RequestBye,
    StaffAct,
)
from referee.contests.tournament.tournament_terms import MAX_ENTRANTS
from referee.hosting.contest_host import ContestFilter
from referee.hosting.contest_store import ContestStep
from referee.hosting.tournament_host import TournamentHost, TournamentRequest
from referee.hosting.tournament_state import TournamentState
from referee.hosting.tournament_tables import PairingFilter
from referee.transport.guards.authentication import CALLER, Caller
from referee.transport.guards.permissions import MatchLabels
from referee.transport.services.contest_servicer import ContestServiceParts, ContestServicer, may_see_openings
from referee.transport.services.paging import chunks, convert_page, page_after_last, page_size, parse_page_token
from referee.transport.wire.basic_types import read_value, read_word, unix_ms
from referee.transport.wire.contests import pairing_of, read_entrant, sprt_state_of
from referee.transport.wire.tournaments import (
    cross_table_row_of,
    standings_of,
    state_of_standings,
    tournament_entry_of,
    tournament_of,
)
from referee.transport.wire.wire_errors import BadPageToken

EXPORT_CHUNK_CHARS = 64_000
PAIRINGS_PER_YIELD = 1_000
"""Pairings converted before the event loop may run other tasks: about ten milliseconds."""


class Tournaments(ContestServicer[TournamentState], TournamentServiceServicer):
    _not_entered = NotAnEntrant

    def __init__(self, tournaments: TournamentHost, parts: ContestServiceParts, labels: MatchLabels) -> None:
        super().__init__(tournaments, parts)
        self._tournaments = tournaments
        self._labels = labels

    def add_to(self, server: grpc.aio.Server) -> None:
        add_TournamentServiceServicer_to_server(self, server)

    async def CreateTournament(self, request: pb.CreateTournamentRequest, context: Any) -> pb.CreateTournamentResponse:
        caller = await self._check_creation(request.request_id)
        terms = self._converter.reader.tournament_terms(read_value(request.terms, TournamentTerms, "terms"))
        entrants = [read_entrant(entrant, f"entrants[{at}]") for at, entrant in enumerate(request.entrants)]
        is_new = not self._tournaments.has_created(caller.holder, request.request_id)
        if is_new and terms.value.ladder:
            await self._labels.check_rating_ladder(terms.value.ladder, caller, "CreateTournament")
        given = [ContestEntrant(name, bots=bots) for name, bots in entrants]
        if is_new:
            for at, entrant in enumerate(given):
                invited = await self._parts.consent_guard.enter_contest(
                    caller, caller.holder, entrant.bots, terms.match_terms
                )
                given[at] = replace(entrant, invited=invited)
            self._count_changes(len(given))
        to_create = TournamentRequest(
            request.name,
            caller.holder,
            request.request_id,
            terms,
            request.title,
            tuple(given),
        )
        return pb.CreateTournamentResponse(tournament=self._tournament_of(await self._tournaments.create(to_create)))

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Any) -> pb.GetTournamentResponse:
        return pb.GetTournamentResponse(tournament=self._tournament_of(await self._tournaments.get(request.name)))

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Any) -> pb.ListTournamentsResponse:
        size = page_size(request.page_size)
        self._check_filter(request.game)
        phase = read_word(tournament_pb2.TournamentPhase, request.phase, "phase") if request.phase else None
        wanted = ContestFilter(request.game, request.bot, phase)
        found = await self._tournaments.find(wanted, parse_page_token(request), size + 1)
        shown, token = await convert_page(request, found, size, lambda state: state.name, self._tournament_of)
        return pb.ListTournamentsResponse(tournaments=shown, next_page_token=token)

    async def EnterTournament(self, request: pb.EnterTournamentRequest, context: Any) -> pb.EnterTournamentResponse:
        name, entrant = await self._new_entrant(request.tournament, request.entrant, "EnterTournament")
        state = await self._tournaments.enter(name, entrant)
        return pb.EnterTournamentResponse(tournament=self._tournament_of(state))

    async def WithdrawEntrant(self, request: pb.WithdrawEntrantRequest, context: Any) -> pb.WithdrawEntrantResponse:
        state, entrant = await self._own_entrant(request.tournament, request.entrant, "WithdrawEntrant")
        state = await self._tournaments.withdraw(state.name, entrant, request.message)
        return pb.WithdrawEntrantResponse(tournament=self._tournament_of(state))

    async def RequestBye(self, request: pb.RequestByeRequest, context: Any) -> pb.RequestByeResponse:
        kind = read_word(tournament_pb2.ByeKind, request.kind, "kind")
        state, entrant = await self._own_entrant(request.tournament, request.entrant, "RequestBye")
        self._count_changes()
        command = RequestBye(entrant, request.round, kind, CALLER.get().holder)
        state = await self._tournaments.request_bye(state.name, command)
        return pb.RequestByeResponse(tournament=self._tournament_of(state))

    async def StartTournament(self, request: pb.StartTournamentRequest, context: Any) -> pb.StartTournamentResponse:
        state = await self._own(request.name, "StartTournament")
        return pb.StartTournamentResponse(tournament=self._tournament_of(await self._tournaments.start(state.name)))

    async def CancelTournament(self, request: pb.CancelTournamentRequest, context: Any) -> pb.CancelTournamentResponse:
        state = await self._own(request.name, "CancelTournament")
        state = await self._tournaments.cancel(state.name, request.message)
        return pb.CancelTournamentResponse(tournament=self._tournament_of(state))

    async def PairRound(self, request: pb.PairRoundRequest, context: Any) -> pb.PairRoundResponse:
        pairings = tuple(tuple(pairing.entrants) for pairing in request.pairings)
        act = PairRound(request.round, pairings, request.message, CALLER.get().holder)
        state = await self._act(request.tournament, act, changes=1 + len(pairings))
        found = await self._tournaments.pairings(state.name, PairingFilter(request.round), limit=MAX_ENTRANTS)
        return pb.PairRoundResponse(pairings=map(pairing_of, found))

    async def PostponePairing(self, request: pb.PostponePairingRequest, context: Any) -> pb.PostponePairingResponse:
        if not request.HasField("until"):
            raise BadField("until", "it is required")
        until_ms = max(0, unix_ms(request.until, "until"))
        act = PostponePairing(request.pairing_id, until_ms, request.message, CALLER.get().holder)
        state = await self._act(request.tournament, act)
        return pb.PostponePairingResponse(pairing=pairing_of(state.tournament.pairings[request.pairing_id]))

    async def ReopenPairing(self, request: pb.ReopenPairingRequest, context: Any) -> pb.ReopenPairingResponse:
        act = ReopenPairing(request.pairing_id, request.message, CALLER.get().holder)
        state = await self._act(request.tournament, act)
        return pb.ReopenPairingResponse(pairing=pairing_of(state.tournament.pairings[request.pairing_id]))

    async def DeclareAbsent(self, request: pb.DeclareAbsentRequest, context: Any) -> pb.DeclareAbsentResponse:
        if not request.entrants:
            raise BadField("entrants", "name at least one")
        names = tuple(dict.fromkeys(request.entrants))
        act = DeclareAbsent(request.pairing_id, names, request.message, CALLER.get().holder)
        state = await self._act(request.tournament, act)
        return pb.DeclareAbsentResponse(pairing=pairing_of(state.tournament.pairings[request.pairing_id]))

    async def CorrectTournamentMatch(
        self, request: pb.CorrectTournamentMatchRequest, context: Any
    ) -> pb.CorrectTournamentMatchResponse:
        progress = await self._correct(request.tournament, request, self._tournaments.correct)
        return pb.CorrectTournamentMatchResponse(pairing=pairing_of(progress))

    async def ListPairings(self, request: pb.ListPairingsRequest, context: Any) -> pb.ListPairingsResponse:
        size = page_size(request.page_size)
        phase = read_word(contest_pb2.PairingPhase, request.phase, "phase") if request.phase else None
        wanted = PairingFilter(request.round, request.entrant, phase)
        with page_after_last():
            found = await self._tournaments.pairings(request.tournament, wanted, parse_page_token(request), size + 1)
        no_shows_ms = self._tournaments.no_show_times_ms(request.tournament)

        def convert(progress: PairingProgress) -> contest_pb2.Pairing:
            return pairing_of(progress, no_shows_ms.get(progress.pairing.id))

        shown, token = await convert_page(request, found, size, lambda progress: progress.pairing.id, convert)
        return pb.ListPairingsResponse(pairings=shown, next_page_token=token)

    async def GetTournamentStandings(
        self, request: pb.GetTournamentStandingsRequest, context: Any
    ) -> pb.GetTournamentStandingsResponse:
        state = await self._tournaments.get(request.tournament)
        table = await self._tournaments.tables.rows(state, request.after_round)
        test = state.tournament.trial_state
        return pb.GetTournamentStandingsResponse(
            standings=standings_of(table, state.tournament.tie_breaks), sprt=sprt_state_of(test) if test else None
        )

    async def GetCrossTable(self, request: pb.GetCrossTableRequest, context: Any) -> pb.GetCrossTableResponse:
        size, last = page_size(request.page_size), parse_page_token(request)
        state = await self._tournaments.get(request.tournament)
        rows = await self._tournaments.tables.cross_table(state)
        first = 0
        if last:
            first = next((number for number, (entrant, _) in enumerate(rows, 1) if entrant == last), 0)
            if not first:
                raise BadPageToken
        found = rows[first : first + size + 1]
        shown, token = await convert_page(request, found, size, lambda row: row[0], cross_table_row_of)
        return pb.GetCrossTableResponse(rows=shown, next_page_token=token)

    async def ExportTournament(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.ExportTournamentRequest, context: Any
    ) -> None:
        form = read_word(pb.ExportFormat, request.format, "format")
        for chunk in chunks(await self._tournaments.export(request.tournament, form), EXPORT_CHUNK_CHARS):
            await context.write(pb.ExportTournamentResponse(text="".join(chunk)))

    async def GetTournamentRecord(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.GetTournamentRecordRequest, context: Any
    ) -> None:
        async for text in self._record(request.tournament):
            await context.write(pb.GetTournamentRecordResponse(text=text))

    async def WatchTournament(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.WatchTournamentRequest, context: Any
    ) -> None:
        await self._watch(request.tournament, request, pb.WatchTournamentResponse, context)

    def _tournament_of(self, state: TournamentState) -> tournament_pb2.Tournament:
        return tournament_of(state, self._converter, with_openings=may_see_openings(CALLER.get(), state))

    async def _entry(self, step: ContestStep[TournamentState], caller: Caller) -> tournament_pb2.TournamentEntry:
        state = state_of_standings(step)
        table = await self._tournaments.tables.rows(state) if state else []
        return tournament_entry_of(step, self._converter, table, with_openings=may_see_openings(caller, step.state))

    async def _snapshot(self, snapshot: pb.TournamentSnapshot, state: TournamentState) -> None:
        table = await self._tournaments.tables.rows(state) if state.started_ms is not None else []
        snapshot.entry_number = state.number
        snapshot.tournament.CopyFrom(self._tournament_of(state))
        snapshot.standings.extend(standings_of(table, state.tournament.tie_breaks))
        for chunk in chunks(state.tournament.open_pairings, PAIRINGS_PER_YIELD):
            snapshot.pairings.extend(map(pairing_of, chunk))
            await asyncio.sleep(0)

    async def _act(self, name: str, act: StaffAct, changes: int = 1) -> TournamentState:
        state = await self._own(name, type(act).__name__, changes)
        return await self._tournaments.act(state.name, act)
