"""Matches in which a bot plays by the will of its owner: those that it made, and those of contests that the bot joined.

Only these can show that the bot does not work: the terms of others are the choice of somebody else.
"""

from collections.abc import Iterable

from referee.accounts.bots import Bot
from referee.contests.ladder.events import LadderEntrant
from referee.contests.tournament.events import TournamentEntrant
from referee.hosting.contest_log import contest_id
from referee.hosting.contest_store import ContestRegistry
from referee.hosting.hosting_errors import ContestDamaged
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_state import TournamentState
from referee.live.match_request import LADDER, MAKER, TOURNAMENT
from referee.match.state import Match


class JoinedMatches:
    def __init__(self, ladders: ContestRegistry[LadderState], tournaments: ContestRegistry[TournamentState]) -> None:
        self._ladders = ladders
        self._tournaments = tournaments

    async def contains(self, bot: Bot, match: Match) -> bool:
        """Return whether the bot plays in the match by the will of its owner. Raises LogUnavailable."""
        labels = dict(match.setup.labels)
        if labels.get(MAKER) == bot.owner:
            return True
        try:
            if TOURNAMENT in labels:
                tournament = await self._tournaments.get(contest_id(TOURNAMENT, labels[TOURNAMENT]))
                return _has_joined(bot.name, tournament.state.tournament.entrants.values())
            if LADDER in labels:
                ladder = await self._ladders.get(contest_id(LADDER, labels[LADDER]))
                return _has_joined(bot.name, ladder.state.ladder.all_entrants.values())
        except (KeyError, ContestDamaged):
            return False
        return False

    def in_contest(self, bot: str) -> bool:
        """Return whether the bot takes part in a contest that is not over, by the will of its owner."""
        ladders = (store.state.ladder for store in self._ladders.active)
        if any(_has_joined(bot, ladder.entrants.values()) for ladder in ladders):
            return True
        tournaments = (store.state.tournament for store in self._tournaments.active)
        return any(_has_joined(bot, [it.entrants[name] for name in it.active_entrants]) for it in tournaments)


def _has_joined(bot: str, entrants: Iterable[LadderEntrant | TournamentEntrant]) -> bool:
    return any(bot in {player.bot for player in entrant.bots} and not entrant.invited for entrant in entrants)
