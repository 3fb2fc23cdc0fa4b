"""Answers to callers without a token: equal requests share one, and others have limits by address and in total.

All these callers use the token of the site, as its pages do. Without limits of their own, one caller of the JSON API
could use up its calls, and nobody would see a page.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from referee.live.ports import Time
from referee.match.clock import SECOND
from referee.site.upstream import UpstreamError
from referee.transport.guards.pace import AddressPace
from referee.transport.wire.wire_errors import TooManyCalls

MAX_AGE_US = 1 * SECOND
CALLS_PER_MINUTE = 120
"""Calls of one address that no kept answer serves; a tenth of them at once."""
CALLS_PER_MINUTE_OF_ALL = 300
"""The same of all addresses: half of what a token has by default."""
MAX_CONCURRENT = 32
MAX_WAITING = 64


@dataclass(slots=True)
class _Kept:
    answer: asyncio.Task[bytes]
    is_small: bool
    since_us: int = 0
    """When it was there."""


class PublicAnswers:
    """Used on one event loop."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._by_address = AddressPace(CALLS_PER_MINUTE, time)
        self._of_all = AddressPace(CALLS_PER_MINUTE_OF_ALL, time)
        self._kept: dict[str, _Kept] = {}
        self._free = asyncio.Semaphore(MAX_CONCURRENT)
        self._waiting = 0

    async def get(
        self, key: str, address: str, calls: int, fetch: Callable[[], Awaitable[bytes]], *, is_small: bool = True
    ) -> bytes:
        """Return what `fetch` returned for this key at most a second ago, or returns now. Raises UpstreamError.

        `address` is whose limit it counts for, `calls` how often. Only a small answer is kept; other requests that
        arrive while it is fetched share it anyway.
        """
        self._forget_old()
        kept = self._kept.get(key)
        if kept is None:
            self._count(address, calls)
            kept = self._kept[key] = _Kept(asyncio.ensure_future(self._fetch(key, fetch)), is_small)
            kept.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())
        # A caller that disconnects must not cancel what others wait for.
        return await asyncio.shield(kept.answer)

    def _count(self, address: str, calls: int) -> None:
        if self._waiting >= MAX_WAITING:
            raise UpstreamError(HTTPStatus.SERVICE_UNAVAILABLE, "SITE_BUSY", "The site is busy; retry in a second.")
        try:
            for _ in range(calls):
                self._by_address.count_call(address)
                self._of_all.count_call("")
        except TooManyCalls as why:
            raise UpstreamError(
                HTTPStatus.TOO_MANY_REQUESTS, "TOO_MANY_CALLS", f"{why}, or send a token of your own"
            ) from None

    async def _fetch(self, key: str, fetch: Callable[[], Awaitable[bytes]]) -> bytes:
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            return await fetch()
        finally:
            self._free.release()
            if self._kept[key].is_small:
                self._kept[key].since_us = self._time.monotonic_us()
            else:
                del self._kept[key]

    def _forget_old(self) -> None:
        """Forget what is too old. The limits bound how much there is, and so how long this takes."""
        oldest_us = self._time.monotonic_us() - MAX_AGE_US
        for key in [key for key, kept in self._kept.items() if kept.answer.done() and kept.since_us < oldest_us]:
            del self._kept[key]
