"""Rate limits of each holder: calls per minute, calls in flight, and open streams. Moves are not counted."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from referee.accounts.tokens import DefaultQuotas, Quota, Quotas, Role, Token
from referee.live.ports import Time, Timer
from referee.match.clock import MS, SECOND, Micros
from referee.transport.guards.authentication import Caller
from referee.transport.guards.pace import Pace
from referee.wire.wire_errors import BadToken, TooManyCallsInFlight, TooManyStreams, TooMuchStored

WINDOW_S = 60
QUOTA_CACHE_US: Micros = 10 * SECOND
"""Time for which a quota is cached."""
HOLDER_CACHE_SIZE = 10_000


class SlidingWindow:
    """Number of events in the last minute, with a resolution of one second."""

    def __init__(self) -> None:
        self._seconds: deque[list[int]] = deque()
        """Pairs of a second and its number of events, oldest first."""

    def add(self, now_us: Micros) -> None:
        second = now_us // SECOND
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1][1] += 1
        else:
            self._drop_expired(second)
            self._seconds.append([second, 1])

    def count(self, now_us: Micros) -> int:
        self._drop_expired(now_us // SECOND)
        return sum(events for _, events in self._seconds)

    def _drop_expired(self, second: int) -> None:
        while self._seconds and self._seconds[0][0] <= second - WINDOW_S:
            self._seconds.popleft()


class TokenExpiry:
    """Timer that calls `expired` when a token expires, unless it is stopped before."""

    def __init__(self, token: Token, time: Time, expired: Callable[[], None]) -> None:
        self._expires_ms = token.expires_ms
        self._time = time
        self._expired = expired
        self._timer: Timer | None = None
        self._check_expiry()

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _check_expiry(self) -> None:
        """Call back or set the timer again: it may fire early, and the wall clock may have been set."""
        if self._expires_ms is None:
            return
        left_ms = self._expires_ms - self._time.wall_ms()
        if left_ms <= 0:
            self._expired()
        else:
            self._timer = self._time.call_at(self._time.monotonic_us() + left_ms * MS, self._check_expiry)


@dataclass(slots=True)
class _Budget:
    """Quota and calls of one holder."""

    quota: Quota
    until_us: Micros
    """Time at which the cached quota expires."""
    pace: Pace = field(default_factory=Pace)
    calls: SlidingWindow = field(default_factory=SlidingWindow)


UsageObserver: TypeAlias = Callable[[str, str, int, int], Awaitable[None]]
"""Receives a holder, the name of a quota, how much of it is used, and its limit. May raise LogUnavailable."""


class RateLimiter:
    """Usage of all holders, on one event loop."""

    def __init__(
        self,
        quotas: Quotas,
        defaults: DefaultQuotas,
        max_streams: int,
        time: Time,
        observe_usage: UsageObserver,
        max_calls_in_flight: int,
    ) -> None:
        """`max_streams` holds for all holders together.

        `max_calls_in_flight` holds for each, and bounds the answers that wait to be read.
        """
        self._observe_usage = observe_usage
        self._max_calls_in_flight = max_calls_in_flight
        self._in_flight: Counter[str] = Counter()
        self._quotas = quotas
        self._defaults = defaults
        self._max_streams = max_streams
        self._time = time
        self._budgets: dict[str, _Budget] = {}
        self._streams: Counter[str] = Counter()
        self._tasks: dict[asyncio.Task[object], str] = {}
        """Tasks of open streams, with the id of the token that opened each."""
        self._ended: set[asyncio.Task[object]] = set()
        """Tasks cancelled because their token was revoked or has expired."""

    @property
    def streams(self) -> int:
        """Number of open streams of all holders."""
        return len(self._tasks)

    def streams_of(self, holder: str) -> int:
        return self._streams[holder]

    async def quota(self, holder: str) -> Quota:
        """Return the quota with every default filled in. Raises LogUnavailable."""
        return (await self._budget(holder)).quota

    async def require_storage(self, holder: str) -> None:
        """Raise TooMuchStored if the holder may not store more terms; or LogUnavailable."""
        limit = (await self.quota(holder)).max_stored_bytes
        if limit and await self._quotas.stored_bytes(holder) >= limit:
            raise TooMuchStored(limit)

    def forget(self, holder: str) -> None:
        """Invalidate the cached quota of the holder."""
        if holder in self._budgets:
            self._budgets[holder].until_us = 0

    async def count_call(self, holder: str) -> None:
        """Count one call. Raises TooManyCalls, or LogUnavailable."""
        budget = await self._budget(holder)
        now_us, limit = self._time.monotonic_us(), budget.quota.calls_per_minute
        budget.pace.count_call(limit, now_us)
        budget.calls.add(now_us)
        await self._observe_usage(holder, "calls_per_minute", budget.calls.count(now_us), limit)

    def begin_call(self, holder: str) -> None:
        """Count a call as in flight until `end_call`. Raises TooManyCallsInFlight, and then it is not counted."""
        if self._in_flight[holder] >= self._max_calls_in_flight:
            raise TooManyCallsInFlight(self._max_calls_in_flight)
        self._in_flight[holder] += 1

    def end_call(self, holder: str) -> None:
        self._in_flight[holder] -= 1
        if not self._in_flight[holder]:
            del self._in_flight[holder]

    def calls_of(self, holder: str) -> int:
        """Return the number of calls of the last minute that were counted and accepted."""
        budget = self._budgets.get(holder)
        return budget.calls.count(self._time.monotonic_us()) if budget else 0

    @asynccontextmanager
    async def stream(self, caller: Caller) -> AsyncIterator[None]:
        """Count the current task as an open stream.

        Raises TooManyStreams, and BadToken when the token is revoked or expires while the stream is open.
        """
        if caller.role is Role.PUBLIC:  # Counted by PublicReading when the call was admitted.
            yield
            return
        holder, task = caller.holder, asyncio.current_task()
        assert task is not None
        self._check_stream_limits(holder, (await self._budget(holder)).quota.max_streams)
        self._streams[holder] += 1
        self._tasks[task] = caller.token.id
        expiry = TokenExpiry(caller.token, self._time, lambda: self._end_stream(task))
        try:
            yield
        except asyncio.CancelledError:
            if task in self._ended:
                task.uncancel()
                raise BadToken from None
            raise
        finally:
            expiry.stop()
            del self._tasks[task]
            self._ended.discard(task)
            self._streams[holder] -= 1
            self._streams += Counter()  # Removes holders that have no stream any more.

    def end_streams(self, token_id: str) -> None:
        """End all streams that were opened with this token."""
        for task, opened_with in self._tasks.items():
            if opened_with == token_id:
                self._end_stream(task)

    def _end_stream(self, task: asyncio.Task[object]) -> None:
        self._ended.add(task)
        task.cancel()

    def _check_stream_limits(self, holder: str, limit: int) -> None:
        if self._streams[holder] >= limit:
            raise TooManyStreams(limit)
        if self.streams >= self._max_streams:
            raise TooManyStreams(self._max_streams)

    async def _budget(self, holder: str) -> _Budget:
        now_us = self._time.monotonic_us()
        cached = self._budgets.get(holder)
        if cached and cached.until_us > now_us:
            return cached
        default = self._defaults.author if await self._quotas.is_author(holder) else self._defaults.organiser
        quota = (await self._quotas.quota(holder) or Quota()).filled(default)
        if len(self._budgets) >= HOLDER_CACHE_SIZE:
            self._budgets = {name: budget for name, budget in self._budgets.items() if budget.pace.free_us > now_us}
        # Concurrent calls share one budget: another may have been created during the await.
        budget = self._budgets.setdefault(holder, _Budget(quota, now_us))
        budget.quota, budget.until_us = quota, now_us + QUOTA_CACHE_US
        return budget
