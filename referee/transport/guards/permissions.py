"""Ownership checks of contests: a bot acts for itself, an owner for its bots, an organiser in its own contests.

An organiser can create a match whose result changes the ratings of a ladder: the ladder must be its own, and the
players must be members of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from referee_api.v1 import contest_pb2
from referee_api.v1.match_service_pb2 import ListMatchesRequest

from engines.api import Game
from referee.accounts.account_errors import BadField, BadSeats
from referee.accounts.bots import Accounts
from referee.accounts.tokens import Role
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import LadderClosed, NotAMember
from referee.hosting.ladder_host import LadderHost
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_host import TournamentHost
from referee.live.match_request import LADDER, MatchRequest, find_game
from referee.match.setup import Player
from referee.match.state import Match
from referee.transport.guards.authentication import Caller
from referee.transport.wire.contests import read_entrant
from referee.transport.wire.wire_errors import NotYours

OF_BOT_OR_ORGANISER = "the bot's token, or one of its owner, the organiser or an administrator"


@dataclass(frozen=True, slots=True)
class Permissions:
    accounts: Accounts

    async def require_all(self, caller: Caller, organiser: str, bots: Iterable[Player], method: str) -> None:
        """Raises NotYours unless the contest, or every one of these bots, is the caller's; or NoSuchBot."""
        if is_organiser_of(caller, organiser):
            return
        for player in bots:
            if not await self._acts_for(caller, player.bot):
                raise NotYours(method, OF_BOT_OR_ORGANISER, " for another's bot")

    async def require_any(self, caller: Caller, organiser: str, bots: Iterable[Player], method: str) -> None:
        """Raises NotYours unless the contest, or one of these bots, is the caller's; or NoSuchBot."""
        if is_organiser_of(caller, organiser):
            return
        for player in bots:
            if await self._acts_for(caller, player.bot):
                return
        raise NotYours(method, OF_BOT_OR_ORGANISER, " for another")

    async def _acts_for(self, caller: Caller, bot: str) -> bool:
        if caller.role is Role.BOT:
            return caller.bot == bot
        return (await self.accounts.bot(bot)).owner == caller.holder


def is_organiser_of(caller: Caller, organiser: str) -> bool:
    """Return whether the caller is that organiser, or an administrator."""
    return caller.role is Role.ADMIN or (caller.role is Role.ORGANISER and caller.holder == organiser)


def require_organiser(caller: Caller, organiser: str, method: str, kind: str) -> None:
    """Raises NotYours. `kind` is that of the contest."""
    if not is_organiser_of(caller, organiser):
        raise NotYours(method, "a token of its organiser or an administrator", f" for a {kind} of another")


def resolve_new_entrant(entrant: contest_pb2.Entrant, caller: Caller) -> tuple[str, tuple[Player, ...]]:
    """Return name and bots of a new entrant; without bots, the bot of the caller. Raises BadField."""
    resolved = contest_pb2.Entrant()
    resolved.CopyFrom(entrant)
    if not resolved.bots and caller.bot:
        resolved.bots.add(bot=caller.bot)
    return read_entrant(resolved, "entrant")


def find_own_entrant(name: str, caller: Caller, entrants: Iterable[ContestEntrant]) -> ContestEntrant | None:
    """Return the entrant of that name; without a name, the entrant of the caller's bot. Raises BadField."""
    if not name and not caller.bot:
        raise BadField("entrant", "it is required unless a bot calls")
    for entrant in entrants:
        if entrant.name == name or (not name and caller.bot in {player.bot for player in entrant.bots}):
            return entrant
    return None


@dataclass(frozen=True, slots=True)
class MatchLabels:
    """Checks of the labels that tie a match to a ladder or a tournament."""

    ladders: LadderHost
    tournaments: TournamentHost
    games: Mapping[str, Game]

    def check_filter(self, request: ListMatchesRequest) -> None:
        """Raises NoSuchLadder or NoSuchTournament."""
        if request.ladder:
            self.ladders.check_known(request.ladder)
        if request.tournament:
            self.tournaments.check_known(request.tournament)

    async def check_request(self, match_request: MatchRequest, caller: Caller) -> None:
        """Raises NoSuchLadder, NotYours, LadderClosed, BadSeats or NotAMember, if the request names a ladder."""
        if LADDER not in match_request.labels:
            return
        state = await self.check_rating_ladder(match_request.labels[LADDER], caller, "CreateMatch")
        if state.closed:
            raise LadderClosed(state.name)
        terms = match_request.terms
        sides = find_game(self.games, terms.game).table(terms.settings).sides
        if sides != state.sides:
            raise BadSeats("sides", len(sides), len(state.sides))
        for player in match_request.players:
            _need_member(state, player)

    async def check_rating_ladder(self, name: str, caller: Caller, method: str) -> LadderState:
        """Return the ladder that is to rate matches of the caller. Raises NoSuchLadder or NotYours."""
        state = await self.ladders.get(name)
        require_organiser(caller, state.organiser, method, state.kind)
        return state

    async def check_player(self, match: Match, player: Player) -> None:
        """Raises NotAMember if the match is rated by a ladder and the player, who joins it, is not on that ladder."""
        ladder = dict(match.setup.labels).get(LADDER)
        if ladder:
            _need_member(await self.ladders.get(ladder), player)


def _need_member(state: LadderState, player: Player) -> None:
    if player.bot and state.ladder.entrant_of(player.bot) is None:
        raise NotAMember(state.name, player.bot)
