"""Owners of bots, as far as pairing takes them into account.

Bots of one author do not meet in rated matches, so that no owner can let one bot lose to another. Staff register bots
for others, and for contests on their own machines, where all bots have one owner; those bots may all meet.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from referee.accounts.bots import Accounts
from referee.accounts.tokens import PROVIDER_HOLDER, Quotas
from referee.match.setup import Player


@dataclass(frozen=True, slots=True)
class PairingOwners:
    accounts: Accounts
    quotas: Quotas

    async def of(self, players: Iterable[Player]) -> tuple[str, ...]:
        """Return the authors that own these bots, in alphabetical order. Raises NoSuchBot or StoreUnavailable."""
        owners = {(await self.accounts.bot(player.bot)).owner for player in players}
        return tuple(sorted([owner for owner in owners if await self._is_author(owner)]))

    async def _is_author(self, holder: str) -> bool:
        return holder.startswith(PROVIDER_HOLDER) or await self.quotas.is_author(holder)
