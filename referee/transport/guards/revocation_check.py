"""Finds out which tokens other nodes have revoked, so that they are rejected here within seconds as well.

One query a second asks about all tokens that this node has cached or that opened a stream here. A cached token is used
without waiting for the database, because the call may be a move with a running clock.
"""

import asyncio
from dataclasses import dataclass, field

import structlog

from referee.accounts.tokens import Tokens
from referee.live.ports import StoreUnavailable, Time, Timer
from referee.match.clock import SECOND, Micros
from referee.transport.guards.authentication import Authenticator
from referee.transport.guards.rate_limit import RateLimiter

CHECK_INTERVAL_US: Micros = SECOND

log = structlog.get_logger("referee")


@dataclass(eq=False)
class RevocationCheck:
    """Runs from `open` to `close`."""

    _tokens: Tokens
    _authenticator: Authenticator
    _rate_limiter: RateLimiter
    _time: Time
    _timer: Timer | None = field(default=None, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    def open(self) -> None:
        """Begin to check, now and then once a second."""
        self._timer = None
        self._task = asyncio.create_task(self._check())

    async def close(self) -> None:
        """Check no more. Closing twice is allowed."""
        if self._timer:
            self._timer.cancel()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _check(self) -> None:
        asked_us = self._time.monotonic_us()
        try:
            await self._end_revoked(asked_us)
        except StoreUnavailable:
            pass  # The cache is trusted for some seconds only, and the outage is reported by those who write.
        except Exception as fault:
            log.error("revoked tokens could not be read", exc_info=fault)
        self._timer = self._time.call_at(self._time.monotonic_us() + CHECK_INTERVAL_US, self.open)

    async def _end_revoked(self, asked_us: Micros) -> None:
        cached = {token.id: token for token in self._authenticator.cached_tokens}
        streams = {token.id for token in self._rate_limiter.stream_tokens if token.is_stored}
        revoked = await self._tokens.revoked(cached.keys() | streams)
        for token_id in revoked:
            if token_id in cached:
                self._authenticator.forget(cached[token_id])
            self._rate_limiter.end_streams(token_id)
        self._authenticator.confirm(asked_us)
