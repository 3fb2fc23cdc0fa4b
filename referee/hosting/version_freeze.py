"""Versions that the entrants of a tournament play with until its end, if its terms freeze them.

An entrant that named a version plays with that one anyway. For the others the worker records the version that is online
when play starts or when they enter later, else the latest one. A bot that was never connected is frozen when it comes.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from referee.accounts.bots import Accounts
from referee.contests.tournament.events import FrozenEntrant
from referee.hosting.match_factory import MatchFactory
from referee.hosting.tournament_state import TournamentState
from referee.live.bot_notices import BotNotifier
from referee.match.setup import Player


class VersionFreeze:
    def __init__(self, factory: MatchFactory, accounts: Accounts, notifier: BotNotifier) -> None:
        self._factory = factory
        self._accounts = accounts
        self._notifier = notifier
        self._told: set[tuple[Player, str]] = set()
        """Frozen versions, each with another one that was online, of which the owner knows."""

    async def versions_to_freeze(self, state: TournamentState) -> list[FrozenEntrant]:
        """Return the entrants whose versions are not frozen yet and are known now."""
        if not state.terms.value.freeze_versions:
            return []
        game = state.terms.match_terms[0].game
        found = []
        for name in state.tournament.active_entrants:
            bots = state.tournament.entrants[name].bots
            if not all(player.version for player in bots):
                chosen = tuple([await self._chosen(player, game) for player in bots])
                found += [FrozenEntrant(name, chosen)] if chosen != bots else []
        return found

    async def _chosen(self, player: Player, game: str) -> Player:
        if player.version:
            return player
        online = self._factory.online_version(player, game)
        return replace(player, version=online or (await self._accounts.bot(player.bot)).latest_version)

    async def explain(self, state: TournamentState, bots: Sequence[Player], game: str) -> None:
        """Tell the owners of bots that are online with another version why they get no match. Each is told once."""
        if not state.terms.value.freeze_versions:
            return
        for player in bots:
            online = self._factory.online_version(Player(player.bot), game)
            away = online and not self._factory.online_version(player, game)
            if away and (player, online) not in self._told:
                self._told.add((player, online))
                bot = await self._accounts.bot(player.bot)
                self._notifier.version_frozen(bot, state.name, player.version, online)
