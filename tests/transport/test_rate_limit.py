"""Rate limits: calls per minute, calls in flight, open streams."""

import asyncio
from typing import Any

import pytest

from referee.accounts.tokens import Quota, Role, Token
from referee.match.clock import SECOND
from referee.storage.memory import MemoryQuotas
from referee.transport.guards.authentication import Caller
from referee.transport.guards.rate_limit import RateLimiter
from referee.wire.wire_errors import BadToken, TooManyCalls, TooManyCallsInFlight, TooManyStreams
from tests.live.fake_time import StoppedTime
from tests.transport.rate_limiters import create_rate_limiter

USUAL = Quota(10, 2, 60, 10, 10)


def caller(holder: str = "ada", expires_ms: int | None = None) -> Caller:
    return Caller(Token(bytes(32), Role.SPECTATOR, holder, 0, expires_ms=expires_ms))


class SlowQuotas(MemoryQuotas):
    """Yields before each answer, so that other tasks run first."""

    async def quota(self, holder: str) -> Quota | None:
        await asyncio.sleep(0)
        return await super().quota(holder)


def rate_limiter(time: StoppedTime, max_streams: int = 100) -> RateLimiter:
    return create_rate_limiter(time, USUAL, max_streams=max_streams)


def test_a_tenth_of_a_minutes_calls_may_come_at_once_and_then_one_at_a_time() -> None:
    async def calls() -> None:
        time = StoppedTime()
        mine = rate_limiter(time)
        for _ in range(6):
            await mine.count_call("ada")
        with pytest.raises(TooManyCalls) as refused:
            await mine.count_call("ada")
        assert refused.value.details["retry_after_ms"] == "1000"
        await mine.count_call("bob")
        time.us += SECOND
        await mine.count_call("ada")

    asyncio.run(calls())


def test_the_calls_of_the_last_minute_are_those_that_were_let_in() -> None:
    async def calls() -> None:
        time = StoppedTime()
        mine = rate_limiter(time)
        assert mine.calls_of("ada") == 0
        for _ in range(6):
            await mine.count_call("ada")
        with pytest.raises(TooManyCalls):
            await mine.count_call("ada")
        time.us += 30 * SECOND
        await mine.count_call("ada")
        assert (mine.calls_of("ada"), mine.calls_of("bob")) == (7, 0)
        time.us += 29 * SECOND
        assert mine.calls_of("ada") == 7
        time.us += SECOND
        assert mine.calls_of("ada") == 1
        time.us += 30 * SECOND
        assert mine.calls_of("ada") == 0

    asyncio.run(calls())


def test_concurrent_first_calls_share_one_budget() -> None:
    async def calls() -> None:
        mine = create_rate_limiter(StoppedTime(), USUAL, SlowQuotas())
        await asyncio.gather(*(mine.count_call("ada") for _ in range(6)))
        assert mine.calls_of("ada") == 6
        with pytest.raises(TooManyCalls):
            await mine.count_call("ada")

    asyncio.run(calls())


def test_a_holder_has_no_more_streams_than_its_quota() -> None:
    async def streams() -> None:
        mine = rate_limiter(StoppedTime())
        until = asyncio.Event()
        tasks = [asyncio.create_task(_open(mine, until)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyStreams):
            await _open(mine, until)
        until.set()
        await asyncio.gather(*tasks)
        assert mine.streams == 0
        await _open(mine, until)

    asyncio.run(streams())


def test_all_holders_together_have_a_limit_of_streams() -> None:
    async def streams() -> None:
        mine = rate_limiter(StoppedTime(), max_streams=1)
        until = asyncio.Event()
        task = asyncio.create_task(_open(mine, until))
        await asyncio.sleep(0)
        with pytest.raises(TooManyStreams):
            await _open(mine, until, "bob")
        until.set()
        await task

    asyncio.run(streams())


def test_a_stream_ends_when_its_token_is_revoked() -> None:
    async def streams() -> None:
        mine = rate_limiter(StoppedTime())
        task = asyncio.create_task(_open(mine, asyncio.Event()))
        await asyncio.sleep(0)
        mine.end_streams(caller().token.id)
        with pytest.raises(BadToken):
            await task

    asyncio.run(streams())


def test_a_stream_ends_when_its_token_expires_by_the_wall_clock() -> None:
    async def streams() -> None:
        time = StoppedTime()
        mine = rate_limiter(time)
        task = asyncio.create_task(_open(mine, asyncio.Event(), expires_ms=time.wall_ms() + 10_000))
        await time.passes(4 * SECOND)
        time.wall_offset_ms -= 3_000  # Somebody sets it back.
        await time.passes(8 * SECOND)
        assert mine.streams == 1
        await time.passes(SECOND)
        assert mine.streams == 0
        with pytest.raises(BadToken):
            await task

    asyncio.run(streams())


def test_the_expiry_timer_of_a_closed_stream_is_cancelled() -> None:
    async def streams() -> None:
        time, until = StoppedTime(), asyncio.Event()
        task = asyncio.create_task(_open(rate_limiter(time), until, expires_ms=time.wall_ms() + 10_000))
        await time.passes(0)
        assert len(time.alarms_us) == 1
        until.set()
        await task
        assert not time.alarms_us

    asyncio.run(streams())


async def _open(mine: RateLimiter, until: asyncio.Event, holder: str = "ada", expires_ms: int | None = None) -> None:
    async with mine.stream(caller(holder, expires_ms)):
        await until.wait()


def test_the_observer_receives_the_usage_and_the_limit_with_each_accepted_call() -> None:
    async def calls() -> None:
        observed: list[tuple[str, str, int, int]] = []

        async def observe(*usage: Any) -> None:
            observed.append(usage)

        mine = create_rate_limiter(StoppedTime(), USUAL, observe_usage=observe)
        for _ in range(6):
            await mine.count_call("ada")
        with pytest.raises(TooManyCalls):
            await mine.count_call("ada")
        await mine.count_call("bob")
        assert observed == [
            *(("ada", "calls_per_minute", many, 60) for many in range(1, 7)),
            ("bob", "calls_per_minute", 1, 60),
        ]

    asyncio.run(calls())


def test_each_holder_has_its_own_limit_of_calls_in_flight() -> None:
    mine = create_rate_limiter(StoppedTime(), USUAL, max_calls_in_flight=2)
    for holder in ("ada", "ada", "bob"):
        mine.begin_call(holder)
    with pytest.raises(TooManyCallsInFlight) as refused:
        mine.begin_call("ada")
    assert refused.value.details == {"limit": "2"}
    mine.end_call("ada")
    mine.begin_call("ada")
