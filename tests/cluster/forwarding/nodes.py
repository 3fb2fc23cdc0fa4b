"""Nodes of a cluster in one process: real servers that share their stores, and other ends of forwarded calls.

Node B forwards every call that another node may answer to node A, which is the coordinator and runs everything. B
listens on a Unix socket, so that its callers have another address than B itself has at A.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.message_factory import GetMessageClass

from referee.cluster.forwarding.forwarder import Forwarder
from referee.cluster.forwarding.forwarding_header import ForwardingHeader
from referee.cluster.forwarding.node_channels import NodeChannels
from referee.cluster.node_stream.stream_server import NodeStreamServer
from referee.live.match_timing import LoopTime
from referee.live.sessions import Session
from referee.observability.event_log_metrics import ignore_outage
from referee.observability.metrics import Metrics
from referee.observability.tracing import UNTRACED
from referee.server.application import Application
from referee.server.grpc_frontend import VERSION, GrpcFrontend, play_tools, server_limits
from referee.server.settings import Settings
from referee.server.stores import Stores, open_stores
from referee.transport.forwarding.cluster_gate import ClusterGate
from referee.transport.forwarding.routes import Route
from referee.transport.guards.open_calls import OpenCalls
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from referee.transport.tls import TlsFiles
from referee.transport.wire.error_mapping import ErrorMapper
from referee.transport.wire.wire_errors import NodeUnavailable
from tests.docs import contract
from tests.e2e.call_errors import CallError, assert_matches_contract, parse_error
from tests.e2e.server import TIMEOUT_S, bearer
from tests.e2e.test_tls import Certificate

KEY = b"the key of the cluster of a test"
PACKAGE = "referee_api.v1"
METHODS = contract.methods()
SETTINGS = replace(
    Settings(), ephemeral=True, calls_per_minute=1_000_000, max_calls_without_token_per_address=1_000, drain_grace_s=0
)


class FixedGate(ClusterGate):
    """Forwards calls, and accepts streams of other nodes if it is given a server of them."""

    def __init__(self, forwarder: Forwarder, streams: NodeStreamServer | None, map_error: ErrorMapper) -> None:
        self.forwarder = forwarder
        self._streams = streams
        self._map_error = map_error

    def handlers(self, calls: OpenCalls, unauthenticated: UnauthenticatedCalls) -> Mapping[str, Any]:
        return self._streams.handlers(calls, unauthenticated, self._map_error) if self._streams else {}

    def check_takes_bots(self) -> None:
        """Take them."""

    def forward_item(self, session: Session, item: bytes) -> bool:
        return False


class FixedRouter:
    """Sends every call that may be forwarded to one address."""

    def __init__(self, address: str | None = None) -> None:
        self.address = address
        """None: the node itself; empty: unknown."""
        self.asked: list[tuple[Route, str]] = []

    def node_of(self, route: Route, name: str) -> str | None:
        self.asked.append((route, name))
        if self.address == "":
            raise NodeUnavailable("no coordinator is known")
        return self.address


@dataclass
class Node:
    address: str
    channel: grpc.aio.Channel
    router: FixedRouter
    channels: NodeChannels
    frontend: GrpcFrontend

    async def call(self, method: str, secret: str | None, **fields: Any) -> Any:
        """Call a method, such as `MatchService/GetMatch`, and return its only answer."""
        return await start_call(self.channel, method, secret, **fields)

    async def stop(self) -> None:
        """End all calls at once, as if the process were killed."""
        await self.frontend.server.close(0)


def start_call(
    channel: grpc.aio.Channel,
    method: str,
    secret: str | None,
    *headers: tuple[str, str],
    timeout_s: float = TIMEOUT_S,
    **fields: Any,
) -> Any:
    """Start a call of a method, and return it."""
    described = METHODS[method]
    request = GetMessageClass(described.input_type)
    stub: Any = channel.unary_stream if described.server_streaming else channel.unary_unary
    call = stub(f"/{PACKAGE}.{method}", request.SerializeToString, GetMessageClass(described.output_type).FromString)
    metadata = (*(bearer(secret) if secret is not None else ()), *headers)
    return call(request(**fields), metadata=metadata, timeout=timeout_s)


async def error_of(call: Awaitable[Any]) -> CallError:
    """Return the typed error with which a call fails."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    return typed_error(raised.value)


def typed_error(error: grpc.aio.AioRpcError) -> CallError:
    parsed = parse_error(error)
    assert_matches_contract(parsed)
    return parsed


@asynccontextmanager
async def run_node(
    stores: Stores,
    name: str,
    listen: str,
    router: FixedRouter,
    settings: Settings = SETTINGS,
    *,
    coordinator: bool = False,
    key: bytes = KEY,
    credentials: grpc.ServerCredentials | None = None,
    trusted: Callable[[], grpc.ChannelCredentials] | None = None,
    node_streams: NodeStreamServer | None = None,
) -> AsyncIterator[Node]:
    """Run a node until the context is left. Only the coordinator runs matches and contests."""
    time, metrics = LoopTime(), Metrics(VERSION)
    channels = NodeChannels(trusted, 10_000, 5_000)
    forwarder = Forwarder(router, channels, ForwardingHeader(key, name), settings.max_message_bytes)
    application = Application(settings, stores, metrics, time, UNTRACED, ignore_outage)
    tools = play_tools(application, application.referee.sessions.is_online)
    gate = FixedGate(forwarder, node_streams, tools.map_error)
    frontend = GrpcFrontend(
        settings, stores, application, tools, None, lambda _grace_us: None, server_limits(settings), gate
    )
    if coordinator:
        await application.open()
    port = await frontend.server.open(listen, credentials)
    address = listen if listen.startswith("unix:") else f"127.0.0.1:{port}"
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            yield Node(address, channel, router, channels, frontend)
    finally:
        await channels.close()
        if coordinator:
            await application.drain(0, 0)
            await application.close_matches()
        await frontend.server.close(0)
        await application.close()


@dataclass
class Cluster:
    """Nodes A and B, and the token of an administrator of both."""

    stores: Stores
    a: Node
    b: Node
    admin: str


@asynccontextmanager
async def run_cluster(
    a: Settings = SETTINGS,
    b: Settings = SETTINGS,
    *,
    tmp_path: Path,
    credentials: grpc.ServerCredentials | None = None,
    trusted: Callable[[], grpc.ChannelCredentials] | None = None,
) -> AsyncIterator[Cluster]:
    """Run a coordinator A, and a node B that forwards to it. With `credentials`, A has TLS, and B uses `trusted`."""
    stores = open_stores(a, LoopTime(), lambda _appends: None)
    async with AsyncExitStack() as running:
        node_a = await running.enter_async_context(
            run_node(stores, "a", "127.0.0.1:0", FixedRouter(), a, coordinator=True, credentials=credentials)
        )
        listen, router = f"unix:{tmp_path / 'b.sock'}", FixedRouter(node_a.address)
        node_b = await running.enter_async_context(run_node(stores, "b", listen, router, b, trusted=trusted))
        yield Cluster(stores, node_a, node_b, await node_a.frontend.create_admin())


@dataclass(frozen=True)
class NodeFiles:
    """Files of one node, whose certificate is its own authority."""

    folder: Path

    def write(self, certificate: Certificate) -> None:
        self.folder.mkdir(exist_ok=True)
        certificate.write_files(self.folder)

    @property
    def cert(self) -> Path:
        return self.folder / "cert.pem"

    def tls_files(self, client_ca: Path | None = None) -> TlsFiles:
        return TlsFiles(self.cert, self.folder / "key.pem", client_ca)


def files_of(name: str, folder: Path) -> NodeFiles:
    files = NodeFiles(folder / name)
    files.write(Certificate(name))
    return files
