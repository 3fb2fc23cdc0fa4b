"""Matches in which a bot plays by the will of its owner: those that it made, and those of contests that the bot joined.

Only these can show that the bot does not work: the terms of others are the choice of somebody else.
"""

from collections.abc import Iterable, Mapping, Set
from typing import Any

from referee.accounts.bots import Bot
from referee.contests.contest_entrant import ContestEntrant
from referee.hosting.contest_log import contest_id
from referee.hosting.contest_store import ContestRegistry
from referee.hosting.hosting_errors import ContestDamaged
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_state import TournamentState
from referee.live.match_request import LADDER, MAKER, TOURNAMENT
from referee.match.state import Match

CACHE_SIZE = 256
"""Number of contests."""


class JoinedMatches:
    def __init__(self, ladders: ContestRegistry[LadderState], tournaments: ContestRegistry[TournamentState]) -> None:
        self._ladders = ladders
        self._tournaments = tournaments
        self._cache: dict[str, tuple[Mapping[str, ContestEntrant], Set[str]]] = {}
        """Bots that have joined by contest, and the entrants from which they were computed."""

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

    def has_joined(self, bot: str, kind: str, name: str) -> bool:
        """Return whether the bot has entered the contest by the will of its owner; true if the contest is over."""
        contest = contest_id(kind, name)
        if kind == TOURNAMENT:
            tournament = self._tournaments.loaded(contest)
            return tournament is None or bot in self._joined_bots(contest, tournament.state.tournament.entrants)
        ladder = self._ladders.loaded(contest)
        return ladder is None or bot in self._joined_bots(contest, ladder.state.ladder.all_entrants)

    def knows_organiser(self, bot: str, kind: str, name: str) -> bool:
        """Return whether the bot takes part in a contest of the organiser of this one, by the will of its owner."""
        registry: ContestRegistry[Any] = self._tournaments if kind == TOURNAMENT else self._ladders
        store = registry.loaded(contest_id(kind, name))
        return store is not None and self.in_contest(bot, store.state.created.organiser)

    def in_contest(self, bot: str, organiser: str = "") -> bool:
        """Return whether the bot takes part in a contest that is not over, by the will of its owner.

        With `organiser`, only contests of that organiser count.
        """
        for ladder_store in self._ladders.active:
            if organiser not in ("", ladder_store.state.created.organiser):
                continue
            ladder = ladder_store.state.ladder
            ever_joined = self._joined_bots(ladder_store.contest, ladder.all_entrants)
            if bot in ever_joined and _has_joined(bot, ladder.entrants.values()):
                return True
        for store in self._tournaments.active:
            if organiser not in ("", store.state.created.organiser):
                continue
            cup = store.state.tournament
            ever_joined = self._joined_bots(store.contest, cup.entrants)
            if bot in ever_joined and _has_joined(bot, [cup.entrants[name] for name in cup.active_entrants]):
                return True
        return False

    def _joined_bots(self, contest: str, entrants: Mapping[str, ContestEntrant]) -> Set[str]:
        """Return the bots that have joined. It is asked for each bot that may play, so it must not search them all."""
        known = self._cache.get(contest)
        if known and known[0] is entrants:
            return known[1]
        joined = {player.bot for entrant in entrants.values() if not entrant.invited for player in entrant.bots}
        if len(self._cache) >= CACHE_SIZE:
            self._cache.clear()
        self._cache[contest] = entrants, joined
        return joined


def _has_joined(bot: str, entrants: Iterable[ContestEntrant]) -> bool:
    return any(bot in {player.bot for player in entrant.bots} and not entrant.invited for entrant in entrants)
