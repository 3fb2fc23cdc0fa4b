"""Connections to the other nodes of the cluster, kept per address until the node leaves.

A server accepts a limited number of concurrent calls on one connection, and further ones would wait without an error.
So there are as many connections to a node as its open calls need.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio

from referee.transport.server import MAX_STREAMS_PER_CONNECTION

OPTIONS = [
    ("grpc.http2.max_pings_without_data", 0),  # No limit: a watched contest may be silent for hours.
    ("grpc.use_local_subchannel_pool", 1),  # Otherwise all channels to an address share one connection.
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", -1),  # The other node limits its answers.
    ("grpc.http2.bdp_probe", 0),  # A larger window would only hold more of what a caller does not read.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 2_000),  # Also the deadline of one attempt to connect.
    ("grpc.max_reconnect_backoff_ms", 1_000),
]


@dataclass(slots=True, eq=False)
class NodeConnection:
    """One connection, and the number of calls that are open on it."""

    channel: Any
    credentials: grpc.ChannelCredentials | None
    open_calls: int = 0
    _methods: dict[str, Any] = field(default_factory=dict)

    def method(self, path: str, *, streams: bool = False) -> Any:
        """Return the function that calls a method with one answer or a stream of answers, from bytes to bytes."""
        if path not in self._methods:
            self._methods[path] = (self.channel.unary_stream if streams else self.channel.unary_unary)(path)
        return self._methods[path]


class NodeChannels:
    """All connections to other nodes, on one event loop."""

    def __init__(
        self, credentials: Callable[[], grpc.ChannelCredentials] | None, ping_interval_ms: int, timeout_ms: int
    ) -> None:
        """`credentials` returns another object when the files have changed. None: the nodes have no TLS.

        `ping_interval_ms` must not be less than `min_client_ping_interval_ms` of the other nodes. A node that does not
        answer within `timeout_ms` counts as unreachable.
        """
        self._credentials = credentials
        self._options = [
            *OPTIONS,
            ("grpc.keepalive_time_ms", ping_interval_ms),
            ("grpc.keepalive_timeout_ms", timeout_ms),
            ("grpc.http2.ping_timeout_ms", timeout_ms),  # Without it, keepalive_timeout_ms has no effect.
        ]
        self._connections: dict[str, list[NodeConnection]] = {}

    @contextmanager
    def connection(self, address: str) -> Iterator[NodeConnection]:
        """Return a connection on which one more call can be made; the call is open until the context is left."""
        connection = self._find_or_create(address)
        connection.open_calls += 1
        try:
            yield connection
        finally:
            connection.open_calls -= 1

    async def keep_only(self, addresses: Collection[str]) -> None:
        """Close the connections to all other addresses; the calls on them end."""
        for address in [address for address in self._connections if address not in addresses]:
            for connection in self._connections.pop(address):
                await connection.channel.close()

    async def close(self) -> None:
        await self.keep_only(())

    def create_channel(self, address: str) -> grpc.aio.Channel:
        """Return a new channel, which its caller closes."""
        return self._create_channel(address, self._credentials and self._credentials())

    def _find_or_create(self, address: str) -> NodeConnection:
        """Return a connection with room. One whose credentials have changed could not be restored if it broke."""
        credentials = self._credentials and self._credentials()
        connections = self._connections.setdefault(address, [])
        for connection in connections:
            if connection.open_calls < MAX_STREAMS_PER_CONNECTION and connection.credentials is credentials:
                return connection
        connections[:] = [kept for kept in connections if kept.open_calls or kept.credentials is credentials]
        connections.append(NodeConnection(self._create_channel(address, credentials), credentials))
        return connections[-1]

    def _create_channel(self, address: str, credentials: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
        if credentials:
            return grpc.aio.secure_channel(address, credentials, self._options)
        return grpc.aio.insecure_channel(address, self._options)
