"""The system clock keeps the promises of its port."""

import asyncio

from referee.live.match_timing import LoopTime
from tests.live.runner_harness import in_loop


def test_monotonic_time_never_goes_back() -> None:
    time = LoopTime()
    looks = [time.monotonic_us() for _ in range(100)]
    assert looks == sorted(looks)


def test_the_wall_shows_a_time_of_this_millennium_in_milliseconds() -> None:
    assert 1_700_000_000_000 < LoopTime().wall_ms() < 32_503_680_000_000


@in_loop
async def test_alarms_ring_on_the_loop_in_order_those_of_the_past_at_once() -> None:
    time = LoopTime()
    heard: list[str] = []
    done = asyncio.Event()
    now_us = time.monotonic_us()
    time.call_at(now_us + 2_000, done.set)
    time.call_at(now_us + 1_000, lambda: heard.append("future"))
    time.call_at(now_us - 1_000, lambda: heard.append("past"))
    await done.wait()
    assert heard == ["past", "future"]


@in_loop
async def test_a_cancelled_alarm_does_not_ring() -> None:
    time = LoopTime()
    heard: list[str] = []
    done = asyncio.Event()
    time.call_at(time.monotonic_us(), lambda: heard.append("cancelled")).cancel()
    time.call_at(time.monotonic_us() + 1_000, done.set)
    await done.wait()
    assert heard == []
