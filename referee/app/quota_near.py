"""A quota that is nearly used up: the bots that live on it are told before anything is refused to them.

Once each time it comes near; and not again before it was half free in between, for who lives close to a limit knows.
"""

from collections.abc import Callable, Sequence

from referee.app.accounts import Accounts
from referee.app.notices import Notices
from referee.app.sessions import Session


class QuotaNear:
    def __init__(self, accounts: Accounts, notices: Notices, sessions_of: Callable[[str], Sequence[Session]]) -> None:
        """`sessions_of` gives the open sessions of a bot."""
        self._accounts = accounts
        self._notices = notices
        self._sessions_of = sessions_of
        self._told: set[tuple[str, str]] = set()
        """Holders, and which of their quotas was near when it was looked at last."""

    async def used(self, holder: str, quota: str, used: int, limit: int) -> None:
        """So much of that quota is used now. The holder's bots that are here may be told. Raises LogUnavailable."""
        which = (holder, quota)
        if 2 * used <= limit:
            self._told.discard(which)
        elif 5 * used >= 4 * limit and which not in self._told:
            self._told.add(which)
            for bot in await self._accounts.bots(owner=holder):
                if self._sessions_of(bot.name):
                    self._notices.quota_near(bot, quota, used, limit)
