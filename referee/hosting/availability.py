"""Finds the entrants of a ladder that are available: all their bots are online, accept its games and are not paused."""

from dataclasses import dataclass

from referee.accounts.bots import Accounts
from referee.contests.ladder.commands import AvailableEntrant
from referee.contests.ladder.events import LadderEntrant
from referee.hosting.ladder_state import LadderState
from referee.hosting.match_factory import MatchFactory
from referee.live.referee import Referee
from referee.match.setup import Player


@dataclass(frozen=True, slots=True)
class Availability:
    referee: Referee
    factory: MatchFactory
    accounts: Accounts

    async def of_entrants(
        self, state: LadderState, with_busy: bool = False
    ) -> tuple[list[AvailableEntrant], list[str]]:
        """Return available entrants, and the names of those that would be, were they not paused.

        Pauses are looked up only for entrants that have room, unless `with_busy`.
        """
        available: list[AvailableEntrant] = []
        paused: list[str] = []
        for entrant in state.ladder.entrants.values():
            found = self._online(state, entrant)
            if found and (found.free_slots > 0 or with_busy) and await self._is_paused(found):
                paused.append(found.name)
            elif found:
                available.append(found)
        return available, paused

    def _online(self, state: LadderState, entrant: LadderEntrant) -> AvailableEntrant | None:
        games = dict.fromkeys(terms.game for terms in state.terms.match_terms)
        players: list[Player] = []
        for bot in entrant.bots:
            free = [self.referee.free_capacity(bot, game) for game in games]
            if None in free:
                return None
            players += [it.player for it in free[:1] if it]
        room = min(self.factory.room(bot, game) for bot in entrant.bots for game in games)
        return AvailableEntrant(entrant.name, tuple(players), room)

    async def _is_paused(self, entrant: AvailableEntrant) -> bool:
        for player in entrant.bots:
            if (await self.accounts.bot(player.bot)).pause:
                return True
        return False
