"""Makes a server a node of a cluster: its membership, its stream to the coordinator, and calls between nodes.

A server has one membership from `open` to `close`. When that is lost, or the node is deposed, the server ends all its
streams and starts again as another node: bots connect again, here or elsewhere, and nothing must be undone.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import grpc
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import NatsServers
from referee.cluster.bus.signed_bus import SignedBus
from referee.cluster.cluster_metrics import ClusterCollector, ClusterSources, NodeStreamCounts
from referee.cluster.gateway import CUT_OFF_AFTER_US
from referee.cluster.membership.compatibility import NEWEST_PROTOCOL, OLDEST_PROTOCOL, IncompatibleNode
from referee.cluster.membership.membership import Membership
from referee.cluster.membership.node_store import LEASE_US, Node, NodeStore
from referee.cluster.messages import FromCoordinator, decode_from_coordinator, decode_to_coordinator, encode
from referee.cluster.node import ClusterNode
from referee.cluster.node_stream.stream_client import NodeStreamClient
from referee.cluster.node_stream.stream_server import NodeStreamServer
from referee.cluster.rated_ends import NO_COORDINATOR
from referee.cluster.router import ELECTING, NodeRouter
from referee.live.ports import LogUnavailable, Time, Timer
from referee.live.referee import RefereeDraining
from referee.live.sessions import Session
from referee.match.clock import MS, SECOND, Micros
from referee.server.application import Application, live_limits
from referee.server.grpc_frontend import VERSION, OtherNodes
from referee.server.settings import Settings
from referee.storage.codec import MalformedEntry
from referee.transport.forwarding.forwarder import Forwarder
from referee.transport.forwarding.forwarding_header import ForwardingHeader
from referee.transport.forwarding.node_channels import NodeChannels, NodeKeepalive
from referee.transport.play.remote_play import RemotePlay
from referee.transport.tls import NodeCredentials, TlsFiles
from referee.wire.wire_errors import NodeUnavailable

SendBytes = Callable[[bytes], None]

MAX_TIME_WITHOUT_STREAM_US: Micros = 60 * SECOND
"""A node leaves the cluster when it has had no stream to the coordinator for that long, and joins as another one.

The coordinator waits for bots that may be connected to it no longer than that.
"""
NODE_PING_MS, NODE_TIMEOUT_MS = 5_000, 5_000
"""Keepalive of connections to other nodes."""

log = structlog.get_logger("referee")


class ClusterMember:
    """A `ClusterObserver`, and both ends of streams between nodes."""

    def __init__(
        self,
        settings: Settings,
        key: Ed25519PrivateKey,
        nodes: NodeStore,
        time: Time,
        restart: Callable[[str], None],
        fail: Callable[[str], None],
    ) -> None:
        """`restart` and `fail` end the server, with the reason in one sentence; the first one starts it again."""
        self._settings = settings
        self._nodes = nodes
        self._time = time
        self._restart = restart
        self._fail = fail
        self._cluster_key = _cluster_key(key)
        self.node_id = secrets.token_hex(8)
        servers = NatsServers(settings.nats, settings.nats_credentials, settings.nats_ca)
        self._bus = SignedBus(NatsBus(servers, settings.nats_cluster), self._cluster_key)
        self.node = ClusterNode(self.node_id, self._bus, time)
        self._channels = NodeChannels(_credentials(settings, time), _keepalive(settings))
        self._header = ForwardingHeader(self._cluster_key, self.node_id)
        self._stream_counts = NodeStreamCounts()
        self._stream_server = NodeStreamServer(
            self.node_id, self._header, self, time, settings.max_message_bytes, self._stream_counts
        )
        self._stream = NodeStreamClient(
            self._channels, self._header, self, time, settings.max_message_bytes, self._stream_counts
        )
        self._sends: dict[str, Callable[[FromCoordinator], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._role_known = asyncio.Event()
        self._draining: RefereeDraining | None = None
        self._members: Sequence[Node] = ()
        self._membership: Membership | None = None
        """None: the node has not begun to join."""
        self._stream_timers: list[Timer] = []
        """Run while this node has no stream to the coordinator."""

    def other_nodes(self, application: Application) -> OtherNodes:
        """Return how the application and other nodes reach each other."""
        self._application = application
        self._router = NodeRouter(self.node, application.referee)
        self._forwarder = Forwarder(self._router, self._channels, self._header, self._settings.max_message_bytes)
        return OtherNodes(self._forwarder, self._stream_server, self._forward_item, self._check_takes_bots)

    @property
    def not_ready(self) -> str:
        """Why this node should get no new bots; empty: it should."""
        return "" if self.node.takes_bots else NO_COORDINATOR

    def _check_takes_bots(self) -> None:
        if why := self.not_ready:
            raise NodeUnavailable(why)

    def collector(self) -> ClusterCollector:
        """Return the metrics of this node, which must be a member."""
        assert self._membership
        sources = ClusterSources(
            self._bus, self._stream_counts, self._membership.status, lambda: self._forwarder.forwarded_calls
        )
        return ClusterCollector(sources)

    def attach(self, remote_play: RemotePlay) -> None:
        """Attach the node to the application, before that is opened."""
        referee, events = self._application.referee, self._application.events
        return_within_us = live_limits(self._settings).return_within_us
        self.node.attach(referee, events, remote_play.answer_item, remote_play.encode_item, return_within_us)

    async def open(self, address: str) -> None:
        """Join the cluster, at whose other nodes this one is known by that address, and wait for a role.

        Raises LogUnavailable or IncompatibleNode.
        """
        await self._bus.open()
        self.node.open()
        profile = Node("", address, VERSION, OLDEST_PROTOCOL, NEWEST_PROTOCOL, LEASE_US)
        shared = self._application.referee.shared
        self._membership = Membership(
            self._nodes, self._time, profile, self, lambda: self.node_id, lambda: len(shared.followed)
        )
        await self._membership.open()
        await self._role_known.wait()

    async def resign(self, why: RefereeDraining) -> None:
        """Let another node become the coordinator, because this one is about to leave."""
        self._draining = why
        if self._membership:
            await self._membership.resign()

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

    def _forward_item(self, session: Session, item: bytes) -> bool:
        return self.node.gateway.forward(session, item)

    # As the observer of the membership

    def on_joined(self, node: Node) -> None:
        """Do nothing: the node has its only role for as long as this membership lasts."""

    def on_nodes(self, nodes: Sequence[Node]) -> None:
        gone = {node.id for node in self._members} - {node.id for node in nodes}
        self._members = nodes
        self._router.addresses = {node.id: node.address for node in nodes}
        self._start(self._channels.keep_only({node.address for node in nodes}))
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
        self.node.ready = False
        self._stream_server.end_all("this node is not the coordinator any more")
        if self._draining:
            self._start(self._application.close_contests(self._draining))
        else:
            self._restart(why)

    async def on_lost(self, why: str) -> None:
        self._restart(why)
        await asyncio.Event().wait()  # It never joins again; the server that starts instead does.

    def on_refused(self, why: IncompatibleNode) -> None:
        self._fail(str(why))

    async def _coordinate(self) -> None:
        try:
            await self._application.begin_recovery()
            await self._application.finish_recovery({node.id for node in self._members} - {self.node_id})
        except (LogUnavailable, MalformedEntry) as why:
            self._restart(f"the matches and contests cannot be restored: {why}")
        else:
            self._role_known.set()

    # As the coordinator's end of streams of other nodes

    def connect(self, node: str, send: SendBytes) -> None:
        """Raises NodeUnavailable if this node is not the coordinator yet, or the other one is not known as a member."""
        if not self.node.ready or node not in self._router.addresses:
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

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _cluster_key(key: Ed25519PrivateKey) -> bytes:
    """Return the secret that only nodes of the same database know."""
    return hashlib.blake2b(key.private_bytes_raw(), person=b"cluster key", digest_size=32).digest()


def _credentials(settings: Settings, time: Time) -> Callable[[], grpc.ChannelCredentials] | None:
    """Raises InvalidTlsFiles."""
    if not (settings.tls_cert and settings.tls_key):
        return None
    files = TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    every_us = settings.tls_reload_interval_ms * MS
    return NodeCredentials(files, settings.cluster_ca, every_us, time.monotonic_us).current


def _keepalive(settings: Settings) -> NodeKeepalive:
    return NodeKeepalive(max(NODE_PING_MS, settings.min_client_ping_interval_ms), NODE_TIMEOUT_MS)
