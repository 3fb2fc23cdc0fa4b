"""How often a holder may call, and how many calls and streams it may have open. No move on its clock is counted."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from referee.app.ports import Time
from referee.app.quotas import Quota, Quotas
from referee.core.clock import MS, SECOND, Micros
from referee.transport.auth import Caller
from referee.transport.expiry import Expiry
from referee.transport.last_minute import LastMinute
from referee.transport.refused import BadToken, TooManyCalls, TooManyCallsInFlight, TooManyStreams, TooMuchStored

MINUTE_US: Micros = 60 * SECOND
KEPT_US: Micros = 10 * SECOND
"""For how long a quota is known without asking for it again."""
BURST = 10
"""A tenth of what may be called in a minute may be called at once."""
HOLDERS_AT_MOST = 10_000
CALLS_IN_FLIGHT = 64
"""Of one holder: as many answers of it can wait to be read."""


@dataclass(slots=True)
class _Budget:
    """Of one holder."""

    quota: Quota
    until_us: Micros
    """Until when the quota is known."""
    free_us: Micros = 0
    """When all calls so far would have been made, had they been spread evenly."""
    calls: LastMinute = field(default_factory=LastMinute)


Watch: TypeAlias = Callable[[str, str, int, int], Awaitable[None]]
"""Hears of a holder, which quota, how much of it is used, and how much there is. Raises LogUnavailable."""


async def nobody(_holder: str, _quota: str, _used: int, _limit: int) -> None:
    """Watches."""


class Allowances:
    """What each holder has left, on one event loop."""

    def __init__(
        self,
        quotas: Quotas,
        usual: Quota,
        streams_at_most: int,
        time: Time,
        watch: Watch = nobody,
        calls_in_flight_at_most: int = CALLS_IN_FLIGHT,
    ) -> None:
        """`streams_at_most` are of all holders together, `calls_in_flight_at_most` of each."""
        self._watch = watch
        self._calls_in_flight_at_most = calls_in_flight_at_most
        self._in_flight: Counter[str] = Counter()
        self._quotas = quotas
        self._usual = usual
        self._streams_at_most = streams_at_most
        self._time = time
        self._budgets: dict[str, _Budget] = {}
        self._streams: Counter[str] = Counter()
        self._tasks: dict[asyncio.Task[object], str] = {}
        """Of open streams, with the id of the token that each was opened with."""
        self._disowned: set[asyncio.Task[object]] = set()
        """Streams that end because their token is good for nothing any more."""

    @property
    def streams(self) -> int:
        """Open ones, of all holders."""
        return len(self._tasks)

    def streams_of(self, holder: str) -> int:
        return self._streams[holder]

    async def quota(self, holder: str) -> Quota:
        """With every limit filled in. Raises LogUnavailable."""
        return (await self._budget(holder)).quota

    async def need_room_on_disk(self, holder: str) -> None:
        """Before it stores more terms. Raises TooMuchStored, or LogUnavailable."""
        limit = (await self.quota(holder)).stored_bytes_at_most
        if limit and await self._quotas.stored_bytes(holder) >= limit:
            raise TooMuchStored(limit)

    def forget(self, holder: str) -> None:
        """Its quota has changed."""
        if holder in self._budgets:
            self._budgets[holder].until_us = 0

    async def count_call(self, holder: str) -> None:
        """Raises TooManyCalls, or LogUnavailable."""
        budget = await self._budget(holder)
        now_us, limit = self._time.monotonic_us(), budget.quota.calls_per_minute
        apart_us = MINUTE_US // limit
        ahead_us = max(budget.free_us, now_us) + apart_us - now_us
        burst_us = max(apart_us, MINUTE_US // BURST)
        if ahead_us > burst_us:
            raise TooManyCalls(limit, max(1, (ahead_us - burst_us) // MS))
        budget.free_us = now_us + ahead_us
        budget.calls.note(now_us)
        await self._watch(holder, "calls_per_minute", budget.calls.count(now_us), limit)

    def begin_call(self, holder: str) -> None:
        """A call that is open until `end_call`. Raises TooManyCallsInFlight, and then it is none."""
        if self._in_flight[holder] >= self._calls_in_flight_at_most:
            raise TooManyCallsInFlight(self._calls_in_flight_at_most)
        self._in_flight[holder] += 1

    def end_call(self, holder: str) -> None:
        self._in_flight[holder] -= 1
        if not self._in_flight[holder]:
            del self._in_flight[holder]

    def calls_of(self, holder: str) -> int:
        """Those of the last minute that were counted, and let in."""
        budget = self._budgets.get(holder)
        return budget.calls.count(self._time.monotonic_us()) if budget else 0

    @asynccontextmanager
    async def stream(self, caller: Caller) -> AsyncIterator[None]:
        """While a stream is open in this task.

        Raises TooManyStreams; and BadToken when its token is revoked, or expires.
        """
        holder, task = caller.holder, asyncio.current_task()
        assert task is not None
        self._need_room(holder, (await self._budget(holder)).quota.streams_at_most)
        self._streams[holder] += 1
        self._tasks[task] = caller.token.id
        expiry = Expiry(caller.token, self._time, lambda: self._end(task))
        try:
            yield
        except asyncio.CancelledError:
            if task in self._disowned:
                task.uncancel()
                raise BadToken from None
            raise
        finally:
            expiry.stop()
            del self._tasks[task]
            self._disowned.discard(task)
            self._streams[holder] -= 1
            self._streams += Counter()  # So that who has none is not remembered.

    def end_streams(self, token_id: str) -> None:
        """The token is good for nothing any more."""
        for task, opened_with in self._tasks.items():
            if opened_with == token_id:
                self._end(task)

    def _end(self, task: asyncio.Task[object]) -> None:
        self._disowned.add(task)
        task.cancel()

    def _need_room(self, holder: str, limit: int) -> None:
        if self._streams[holder] >= limit:
            raise TooManyStreams(limit)
        if self.streams >= self._streams_at_most:
            raise TooManyStreams(self._streams_at_most)

    async def _budget(self, holder: str) -> _Budget:
        now_us = self._time.monotonic_us()
        known = self._budgets.get(holder)
        if known and known.until_us > now_us:
            return known
        quota = (await self._quotas.quota(holder) or Quota()).filled(self._usual)
        if len(self._budgets) >= HOLDERS_AT_MOST:
            self._budgets = {name: kept for name, kept in self._budgets.items() if kept.free_us > now_us}
        # Who else has asked meanwhile counts on the same budget.
        budget = self._budgets.setdefault(holder, _Budget(quota, now_us))
        budget.quota, budget.until_us = quota, now_us + KEPT_US
        return budget
