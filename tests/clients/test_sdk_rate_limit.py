"""Rate of an organiser's calls: unlimited until one is rejected by the rate limit, then as the error's details say."""

from concurrent.futures import ThreadPoolExecutor
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from referee_client import Organiser
from referee_client.errors import call_error
from referee_client.organiser.calls import RateLimiter

from referee.match.clock import SECOND
from referee.transport.guards.pace import Pace
from referee.transport.wire.wire_errors import TooManyCalls
from tests.e2e.server import create_organiser_token, run_server

CALLERS, CALLS, PER_MINUTE = 8, 400, 3_000
LATENCY_S = 0.002


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_000.0

    def now(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_calls_are_not_delayed_until_one_is_rejected(clock: Clock) -> None:
    limiter = RateLimiter(clock.now)
    assert [limiter.reserve() for _ in range(100)] == [0] * 100


def test_calls_are_spread_evenly_after_a_rejection_until_a_pause(clock: Clock) -> None:
    limiter = RateLimiter(clock.now)
    for _ in range(2):  # Two threads may be rejected at once; the second rejection must change nothing.
        limiter.slow_down(600, 0.1)
    assert [round(limiter.reserve(), 3) for _ in range(3)] == [0.1, 0.205, 0.31]
    clock.now_s += 60
    assert limiter.reserve() == 0


def test_concurrent_callers_are_rejected_at_most_once_each(clock: Clock) -> None:
    limiter, pace, accepted, rejected = RateLimiter(clock.now), Pace(), 0, 0
    arrivals = [(clock.now_s, caller) for caller in range(CALLERS)]
    while accepted < CALLS:
        clock.now_s, caller = heappop(arrivals)
        try:
            pace.count_call(PER_MINUTE, round(clock.now_s * SECOND))
            accepted += 1
        except TooManyCalls as refused:
            limiter.slow_down(PER_MINUTE, int(refused.details["retry_after_ms"]) / 1000)
            rejected += 1
        heappush(arrivals, (clock.now_s + limiter.reserve() + LATENCY_S, caller))
    assert 1 <= rejected <= CALLERS


@pytest.mark.slow
def test_calls_of_several_threads_succeed_although_the_rate_limit_rejects_some(tmp_path: Path) -> None:
    flags = ("--ephemeral", "--calls-per-minute", str(PER_MINUTE))
    with (
        run_server(tmp_path, *flags) as server,
        server.channel() as channel,
        Organiser(server.address, create_organiser_token(channel, server.admin_token)) as organiser,
        ThreadPoolExecutor(CALLERS) as pool,
    ):
        assert all(pool.map(lambda _: organiser.game("trox"), range(CALLS)))


class ResourceExhausted(grpc.RpcError):
    """Error of a call that ended with RESOURCE_EXHAUSTED."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.RESOURCE_EXHAUSTED

    def details(self) -> str:
        return "too many"

    def trailing_metadata(self) -> Any:
        return (ResourceExhausted.Pair(self._status.SerializeToString()),)

    class Pair:
        key = "grpc-status-details-bin"

        def __init__(self, value: bytes) -> None:
            self.value = value


def test_the_retry_info_of_an_error_is_parsed() -> None:
    details = []
    for one in (ErrorInfo(reason="TOO_MANY_STREAMS"), RetryInfo(retry_delay=Duration(seconds=2, nanos=500_000_000))):
        packed = AnyMessage()
        packed.Pack(one)
        details.append(packed)
    error = call_error(ResourceExhausted(Status(code=8, details=details)))
    assert (error.reason, error.refusal.retry_after) == ("TOO_MANY_STREAMS", 2.5)
    assert call_error(ResourceExhausted(Status(code=8, details=details[:1]))).refusal.retry_after is None
