"""Calls with the token, tried again where that may help, and with typed errors.

Every request that makes something carries an id that stays the same when it is sent again, so whatever was
lost on the way, the thing is made once.
"""

import time
import uuid
from collections.abc import Iterator
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
AGAIN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


class Calls:
    """To one referee."""

    def __init__(self, address: Address, patience_s: float) -> None:
        """`patience_s`: for how long a referee that is away is waited for."""
        self.channel = address.channel(*KEEPALIVE.items())
        self.metadata = address.metadata
        self.patience_s = patience_s

    def ask(self, call: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Q) -> A:
        """Raises Refused, or Gone if the referee stays away."""
        waiting = Waiting(self.patience_s)
        while True:
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
        waiting = Waiting(self.patience_s)
        while True:
            try:
                return list(call(request, metadata=self.metadata, timeout=ONE_CALL_S))
            except grpc.RpcError as why:
                waiting.after(why)

    def close(self) -> None:
        self.channel.close()


class Waiting:
    """For a referee that is away, until patience is over. It is counted from the first failure."""

    def __init__(self, patience_s: float) -> None:
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
        pause_s = asked_s or self._pauses.after_break()
        if time.monotonic() + pause_s > self._until:
            raise _given_up(refused, why)
        time.sleep(pause_s)


def _given_up(refused: Refused, why: grpc.RpcError) -> Exception:
    return Gone(f"the referee cannot be reached: {refused.refusal}") if why.code() in AGAIN else refused


def request_id() -> str:
    return uuid.uuid4().hex
