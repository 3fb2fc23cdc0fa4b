"""Client for tournaments. A referee without tournaments answers with NotServed."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from msgspec import structs
from referee_api.conversion import enum_number, to_message, to_value
from referee_api.v1 import contest_pb2, match_service_pb2, tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_api.v1.tournament_service_pb2_grpc import TournamentServiceStub
from referee_values import (
    ByeKind,
    CorrectionKind,
    CrossTableRow,
    Entrant,
    ExportFormat,
    Match,
    Pairing,
    RoundRobin,
    Tournament,
    TournamentEntry,
    TournamentPhase,
    TournamentStanding,
    TournamentTerms,
)

from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator, blocking_watch
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id, timestamp
from referee_client.organiser.entrants import entrant
from referee_client.organiser.responses import TournamentTable
from referee_client.organiser.terms import Terms
from referee_client.organiser.watch import AsyncWatch


class AsyncTournaments:
    """All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = TournamentServiceStub(calls.channel)
        self._matches = MatchServiceStub(calls.channel)

    async def create(
        self,
        name: str,
        terms: Terms | None = None,
        entrants: Sequence[str | Entrant] = (),
        *,
        title: str = "",
        plan: TournamentTerms | None = None,
    ) -> Tournament:
        """Create a tournament by `plan`, with `terms` for its matches.

        Without `terms`, the terms of the matches are those of `plan`. Without `plan`, it is a single round robin.
        Entrants are bots, as `anna` or `anna/1.4`, or partners, as `reds=anna,bert`.
        """
        plan = plan or TournamentTerms(round_robin=RoundRobin())
        plan = structs.replace(plan, match_terms=terms.match_terms()) if terms else plan
        request = pb.CreateTournamentRequest(
            request_id=request_id(),
            name=name,
            title=title,
            terms=to_message(plan, tournament_pb2.TournamentTerms),
            entrants=[to_message(entrant(one), contest_pb2.Entrant) for one in entrants],
        )
        return await self._calls.fetch(Tournament, self._stub.CreateTournament, request, "tournament")

    async def get(self, name: str) -> Tournament:
        return await self._calls.fetch(
            Tournament, self._stub.GetTournament, pb.GetTournamentRequest(name=name), "tournament"
        )

    async def list(self, game: str = "", bot: str = "", phase: TournamentPhase = "") -> AsyncIterator[Tournament]:
        """Return tournaments, the newest first. Empty arguments match any."""
        phase_number = enum_number(tournament_pb2.TournamentPhase, phase)
        request = pb.ListTournamentsRequest(game=game, bot=bot, phase=phase_number, page_size=PAGE_SIZE)
        async for tournament in self._calls.list_values(Tournament, self._stub.ListTournaments, request, "tournaments"):
            yield tournament

    async def enter(self, tournament: str, who: str | Entrant = "") -> Tournament:
        """Enter a tournament. `who` as for `create`; default: the bot of this token."""
        wanted = to_message(entrant(who), contest_pb2.Entrant) if who else None
        request = pb.EnterTournamentRequest(tournament=tournament, entrant=wanted)
        return await self._calls.fetch(Tournament, self._stub.EnterTournament, request, "tournament")

    async def withdraw(self, tournament: str, who: str = "", message: str = "") -> Tournament:
        """Withdraw an entrant by name. Default: the bot of this token."""
        request = pb.WithdrawEntrantRequest(tournament=tournament, entrant=who, message=message)
        return await self._calls.fetch(Tournament, self._stub.WithdrawEntrant, request, "tournament")

    async def start(self, tournament: str) -> Tournament:
        return await self._calls.fetch(
            Tournament, self._stub.StartTournament, pb.StartTournamentRequest(name=tournament), "tournament"
        )

    async def cancel(self, tournament: str, message: str = "") -> Tournament:
        """Cancel a tournament; its unfinished matches become void."""
        request = pb.CancelTournamentRequest(name=tournament, message=message)
        return await self._calls.fetch(Tournament, self._stub.CancelTournament, request, "tournament")

    async def request_bye(self, tournament: str, number: int, kind: ByeKind, who: str = "") -> Tournament:
        """Request that an entrant does not play a round; Default: the bot of this token."""
        request = pb.RequestByeRequest(
            tournament=tournament, entrant=who, round=number, kind=enum_number(tournament_pb2.ByeKind, kind)
        )
        return await self._calls.fetch(Tournament, self._stub.RequestBye, request, "tournament")

    async def pair_round(
        self, tournament: str, number: int, pairings: Sequence[Sequence[str]], message: str
    ) -> Sequence[Pairing]:
        """Pair by hand what has not begun of the last round of a Swiss tournament. A single entrant has a bye."""
        by_hand = [pb.HandPairing(entrants=entrants) for entrants in pairings]
        request = pb.PairRoundRequest(tournament=tournament, round=number, pairings=by_hand, message=message)
        response = await self._calls.call(self._stub.PairRound, request)
        return [to_value(pairing, Pairing) for pairing in response.pairings]

    async def postpone(self, tournament: str, pairing_id: str, until: datetime, message: str) -> Pairing:
        """Let the next matches of a pairing start no earlier than at a time, which says its zone."""
        request = pb.PostponePairingRequest(
            tournament=tournament, pairing_id=pairing_id, until=timestamp(until), message=message
        )
        return await self._calls.fetch(Pairing, self._stub.PostponePairing, request, "pairing")

    async def reopen(self, tournament: str, pairing_id: str, message: str) -> Pairing:
        """Set the result of a pairing aside and play it again."""
        request = pb.ReopenPairingRequest(tournament=tournament, pairing_id=pairing_id, message=message)
        return await self._calls.fetch(Pairing, self._stub.ReopenPairing, request, "pairing")

    async def declare_absent(self, tournament: str, pairing_id: str, entrants: Sequence[str], message: str) -> Pairing:
        """Let entrants lose a pairing by absence at once."""
        request = pb.DeclareAbsentRequest(
            tournament=tournament, pairing_id=pairing_id, entrants=entrants, message=message
        )
        return await self._calls.fetch(Pairing, self._stub.DeclareAbsent, request, "pairing")

    async def correct(
        self, tournament: str, match_id: str, kind: CorrectionKind, message: str, ranks: Sequence[int] = ()
    ) -> Pairing:
        """Strike a finished match, correct its result to the ranks of its sides, or restore what was played."""
        request = pb.CorrectTournamentMatchRequest(
            request_id=request_id(),
            tournament=tournament,
            match_id=match_id,
            kind=enum_number(contest_pb2.CorrectionKind, kind),
            ranks=ranks,
            message=message,
        )
        return await self._calls.fetch(Pairing, self._stub.CorrectTournamentMatch, request, "pairing")

    async def pairings(self, tournament: str, of_round: int = 0, of_entrant: str = "") -> AsyncIterator[Pairing]:
        """Return pairings by round and board. Default: all."""
        request = pb.ListPairingsRequest(tournament=tournament, round=of_round, entrant=of_entrant, page_size=PAGE_SIZE)
        async for pairing in self._calls.list_values(Pairing, self._stub.ListPairings, request, "pairings"):
            yield pairing

    async def standings(self, tournament: str, after_round: int = 0) -> Sequence[TournamentStanding]:
        """Return the standings, the best first. Default: the current ones."""
        return (await self.table(tournament, after_round)).standings

    async def cross_table(self, tournament: str) -> Sequence[CrossTableRow]:
        """Return the results of each entrant against each other, the best first."""
        request = pb.GetCrossTableRequest(tournament=tournament, page_size=PAGE_SIZE)
        return [row async for row in self._calls.list_values(CrossTableRow, self._stub.GetCrossTable, request, "rows")]

    async def export(self, tournament: str, form: ExportFormat) -> str:
        """Return the tournament as the text of a `csv`, `json` or `trf` file."""
        request = pb.ExportTournamentRequest(tournament=tournament, format=enum_number(pb.ExportFormat, form))
        return "".join(part.text for part in await self._calls.all(self._stub.ExportTournament, request))

    async def record(self, tournament: str) -> str:
        """Return the signed record of a tournament that is over, with which anyone can verify it."""
        request = pb.GetTournamentRecordRequest(tournament=tournament)
        return "".join(part.text for part in await self._calls.all(self._stub.GetTournamentRecord, request))

    async def matches(self, tournament: str) -> AsyncIterator[Match]:
        """Return the matches of a tournament, the newest first."""
        request = match_service_pb2.ListMatchesRequest(tournament=tournament, page_size=PAGE_SIZE)
        async for match in self._calls.list_values(Match, self._matches.ListMatches, request, "matches"):
            yield match

    def watch(self, tournament: str, after: int = 0) -> AsyncWatch[TournamentEntry]:
        """Watch every entry after the number `after` until the tournament is over, reconnecting when necessary."""
        return AsyncWatch(
            TournamentEntry,
            self._calls,
            self._stub.WatchTournament,
            pb.WatchTournamentRequest(tournament=tournament),
            after,
        )

    async def table(self, tournament: str, after_round: int = 0) -> TournamentTable:
        """Return the standings, and the state of the sequential test if the tournament is one."""
        request = pb.GetTournamentStandingsRequest(tournament=tournament, after_round=after_round)
        return await self._calls.fetch(TournamentTable, self._stub.GetTournamentStandings, request)


class Tournaments(Blocking[AsyncTournaments]):
    """Blocking version of AsyncTournaments."""

    create = blocking(AsyncTournaments.create)
    get = blocking(AsyncTournaments.get)
    list = blocking_iterator(AsyncTournaments.list)
    enter = blocking(AsyncTournaments.enter)
    withdraw = blocking(AsyncTournaments.withdraw)
    start = blocking(AsyncTournaments.start)
    cancel = blocking(AsyncTournaments.cancel)
    request_bye = blocking(AsyncTournaments.request_bye)
    pair_round = blocking(AsyncTournaments.pair_round)
    postpone = blocking(AsyncTournaments.postpone)
    reopen = blocking(AsyncTournaments.reopen)
    declare_absent = blocking(AsyncTournaments.declare_absent)
    correct = blocking(AsyncTournaments.correct)
    pairings = blocking_iterator(AsyncTournaments.pairings)
    standings = blocking(AsyncTournaments.standings)
    cross_table = blocking(AsyncTournaments.cross_table)
    export = blocking(AsyncTournaments.export)
    record = blocking(AsyncTournaments.record)
    matches = blocking_iterator(AsyncTournaments.matches)
    watch = blocking_watch(AsyncTournaments.watch)
    table = blocking(AsyncTournaments.table)
