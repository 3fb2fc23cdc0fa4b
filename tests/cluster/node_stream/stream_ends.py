"""Both ends of node streams, which record what happens to them, over a real server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import grpc

from referee.cluster.forwarding.forwarding_header import ForwardingHeader
from referee.cluster.forwarding.node_channels import NodeChannels, NodeKeepalive
from referee.cluster.node_stream.node_link import NodeStreamCounts
from referee.cluster.node_stream.stream_client import NodeStreamClient
from referee.cluster.node_stream.stream_server import NodeStreamServer
from referee.live.match_timing import LoopTime
from referee.live.ports import Time
from referee.server.settings import Settings
from referee.server.stores import open_stores
from tests.cluster.forwarding.nodes import KEY, SETTINGS, FixedRouter, Node, run_node

WRITE_BYTES = 10_000


class Recording:
    """Lets a test wait for what is recorded."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self._changed = asyncio.Event()

    async def until_events(self, number: int) -> None:
        await self.until(lambda: len(self.events) >= number)

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    def changed(self) -> None:
        self._changed.set()


class CoordinatorEnd(Recording):
    """A StreamHandler."""

    def __init__(self) -> None:
        super().__init__()
        self.sends: dict[str, Callable[[bytes], None]] = {}
        self.received: dict[str, list[bytes]] = {}
        self.refuses: Exception | None = None
        self.greeting = b""
        """Sent at the start of each stream, if it is not empty."""

    def connect(self, node: str, send: Callable[[bytes], None]) -> None:
        if self.refuses:
            raise self.refuses
        assert node not in self.sends
        self.events.append(f"connect {node}")
        self.sends[node] = send
        if self.greeting:
            send(self.greeting)
        self.changed()

    def receive(self, node: str, message: bytes) -> None:
        assert node in self.sends
        if message == b"poison":
            raise ValueError("poison")
        self.received.setdefault(node, []).append(message)
        self.changed()

    def disconnect(self, node: str, send: Callable[[bytes], None]) -> None:
        assert self.sends.pop(node) == send
        self.events.append(f"disconnect {node}")
        self.changed()


class NodeEnd(Recording):
    """A StreamUser."""

    def __init__(self) -> None:
        super().__init__()
        self.send: Callable[[bytes], None] | None = None
        self.messages: list[bytes] = []

    def connected(self, send: Callable[[bytes], None]) -> None:
        assert self.send is None
        self.send = send
        self.events.append("connected")
        self.changed()

    def received(self, message: bytes) -> None:
        assert self.send
        if message == b"poison":
            raise ValueError("poison")
        self.messages.append(message)
        self.changed()

    def disconnected(self) -> None:
        assert self.send
        self.send = None
        self.events.append("disconnected")
        self.changed()


@dataclass
class Coordinator:
    node: Node
    end: CoordinatorEnd
    streams: NodeStreamServer
    counts: NodeStreamCounts


@dataclass
class Client:
    end: NodeEnd
    streams: NodeStreamClient
    header: ForwardingHeader
    counts: NodeStreamCounts = field(default_factory=NodeStreamCounts)

    def send(self, message: bytes) -> None:
        assert self.end.send is not None
        self.end.send(message)

    async def connect(self, address: str, node: str = "a") -> None:
        """Follow the node, and wait until the stream is open."""
        self.streams.follow(node, address)
        await self.end.until(lambda: self.end.send)


@asynccontextmanager
async def run_coordinator(
    name: str = "a",
    listen: str = "127.0.0.1:0",
    *,
    time: Time | None = None,
    end: CoordinatorEnd | None = None,
    settings: Settings = SETTINGS,
    credentials: grpc.ServerCredentials | None = None,
) -> AsyncIterator[Coordinator]:
    """Run a node that accepts streams, until the context is left."""
    end, counts = end or CoordinatorEnd(), NodeStreamCounts()
    header = ForwardingHeader(KEY, name)
    streams = NodeStreamServer(name, header, end, time or LoopTime(), WRITE_BYTES, counts)
    stores = open_stores(settings, LoopTime(), lambda _appends: None)
    running = run_node(stores, name, listen, FixedRouter(), settings, credentials=credentials, node_streams=streams)
    async with running as node:
        try:
            yield Coordinator(node, end, streams, counts)
        finally:
            streams.end_all("the test is over")


@asynccontextmanager
async def run_clients(
    *names: str,
    time: Time | None = None,
    trusted: Callable[[], grpc.ChannelCredentials] | None = None,
    key: bytes = KEY,
) -> AsyncIterator[list[Client]]:
    """Yield the other ends of nodes, which follow nobody yet. Those of one name share their counters."""
    headers = {name: ForwardingHeader(key, name) for name in names}
    async with AsyncExitStack() as running:
        clients = []
        for name in names:
            channels, end, counts = NodeChannels(trusted, NodeKeepalive(10_000, 5_000)), NodeEnd(), NodeStreamCounts()
            streams = NodeStreamClient(channels, headers[name], end, time or LoopTime(), WRITE_BYTES, counts)
            running.push_async_callback(streams.close)
            clients.append(Client(end, streams, headers[name], counts))
        yield clients
