"""Rate limits: calls per minute, calls in flight, open streams."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from referee.accounts.account_errors import TooManyNames
from referee.accounts.tokens import BudgetOwner, Quota, Role, Token
from referee.match.clock import SECOND
from referee.storage.stored_accounts import StoredTokens
from referee.storage.stored_quotas import StoredQuotas
from referee.transport.guards import pace, rate_limit
from referee.transport.guards.authentication import Caller
from referee.transport.guards.contest_changes import DAY_MS, ContestChanges
from referee.transport.guards.pace import AddressPace
from referee.transport.guards.rate_limit import RateLimiter, StreamKind, Usage
from referee.transport.wire.wire_errors import (
    BadToken,
    TooManyBytes,
    TooManyCalls,
    TooManyCallsInFlight,
    TooManyStreams,
)
from tests.live.fake_time import FakeTime
from tests.live.runner_harness import ServerProcess
from tests.storage.memory import MemoryDatabase
from tests.transport.rate_limiters import create_rate_limiter

DEFAULT_QUOTA = Quota(10, 2, 60, 10, 10, max_bot_streams=1)
ADA, BOB = BudgetOwner("ada"), BudgetOwner("bob")
FIRST_BOT, SECOND_BOT = BudgetOwner("ada", "first"), BudgetOwner("ada", "second")


def caller(holder: str = "ada", expires_ms: int | None = None) -> Caller:
    return Caller(Token(bytes(32), Role.SPECTATOR, holder, 0, expires_ms=expires_ms))


class Streams(ServerProcess):
    """Streams that stay open until `close` or the end of the test."""

    def __init__(self, limiter: RateLimiter) -> None:
        self.limiter = limiter
        self._ended = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        super().__init__()

    async def open(self, caller: Caller, kind: StreamKind = StreamKind.WATCH) -> asyncio.Task[None]:
        """Open a stream in a task of its own. Raises TooManyStreams."""
        task = asyncio.create_task(self._hold(caller, kind))
        await asyncio.sleep(0)
        if task.done():
            await task
        self._tasks.append(task)
        return task

    async def close(self) -> None:
        self._ended.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _hold(self, caller: Caller, kind: StreamKind) -> None:
        async with self.limiter.stream(caller, kind):
            await self._ended.wait()


def bot_caller(bot: str) -> Caller:
    return Caller(Token(bytes(32), Role.BOT, "ada", 0, bot))


def new_rate_limiter(time: FakeTime, max_streams: int = 100) -> RateLimiter:
    return create_rate_limiter(time, DEFAULT_QUOTA, max_streams=max_streams)


async def test_a_tenth_of_the_calls_per_minute_can_be_made_at_once() -> None:
    time = FakeTime()
    limiter = new_rate_limiter(time)
    for _ in range(6):
        await limiter.count_call(ADA)
    with pytest.raises(TooManyCalls) as error:
        await limiter.count_call(ADA)
    assert error.value.details["retry_after_ms"] == "1000"
    await limiter.count_call(BOB)
    time.us += SECOND
    await limiter.count_call(ADA)


async def test_only_accepted_calls_of_the_last_minute_are_counted() -> None:
    time = FakeTime()
    limiter = new_rate_limiter(time)
    assert limiter.usage_of(ADA).calls == 0
    for _ in range(6):
        await limiter.count_call(ADA)
    with pytest.raises(TooManyCalls):
        await limiter.count_call(ADA)
    time.us += 30 * SECOND
    await limiter.count_call(ADA)
    assert (limiter.usage_of(ADA).calls, limiter.usage_of(BOB).calls) == (7, 0)
    time.us += 29 * SECOND
    assert limiter.usage_of(ADA).calls == 7
    time.us += SECOND
    assert limiter.usage_of(ADA).calls == 1
    time.us += 30 * SECOND
    assert limiter.usage_of(ADA).calls == 0


async def test_concurrent_first_calls_share_one_budget() -> None:
    limiter = new_rate_limiter(FakeTime())
    await asyncio.gather(*(limiter.count_call(ADA) for _ in range(6)))
    assert limiter.usage_of(ADA).calls == 6
    with pytest.raises(TooManyCalls):
        await limiter.count_call(ADA)


async def test_authors_have_default_limits_of_their_own_and_a_quota_has_precedence() -> None:
    database = MemoryDatabase()
    for number, holder in enumerate(("ada", "bob")):
        await StoredTokens(database).add_token(Token(bytes([number]) * 32, Role.AUTHOR, holder, 0), 1)
    quotas = StoredQuotas(database)
    await quotas.set_quota("bob", Quota(max_bots=7))
    limiter = create_rate_limiter(FakeTime(), DEFAULT_QUOTA, quotas, author_quota=Quota(1, 1, 1, 1, 1))
    assert [(await limiter.quota(holder)).max_bots for holder in ("ada", "bob", "eve")] == [1, 7, 10]


async def test_a_bot_is_refused_nothing_for_what_another_bot_of_its_holder_did() -> None:
    limiter = create_rate_limiter(FakeTime(), DEFAULT_QUOTA, max_calls_in_flight=1)
    limiter.begin_call(FIRST_BOT)
    with pytest.raises(TooManyCallsInFlight):
        limiter.begin_call(FIRST_BOT)
    for _ in range(6):
        await limiter.count_call(FIRST_BOT)
    with pytest.raises(TooManyCalls):
        await limiter.count_call(FIRST_BOT)
    for other in (SECOND_BOT, ADA):
        limiter.begin_call(other)
        await limiter.count_call(other)
    assert [limiter.usage_of(owner).calls for owner in (FIRST_BOT, SECOND_BOT, ADA)] == [6, 1, 1]


async def test_streams_are_limited_for_each_bot_and_kind() -> None:
    streams = Streams(new_rate_limiter(FakeTime()))
    first, second = bot_caller("first"), bot_caller("second")
    opened = [(first, StreamKind.PLAY), (first, StreamKind.WATCH), (second, StreamKind.PLAY)]
    for stream in opened:
        await streams.open(*stream)
    for stream in opened:
        with pytest.raises(TooManyStreams) as error:
            await streams.open(*stream)
        assert error.value.details == {"limit": "1"}
    usage_of = streams.limiter.usage_of
    assert (usage_of(FIRST_BOT), usage_of(SECOND_BOT), usage_of(ADA)) == (Usage(streams=1), Usage(streams=1), Usage())
    await streams.close()
    assert usage_of(FIRST_BOT) == Usage()


async def test_watches_leave_half_of_all_streams_to_bots_that_play() -> None:
    streams = Streams(new_rate_limiter(FakeTime(), max_streams=4))
    for holder in ("ada", "bob"):
        await streams.open(caller(holder))
    with pytest.raises(TooManyStreams) as error:
        await streams.open(caller("eve"))
    assert error.value.details == {"limit": "2"}
    for name in ("first", "second"):
        await streams.open(bot_caller(name), StreamKind.PLAY)
    with pytest.raises(TooManyStreams) as error:
        await streams.open(bot_caller("third"), StreamKind.PLAY)
    assert error.value.details == {"limit": "4"}


async def test_calls_are_refused_after_too_many_bytes_until_a_minute_has_passed() -> None:
    time = FakeTime()
    limiter = create_rate_limiter(time, replace(DEFAULT_QUOTA, max_received_bytes=100))
    limiter.count_bytes(ADA, 60)
    await limiter.count_call(ADA)
    limiter.count_bytes(ADA, 40)
    with pytest.raises(TooManyBytes) as error:
        await limiter.count_call(ADA)
    assert error.value.details["limit_bytes"] == "100"
    assert limiter.usage_of(ADA) == Usage(1, 100)
    await limiter.count_call(FIRST_BOT)
    time.us += 60 * SECOND
    await limiter.count_call(ADA)


async def test_idle_budgets_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MAX_BUDGETS", 2)
    time = FakeTime()
    limiter = new_rate_limiter(time)
    await limiter.count_call(ADA)
    limiter.count_bytes(BOB, 9)
    time.us += 30 * SECOND
    await limiter.count_call(FIRST_BOT)
    assert limiter.usage_of(ADA).calls == 0
    assert limiter.usage_of(BOB).received_bytes == 9


async def test_a_holder_has_no_more_streams_than_its_quota() -> None:
    streams = Streams(new_rate_limiter(FakeTime()))
    for _ in range(2):
        await streams.open(caller())
    with pytest.raises(TooManyStreams):
        await streams.open(caller())
    await streams.close()
    assert streams.limiter.streams == 0
    await Streams(streams.limiter).open(caller())


async def test_a_stream_ends_when_its_token_is_revoked() -> None:
    streams = Streams(new_rate_limiter(FakeTime()))
    stream = await streams.open(caller())
    streams.limiter.end_streams(caller().token.id)
    with pytest.raises(BadToken):
        await stream


async def test_a_stream_ends_when_its_token_expires_by_the_wall_clock() -> None:
    time = FakeTime()
    streams = Streams(new_rate_limiter(time))
    stream = await streams.open(caller(expires_ms=time.wall_ms() + 10_000))
    await time.advance(4 * SECOND)
    time.wall_offset_ms -= 3_000  # The wall clock is set back.
    await time.advance(8 * SECOND)
    assert streams.limiter.streams == 1
    await time.advance(SECOND)
    assert streams.limiter.streams == 0
    with pytest.raises(BadToken):
        await stream


async def test_the_expiry_timer_of_a_closed_stream_is_cancelled() -> None:
    time = FakeTime()
    streams = Streams(new_rate_limiter(time))
    await streams.open(caller(expires_ms=time.wall_ms() + 10_000))
    assert len(time.alarms_us) == 1
    await streams.close()
    assert not time.alarms_us


async def test_the_observer_receives_the_usage_and_the_limit_with_each_accepted_call() -> None:
    observed: list[tuple[BudgetOwner, str, int, int]] = []

    async def observe(*usage: Any) -> None:
        observed.append(usage)

    limiter = create_rate_limiter(FakeTime(), DEFAULT_QUOTA, observe_usage=observe)
    for _ in range(6):
        await limiter.count_call(ADA)
    with pytest.raises(TooManyCalls):
        await limiter.count_call(ADA)
    await limiter.count_call(BOB)
    assert observed == [
        *((ADA, "calls_per_minute", count, 60) for count in range(1, 7)),
        (BOB, "calls_per_minute", 1, 60),
    ]


def test_each_holder_has_its_own_limit_of_calls_in_flight() -> None:
    limiter = create_rate_limiter(FakeTime(), DEFAULT_QUOTA, max_calls_in_flight=2)
    for owner in (ADA, ADA, BOB):
        limiter.begin_call(owner)
    with pytest.raises(TooManyCallsInFlight) as error:
        limiter.begin_call(ADA)
    assert error.value.details == {"limit": "2"}
    limiter.end_call(ADA)
    limiter.begin_call(ADA)


BOT = BudgetOwner("ada", "bot")


def test_changes_beyond_the_limit_of_a_day_are_refused_and_not_counted() -> None:
    changes = ContestChanges(3, FakeTime())
    changes.count(ADA, 2)
    with pytest.raises(TooManyNames, match="the limit is 3"):
        changes.count(ADA, 2)
    changes.count(ADA)
    with pytest.raises(TooManyNames):
        changes.count(ADA)


def test_a_bot_and_its_holder_are_counted_by_themselves() -> None:
    changes = ContestChanges(1, FakeTime())
    for owner in (ADA, BOT, BudgetOwner("bob")):
        changes.count(owner)
        with pytest.raises(TooManyNames):
            changes.count(owner)


def test_the_count_begins_again_at_midnight() -> None:
    time = FakeTime()
    changes = ContestChanges(1, time)
    changes.count(ADA)
    time.wall_offset_ms += DAY_MS - 1 - time.wall_ms() % DAY_MS
    with pytest.raises(TooManyNames):
        changes.count(ADA)
    time.wall_offset_ms += 1
    changes.count(ADA)


def test_each_address_has_a_pace_of_its_own() -> None:
    time = FakeTime()
    addresses = AddressPace(20, time)
    for _ in range(2):
        addresses.count_call("10.0.0.1")
    with pytest.raises(TooManyCalls) as raised:
        addresses.count_call("10.0.0.1")
    assert raised.value.details == {"limit": "20", "retry_after_ms": "3000"}
    addresses.count_call("10.0.0.2")
    time.us += 3 * SECOND
    addresses.count_call("10.0.0.1")


def test_the_address_that_has_been_silent_longest_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "MAX_ADDRESSES", 2)
    addresses = AddressPace(1, FakeTime())
    for address in ("a", "b"):
        addresses.count_call(address)
    with pytest.raises(TooManyCalls):
        addresses.count_call("a")
    for address in ("c", "b"):  # The first call forgets `b`.
        addresses.count_call(address)
    with pytest.raises(TooManyCalls):
        addresses.count_call("c")
