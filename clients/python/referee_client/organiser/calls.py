"""Calls with a token, retries and typed errors.

Every request that creates something carries an id that stays the same when it is retried, so that it is created only
once even if answers are lost.
"""

import threading
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.conversion import to_value
from referee_values import Value

from referee_client.address import Address
from referee_client.backoff import Backoff
from referee_client.errors import Refused, Unreachable, call_error
from referee_client.organiser.transport import Options, Transport

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
T = TypeVar("T")
V = TypeVar("V", bound=Value)

CALL_TIMEOUT_S = 30.0
KEEPALIVE = {
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.http2.ping_timeout_ms": 10_000,  # Otherwise, gRPC ignores the timeout above.
    "grpc.http2.max_pings_without_data": 0,
}
"""HTTP/2 pings that find dead connections while a call is open, since a stream may be silent for hours.

gRPC sends fewer of them to a server that asks for it.
"""
PAGE_SIZE = 1000
"""Page size of lists: the maximum that the contract permits."""
TOO_MANY_CALLS = "TOO_MANY_CALLS"
MINUTE_S = 60.0
BURSTS_PER_MINUTE = 10
"""After a pause, a caller may make a tenth of a minute's calls at once."""
INTERVAL_FACTOR = 1.05
"""Calls are slightly slower than the limit, because clocks differ."""
UNREACHABLE_CODES = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})


class Calls:
    """Calls to one referee. They wait as the transport does: by blocking the thread, or on an event loop."""

    def __init__(self, address: Address, patience_s: float, transport: Callable[[Address, Options], Transport]) -> None:
        """`patience_s`: how long calls are retried while the referee cannot be reached."""
        self.transport = transport(address, tuple(KEEPALIVE.items()))
        self._metadata = address.metadata
        self.patience_s = patience_s
        self._rate_limiter = RateLimiter()

    @property
    def channel(self) -> grpc.Channel:
        """The channel for stubs, whose methods are called by this class only."""
        return self.transport.channel

    async def call(self, method: "grpc.UnaryUnaryMultiCallable[RequestT, ResponseT]", request: RequestT) -> ResponseT:
        """Make a call and return the response. Raises Refused, or Unreachable if the referee cannot be reached."""
        response: ResponseT = await self._retry(
            lambda: self.transport.call(method, request, metadata=self._metadata, timeout=CALL_TIMEOUT_S)
        )
        return response

    async def pages(
        self, method: "grpc.UnaryUnaryMultiCallable[RequestT, ResponseT]", request: Any
    ) -> AsyncIterator[ResponseT]:
        """Return every page, starting with the requested one. Raises the same as `call`."""
        while True:
            page: Any = await self.call(method, request)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def fetch(
        self,
        kind: type[V],
        method: "grpc.UnaryUnaryMultiCallable[RequestT, ResponseT]",
        request: RequestT,
        field: str = "",
    ) -> V:
        """Make a call and return a field of its response, or the response, as a value. Raises the same as `call`."""
        response: Any = await self.call(method, request)
        return to_value(getattr(response, field) if field else response, kind)

    async def list_values(
        self, kind: type[V], method: "grpc.UnaryUnaryMultiCallable[RequestT, ResponseT]", request: Any, field: str
    ) -> AsyncIterator[V]:
        """Return what a repeated field has on all pages, as values. Raises the same as `call`."""
        async for page in self.pages(method, request):
            for message in getattr(page, field):
                yield to_value(message, kind)

    async def first(self, method: "grpc.UnaryStreamMultiCallable[RequestT, ResponseT]", request: RequestT) -> ResponseT:
        """Return the first message of a stream, and cancel the rest. Raises the same as `call`."""

        async def attempt() -> ResponseT:
            stream = self.open_stream(method, request, CALL_TIMEOUT_S)
            try:
                message: ResponseT | None = await self.transport.read(stream)
            finally:
                stream.cancel()
            if message is None:
                raise Unreachable("the referee has ended the stream before its first message")
            return message

        return await self._retry(attempt)

    async def all(
        self, method: "grpc.UnaryStreamMultiCallable[RequestT, ResponseT]", request: RequestT
    ) -> Sequence[ResponseT]:
        """Return all messages of a finite stream, from the beginning again if it breaks. Raises the same as `call`."""

        async def attempt() -> Sequence[ResponseT]:
            stream = self.open_stream(method, request, CALL_TIMEOUT_S)
            messages: list[ResponseT] = []
            while (message := await self.transport.read(stream)) is not None:
                messages.append(message)
            return messages

        return await self._retry(attempt)

    def open_stream(self, method: Callable[..., Any], request: Any, timeout_s: float | None = None) -> Any:
        """Open a stream for `transport.read`, without retries. Its method `cancel` cancels it."""
        return method(request, metadata=self._metadata, timeout=timeout_s)

    async def close(self) -> None:
        await self.transport.close()

    async def _retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Repeat the attempt until it succeeds, at the rate that the referee permits."""
        retries = Retries(self.patience_s, self._rate_limiter)
        while True:
            if pause_s := self._rate_limiter.reserve():
                await self.transport.sleep(pause_s)
            try:
                return await attempt()
            except grpc.RpcError as error:
                await self.transport.sleep(retries.pause_after(error))


class RateLimiter:
    """Rate limiter for all calls of a program: unlimited until the referee rejects a call because of its rate limit.

    From then on calls are spread evenly at the rate that the error names, until there has been a pause after which the
    referee permits a burst again. So the error occurs once, and not repeatedly in each thread or task.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._interval_s = 0.0
        """Seconds between two calls; 0: unlimited."""
        self._next_call_at = 0.0
        """When the next call may be made."""

    def reserve(self) -> float:
        """Return the seconds to wait before a call, which is then counted."""
        with self._lock:
            now = self._now()
            if not self._interval_s or now > self._next_call_at + MINUTE_S / BURSTS_PER_MINUTE:
                self._interval_s = 0.0
                return 0.0
            pause_s = max(0.0, self._next_call_at - now)
            self._next_call_at = now + pause_s + self._interval_s
            return pause_s

    def slow_down(self, calls_per_minute: int, after_s: float) -> None:
        """Limit the rate to `calls_per_minute`, with the next call in `after_s` seconds at the earliest."""
        with self._lock:
            self._interval_s = INTERVAL_FACTOR * MINUTE_S / calls_per_minute
            self._next_call_at = max(self._next_call_at, self._now() + after_s)


class Retries:
    """Pauses between retries while the referee cannot be reached, for a limited time since the first failure."""

    def __init__(
        self,
        patience_s: float,
        rate_limiter: RateLimiter | None = None,
        codes: Collection[grpc.StatusCode] = UNREACHABLE_CODES,
    ) -> None:
        """`codes`: status codes after which a retry may help, even if the error does not say so."""
        self._codes = codes
        self._rate_limiter = rate_limiter
        self._patience_s = patience_s
        self.reset()

    def reset(self) -> None:
        """Reset the backoff and the time limit, because the referee has answered."""
        self._backoff = Backoff()
        self._deadline: float | None = None
        self._unanswered = False

    def pause_after(self, error: grpc.RpcError) -> float:
        """Return the seconds before a retry. Raises Refused if none helps, or Unreachable after the time limit."""
        refused = call_error(error)
        refused.repeated = self._unanswered
        self._unanswered |= error.code() in UNREACHABLE_CODES
        retry_after_s = refused.refusal.retry_after
        if retry_after_s is None and error.code() not in self._codes:
            raise refused from None
        if self._deadline is None:
            self._deadline = time.monotonic() + self._patience_s
        if refused.reason == TOO_MANY_CALLS and self._rate_limiter:
            self._rate_limiter.slow_down(int(refused.metadata["limit"]), retry_after_s or 0)
            return 0.0
        pause_s = retry_after_s or self._backoff.after_failure()
        if time.monotonic() + pause_s > self._deadline:
            raise _final_error(refused, error)
        return pause_s


def _final_error(refused: Refused, error: grpc.RpcError) -> Exception:
    if error.code() in UNREACHABLE_CODES:
        return Unreachable(f"the referee cannot be reached: {refused.refusal}")
    return refused


def request_id() -> str:
    return uuid.uuid4().hex


def timestamp(moment: datetime | None) -> Timestamp | None:
    """Convert a time of a request; None stays None, a field that is not set."""
    if moment is None:
        return None
    converted = Timestamp()
    converted.FromDatetime(moment)
    return converted
