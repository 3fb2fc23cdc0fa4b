"""The coordinator's side of node streams: which calls are accepted as streams, and the streams that are open."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import grpc
import structlog

from referee.accounts.account_errors import BadField
from referee.cluster.forwarding.forwarding_header import HEADER, ForwardingHeader
from referee.cluster.node_stream.node_link import NodeLink, NodeStreamCounts
from referee.live.ports import Time
from referee.match.clock import Micros
from referee.transport.forwarding.cluster_gate import Metadata
from referee.transport.guards.error_interceptor import abort_with
from referee.transport.guards.open_calls import OpenCall, OpenCalls
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from referee.transport.wire.error_mapping import ErrorMapper
from referee.transport.wire.wire_errors import NodeUnavailable

METHOD = "NodeStream"
PATH = f"/referee_internal.v1.Cluster/{METHOD}"
"""Not part of the contract: only nodes of the same cluster call it."""

log = structlog.get_logger("referee.cluster")

Send = Callable[[bytes], None]


class StreamHandler(Protocol):
    """What the coordinator does with streams. It is called on the event loop, and must not block."""

    def connect(self, node: str, send: Send) -> None:
        """Begin a stream of the node. May raise a typed error, such as NodeUnavailable, by which it is refused."""

    def receive(self, node: str, message: bytes) -> None:
        """Handle a message. An exception is logged, and ends the stream."""

    def disconnect(self, node: str, send: Send) -> None:
        """End a stream; it is called once for each call of `connect` that has returned."""


class NodeStreamServer:
    """The streams of other nodes to this one; at most one of each node."""

    def __init__(
        self,
        node: str,
        header: ForwardingHeader,
        handler: StreamHandler,
        time: Time,
        max_write_bytes: int,
        counts: NodeStreamCounts,
    ) -> None:
        """`node`: id of this node."""
        self._node = node
        self._header = header
        self._handler = handler
        self._time = time
        self._max_write_bytes = max_write_bytes
        self._counts = counts
        self._links: dict[str, NodeLink] = {}
        """The open stream of each node."""

    def silent_us(self, node: str) -> Micros:
        """Return how long a node has written nothing to its open stream."""
        return self._links[node].silent_us

    def end(self, node: str, why: str) -> None:
        """End the stream of a node, if it has one."""
        if link := self._links.get(node):
            self._end(node, link, why)

    def end_all(self, why: str) -> None:
        """End all streams, for instance because this node coordinates no more. Nodes may connect again at once."""
        for node in list(self._links):
            self.end(node, why)

    def handlers(
        self, calls: OpenCalls, unauthenticated: UnauthenticatedCalls, map_error: ErrorMapper
    ) -> Mapping[str, Any]:
        """Return the handler of gRPC for each path. It admits its calls itself."""

        async def serve(_messages: Any, context: Any) -> None:
            call = calls.begin(context, METHOD)
            try:
                end_count = unauthenticated.admit(call)
                node, link = self._connect(call.invocation_metadata() or ())
                end_count()
            except asyncio.CancelledError:
                raise
            except Exception as why:
                await abort_with(call, map_error(why, ""))
            else:
                await self._serve(node, link, call)

        return {PATH: grpc.stream_stream_rpc_method_handler(serve)}

    def _connect(self, metadata: Metadata) -> tuple[str, NodeLink]:
        """Begin a stream. Raises the error by which it is refused."""
        node, meant_for = self._header.verify(PATH, metadata)
        if not node:
            raise BadField(HEADER, "only the nodes of the cluster can call this method")
        if meant_for != self._node:
            raise NodeUnavailable("another node has this address now")
        self.end(node, "the node has opened another one")
        link = NodeLink(
            lambda message: self._handler.receive(node, message), self._time, self._max_write_bytes, self._counts
        )
        self._handler.connect(node, link.send)
        self._links[node] = link
        self._counts.opened += 1
        log.info("stream of a node opened", node=node)
        return node, link

    async def _serve(self, node: str, link: NodeLink, call: OpenCall) -> None:
        try:
            why = await link.run(call.read, call.write)
        finally:
            self._end(node, link, "it was cancelled")
        log.info("stream of a node ended", node=node, why=why)
        call.reset()  # A status would have to wait behind what the node does not read.

    def _end(self, node: str, link: NodeLink, why: str) -> None:
        link.end(why)
        if self._links.get(node) is link:
            try:
                self._handler.disconnect(node, link.send)
            except Exception as fault:
                log.error("the end of a stream could not be handled", node=node, exc_info=fault)
            finally:
                del self._links[node]
