"""Rate limits: calls per minute, calls in flight, received bytes, and open streams. Moves are not counted.

They are counted for each bot by itself, and for all other tokens of a holder together: so a bot is never refused a call
or a stream for what another bot of its holder did.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from referee.accounts.tokens import BudgetOwner, Quota, Quotas, Role, Token
from referee.live.ports import Time, Timer
from referee.match.clock import MS, SECOND, Micros
from referee.transport.guards.authentication import Caller
from referee.transport.guards.pace import Pace
from referee.transport.guards.quota_cache import QuotaCache
from referee.transport.wire.wire_errors import (
    BadToken,
    TooManyBytes,
    TooManyCallsInFlight,
    TooManyStreams,
    TooMuchStored,
)

WINDOW_S = 60
MAX_BUDGETS = 10_000
"""Budgets beyond which those without a recent call are forgotten."""


class SlidingWindow:
    """Sum of numbers that were added in the last minute, with a resolution of one second."""

    def __init__(self) -> None:
        self._seconds: list[list[int]] = []
        """Pairs of a second and its sum, oldest first. A list, since an empty deque takes 760 bytes."""

    def add(self, now_us: Micros, number: int = 1) -> None:
        second = now_us // SECOND
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1][1] += number
        else:
            self._drop_expired(second)
            self._seconds.append([second, number])

    def sum(self, now_us: Micros) -> int:
        self._drop_expired(now_us // SECOND)
        return sum(number for _, number in self._seconds)

    def _drop_expired(self, second: int) -> None:
        while self._seconds and self._seconds[0][0] <= second - WINDOW_S:
            del self._seconds[0]


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


class StreamKind(Enum):
    """Kinds of streams, whose numbers are limited separately."""

    PLAY = "play"
    WATCH = "watch"


@dataclass(slots=True)
class _Budget:
    """Calls and bytes of one owner."""

    pace: Pace = field(default_factory=Pace)
    calls: SlidingWindow = field(default_factory=SlidingWindow)
    received_bytes: SlidingWindow = field(default_factory=SlidingWindow)

    def is_idle(self, now_us: Micros) -> bool:
        return self.pace.free_us <= now_us and not self.received_bytes.sum(now_us)


@dataclass(frozen=True, slots=True)
class Usage:
    """What an owner of a budget uses now, or has used in the last minute."""

    calls: int = 0
    """Accepted calls; rejected ones do not count."""
    received_bytes: int = 0
    streams: int = 0
    """The larger of its numbers of Play and Watch streams."""


UsageObserver: TypeAlias = Callable[[BudgetOwner, str, int, int], Awaitable[None]]
"""Receives an owner, the name of a quota, how much of it is used, and its limit. May raise StoreUnavailable."""


@dataclass(eq=False)
class RateLimiter:
    """Usage of all holders and bots, on one event loop."""

    _quotas: Quotas
    _quota_cache: QuotaCache
    _max_streams: int
    """Limit of all holders together; Watch streams may be half of them."""
    _time: Time
    _observe_usage: UsageObserver
    _max_calls_in_flight: int
    """Limit of each owner of a budget, which bounds the answers that wait to be read."""
    _in_flight: Counter[BudgetOwner] = field(default_factory=Counter, init=False)
    _budgets: dict[BudgetOwner, _Budget] = field(default_factory=dict, init=False)
    _streams: Counter[tuple[BudgetOwner, StreamKind]] = field(default_factory=Counter, init=False)
    _streams_of_kind: Counter[StreamKind] = field(default_factory=Counter, init=False)
    _tasks: dict[asyncio.Task[object], Token] = field(default_factory=dict, init=False)
    """Tasks of open streams, with the token that opened each."""
    _ended: set[asyncio.Task[object]] = field(default_factory=set, init=False)
    """Tasks cancelled because their token was revoked or has expired."""

    @property
    def streams(self) -> int:
        """Number of open streams of all holders."""
        return len(self._tasks)

    @property
    def stream_tokens(self) -> set[Token]:
        """The tokens by which the streams were opened that are open now."""
        return set(self._tasks.values())

    async def quota(self, holder: str) -> Quota:
        """Return the quota with every default filled in. Raises StoreUnavailable."""
        return await self._quota_cache.get(holder)

    async def require_storage(self, holder: str) -> None:
        """Raise TooMuchStored if the holder may not store more terms; or StoreUnavailable."""
        limit = (await self.quota(holder)).max_stored_bytes
        if limit and await self._quotas.stored_bytes(holder) >= limit:
            raise TooMuchStored(limit)

    def forget(self, holder: str) -> None:
        """Invalidate the cached quota of the holder."""
        self._quota_cache.forget(holder)

    async def count_call(self, owner: BudgetOwner) -> None:
        """Count one call. Raises TooManyCalls, TooManyBytes, or StoreUnavailable."""
        quota = await self.quota(owner.holder)
        budget, now_us, limit = self._budget(owner), self._time.monotonic_us(), quota.calls_per_minute
        if quota.max_received_bytes and budget.received_bytes.sum(now_us) >= quota.max_received_bytes:
            raise TooManyBytes(quota.max_received_bytes)
        budget.pace.count_call(limit, now_us)
        budget.calls.add(now_us)
        await self._observe_usage(owner, "calls_per_minute", budget.calls.sum(now_us), limit)

    def count_bytes(self, owner: BudgetOwner, size_bytes: int) -> None:
        """Count the size of a message that was received."""
        self._budget(owner).received_bytes.add(self._time.monotonic_us(), size_bytes)

    def begin_call(self, owner: BudgetOwner) -> None:
        """Count a call as in flight until `end_call`. Raises TooManyCallsInFlight, and then it is not counted."""
        if self._in_flight[owner] >= self._max_calls_in_flight:
            raise TooManyCallsInFlight(self._max_calls_in_flight)
        self._in_flight[owner] += 1

    def end_call(self, owner: BudgetOwner) -> None:
        self._in_flight[owner] -= 1
        if not self._in_flight[owner]:
            del self._in_flight[owner]

    def usage_of(self, owner: BudgetOwner) -> Usage:
        streams = max(self._streams.get((owner, kind), 0) for kind in StreamKind)
        budget, now_us = self._budgets.get(owner), self._time.monotonic_us()
        if budget is None:
            return Usage(streams=streams)
        return Usage(budget.calls.sum(now_us), budget.received_bytes.sum(now_us), streams)

    @asynccontextmanager
    async def stream(self, caller: Caller, kind: StreamKind = StreamKind.WATCH) -> AsyncIterator[None]:
        """Count the current task as an open stream.

        Raises TooManyStreams, and BadToken when the token is revoked or expires while the stream is open.
        """
        if caller.role is Role.PUBLIC:  # Counted by PublicReading when the call was admitted.
            yield
            return
        counted, task = (caller.budget_owner, kind), asyncio.current_task()
        assert task is not None
        quota = await self.quota(caller.holder)
        self._check_stream_limits(*counted, quota.max_bot_streams if caller.bot else quota.max_streams)
        self._streams[counted] += 1
        self._streams_of_kind[kind] += 1
        self._tasks[task] = caller.token
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
            self._streams_of_kind[kind] -= 1
            self._streams[counted] -= 1
            if not self._streams[counted]:
                del self._streams[counted]

    def end_streams(self, token_id: str) -> None:
        """End all streams that were opened with this token."""
        for task, token in self._tasks.items():
            if token.id == token_id:
                self._end_stream(task)

    def _end_stream(self, task: asyncio.Task[object]) -> None:
        self._ended.add(task)
        task.cancel()

    def _check_stream_limits(self, owner: BudgetOwner, kind: StreamKind, limit: int) -> None:
        if self._streams.get((owner, kind), 0) >= limit:
            raise TooManyStreams(limit)
        # Watch streams must leave room for Play streams.
        max_watches = (self._max_streams + 1) // 2
        if kind is StreamKind.WATCH and self._streams_of_kind[kind] >= max_watches:
            raise TooManyStreams(max_watches)
        if self.streams >= self._max_streams:
            raise TooManyStreams(self._max_streams)

    def _budget(self, owner: BudgetOwner) -> _Budget:
        if owner not in self._budgets and len(self._budgets) >= MAX_BUDGETS:
            now_us = self._time.monotonic_us()
            self._budgets = {name: budget for name, budget in self._budgets.items() if not budget.is_idle(now_us)}
        return self._budgets.setdefault(owner, _Budget())
