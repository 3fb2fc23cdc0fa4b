"""Delivers results of matches at least once: they are sent in every session until a pong confirms them.

Undelivered results are stored with the log and so survive a restart.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from referee.live.outbox import MatchEnded

MAX_ENDS_PER_SESSION = 100
"""Limit of results that are sent when a session begins; the newest come first, older ones in the next session."""


class UndeliveredEnds(Protocol):
    """Results that bots have not confirmed. The log inserts one for each bot of a match that ends.

    Every method raises LogUnavailable if they cannot be used now.
    """

    async def list_for(self, bot: str, at_most: int) -> list[MatchEnded]:
        """Return up to `at_most` results, those of the newest matches, in the order of the matches' creation."""

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        """Delete these results, which the bot has confirmed. Idempotent."""


class EndDelivery:
    """Sends undelivered results again."""

    def __init__(self, undelivered: UndeliveredEnds, start: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        """`start` runs a coroutine in the background."""
        self._undelivered = undelivered
        self._start = start

    def resend(self, bot: str, tell: Callable[[MatchEnded], None]) -> None:
        """Pass the undelivered results of the bot to `tell`, in the background."""
        self._start(self._resend(bot, tell))

    def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        self._start(self._undelivered.mark_delivered(ends))

    async def _resend(self, bot: str, tell: Callable[[MatchEnded], None]) -> None:
        for ended in await self._undelivered.list_for(bot, MAX_ENDS_PER_SESSION):
            tell(ended)
