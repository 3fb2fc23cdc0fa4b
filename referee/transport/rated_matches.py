"""Matches that somebody makes by hand, and whose results change the ratings of a ladder."""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.api import Game
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.ladders import Ladders
from referee.app.wish import LADDER, MatchWish, find_game
from referee.contest.refusals import LadderClosed, NotAMember
from referee.core.match import Match
from referee.core.setup import Player
from referee.transport.auth import Caller
from referee.transport.refused import BadSeats
from referee.transport.rights import need_organiser


@dataclass(frozen=True, slots=True)
class RatedMatches:
    ladders: Ladders
    games: Mapping[str, Game]

    async def check_wish(self, wish: MatchWish, caller: Caller) -> None:
        """Raises UnknownLadder, NotYours, LadderClosed, BadSeats or NotAMember, if it names a ladder."""
        if LADDER not in wish.labels:
            return
        held = await self.ladders.ladder(wish.labels[LADDER])
        need_organiser(caller, held.made.organiser, "CreateMatch for a ladder of another")
        if held.closed:
            raise LadderClosed(held.made.name)
        game = find_game(self.games, wish.game)
        sides = game.table(game.settings(wish.chosen, wish.preset)).sides
        if sides != held.sides:
            raise BadSeats("sides", len(sides), len(held.sides))
        for player in wish.players:
            _need_member(held, player)

    async def check_player(self, match: Match, player: Player) -> None:
        """Who takes an open seat there must be on the ladder, too. Raises NotAMember."""
        ladder = dict(match.setup.labels).get(LADDER)
        if ladder:
            _need_member(await self.ladders.ladder(ladder), player)


def _need_member(held: HeldLadder, player: Player) -> None:
    if player.bot and held.ladder.entrant_of(player.bot) is None:
        raise NotAMember(held.made.name, player.bot)
