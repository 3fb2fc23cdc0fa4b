"""The bus over NATS when servers fail, come back, refuse, or do not answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import uvloop

from deploy.cluster_demo.nats_server import NatsFailed, PrivateNats
from referee.cluster.bus import nats_bus as nats_bus_module
from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import NatsServers, parse_servers
from referee.cluster.bus.port import MAX_PAYLOAD_BYTES, Bus, DropReason, InvalidSubject
from tests.cluster.bus.adapters import next_connection, opened
from tests.cluster.bus.nats import create_nats, nats_bus, new_cluster

INFO = b'INFO {"max_payload": 1048576}\r\n'

Answer: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
def own_nats(tmp_path: Path) -> Iterator[PrivateNats]:
    """A server that the test may kill. It is not started."""
    server = create_nats(tmp_path)
    yield server
    server.kill()


def run(test: Coroutine[Any, Any, None], loop_factory: Any = None) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await test

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(limited())


async def in_thread(operation: Callable[[], None]) -> None:
    await asyncio.get_running_loop().run_in_executor(None, operation)


async def delivered(*buses: Bus) -> None:
    for _ in range(2):
        for bus in buses:
            assert await bus.flush()


@asynccontextmanager
async def fake_server(answer: Answer) -> AsyncIterator[NatsServers]:
    """A server that answers each connection in its own way, and closes it when it has done so."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield NatsServers(parse_servers(f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"))


async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Do what a server does until the bus is connected."""
    writer.write(INFO)
    while await reader.readline() != b"PING\r\n":
        pass
    writer.write(b"PONG\r\n")


@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_killed_server_that_comes_back_is_used_again(own_nats: PrivateNats, loop_factory: Any) -> None:
    async def test() -> None:
        cluster = new_cluster()
        a, b = nats_bus(own_nats, cluster), nats_bus(own_nats, cluster)
        received: list[bytes] = []
        b.subscribe("news", received.append)
        async with opened(a, b):
            a.publish("news", b"before")
            await delivered(a, b)
            again = [next_connection(bus) for bus in (a, b)]
            await in_thread(own_nats.kill)
            assert not await a.flush()
            a.publish("news", b"meanwhile")
            assert a.counts.dropped[DropReason.DISCONNECTED] == 1
            b.subscribe("more", received.append)
            await in_thread(own_nats.start)
            for reconnected in again:
                await reconnected.wait()
            a.publish("news", b"after")
            a.publish("more", b"to a subscription that was made meanwhile")
            await delivered(a, b)
        assert received == [b"before", b"after", b"to a subscription that was made meanwhile"]

    own_nats.start()
    run(test(), loop_factory)


def test_a_bus_opens_without_a_server_and_connects_once_there_is_one(own_nats: PrivateNats) -> None:
    async def test() -> None:
        bus = nats_bus(own_nats, new_cluster())
        connected = next_connection(bus)
        await bus.open()
        bus.publish("news", b"")
        assert not bus.connected
        assert bus.counts.dropped[DropReason.DISCONNECTED] == 1
        await in_thread(own_nats.start)
        await connected.wait()
        assert await bus.flush()
        await bus.close()

    run(test())


def test_a_bus_closes_while_it_tries_to_connect(own_nats: PrivateNats) -> None:
    async def test() -> None:
        bus = nats_bus(own_nats, new_cluster())
        await bus.open()
        await bus.close()
        assert len(asyncio.all_tasks()) == 1

    run(test())


def test_all_servers_are_tried(nats: PrivateNats, own_nats: PrivateNats) -> None:
    async def test() -> None:
        urls = f"nats://127.0.0.1:{own_nats.port}, {nats.url}, nats://no-such-host.invalid"
        bus = NatsBus(NatsServers(parse_servers(urls), nats.credentials_file), new_cluster())
        async with opened(bus):
            assert bus.connected

    run(test())


def test_clusters_that_share_a_server_do_not_hear_each_other(nats: PrivateNats) -> None:
    async def test() -> None:
        a, b, other = (nats_bus(nats, cluster) for cluster in ["one", "one", "other"])
        received: list[str] = []
        b.subscribe("news", lambda _: received.append("b"))
        other.subscribe("news", lambda _: received.append("other"))
        async with opened(a, b, other):
            a.publish("news", b"")
            await delivered(a, b, other)
        assert received == ["b"]

    run(test())


@pytest.mark.parametrize("cluster", ["", "a.b", "*", ">", "a b"])
def test_a_cluster_has_a_plain_name(cluster: str) -> None:
    with pytest.raises(InvalidSubject):
        NatsBus(NatsServers(()), cluster)


def test_messages_are_dropped_while_too_much_waits_to_be_sent(
    nats: PrivateNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        cluster = new_cluster()
        a, b = nats_bus(nats, cluster), nats_bus(nats, cluster)
        received: list[bytes] = []
        b.subscribe("news", received.append)
        async with opened(a, b):
            for number in range(100):
                a.publish("news", b"%10d" % number)
            await delivered(a, b)
            a.publish("news", b"later")
            await delivered(a, b)
        dropped = a.counts.dropped[DropReason.BUFFER_FULL]
        assert 0 < dropped < 100
        assert received == [*(b"%10d" % number for number in range(100 - dropped)), b"later"]
        assert (a.counts.sent, b.counts.received) == (101 - dropped, 101 - dropped)

    monkeypatch.setattr(nats_bus_module, "MAX_WAITING_BYTES", 1000)
    run(test())


def test_a_server_that_closes_the_connection_to_a_slow_reader_is_used_again() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await accept(reader, writer)
        connections.append(writer)
        if len(connections) == 1:
            writer.write(b"-ERR 'Slow Consumer'\r\n")
        else:
            await reader.read()

    async def test() -> None:
        async with fake_server(answer) as servers:
            bus = NatsBus(servers, "test")
            lost_messages = asyncio.Semaphore(0)
            bus.on_reconnect(lost_messages.release)
            async with opened(bus):
                await lost_messages.acquire()
                await lost_messages.acquire()
                assert bus.connected

    connections: list[asyncio.StreamWriter] = []
    run(test())


def test_a_server_that_stops_answering_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await accept(reader, writer)
        connections.release()
        await reader.read()

    async def test() -> None:
        async with fake_server(answer) as servers, opened(NatsBus(servers, "test")):
            await connections.acquire()
            await connections.acquire()

    connections = asyncio.Semaphore(0)
    monkeypatch.setattr(nats_bus_module, "PING_INTERVAL_S", 0.01)
    run(test())


def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        connections.release()
        await reader.read()

    async def test() -> None:
        async with fake_server(answer) as servers:
            bus = NatsBus(servers, "test")
            await bus.open()
            await connections.acquire()
            await connections.acquire()
            assert not bus.connected
            await bus.close()

    connections = asyncio.Semaphore(0)
    monkeypatch.setattr(nats_bus_module, "CONNECT_TIMEOUT_S", 0.01)
    run(test())


@pytest.mark.parametrize(
    "info",
    [
        b'INFO {"max_payload": %d}\r\n' % (MAX_PAYLOAD_BYTES - 1),
        b'INFO {"max_payload": "much"}\r\n',
        b"INFO {}\r\n",
        b"INFO 1\r\n",
        b"INFO {\r\n",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"-ERR 'no'\r\n",
        b"",
    ],
)
def test_a_server_that_cannot_be_used_is_tried_again(info: bytes) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.release()
        writer.write(info)

    async def test() -> None:
        async with fake_server(answer) as servers:
            bus = NatsBus(servers, "test")
            await bus.open()
            await connections.acquire()
            await connections.acquire()
            assert not bus.connected
            await bus.close()

    connections = asyncio.Semaphore(0)
    run(test())


def test_a_private_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    config = tmp_path / "nats.conf"
    config.write_text("no_such_option: 1\n")
    with pytest.raises(NatsFailed, match="no_such_option"):
        create_nats(tmp_path, config).start()
