"""Passes a call on to the node that answers it, and its answers or its status back, without decoding them.

The deadline of the call, its cancellation, and every status of the other node are passed on unchanged, with the
details and trailing metadata of errors. If the connection between the nodes breaks, the caller gets NodeUnavailable.
A caller that does not read delays the other node: the next answer is read when the last one was written.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio

from referee.cluster.forwarding.forwarding_header import HEADER, ForwardingHeader
from referee.cluster.forwarding.node_channels import NodeChannels
from referee.transport.forwarding.cluster_gate import CallForwarder, Metadata
from referee.transport.forwarding.routes import Route, Router
from referee.transport.guards.caller_address import FORWARDED_FROM, caller_address
from referee.transport.wire.error_mapping import STATUS_DETAILS
from referee.transport.wire.wire_errors import NodeUnavailable

PASSED_ON = frozenset({"authorization", "traceparent", "tracestate"})
"""The headers of a caller that nodes read."""

Code = grpc.StatusCode
OF_NODE = frozenset({Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED, Code.UNIMPLEMENTED})
"""Codes that grpc sets for a node that can be reached. Others are passed on with the details of a typed error only,
because without them they mean that the connection broke."""

JUST_CHANGED = "the node that answers this call has just changed"
BROKEN = "the node that answers this call cannot be reached, or the connection to it broke"


class Forwarder(CallForwarder):
    def __init__(
        self, router: Router, channels: NodeChannels, header: ForwardingHeader, max_message_bytes: int
    ) -> None:
        self._router = router
        self._channels = channels
        self._header = header
        self._max_message_bytes = max_message_bytes
        self.forwarded_calls = 0
        """How many calls were passed on to other nodes, whatever came of them."""

    def read_header(self, path: str, metadata: Metadata) -> None:
        if address := self._header.read(path, metadata):
            FORWARDED_FROM.set(address)

    def node_of(self, route: Route, name: str) -> str | None:
        node = self._router.node_of(route, name)
        # A call is never forwarded twice, so that nodes which disagree cannot pass it on for ever.
        if node and FORWARDED_FROM.get():
            raise NodeUnavailable(JUST_CHANGED)
        return node

    def can_forward(self, request: Any) -> bool:
        return isinstance(request, bytes) and len(request) <= self._max_message_bytes

    async def forward(self, call: Any, node: str, path: str, request: bytes, metadata: Metadata) -> bytes:
        with self._channels.connection(node) as connection, _errors_of_closing():
            outgoing = connection.method(path)(request, **self._options(call, path, metadata))
            try:
                answer: bytes = await outgoing
                return answer
            except grpc.aio.AioRpcError as error:
                await _abort_like(call, error)
                raise  # Not reached, because the call was aborted.
            finally:
                outgoing.cancel()

    async def forward_stream(self, call: Any, node: str, path: str, request: bytes, metadata: Metadata) -> None:
        with self._channels.connection(node) as connection, _errors_of_closing():
            outgoing = connection.method(path, streams=True)(request, **self._options(call, path, metadata))
            try:
                while (answer := await outgoing.read()) is not grpc.aio.EOF:
                    await call.write(answer)
            except grpc.aio.AioRpcError as error:
                await _abort_like(call, error)
            finally:
                outgoing.cancel()

    def _options(self, call: Any, path: str, metadata: Metadata) -> dict[str, Any]:
        self.forwarded_calls += 1
        headers = [(name, value) for name, value in metadata if name in PASSED_ON]
        headers.append((HEADER, self._header.write(path, caller_address(call))))
        return {"timeout": call.time_remaining(), "metadata": headers}


@contextmanager
def _errors_of_closing() -> Iterator[None]:
    """Raise NodeUnavailable if the call is cancelled because the connections to the node are closed."""
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # The caller has cancelled the call.
            raise
        raise NodeUnavailable(BROKEN) from None


async def _abort_like(call: Any, error: grpc.aio.AioRpcError) -> None:
    """Abort with the status of the other node. Raises NodeUnavailable if it is not the node's but the connection's."""
    trailing = tuple((name, value) for name, value in error.trailing_metadata() or ())
    if error.code() not in OF_NODE and all(name != STATUS_DETAILS for name, _ in trailing):
        raise NodeUnavailable(BROKEN)
    await call.abort(error.code(), error.details() or "", trailing)
