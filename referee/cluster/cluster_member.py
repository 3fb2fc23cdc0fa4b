"""Makes a server a node of a cluster: its membership, its stream to the coordinator, and calls between nodes.

A server has one membership from `open` to `close`. When that is lost, or the node is deposed, the server ends all its
streams and starts again as another node: bots connect again, here or elsewhere, and nothing must be undone.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engines.game_errors import DetailedError
from referee.cluster.bus.port import Bus
from referee.cluster.cluster_metrics import ClusterCollector
from referee.cluster.forwarding.forwarder import Forwarder
from referee.cluster.forwarding.forwarding_header import ForwardingHeader
from referee.cluster.forwarding.node_channels import NodeChannels
from referee.cluster.gateway import CUT_OFF_AFTER_US
from referee.cluster.membership.compatibility import NEWEST_PROTOCOL, OLDEST_PROTOCOL, IncompatibleNode
from referee.cluster.membership.membership import Membership
from referee.cluster.membership.node_store import LEASE_US, Node, NodeStore
from referee.cluster.messages import FromCoordinator, decode_from_coordinator, decode_to_coordinator, encode
from referee.cluster.node import ClusterNode
from referee.cluster.node_stream.node_link import NodeStreamCounts
from referee.cluster.node_stream.stream_client import NodeStreamClient
from referee.cluster.node_stream.stream_server import NodeStreamServer
from referee.cluster.rated_ends import NO_COORDINATOR
from referee.live.ports import StoreUnavailable, Timer
from referee.live.sessions import Session
from referee.match.clock import SECOND, Micros
from referee.storage.codec import MalformedEntry
from referee.transport.forwarding.cluster_gate import ClusterGate
from referee.transport.forwarding.routes import Route
from referee.transport.guards.open_calls import OpenCalls
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from referee.transport.wire.error_mapping import ErrorMapper
from referee.transport.wire.wire_errors import NodeUnavailable

SendBytes = Callable[[bytes], None]

MAX_TIME_WITHOUT_STREAM_US: Micros = 60 * SECOND
"""A node leaves the cluster when it has had no stream to the coordinator for that long, and joins as another one.

The coordinator waits for bots that may be connected to it no longer than that.
"""

ELECTING = "the cluster is electing a coordinator"


class NodeApplication(Protocol):
    """What a member does with the server to which it belongs."""

    async def begin_recovery(self) -> None:
        """Load all active contests. Raises StoreUnavailable or MalformedEntry."""

    async def finish_recovery(self, recover: Callable[[], Awaitable[int]]) -> None:
        """Let `recover` recover all matches, and run the contests. Raises StoreUnavailable or MalformedEntry."""

    async def close_contests(self, why: Exception) -> None: ...


@dataclass(frozen=True, slots=True)
class NodeConnections:
    """What connects a node to the others."""

    node_id: str
    cluster_key: bytes
    """Secret that only nodes of the same database know."""
    nodes: NodeStore
    bus: Bus
    channels: NodeChannels
    max_message_bytes: int


class ClusterMember(ClusterGate):
    """A `ClusterObserver`, the `Router` of calls, and both ends of streams between nodes."""

    def __init__(
        self,
        connections: NodeConnections,
        node: ClusterNode,
        application: NodeApplication,
        map_error: ErrorMapper,
        end_server: Callable[[str, bool], None],
    ) -> None:
        """`end_server` ends the server, with the reason in one sentence, and whether another one must be started."""
        self._application = application
        self._map_error = map_error
        self._end_server = end_server
        self.node_id = connections.node_id
        self.node = node
        self._time = node.shared.live.time
        self._nodes = connections.nodes
        self._bus = connections.bus
        self._channels = connections.channels
        max_message_bytes = connections.max_message_bytes
        header = ForwardingHeader(connections.cluster_key, self.node_id)
        self._stream_counts = NodeStreamCounts()
        self._stream_server = NodeStreamServer(
            self.node_id, header, self, self._time, max_message_bytes, self._stream_counts
        )
        self._stream = NodeStreamClient(
            self._channels, header, self, self._time, max_message_bytes, self._stream_counts
        )
        self.forwarder = Forwarder(self, self._channels, header, max_message_bytes)
        self._sends: dict[str, Callable[[FromCoordinator], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._role_known = asyncio.Event()
        self._draining: DetailedError | None = None
        self._addresses: Mapping[str, str] = {}
        """Addresses of all members, by id."""
        self._membership: Membership | None = None
        """None: the node has not begun to join."""
        self._stream_timers: list[Timer] = []
        """Run while this node has no stream to the coordinator."""

    @property
    def not_ready(self) -> str:
        """Why this node should get no new bots; empty: it should."""
        return "" if self.node.takes_bots else NO_COORDINATOR

    # As the gate of the gRPC server

    def handlers(self, calls: OpenCalls, unauthenticated: UnauthenticatedCalls) -> Mapping[str, Any]:
        return self._stream_server.handlers(calls, unauthenticated, self._map_error)

    def check_takes_bots(self) -> None:
        if why := self.not_ready:
            raise NodeUnavailable(why)

    def forward_item(self, session: Session, item: bytes) -> bool:
        return self.node.gateway.forward(session, item)

    # As the router of calls

    def node_of(self, route: Route, name: str) -> str | None:
        if route is Route.MATCH and self.node.shared.runs(name):
            return None
        if route is Route.BOT and self.node.sessions.is_local(name):
            return None
        if route is Route.BOT:
            for node in self.node.nodes_of(name):
                if node in self._addresses:
                    return self._addresses[node]
        if self.node.ready:
            return None
        address = self._addresses.get(self.node.coordinator_node)
        if address is None or self.node.coordinates:  # It is still restoring matches and contests.
            raise NodeUnavailable(ELECTING)
        return address

    # From `open` to `close`

    def collector(self) -> ClusterCollector:
        """Return the metrics of this node, which must be a member."""
        assert self._membership
        return ClusterCollector(
            self._bus, self._stream_counts, self._membership.status, lambda: self.forwarder.forwarded_calls
        )

    async def open(self, address: str, version: str) -> None:
        """Join the cluster, whose other nodes reach this one by that address, and wait for a role.

        `version` is the release of the server.

        Raises StoreUnavailable or IncompatibleNode.
        """
        await self._bus.open()
        self.node.open()
        profile = Node("", address, version, OLDEST_PROTOCOL, NEWEST_PROTOCOL, LEASE_US)
        self._membership = Membership(self._nodes, self._time, profile, self, lambda: self.node_id)
        await self._membership.open()
        await self._role_known.wait()

    async def resign(self, why: DetailedError) -> None:
        """Let another node become the coordinator, because this one is about to leave, and sends no new turns."""
        self._draining = why
        if self._membership:
            await self._membership.resign()
        self.node.gateway.announce_drain()

    def leave_matches(self) -> None:
        """Let other nodes go on with the matches that run here, before these stop."""
        self.node.gateway.drop()

    async def close(self) -> None:
        """Leave the cluster, after everything has been stored."""
        await self._stream.close()
        self._stop_stream_timers()
        if self._membership:
            await self._membership.close()
        for task in self._tasks:
            task.cancel()
        self.node.close()
        await self._channels.close()
        await self._bus.close()

    # As the observer of the membership

    def on_nodes(self, nodes: Sequence[Node]) -> None:
        gone = self._addresses.keys() - {node.id for node in nodes}
        self._addresses = {node.id: node.address for node in nodes}
        self._start(self._channels.keep_only(set(self._addresses.values())))
        for node_id in gone if self.node.coordinates else ():
            self._stream_server.end(node_id, "the node has left the cluster")
            self.node.coordinator.remove_node(node_id)

    def on_coordinator(self, node: Node | None) -> None:
        if node is None:
            self.node.follow("")
            self._stream.stop()
        elif node.id == self.node_id:
            self._stream.stop()
            self._stop_stream_timers()
        else:
            self.node.follow(node.id)
            self._start_stream_timers()
            self._stream.follow(node.id, node.address)

    def on_elected(self, epoch: int) -> None:
        self._start(self._coordinate())

    def on_deposed(self, why: str) -> None:
        self.node.stop_serving()
        self._stream_server.end_all("this node is not the coordinator any more")
        if self._draining:
            self._start(self._application.close_contests(self._draining))
        else:
            self._restart(why)

    async def on_lost(self, why: str) -> None:
        self._restart(why)
        await asyncio.Event().wait()  # It never joins again; the server that starts instead does.

    def on_refused(self, why: IncompatibleNode) -> None:
        self._end_server(str(why), False)

    async def _coordinate(self) -> None:
        try:
            await self._application.begin_recovery()
            await self._application.finish_recovery(
                lambda: self.node.coordinate(self._addresses.keys() - {self.node_id})
            )
        except (StoreUnavailable, MalformedEntry) as why:
            self._restart(f"the matches and contests cannot be restored: {why}")
        else:
            self.node.serve()
            self._role_known.set()

    # As the coordinator's end of streams of other nodes

    def connect(self, node: str, send: SendBytes) -> None:
        """Raises NodeUnavailable if this node is not the coordinator yet, or the other one is not known as a member."""
        if not self.node.ready or node not in self._addresses:
            raise NodeUnavailable(ELECTING)
        self._sends[node] = lambda message: send(encode(message))
        self.node.coordinator.connect(node, self._sends[node], lambda: self._stream_server.silent_us(node))

    def receive(self, node: str, message: bytes) -> None:
        self.node.coordinator.handle(node, decode_to_coordinator(message))

    def disconnect(self, node: str, send: SendBytes) -> None:
        self.node.coordinator.disconnect(node, self._sends.pop(node))

    # As the other end, at a node that does not coordinate

    def connected(self, send: SendBytes) -> None:
        self._stop_stream_timers()
        self._role_known.set()
        self.node.gateway.connect(lambda message: send(encode(message)))

    def received(self, message: bytes) -> None:
        self.node.gateway.handle(decode_from_coordinator(message))

    def disconnected(self) -> None:
        self.node.gateway.disconnect()
        self._start_stream_timers()

    def _start_stream_timers(self) -> None:
        if not self._stream_timers:
            now_us = self._time.monotonic_us()
            self._stream_timers = [
                self._time.call_at(now_us + CUT_OFF_AFTER_US, self._role_known.set),
                self._time.call_at(now_us + MAX_TIME_WITHOUT_STREAM_US, self._leave),
            ]

    def _stop_stream_timers(self) -> None:
        for timer in self._stream_timers:
            timer.cancel()
        self._stream_timers = []

    def _leave(self) -> None:
        self._restart(f"{NO_COORDINATOR} for {MAX_TIME_WITHOUT_STREAM_US // SECOND} s")

    def _restart(self, why: str) -> None:
        self._end_server(why, True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
