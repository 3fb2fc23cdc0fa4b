"""The bus over NATS when servers fail, come back, refuse, or do not answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from deploy.cluster_demo.nats_server import NatsFailed, PrivateNats
from referee.cluster.bus import nats_bus as nats_bus_module
from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import NatsServers, parse_servers
from referee.cluster.bus.port import MAX_PAYLOAD_BYTES, DropReason, InvalidSubject
from tests.cluster.bus.nats import create_nats, nats_bus, new_cluster
from tests.cluster.bus.open_buses import delivered, next_connection, opened, subscribed
from tests.cluster.worlds import TIMEOUT_S, in_time

INFO = b'INFO {"max_payload": 1048576}\r\n'


@pytest.fixture
def own_nats(tmp_path: Path) -> Iterator[PrivateNats]:
    """A server that the test may kill. It is not started."""
    server = create_nats(tmp_path)
    yield server
    server.kill()


async def assert_used_again_after_a_kill(server: PrivateNats) -> None:
    cluster = new_cluster()
    a, b = nats_bus(server, cluster), nats_bus(server, cluster)
    received: list[bytes] = []
    b.subscribe("news", received.append)
    async with opened(a, b):
        a.publish("news", b"before")
        await delivered(a, b)
        again = [next_connection(bus) for bus in (a, b)]
        await asyncio.to_thread(server.kill)
        assert not await a.flush()
        a.publish("news", b"meanwhile")
        assert a.counts.dropped[DropReason.DISCONNECTED] == 1
        b.subscribe("more", received.append)
        await asyncio.to_thread(server.start)
        for reconnected in again:
            await reconnected.wait()
        a.publish("news", b"after")
        a.publish("more", b"to a subscription that was made meanwhile")
        await delivered(a, b)
    assert received == [b"before", b"after", b"to a subscription that was made meanwhile"]


@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_killed_server_that_comes_back_is_used_again(own_nats: PrivateNats, loop_factory: Any) -> None:
    own_nats.start()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(asyncio.wait_for(assert_used_again_after_a_kill(own_nats), TIMEOUT_S))


@in_time
async def test_a_bus_opens_without_a_server_and_connects_once_there_is_one(own_nats: PrivateNats) -> None:
    bus = nats_bus(own_nats, new_cluster())
    connected = next_connection(bus)
    await bus.open()
    bus.publish("news", b"")
    assert not bus.connected
    assert bus.counts.dropped[DropReason.DISCONNECTED] == 1
    await asyncio.to_thread(own_nats.start)
    await connected.wait()
    assert await bus.flush()
    await bus.close()


@in_time
async def test_a_bus_closes_while_it_tries_to_connect(own_nats: PrivateNats) -> None:
    bus = nats_bus(own_nats, new_cluster())
    await bus.open()
    await bus.close()
    assert len(asyncio.all_tasks()) == 1


@in_time
async def test_all_servers_are_tried(nats: PrivateNats, own_nats: PrivateNats) -> None:
    urls = f"nats://127.0.0.1:{own_nats.port}, {nats.url}, nats://no-such-host.invalid"
    bus = NatsBus(NatsServers(parse_servers(urls), nats.credentials_file), new_cluster())
    async with opened(bus):
        assert bus.connected


@in_time
async def test_clusters_that_share_a_server_do_not_hear_each_other(nats: PrivateNats) -> None:
    a, b, other = (nats_bus(nats, cluster) for cluster in ["one", "one", "other"])
    received: list[str] = []
    b.subscribe("news", lambda _: received.append("b"))
    other.subscribe("news", lambda _: received.append("other"))
    async with opened(a, b, other):
        a.publish("news", b"")
        await delivered(a, b, other)
    assert received == ["b"]


@pytest.mark.parametrize("cluster", ["", "a.b", "*", ">", "a b"])
def test_a_cluster_has_a_plain_name(cluster: str) -> None:
    with pytest.raises(InvalidSubject):
        NatsBus(NatsServers(()), cluster)


@in_time
async def test_messages_are_dropped_while_too_much_waits_to_be_sent(
    nats: PrivateNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nats_bus_module, "MAX_WAITING_BYTES", 1000)
    cluster = new_cluster()
    a, b = nats_bus(nats, cluster), nats_bus(nats, cluster)
    async with opened(a, b):
        received = await subscribed(b, "news")
        for number in range(100):
            a.publish("news", b"%10d" % number)
        await delivered(a, b)
        a.publish("news", b"later")
        await delivered(a, b)
    dropped = a.counts.dropped[DropReason.BUFFER_FULL]
    assert 0 < dropped < 100
    assert received == [*(b"%10d" % number for number in range(100 - dropped)), b"later"]
    assert (a.counts.sent, b.counts.received) == (101 - dropped, 101 - dropped)


@pytest.mark.parametrize(
    ("accepts", "then", "short"),
    [
        pytest.param(True, b"-ERR 'Slow Consumer'\r\n", "", id="closes the connection to a slow reader"),
        pytest.param(True, None, "PING_INTERVAL_S", id="stops answering"),
        pytest.param(False, None, "CONNECT_TIMEOUT_S", id="never answers"),
        (False, b'INFO {"max_payload": %d}\r\n' % (MAX_PAYLOAD_BYTES - 1), ""),
        (False, b'INFO {"max_payload": "much"}\r\n', ""),
        (False, b"INFO {}\r\n", ""),
        (False, b"INFO 1\r\n", ""),
        (False, b"INFO {\r\n", ""),
        (False, b"HTTP/1.1 400 Bad Request\r\n", ""),
        (False, b"-ERR 'no'\r\n", ""),
        (False, b"", ""),
    ],
)
@in_time
async def test_a_connection_that_cannot_be_used_is_given_up_and_made_again(
    accepts: bool, then: bytes | None, short: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server sends `then` and closes the connection, or sends nothing."""
    if short:
        monkeypatch.setattr(nats_bus_module, short, 0.01)
    connections = asyncio.Semaphore(0)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if accepts:
            writer.write(INFO)
            while await reader.readline() != b"PING\r\n":
                pass
            writer.write(b"PONG\r\n")
        connections.release()
        if then is None:
            await reader.read()
        else:
            writer.write(then)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        bus = NatsBus(NatsServers(parse_servers(url)), "test")
        await bus.open()
        for _ in range(2):
            await connections.acquire()
        assert accepts or not bus.connected
        await bus.close()


def test_a_private_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    config = tmp_path / "nats.conf"
    config.write_text("no_such_option: 1\n")
    with pytest.raises(NatsFailed, match="no_such_option"):
        create_nats(tmp_path, config).start()
