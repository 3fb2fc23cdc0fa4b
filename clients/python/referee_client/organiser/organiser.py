"""Client for organisers: registers bots, creates matches and watches them.

It may be used from several threads at the same time. `AsyncOrganiser` contains all logic and documents the methods.
"""

import os
from types import TracebackType

from referee_client.address import address
from referee_client.organiser.administration import Administration
from referee_client.organiser.async_organiser import PATIENCE_S, OrganiserCoroutines
from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator, blocking_watch
from referee_client.organiser.bot_accounts import BotAccounts
from referee_client.organiser.calls import Calls
from referee_client.organiser.invitations import Invitations
from referee_client.organiser.ladders import Ladders
from referee_client.organiser.tournaments import Tournaments
from referee_client.organiser.transport import BlockingTransport
from referee_client.organiser.unary_play import UnaryPlay


class Organiser(Blocking[OrganiserCoroutines]):
    """All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded."""

    def __init__(
        self,
        target: str | None = None,
        token: str | None = None,
        *,
        ca: str | os.PathLike[str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`target`, `token` and `ca` as for `run`; `patience_s`: how long calls are retried."""
        coroutines = OrganiserCoroutines(Calls(address(target, token, ca), patience_s, BlockingTransport))
        super().__init__(coroutines)
        self.accounts = BotAccounts(coroutines.accounts)
        self.play = UnaryPlay(coroutines.play)
        self.ladders = Ladders(coroutines.ladders)
        self.tournaments = Tournaments(coroutines.tournaments)
        self.invitations = Invitations(coroutines.invitations)
        self.administration = Administration(coroutines.administration)

    def __enter__(self) -> "Organiser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    close = blocking(OrganiserCoroutines.close)
    games = blocking(OrganiserCoroutines.games)
    game = blocking(OrganiserCoroutines.game)
    read_position = blocking(OrganiserCoroutines.read_position)
    own_token = blocking(OrganiserCoroutines.own_token)
    own_quota = blocking(OrganiserCoroutines.own_quota)
    register_bot = blocking(OrganiserCoroutines.register_bot)
    create_token = blocking(OrganiserCoroutines.create_token)
    bots = blocking_iterator(OrganiserCoroutines.bots)
    bot_log = blocking_iterator(OrganiserCoroutines.bot_log)
    create_match = blocking(OrganiserCoroutines.create_match)
    abort = blocking(OrganiserCoroutines.abort)
    withdraw_bot = blocking(OrganiserCoroutines.withdraw_bot)
    standing = blocking(OrganiserCoroutines.standing)
    matches = blocking_iterator(OrganiserCoroutines.matches)
    watch = blocking_watch(OrganiserCoroutines.watch)
    result = blocking(OrganiserCoroutines.result)
    record = blocking(OrganiserCoroutines.record)
    record_bytes = blocking(OrganiserCoroutines.record_bytes)
