"""Client for tournaments. A referee without tournaments answers with NotServed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from referee_api.v1 import contest_pb2, match_pb2, match_service_pb2, tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_api.v1.tournament_service_pb2_grpc import TournamentServiceStub

from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id
from referee_client.organiser.corrections import KINDS, CorrectionKind
from referee_client.organiser.entrants import entrant
from referee_client.organiser.terms import Terms
from referee_client.organiser.watch import Watch

PHASES = {
    "entry": tournament_pb2.TOURNAMENT_PHASE_ENTRY,
    "playing": tournament_pb2.TOURNAMENT_PHASE_PLAYING,
    "finished": tournament_pb2.TOURNAMENT_PHASE_FINISHED,
    "cancelled": tournament_pb2.TOURNAMENT_PHASE_CANCELLED,
}
BYES = {
    "half": tournament_pb2.BYE_KIND_HALF_POINT,
    "zero": tournament_pb2.BYE_KIND_ZERO_POINT,
    "none": tournament_pb2.BYE_KIND_NONE,
}
"""What an entrant gets for a round that it asks not to play; `none` cancels a request."""
FORMATS = {"csv": pb.EXPORT_FORMAT_CSV, "json": pb.EXPORT_FORMAT_JSON, "trf": pb.EXPORT_FORMAT_TRF}
"""Formats in which a tournament can be exported."""


class Tournaments:
    """All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = TournamentServiceStub(calls.channel)
        self._matches = MatchServiceStub(calls.channel)

    def create(
        self,
        name: str,
        terms: Terms | None = None,
        entrants: Sequence[str | contest_pb2.Entrant] = (),
        *,
        title: str = "",
        plan: tournament_pb2.TournamentTerms | None = None,
    ) -> tournament_pb2.Tournament:
        """Create a tournament by `plan`, with `terms` for its matches.

        Without `terms`, the terms of the matches are those of `plan`. Without `plan`, it is a single round robin.
        Entrants are bots, as `anna` or `anna/1.4`, or partners, as `reds=anna,bert`.
        """
        tournament_terms = tournament_pb2.TournamentTerms(round_robin=tournament_pb2.RoundRobin())
        if plan:
            tournament_terms.CopyFrom(plan)
        if terms:
            tournament_terms.match_terms.CopyFrom(terms.message())
        request = pb.CreateTournamentRequest(
            request_id=request_id(), name=name, title=title, terms=tournament_terms, entrants=map(entrant, entrants)
        )
        return self._calls.call(self._stub.CreateTournament, request).tournament

    def get(self, name: str) -> tournament_pb2.Tournament:
        return self._calls.call(self._stub.GetTournament, pb.GetTournamentRequest(name=name)).tournament

    def list(self, game: str = "", bot: str = "", phase: str = "") -> Iterator[tournament_pb2.Tournament]:
        """Return tournaments, the newest first. `phase` is one of PHASES; empty arguments match any."""
        phase_number = PHASES[phase] if phase else tournament_pb2.TOURNAMENT_PHASE_UNSPECIFIED
        request = pb.ListTournamentsRequest(game=game, bot=bot, phase=phase_number, page_size=PAGE_SIZE)
        for page in self._calls.pages(self._stub.ListTournaments, request):
            yield from page.tournaments

    def enter(self, tournament: str, who: str | contest_pb2.Entrant = "") -> tournament_pb2.Tournament:
        """Enter a tournament. `who` as for `create`; default: the bot of this token."""
        request = pb.EnterTournamentRequest(tournament=tournament, entrant=entrant(who) if who else None)
        return self._calls.call(self._stub.EnterTournament, request).tournament

    def withdraw(self, tournament: str, who: str = "", message: str = "") -> tournament_pb2.Tournament:
        """Withdraw an entrant by name. Default: the bot of this token."""
        request = pb.WithdrawEntrantRequest(tournament=tournament, entrant=who, message=message)
        return self._calls.call(self._stub.WithdrawEntrant, request).tournament

    def start(self, tournament: str) -> tournament_pb2.Tournament:
        return self._calls.call(self._stub.StartTournament, pb.StartTournamentRequest(name=tournament)).tournament

    def cancel(self, tournament: str, message: str = "") -> tournament_pb2.Tournament:
        """Cancel a tournament; its unfinished matches become void."""
        request = pb.CancelTournamentRequest(name=tournament, message=message)
        return self._calls.call(self._stub.CancelTournament, request).tournament

    def request_bye(self, tournament: str, number: int, kind: str, who: str = "") -> tournament_pb2.Tournament:
        """Request that an entrant does not play a round; `kind` is one of BYES. Default: the bot of this token."""
        request = pb.RequestByeRequest(tournament=tournament, entrant=who, round=number, kind=BYES[kind])
        return self._calls.call(self._stub.RequestBye, request).tournament

    def pair_round(
        self, tournament: str, number: int, pairings: Sequence[Sequence[str]], message: str
    ) -> Sequence[contest_pb2.Pairing]:
        """Pair by hand what has not begun of the last round of a Swiss tournament. A single entrant has a bye."""
        by_hand = [pb.HandPairing(entrants=entrants) for entrants in pairings]
        request = pb.PairRoundRequest(tournament=tournament, round=number, pairings=by_hand, message=message)
        return self._calls.call(self._stub.PairRound, request).pairings

    def postpone(self, tournament: str, pairing_id: str, until: datetime, message: str) -> contest_pb2.Pairing:
        """Let the next matches of a pairing start no earlier than at a time, which says its zone."""
        request = pb.PostponePairingRequest(tournament=tournament, pairing_id=pairing_id, message=message)
        request.until.FromDatetime(until)
        return self._calls.call(self._stub.PostponePairing, request).pairing

    def reopen(self, tournament: str, pairing_id: str, message: str) -> contest_pb2.Pairing:
        """Set the result of a pairing aside and play it again."""
        request = pb.ReopenPairingRequest(tournament=tournament, pairing_id=pairing_id, message=message)
        return self._calls.call(self._stub.ReopenPairing, request).pairing

    def declare_absent(
        self, tournament: str, pairing_id: str, entrants: Sequence[str], message: str
    ) -> contest_pb2.Pairing:
        """Let entrants lose a pairing by absence at once."""
        request = pb.DeclareAbsentRequest(
            tournament=tournament, pairing_id=pairing_id, entrants=entrants, message=message
        )
        return self._calls.call(self._stub.DeclareAbsent, request).pairing

    def correct(
        self, tournament: str, match_id: str, kind: CorrectionKind, message: str, ranks: Sequence[int] = ()
    ) -> contest_pb2.Pairing:
        """Strike a finished match, correct its result to the ranks of its sides, or restore what was played."""
        request = pb.CorrectTournamentMatchRequest(
            request_id=request_id(),
            tournament=tournament,
            match_id=match_id,
            kind=KINDS[kind],
            ranks=ranks,
            message=message,
        )
        return self._calls.call(self._stub.CorrectTournamentMatch, request).pairing

    def pairings(self, tournament: str, of_round: int = 0, of_entrant: str = "") -> Iterator[contest_pb2.Pairing]:
        """Return pairings by round and board. Default: all."""
        request = pb.ListPairingsRequest(tournament=tournament, round=of_round, entrant=of_entrant, page_size=PAGE_SIZE)
        for page in self._calls.pages(self._stub.ListPairings, request):
            yield from page.pairings

    def standings(self, tournament: str, after_round: int = 0) -> Sequence[tournament_pb2.TournamentStanding]:
        """Return the standings, the best first. Default: the current ones."""
        return self.table(tournament, after_round).standings

    def cross_table(self, tournament: str) -> Sequence[tournament_pb2.CrossTableRow]:
        """Return the results of each entrant against each other, the best first."""
        request = pb.GetCrossTableRequest(tournament=tournament, page_size=PAGE_SIZE)
        return [row for page in self._calls.pages(self._stub.GetCrossTable, request) for row in page.rows]

    def export(self, tournament: str, form: str) -> str:
        """Return the tournament as the text of a `csv`, `json` or `trf` file."""
        request = pb.ExportTournamentRequest(tournament=tournament, format=FORMATS[form])
        return "".join(part.text for part in self._calls.all(self._stub.ExportTournament, request))

    def record(self, tournament: str) -> str:
        """Return the signed record of a tournament that is over, with which anyone can verify it."""
        request = pb.GetTournamentRecordRequest(tournament=tournament)
        return "".join(part.text for part in self._calls.all(self._stub.GetTournamentRecord, request))

    def matches(self, tournament: str) -> Iterator[match_pb2.Match]:
        """Return the matches of a tournament, the newest first."""
        request = match_service_pb2.ListMatchesRequest(tournament=tournament, page_size=PAGE_SIZE)
        for page in self._calls.pages(self._matches.ListMatches, request):
            yield from page.matches

    def watch(self, tournament: str, after: int = 0) -> Watch[tournament_pb2.TournamentEntry]:
        """Watch every entry after the number `after` until the tournament is over, reconnecting when necessary."""

        def open_stream(after: int) -> Any:
            return self._stub.WatchTournament(
                pb.WatchTournamentRequest(tournament=tournament, after_number=after), metadata=self._calls.metadata
            )

        return Watch(self._calls, open_stream, after)

    def table(self, tournament: str, after_round: int = 0) -> pb.GetTournamentStandingsResponse:
        """Return the standings, and the state of the sequential test if the tournament is one."""
        request = pb.GetTournamentStandingsRequest(tournament=tournament, after_round=after_round)
        return self._calls.call(self._stub.GetTournamentStandings, request)
