"""Creates what makes a server a node of a cluster, from its settings."""

import hashlib
import secrets
from collections.abc import Callable

import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import NatsServers
from referee.cluster.bus.signed_bus import SignedBus
from referee.cluster.cluster_member import ClusterMember, NodeConnections
from referee.cluster.forwarding.node_channels import NodeChannels
from referee.cluster.node import ClusterNode
from referee.cluster.remote_play import RemotePlay
from referee.cluster.shared_matches import SharedMatches
from referee.live.ports import Time
from referee.match.clock import MS
from referee.server.application import Application, live_limits
from referee.server.settings import Settings
from referee.server.stores import Stores
from referee.transport.services.bot_requests import PlayTools
from referee.transport.tls import NodeCredentials, TlsFiles

NODE_PING_MS, NODE_TIMEOUT_MS = 5_000, 5_000
"""Keepalive of connections to other nodes."""


def create_member(
    settings: Settings,
    stores: Stores,
    application: Application,
    shared: SharedMatches,
    tools: PlayTools,
    end_server: Callable[[str, bool], None],
) -> ClusterMember:
    """Return a member, which shares the matches of the application. Raises InvalidTlsFiles.

    `end_server`: see `ClusterMember`.
    """
    assert stores.nodes, "settings with `nats` have a database, which the nodes share"
    time, node_id, cluster_key = application.time, secrets.token_hex(8), _cluster_key(stores.key())
    servers = NatsServers(settings.nats, settings.nats_credentials, settings.nats_ca)
    bus = SignedBus(NatsBus(servers, settings.nats_cluster), cluster_key)
    ping_interval_ms = max(NODE_PING_MS, settings.min_client_ping_interval_ms)
    channels = NodeChannels(_credentials(settings, time), ping_interval_ms, NODE_TIMEOUT_MS)
    items = RemotePlay(application.referee, time, tools)
    node = ClusterNode(node_id, bus, shared, application.referee, items, live_limits(settings).return_within_us)
    connections = NodeConnections(node_id, cluster_key, stores.nodes, bus, channels, settings.max_message_bytes)
    return ClusterMember(connections, node, application, tools.map_error, end_server)


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
