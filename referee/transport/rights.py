"""Who may act for whom in a contest: a bot for itself, an owner for its bots, an organiser in its own contest."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from referee_api.v1 import contest_pb2

from referee.app.accounts import Accounts
from referee.app.refusals import BadField
from referee.app.tokens import Role
from referee.core.setup import Player
from referee.transport.auth import Caller
from referee.transport.convert.contests import read_entrant
from referee.transport.refused import NotYours


class Comer(Protocol):
    """Who takes part."""

    @property
    def name(self) -> str: ...

    @property
    def bots(self) -> tuple[Player, ...]: ...


Entrant = TypeVar("Entrant", bound=Comer)


@dataclass(frozen=True, slots=True)
class Rights:
    accounts: Accounts

    async def need_all(self, caller: Caller, organiser: str, bots: Iterable[Player], what: str) -> None:
        """Raises NotYours unless the contest, or every one of these bots, is the caller's; or UnknownBot."""
        if runs(caller, organiser):
            return
        for player in bots:
            if not await self._speaks_for(caller, player.bot):
                raise NotYours(what)

    async def need_one(self, caller: Caller, organiser: str, bots: Iterable[Player], what: str) -> None:
        """Raises NotYours unless the contest, or one of these bots, is the caller's; or UnknownBot."""
        if runs(caller, organiser):
            return
        for player in bots:
            if await self._speaks_for(caller, player.bot):
                return
        raise NotYours(what)

    async def _speaks_for(self, caller: Caller, bot: str) -> bool:
        if caller.role is Role.BOT:
            return caller.bot == bot
        return (await self.accounts.bot(bot)).owner == caller.holder


def runs(caller: Caller, organiser: str) -> bool:
    """Is the contest of that organiser the caller's? An administrator's are all."""
    return caller.role is Role.ADMIN or (caller.role is Role.ORGANISER and caller.holder == organiser)


def need_organiser(caller: Caller, organiser: str, what: str) -> None:
    """Raises NotYours."""
    if not runs(caller, organiser):
        raise NotYours(what)


def who_comes(entrant: contest_pb2.Entrant, caller: Caller) -> tuple[str, tuple[Player, ...]]:
    """The name and the bots of who is to come in: if none are named, the caller's bot. Raises BadField."""
    meant = contest_pb2.Entrant()
    meant.CopyFrom(entrant)
    if not meant.bots and caller.bot:
        meant.bots.add(bot=caller.bot)
    return read_entrant(meant, "entrant")


def who_is_meant(named: str, caller: Caller, entrants: Iterable[Entrant]) -> Entrant | None:
    """The entrant of that name; without one, that of the caller's bot. None: it is not in. Raises BadField."""
    if not named and not caller.bot:
        raise BadField("entrant", "which one?")
    for entrant in entrants:
        if entrant.name == named or (not named and caller.bot in {player.bot for player in entrant.bots}):
            return entrant
    return None
