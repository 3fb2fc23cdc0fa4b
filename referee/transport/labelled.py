"""Matches by what they were made for: a ladder, a tournament."""

from dataclasses import dataclass

from referee_api.v1.match_service_pb2 import ListMatchesRequest

from referee.app.contests.ladders import Ladders
from referee.app.contests.tournaments import Tournaments
from referee.app.wish import LADDER, TOURNAMENT


@dataclass(frozen=True, slots=True)
class Labelled:
    ladders: Ladders
    tournaments: Tournaments

    def labels(self, request: ListMatchesRequest) -> tuple[tuple[str, str], ...]:
        """Those that a match must have to be listed. Raises UnknownLadder or UnknownTournament."""
        found: list[tuple[str, str]] = []
        if request.ladder:
            self.ladders.check_known(request.ladder)
            found.append((LADDER, request.ladder))
        if request.tournament:
            self.tournaments.check_known(request.tournament)
            found.append((TOURNAMENT, request.tournament))
        return tuple(found)
