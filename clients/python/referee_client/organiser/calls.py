"""Calls with a token, retries and typed errors.

Every request that creates something carries an id that stays the same when it is retried, so that it is created only
once even if answers are lost.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import grpc

from referee_client.address import Address
from referee_client.errors import Gone, Refused, refused_by
from referee_client.pauses import Pauses

Q = TypeVar("Q")
A = TypeVar("A")

ONE_CALL_S = 30.0
KEEPALIVE = {
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.http2.ping_timeout_ms": 10_000,  # Without it, gRPC ignores the timeout above.
    "grpc.http2.max_pings_without_data": 0,
}
"""HTTP/2 pings that find dead connections while a call is open, since a stream may be silent for hours.

gRPC sends fewer of them to a server that asks for it.
"""
PAGE = 1000
"""Page size of lists: the maximum that the contract permits."""
TOO_MANY_CALLS = "TOO_MANY_CALLS"
MINUTE_S = 60.0
BURST = 10
"""A caller that has paused for that long may make a tenth of a minute's calls at once."""
SLACK = 1.05
"""Calls are slightly slower than the limit, because clocks differ."""
AGAIN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


class Calls:
    """Calls to one referee."""

    def __init__(self, address: Address, patience_s: float) -> None:
        """`patience_s`: how long calls are retried while the referee cannot be reached."""
        self.channel = address.channel(*KEEPALIVE.items())
        self.metadata = address.metadata
        self.patience_s = patience_s
        self._pace = Pace()

    def ask(self, call: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Q) -> A:
        """Make a call and return the answer. Raises Refused, or Gone if the referee cannot be reached."""
        waiting = Waiting(self.patience_s, self._pace)
        while True:
            self._pace.wait()
            try:
                return call(request, metadata=self.metadata, timeout=ONE_CALL_S)
            except grpc.RpcError as why:
                waiting.after(why)

    def pages(self, call: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Any) -> Iterator[A]:
        """Return every page, starting with the requested one. Raises the same as `ask`."""
        while True:
            page: Any = self.ask(call, request)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def first(self, call: "grpc.UnaryStreamMultiCallable[Q, A]", request: Q) -> A:
        """Return the first message of a stream, and cancel the rest. Raises the same as `ask`."""
        waiting = Waiting(self.patience_s, self._pace)
        while True:
            self._pace.wait()
            stream = call(request, metadata=self.metadata, timeout=ONE_CALL_S)
            try:
                return next(stream)
            except grpc.RpcError as why:
                waiting.after(why)
            finally:
                stream.cancel()

    def whole(self, call: "grpc.UnaryStreamMultiCallable[Q, A]", request: Q) -> list[A]:
        """Return all messages of a finite stream, from the beginning again if it breaks. Raises the same as `ask`."""
        waiting = Waiting(self.patience_s, self._pace)
        while True:
            self._pace.wait()
            try:
                return list(call(request, metadata=self.metadata, timeout=ONE_CALL_S))
            except grpc.RpcError as why:
                waiting.after(why)

    def close(self) -> None:
        self.channel.close()


class Pace:
    """Rate limiter for the calls of all threads: unlimited until the referee rejects a call because of its rate limit.

    From then on calls are spread evenly at the rate that the error names, until there has been a pause after which the
    referee permits a burst again. So the error occurs once, and not again and again in each thread.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep) -> None:
        self._now = now
        self._sleep = sleep
        self._lock = threading.Lock()
        self._apart_s = 0.0
        """Seconds between two calls; 0: unlimited."""
        self._free_at = 0.0
        """When the next call may be made."""

    def wait(self) -> None:
        """Wait until the next call may be made."""
        with self._lock:
            now = self._now()
            if not self._apart_s or now > self._free_at + MINUTE_S / BURST:
                self._apart_s = 0.0
                return
            pause_s = max(0.0, self._free_at - now)
            self._free_at = now + pause_s + self._apart_s
        self._sleep(pause_s)

    def slow_down(self, calls_per_minute: int, after_s: float) -> None:
        """Limit the rate to `calls_per_minute`, with the next call in `after_s` seconds at the earliest."""
        with self._lock:
            self._apart_s = SLACK * MINUTE_S / calls_per_minute
            self._free_at = max(self._free_at, self._now() + after_s)


class Waiting:
    """Waits for a referee that cannot be reached, for a limited time since the first failure."""

    def __init__(self, patience_s: float, pace: Pace | None = None) -> None:
        self._pace = pace
        self._patience_s = patience_s
        self.begin_anew()

    def begin_anew(self) -> None:
        """Reset the backoff and the time limit, because the referee has answered."""
        self._pauses = Pauses()
        self._until: float | None = None

    def after(self, why: grpc.RpcError) -> None:
        """Pause before a retry. Raises Refused if a retry does not help, and Gone if the time limit has passed."""
        refused = refused_by(why)
        asked_s = refused.refusal.retry_after
        if asked_s is None and why.code() not in AGAIN:
            raise refused from None
        if self._until is None:
            self._until = time.monotonic() + self._patience_s
        if refused.reason == TOO_MANY_CALLS and self._pace:
            self._pace.slow_down(int(refused.metadata["limit"]), asked_s or 0)
            return
        pause_s = asked_s or self._pauses.after_break()
        if time.monotonic() + pause_s > self._until:
            raise _given_up(refused, why)
        time.sleep(pause_s)


def _given_up(refused: Refused, why: grpc.RpcError) -> Exception:
    return Gone(f"the referee cannot be reached: {refused.refusal}") if why.code() in AGAIN else refused


def request_id() -> str:
    return uuid.uuid4().hex
