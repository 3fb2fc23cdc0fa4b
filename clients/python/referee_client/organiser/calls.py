"""Calls with the token, tried again where that may help, and with typed errors.

Every request that makes something carries an id that stays the same when it is sent again, so whatever was
lost on the way, the thing is made once.
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
    "grpc.http2.ping_timeout_ms": 10_000,  # Without it the one above is not heeded.
    "grpc.http2.max_pings_without_data": 0,
}
"""A stream of entries may say nothing for hours, so HTTP/2 pings find a dead connection while a call is open. To a
server that permits fewer of them and says so, gRPC sends fewer."""
PAGE = 1000
"""Of lists: as many at once as the contract allows."""
TOO_MANY_CALLS = "TOO_MANY_CALLS"
MINUTE_S = 60.0
BURST = 10
"""A tenth of the calls of a minute may be made at once, by a caller that has paused for as long."""
SLACK = 1.05
"""A little slower than the limit, for a clock is never as another one."""
AGAIN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


class Calls:
    """To one referee."""

    def __init__(self, address: Address, patience_s: float) -> None:
        """`patience_s`: for how long a referee that is away is waited for."""
        self.channel = address.channel(*KEEPALIVE.items())
        self.metadata = address.metadata
        self.patience_s = patience_s
        self._pace = Pace()

    def ask(self, call: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Q) -> A:
        """Raises Refused, or Gone if the referee stays away."""
        waiting = Waiting(self.patience_s, self._pace)
        while True:
            self._pace.wait()
            try:
                return call(request, metadata=self.metadata, timeout=ONE_CALL_S)
            except grpc.RpcError as why:
                waiting.after(why)

    def pages(self, call: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Any) -> Iterator[A]:
        """Every page, from the one that is asked for. Raises as `ask` does."""
        while True:
            page: Any = self.ask(call, request)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def whole(self, call: "grpc.UnaryStreamMultiCallable[Q, A]", request: Q) -> list[A]:
        """All of a stream that has an end; if it broke, from the beginning. Raises as `ask` does."""
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
    """The rate of the calls of all threads: unlimited until the referee refuses one as one too many.

    From then on calls are spread evenly, at the rate that the refusal names, until there was a pause in which the
    referee forgets them. So a refusal is met once, and not by each thread again and again.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep) -> None:
        self._now = now
        self._sleep = sleep
        self._lock = threading.Lock()
        self._apart_s = 0.0
        """Between two calls; 0: unlimited."""
        self._free_at = 0.0
        """When the next call may be made."""

    def wait(self) -> None:
        """Until it is this call's turn."""
        with self._lock:
            now = self._now()
            if not self._apart_s or now > self._free_at + MINUTE_S / BURST:
                self._apart_s = 0.0
                return
            pause_s = max(0.0, self._free_at - now)
            self._free_at = now + pause_s + self._apart_s
        self._sleep(pause_s)

    def slow_down(self, calls_per_minute: int, after_s: float) -> None:
        """The referee takes so many, and the next one in so many seconds."""
        with self._lock:
            self._apart_s = SLACK * MINUTE_S / calls_per_minute
            self._free_at = max(self._free_at, self._now() + after_s)


class Waiting:
    """For a referee that is away, until patience is over. It is counted from the first failure."""

    def __init__(self, patience_s: float, pace: Pace | None = None) -> None:
        self._pace = pace
        self._patience_s = patience_s
        self.begin_anew()

    def begin_anew(self) -> None:
        """It is there."""
        self._pauses = Pauses()
        self._until: float | None = None

    def after(self, why: grpc.RpcError) -> None:
        """Pause before another try. Raises Refused if no try will help, Gone if it has been too long."""
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
