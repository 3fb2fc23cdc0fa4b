"""Streams between nodes over real servers: order, replacement, refusal, reconnection, silence, limits, and TLS."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from structlog.testing import capture_logs

from referee.cluster.forwarding.forwarding_header import HEADER, ForwardingHeader
from referee.cluster.forwarding.node_channels import NodeChannels
from referee.cluster.node_stream.node_link import MAX_SILENCE_US, NodeStreamCounts
from referee.cluster.node_stream.stream_client import NodeStreamClient
from referee.cluster.node_stream.stream_server import PATH, NodeStreamServer
from referee.live.match_timing import LoopTime
from referee.live.ports import Time
from referee.match.clock import SECOND
from referee.server.settings import Settings
from referee.server.stores import open_stores
from referee.transport.guards.error_interceptor import count_errors
from referee.transport.guards.open_calls import OpenCalls
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from referee.transport.tls import NodeCredentials, credentials
from referee.transport.wire.wire_errors import NodeUnavailable
from tests.cluster.faulty_proxy import run_proxy
from tests.cluster.forwarding.nodes import KEY, SETTINGS, FixedRouter, Node, files_of, run_node, typed_error
from tests.e2e.call_errors import CallError
from tests.e2e.server import TIMEOUT_S
from tests.live.fake_time import FakeTime

WRITE_BYTES = 10_000


class Recording:
    """Lets a test wait for what is recorded."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self._changed = asyncio.Event()

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
            channels, end, counts = NodeChannels(trusted, 10_000, 5_000), NodeEnd(), NodeStreamCounts()
            streams = NodeStreamClient(channels, headers[name], end, time or LoopTime(), WRITE_BYTES, counts)
            running.push_async_callback(streams.close)
            clients.append(Client(end, streams, headers[name], counts))
        yield clients


MANY = 3_000


async def refusal(address: str, *headers: tuple[str, str]) -> CallError:
    """Call the method with these headers; return the error by which the stream is refused."""
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.stream_stream(PATH)(metadata=headers, timeout=TIMEOUT_S)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await call.read()
    return typed_error(raised.value)


async def test_messages_arrive_in_order_in_both_directions() -> None:
    async with run_coordinator() as a, run_clients("b") as [b]:
        a.end.greeting = b"hello"
        await b.connect(a.node.address)
        large = bytes(3 * WRITE_BYTES)
        messages = [large if number % 1_000 == 500 else str(number).encode() for number in range(MANY)]
        for number, message in enumerate(messages):
            b.send(message)
            a.end.sends["b"](message)
            if number % 100 == 0:
                await asyncio.sleep(0)
        await a.end.until(lambda: len(a.end.received.get("b", ())) == MANY)
        await b.end.until(lambda: len(b.end.messages) == MANY + 1)
        assert a.end.received["b"] == messages
        assert b.end.messages == [b"hello", *messages]
        assert a.counts == NodeStreamCounts(sent=MANY + 1, received=MANY, opened=1)
        assert b.counts == NodeStreamCounts(sent=MANY, received=MANY + 1, opened=1)


async def test_a_newer_stream_of_the_same_node_replaces_the_older_one() -> None:
    async with run_coordinator() as a, run_clients("b", "b", time=FakeTime()) as [first, second]:
        await first.connect(a.node.address)
        await second.connect(a.node.address)
        await first.end.until(lambda: first.end.events == ["connected", "disconnected"])
        assert a.end.events == ["connect b", "disconnect b", "connect b"]
        await second.streams.close()
        await a.end.until(lambda: not a.end.sends)
        assert a.end.events == ["connect b", "disconnect b"] * 2
        assert second.end.events == ["connected", "disconnected"]


def header_for(node: str, *, key: bytes = KEY, path: str = PATH) -> tuple[str, str]:
    return HEADER, ForwardingHeader(key, "b").write(path, node)


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ((), "BAD_FIELD"),
        (((HEADER, "b 1 a"),), "BAD_FIELD"),
        (((HEADER, f"b 1 a {'0' * 32}"),), "BAD_FIELD"),
        ((header_for("a", key=b"another key"),), "BAD_FIELD"),
        ((header_for("a", path="/referee_api.v1.LadderService/ListLadders"),), "BAD_FIELD"),
        ((header_for("c"),), "NODE_UNAVAILABLE"),
    ],
    ids=["no header", "no MAC", "wrong MAC", "wrong key", "other method", "other node"],
)
async def test_a_stream_that_is_not_for_this_node_is_refused(headers: tuple[tuple[str, str], ...], reason: str) -> None:
    async with run_coordinator() as a:
        assert (await refusal(a.node.address, *headers)).reason == reason
        assert a.end.events == []


async def test_a_header_opens_one_stream_only() -> None:
    async with run_coordinator() as a:
        header = header_for("a")
        async with grpc.aio.insecure_channel(a.node.address) as channel:
            call: Any = channel.stream_stream(PATH)(metadata=(header,), timeout=TIMEOUT_S)
            await call.read()
            assert (await refusal(a.node.address, header)).reason == "BAD_FIELD"
            assert a.end.events == ["connect b"]
        await a.end.until(lambda: a.end.events == ["connect b", "disconnect b"])


async def test_a_node_that_does_not_coordinate_refuses_streams_until_it_does() -> None:
    async with run_coordinator() as a, run_clients("b") as [b]:
        a.end.refuses = NodeUnavailable("this node does not coordinate")
        assert (await refusal(a.node.address, header_for("a"))).reason == "NODE_UNAVAILABLE"
        b.streams.follow("a", a.node.address)
        assert b.end.events == a.end.events == []
        a.end.refuses = None
        await b.connect(a.node.address)
        assert a.end.events == ["connect b"]


async def test_strangers_count_as_calls_without_a_token_and_nodes_do_not() -> None:
    settings = replace(SETTINGS, max_calls_without_token_per_address=1)
    async with run_coordinator(settings=settings) as a, run_clients("b", "c", "d") as clients:
        for client in clients:
            await client.connect(a.node.address)
        assert (await refusal(a.node.address)).reason == "BAD_FIELD"


async def test_beyond_the_limit_of_its_address_a_stranger_is_refused_before_its_header_is_read() -> None:
    unauthenticated, end, calls = UnauthenticatedCalls(10, 1), CoordinatorEnd(), OpenCalls(TIMEOUT_S)
    streams = NodeStreamServer("a", ForwardingHeader(KEY, "a"), end, FakeTime(), WRITE_BYTES, NodeStreamCounts())
    handlers = streams.handlers(calls, unauthenticated, count_errors(lambda _reason: None))
    server = grpc.aio.server()
    service, _, method = PATH.strip("/").partition("/")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handlers[PATH]}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    unauthenticated.begin_call("127.0.0.1")
    assert (await refusal(f"127.0.0.1:{port}", header_for("a"))).reason == "TOO_MANY_CALLS_IN_FLIGHT"
    await server.stop(None)


async def test_a_stream_is_opened_again_after_a_restart_of_the_coordinator() -> None:
    async with run_clients("b") as [b]:
        async with run_coordinator() as before:
            await b.connect(before.node.address)
            await before.node.stop()
            await b.end.until(lambda: b.end.events == ["connected", "disconnected"])
        async with run_coordinator("a", before.node.address) as after:
            await b.end.until(lambda: len(b.end.events) == 3)
            assert after.end.events == ["connect b"]
            after.end.sends["b"](b"again")
            await b.end.until(lambda: b.end.messages == [b"again"])


async def test_a_node_with_the_address_of_the_former_coordinator_gets_no_stream() -> None:
    async with run_coordinator("z") as z, run_clients("b") as [b]:
        b.streams.follow("a", z.node.address)
        with capture_logs() as logs:
            while not logs:
                await asyncio.sleep(0)
        assert "another node has this address now" in logs[0]["why"]
        assert z.end.events == b.end.events == []


async def test_a_node_has_a_stream_to_the_coordinator_that_it_followed_last() -> None:
    async with run_coordinator("a") as a, run_coordinator("c") as c, run_clients("b") as [b]:
        await b.connect(a.node.address, "a")
        b.streams.follow("a", a.node.address)
        assert b.end.events == ["connected"]
        b.streams.follow("c", c.node.address)
        assert b.end.events == ["connected", "disconnected"]
        b.streams.follow("a", a.node.address)
        await b.connect(c.node.address, "c")
        assert b.end.events == ["connected", "disconnected", "connected"]
        assert (list(a.end.sends), list(c.end.sends)) == ([], ["b"])
        assert a.end.events == ["connect b", "disconnect b"]
        b.streams.stop()
        b.streams.stop()
        assert b.end.events == ["connected", "disconnected"] * 2
        await c.end.until(lambda: not c.end.sends)


async def test_a_stream_that_is_stopped_before_it_is_open_is_never_opened() -> None:
    async with run_coordinator() as a, run_clients("b") as [b]:
        b.streams.follow("a", a.node.address)
        await a.end.until(lambda: a.end.sends)
        b.streams.stop()
        await b.streams.close()
        assert b.end.events == []
        await a.end.until(lambda: not a.end.sends)


async def test_the_coordinator_can_end_all_streams() -> None:
    async with run_coordinator() as a, run_clients("b", "c") as clients:
        for client in clients:
            await client.connect(a.node.address)
        a.streams.end_all("this node coordinates no more")
        assert a.end.events[2:] == ["disconnect b", "disconnect c"]
        for client in clients:  # If the end is lost on the way, silence tells it.
            await client.end.until(partial(client.end.events.__contains__, "disconnected"))
            assert client.end.events[:2] == ["connected", "disconnected"]


@pytest.mark.parametrize("side", ["coordinator", "node"])
async def test_a_message_that_cannot_be_handled_ends_its_stream_and_no_other(side: str) -> None:
    async with run_coordinator() as a, run_clients("b", "c") as [b, c]:
        await b.connect(a.node.address)
        await c.connect(a.node.address)
        if side == "coordinator":
            b.send(b"poison")
        else:
            a.end.sends["b"](b"poison")
        await b.end.until(lambda: b.end.events == ["connected", "disconnected", "connected"])
        b.send(b"after")
        await a.end.until(lambda: a.end.received == {"b": [b"after"]})
        assert c.end.events == ["connected"]


async def test_both_sides_notice_a_network_that_forwards_nothing() -> None:
    time = FakeTime()
    async with run_coordinator(time=time) as a, run_clients("b", time=time) as [b]:
        with run_proxy("127.0.0.1", int(a.node.address.rpartition(":")[2])) as proxy:
            await b.connect(proxy.address)
            proxy.stall()
            await time.advance(2 * MAX_SILENCE_US)
            await b.end.until(lambda: b.end.events == ["connected", "disconnected"])
            await a.end.until(lambda: a.end.events == ["connect b", "disconnect b"])
            proxy.heal()
            while b.end.send is None:
                await time.advance(SECOND // 10)
            assert a.end.events[-1] == "connect b"
            await b.streams.close()


async def test_streams_use_the_certificates_of_the_nodes(tmp_path: Path) -> None:
    a, b = (files_of(name, tmp_path) for name in "ab")
    server = credentials(a.tls_files(client_ca=b.cert), 0, lambda: 0)
    trusted = NodeCredentials(b.tls_files(b.cert), a.cert, 0, lambda: 0).current
    async with run_coordinator(credentials=server) as coordinator, run_clients("b", trusted=trusted) as [node]:
        await node.connect(coordinator.node.address)
        coordinator.end.sends["b"](b"secret")
        await node.end.until(lambda: node.end.messages == [b"secret"])
