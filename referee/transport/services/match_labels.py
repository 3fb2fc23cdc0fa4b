"""Checks of the labels that tie a match to a ladder or a tournament.

An organiser can create a match whose result changes the ratings of a ladder: the ladder must be its own, and the
players must be members of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from referee_api.v1.match_service_pb2 import ListMatchesRequest

from engines.api import Game
from referee.contests.contest_errors import LadderClosed, NotAMember
from referee.hosting.ladder_host import LadderHost
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_host import TournamentHost
from referee.live.match_request import LADDER, MatchRequest, find_game
from referee.match.setup import Player
from referee.match.state import Match
from referee.transport.guards.authentication import Caller
from referee.transport.guards.permissions import need_organiser
from referee.wire.wire_errors import BadSeats


@dataclass(frozen=True, slots=True)
class MatchLabels:
    ladders: LadderHost
    tournaments: TournamentHost
    games: Mapping[str, Game]

    def check_filter(self, request: ListMatchesRequest) -> None:
        """Raises UnknownLadder or UnknownTournament."""
        if request.ladder:
            self.ladders.check_known(request.ladder)
        if request.tournament:
            self.tournaments.check_known(request.tournament)

    async def check_request(self, match_request: MatchRequest, caller: Caller) -> None:
        """Raises UnknownLadder, NotYours, LadderClosed, BadSeats or NotAMember, if the request names a ladder."""
        if LADDER not in match_request.labels:
            return
        state = await self.ladders.get(match_request.labels[LADDER])
        need_organiser(caller, state.created.organiser, "CreateMatch for a ladder of another")
        if state.closed:
            raise LadderClosed(state.created.name)
        game = find_game(self.games, match_request.game)
        sides = game.table(game.settings(match_request.chosen, match_request.preset)).sides
        if sides != state.sides:
            raise BadSeats("sides", len(sides), len(state.sides))
        for player in match_request.players:
            _need_member(state, player)

    async def check_player(self, match: Match, player: Player) -> None:
        """Raises NotAMember if the match is rated by a ladder and the player, who joins it, is not on that ladder."""
        ladder = dict(match.setup.labels).get(LADDER)
        if ladder:
            _need_member(await self.ladders.get(ladder), player)


def _need_member(state: LadderState, player: Player) -> None:
    if player.bot and state.ladder.entrant_of(player.bot) is None:
        raise NotAMember(state.created.name, player.bot)
