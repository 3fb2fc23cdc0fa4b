"""Ownership checks of contests: a bot acts for itself, an owner for its bots, an organiser in its own contests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from referee_api.v1 import contest_pb2

from referee.accounts.account_errors import BadField
from referee.accounts.bots import Accounts
from referee.accounts.tokens import Role
from referee.match.setup import Player
from referee.transport.guards.authentication import Caller
from referee.wire.contests import read_entrant
from referee.wire.wire_errors import NotYours


class EntrantLike(Protocol):
    """An entrant of a ladder or of a tournament."""

    @property
    def name(self) -> str: ...

    @property
    def bots(self) -> tuple[Player, ...]: ...


Entrant = TypeVar("Entrant", bound=EntrantLike)


@dataclass(frozen=True, slots=True)
class Permissions:
    accounts: Accounts

    async def need_all(self, caller: Caller, organiser: str, bots: Iterable[Player], what: str) -> None:
        """Raises NotYours unless the contest, or every one of these bots, is the caller's; or UnknownBot."""
        if is_organiser_of(caller, organiser):
            return
        for player in bots:
            if not await self._acts_for(caller, player.bot):
                raise NotYours(what)

    async def need_one(self, caller: Caller, organiser: str, bots: Iterable[Player], what: str) -> None:
        """Raises NotYours unless the contest, or one of these bots, is the caller's; or UnknownBot."""
        if is_organiser_of(caller, organiser):
            return
        for player in bots:
            if await self._acts_for(caller, player.bot):
                return
        raise NotYours(what)

    async def _acts_for(self, caller: Caller, bot: str) -> bool:
        if caller.role is Role.BOT:
            return caller.bot == bot
        return (await self.accounts.bot(bot)).owner == caller.holder


def is_organiser_of(caller: Caller, organiser: str) -> bool:
    """Return whether the caller is that organiser, or an administrator."""
    return caller.role is Role.ADMIN or (caller.role is Role.ORGANISER and caller.holder == organiser)


def need_organiser(caller: Caller, organiser: str, what: str) -> None:
    """Raises NotYours."""
    if not is_organiser_of(caller, organiser):
        raise NotYours(what)


def resolve_new_entrant(entrant: contest_pb2.Entrant, caller: Caller) -> tuple[str, tuple[Player, ...]]:
    """Return name and bots of a new entrant; without bots, the bot of the caller. Raises BadField."""
    resolved = contest_pb2.Entrant()
    resolved.CopyFrom(entrant)
    if not resolved.bots and caller.bot:
        resolved.bots.add(bot=caller.bot)
    return read_entrant(resolved, "entrant")


def find_own_entrant(name: str, caller: Caller, entrants: Iterable[Entrant]) -> Entrant | None:
    """Return the entrant of that name; without a name, the entrant of the caller's bot. Raises BadField."""
    if not name and not caller.bot:
        raise BadField("entrant", "it is required unless a bot calls")
    for entrant in entrants:
        if entrant.name == name or (not name and caller.bot in {player.bot for player in entrant.bots}):
            return entrant
    return None
