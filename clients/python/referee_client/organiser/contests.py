"""Ladders and tournaments. A referee that does not serve them says so: NotServed."""

from collections.abc import Sequence
from typing import Any

from referee_api.v1 import (
    contest_pb2,
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    tournament_pb2,
    tournament_service_pb2,
)
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceStub
from referee_api.v1.tournament_service_pb2_grpc import TournamentServiceStub

from referee_client.organiser.calls import Calls, request_id
from referee_client.organiser.terms import Terms
from referee_client.organiser.watching import Watching

PAGE = 1000


class Ladders:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = LadderServiceStub(calls.channel)

    def create(self, name: str, terms: Terms, *, title: str = "") -> ladder_pb2.Ladder:
        request = ladder_service_pb2.CreateLadderRequest(
            request_id=request_id(),
            name=name,
            title=title,
            terms=ladder_pb2.LadderTerms(match_terms=[terms.message()]),
        )
        return self._calls.ask(self._stub.CreateLadder, request).ladder

    def join(self, ladder: str, bot: str) -> ladder_pb2.LadderStanding:
        request = ladder_service_pb2.JoinLadderRequest(ladder=ladder, entrant=entrant(bot))
        return self._calls.ask(self._stub.JoinLadder, request).standing

    def leave(self, ladder: str, bot: str) -> None:
        request = ladder_service_pb2.LeaveLadderRequest(ladder=ladder, entrant=bot)
        self._calls.ask(self._stub.LeaveLadder, request)

    def standings(self, ladder: str) -> list[ladder_pb2.LadderStanding]:
        """The best first; at most the first thousand."""
        request = ladder_service_pb2.ListLadderStandingsRequest(ladder=ladder, page_size=PAGE)
        return list(self._calls.ask(self._stub.ListLadderStandings, request).standings)

    def watch(self, ladder: str, after: int = 0) -> Watching[ladder_pb2.LadderEntry]:
        """Every entry after the number `after`, until the ladder is closed."""

        def opened(after: int) -> Any:
            request = ladder_service_pb2.WatchLadderRequest(ladder=ladder, after=after)
            return self._stub.WatchLadder(request, metadata=self._calls.metadata)

        return Watching(self._calls, opened, after)

    def close(self, ladder: str) -> None:
        self._calls.ask(self._stub.CloseLadder, ladder_service_pb2.CloseLadderRequest(ladder=ladder))


class Tournaments:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = TournamentServiceStub(calls.channel)

    def create(
        self,
        name: str,
        terms: Terms,
        entrants: Sequence[str] = (),
        *,
        title: str = "",
        plan: tournament_pb2.TournamentTerms | None = None,
    ) -> tournament_pb2.Tournament:
        """`plan` says all but the terms of the matches. Default: everybody meets everybody once."""
        agreed = tournament_pb2.TournamentTerms(round_robin=tournament_pb2.RoundRobin())
        if plan:
            agreed.CopyFrom(plan)
        agreed.match_terms.CopyFrom(terms.message())
        request = tournament_service_pb2.CreateTournamentRequest(
            request_id=request_id(), name=name, title=title, terms=agreed, entrants=map(entrant, entrants)
        )
        return self._calls.ask(self._stub.CreateTournament, request).tournament

    def enter(self, tournament: str, bot: str) -> tournament_pb2.Tournament:
        request = tournament_service_pb2.EnterTournamentRequest(tournament=tournament, entrant=entrant(bot))
        return self._calls.ask(self._stub.EnterTournament, request).tournament

    def start(self, tournament: str) -> tournament_pb2.Tournament:
        request = tournament_service_pb2.StartTournamentRequest(name=tournament)
        return self._calls.ask(self._stub.StartTournament, request).tournament

    def standings(self, tournament: str) -> list[tournament_pb2.TournamentStanding]:
        """The best first."""
        request = tournament_service_pb2.GetTournamentStandingsRequest(tournament=tournament)
        return list(self._calls.ask(self._stub.GetTournamentStandings, request).standings)

    def cross_table(self, tournament: str) -> list[tournament_pb2.CrossTableRow]:
        request = tournament_service_pb2.GetCrossTableRequest(tournament=tournament)
        return list(self._calls.ask(self._stub.GetCrossTable, request).rows)

    def watch(self, tournament: str, after: int = 0) -> Watching[tournament_pb2.TournamentEntry]:
        """Every entry after the number `after`, until the tournament is over."""

        def opened(after: int) -> Any:
            request = tournament_service_pb2.WatchTournamentRequest(tournament=tournament, after=after)
            return self._stub.WatchTournament(request, metadata=self._calls.metadata)

        return Watching(self._calls, opened, after)

    def cancel(self, tournament: str) -> tournament_pb2.Tournament:
        request = tournament_service_pb2.CancelTournamentRequest(name=tournament)
        return self._calls.ask(self._stub.CancelTournament, request).tournament


def entrant(name: str) -> contest_pb2.Entrant:
    """One bot, as `anna` or `anna/1.4` for a version."""
    bot, _, version = name.partition("/")
    return contest_pb2.Entrant(bots=[match_pb2.BotRef(bot=bot, version=version)])
