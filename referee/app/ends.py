"""Ends of matches that their bots have not heard of: told in every session until a pong shows that they arrived.

Which they are stands beside the log, and so outlives every restart. An end may be told twice; none is lost.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from referee.app.outbox import Ended

TOLD_AT_ONCE = 100
"""So many are told at the beginning of a session, the newest; what is older is left to the next."""


class UnheardEnds(Protocol):
    """The ends that each bot is still to hear of. Every match that ends is among them: the log sees to that.

    Every method raises LogUnavailable if they cannot be looked up now.
    """

    async def of(self, bot: str, at_most: int) -> list[Ended]:
        """Those of the matches opened last, the newest of them last."""

    async def heard(self, ends: Sequence[Ended]) -> None:
        """The bots have heard of these. To say so twice is no fault."""


class Ends:
    """Tells them."""

    def __init__(self, unheard: UnheardEnds, start: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        """`start` has something done that nobody waits for."""
        self._unheard = unheard
        self._start = start

    def recall(self, bot: str, tell: Callable[[Ended], None]) -> None:
        """Have a session that has just begun told what its bot missed."""
        self._start(self._recall(bot, tell))

    def heard(self, ends: Sequence[Ended]) -> None:
        self._start(self._unheard.heard(ends))

    async def _recall(self, bot: str, tell: Callable[[Ended], None]) -> None:
        for ended in await self._unheard.of(bot, TOLD_AT_ONCE):
            tell(ended)
