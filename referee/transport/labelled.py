"""Matches by what they were made for: a ladder, a tournament."""

from dataclasses import dataclass

from referee_api.v1.match_service_pb2 import ListMatchesRequest

from referee.app.contests.ladders import Ladders
from referee.app.contests.tournaments import Tournaments


@dataclass(frozen=True, slots=True)
class Labelled:
    ladders: Ladders
    tournaments: Tournaments

    def check(self, request: ListMatchesRequest) -> None:
        """Raises UnknownLadder or UnknownTournament."""
        if request.ladder:
            self.ladders.check_known(request.ladder)
        if request.tournament:
            self.tournaments.check_known(request.tournament)
