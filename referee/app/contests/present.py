"""Which entrants of a ladder are there: all their bots have a session, take its games, and are not paused."""

from dataclasses import dataclass

from referee.app.accounts import Accounts
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.making import Making
from referee.app.referee import Referee
from referee.contest.ladder_commands import Here
from referee.contest.ladder_events import Entrant
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Present:
    referee: Referee
    making: Making
    accounts: Accounts

    async def here(self, held: HeldLadder, busy_too: bool = False) -> tuple[list[Here], list[str]]:
        """Who is there, and who would be, were it not paused: the latter only of those who have room."""
        here: list[Here] = []
        paused: list[str] = []
        for entrant in held.ladder.entrants.values():
            it = self._here(held, entrant)
            if it and (it.room > 0 or busy_too) and await self._paused(it):
                paused.append(it.name)
            elif it:
                here.append(it)
        return here, paused

    def _here(self, held: HeldLadder, entrant: Entrant) -> Here | None:
        games = dict.fromkeys(terms.game for terms in held.terms.match_terms)
        players: list[Player] = []
        for bot in entrant.bots:
            free = [self.referee.free(bot, game) for game in games]
            if None in free:
                return None
            players += [it.player for it in free[:1] if it]
        room = min(self.making.room(bot, game) for bot in entrant.bots for game in games)
        return Here(entrant.name, tuple(players), room)

    async def _paused(self, here: Here) -> bool:
        for player in here.bots:
            if (await self.accounts.bot(player.bot)).pause:
                return True
        return False
