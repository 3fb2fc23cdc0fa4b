"""Matches in which a bot plays by the will of its owner: those that it made, and those of contests that the bot joined.

Only these can show that the bot does not work: the terms of others are the choice of somebody else.
"""

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from referee.accounts.bots import Accounts, Bot
from referee.accounts.tokens import PROVIDER_HOLDER, Quotas
from referee.contests.contest_entrant import ContestEntrant
from referee.hosting.contest_log import contest_id
from referee.hosting.contest_store import ContestRegistry
from referee.hosting.hosting_errors import ContestDamaged
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_state import TournamentState
from referee.live.match_request import LADDER, MAKER, TOURNAMENT
from referee.match.setup import Player
from referee.match.state import Match

CACHE_SIZE = 256
"""Number of contests."""


class JoinedMatches:
    def __init__(self, ladders: ContestRegistry[LadderState], tournaments: ContestRegistry[TournamentState]) -> None:
        self._registries: dict[str, ContestRegistry[Any]] = {TOURNAMENT: tournaments, LADDER: ladders}
        """By kind. A tournament that a ladder rates is entered as a tournament."""
        self._cache: dict[str, tuple[Mapping[str, ContestEntrant], Set[str]]] = {}
        """Bots that have joined by contest, and the entrants from which they were computed."""

    async def contains(self, bot: Bot, match: Match) -> bool:
        """Return whether the bot plays in the match by the will of its owner. Raises StoreUnavailable."""
        labels = dict(match.setup.labels)
        if labels.get(MAKER) == bot.owner:
            return True
        for kind, registry in self._registries.items():
            if kind in labels:
                with suppress(KeyError, ContestDamaged):
                    state = (await registry.get(contest_id(kind, labels[kind]))).state
                    return _has_joined(bot.name, state.all_entrants.values())
                return False
        return False

    def has_joined(self, bot: str, kind: str, name: str) -> bool:
        """Return whether the bot has entered the contest by the will of its owner; true if the contest is over."""
        contest = contest_id(kind, name)
        store = self._registries[kind].loaded(contest)
        return store is None or bot in self._joined_bots(contest, store.state.all_entrants)

    def knows_organiser(self, bot: str, kind: str, name: str) -> bool:
        """Return whether the bot takes part in a contest of the organiser of this one, by the will of its owner."""
        store = self._registries[kind].loaded(contest_id(kind, name))
        return store is not None and self.in_contest(bot, store.state.organiser)

    def in_contest(self, bot: str, organiser: str = "") -> bool:
        """Return whether the bot takes part in a contest that is not over, by the will of its owner.

        With `organiser`, only contests of that organiser count.
        """
        for registry in self._registries.values():
            for store in registry.active:
                state = store.state
                if organiser not in ("", state.organiser):
                    continue
                ever_joined = self._joined_bots(store.contest, state.all_entrants)
                if bot in ever_joined and _has_joined(bot, state.present_entrants):
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


@dataclass(frozen=True, slots=True)
class PairingOwners:
    accounts: Accounts
    quotas: Quotas

    async def of(self, players: Iterable[Player]) -> tuple[str, ...]:
        """Return the authors that own these bots, in alphabetical order. Raises NoSuchBot or StoreUnavailable."""
        owners = {(await self.accounts.bot(player.bot)).owner for player in players}
        authors = [owner for owner in owners if owner.startswith(PROVIDER_HOLDER) or await self.quotas.is_author(owner)]
        return tuple(sorted(authors))
