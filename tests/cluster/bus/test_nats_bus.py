"""The bus over NATS when servers fail, come back, refuse, or do not answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop
from structlog.testing import capture_logs

from deploy.cluster_demo.nats_server import NatsFailed, PrivateNats
from referee.cluster.bus import nats_bus as nats_bus_module
from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import InvalidNatsServers, NatsServer, NatsServers, parse_servers
from referee.cluster.bus.port import MAX_PAYLOAD_BYTES, DropReason, InvalidSubject
from tests.cluster.bus.nats import create_nats, nats_bus, new_cluster
from tests.cluster.bus.open_buses import delivered, next_connection, opened, subscribed
from tests.e2e.test_tls import Certificate
from tests.live.runner_harness import TIMEOUT_S

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


async def test_a_bus_closes_while_it_tries_to_connect(own_nats: PrivateNats) -> None:
    bus = nats_bus(own_nats, new_cluster())
    await bus.open()
    await bus.close()
    assert len(asyncio.all_tasks()) == 1


async def test_all_servers_are_tried(nats: PrivateNats, own_nats: PrivateNats) -> None:
    urls = f"nats://127.0.0.1:{own_nats.port}, {nats.url}, nats://no-such-host.invalid"
    bus = NatsBus(NatsServers(parse_servers(urls), nats.credentials_file), new_cluster())
    async with opened(bus):
        assert bus.connected


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


CONFIG = Path(__file__).parents[3] / "deploy" / "nats" / "referee.conf"
OBSERVER = """
        {
        user: observer
        password: observes
        permissions { publish: "elsewhere.>", subscribe: "elsewhere.>" }
        }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nats-rights")


@pytest.fixture(scope="module")
def secured(folder: Path) -> Iterator[PrivateNats]:
    """A server with the configuration of deploy/nats, and one more user of the same account."""
    config = CONFIG.read_text(encoding="utf-8").replace("/etc/nats", str(folder))
    config = config.replace("users: [", f"users: [{OBSERVER}")
    (folder / "referee.conf").write_text(config, encoding="utf-8")
    certificate = Certificate("nats")
    (folder / "server.pem").write_bytes(certificate.cert)
    (folder / "server-key.pem").write_bytes(certificate.key)
    (folder / "credentials").write_text("referee:p4ssword\n", encoding="utf-8")
    (folder / "observer").write_text("observer:observes\n", encoding="utf-8")
    (folder / "wrong").write_text("referee:wrong-p4ssword\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NATS_REFEREE_PASSWORD", "p4ssword")
        with create_nats(folder, folder / "referee.conf") as server:
            yield server


def servers(nats: PrivateNats, folder: Path, credentials: str = "credentials", scheme: str = "tls") -> NatsServers:
    urls = parse_servers(f"{scheme}://127.0.0.1:{nats.port}")
    return NatsServers(urls, folder / credentials if credentials else None, folder / "server.pem")


async def assert_heard(a: NatsBus, b: NatsBus) -> None:
    async with opened(a, b):
        received = await subscribed(b, "news")
        for number in range(1000):
            a.publish("news", b"%d" % number * 100)
        await delivered(a, b)
    assert received == [b"%d" % number * 100 for number in range(1000)]


@pytest.mark.parametrize("scheme", ["tls", "nats"])
@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_nodes_talk_over_tls(secured: PrivateNats, folder: Path, scheme: str, loop_factory: Any) -> None:
    a, b = (NatsBus(servers(secured, folder, scheme=scheme), "main") for _ in range(2))
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(asyncio.wait_for(assert_heard(a, b), TIMEOUT_S))


async def test_a_user_without_rights_can_neither_read_nor_publish(secured: PrivateNats, folder: Path) -> None:
    a, b = (NatsBus(servers(secured, folder), "main") for _ in range(2))
    observer = NatsBus(servers(secured, folder, "observer"), "main")
    with capture_logs() as lines:
        async with opened(a, b, observer):
            received, seen = [await subscribed(bus, "news") for bus in (b, observer)]
            a.publish("news", b"from a node")
            observer.publish("news", b"forged")
            await delivered(a, observer, b)
    assert (received, seen) == ([b"from a node"], [])
    assert any("Permissions Violation" in line.get("why", "") for line in lines)


async def test_a_node_of_another_cluster_has_no_rights(secured: PrivateNats, folder: Path) -> None:
    a, b = (NatsBus(servers(secured, folder), "other") for _ in range(2))
    async with opened(a, b):
        received = await subscribed(b, "news")
        a.publish("news", b"1")
        await delivered(a, b)
    assert received == []


async def refused(bus: NatsBus) -> list[str]:
    """Open the bus, wait until a first attempt to connect has failed, close it, and return the reasons in the log."""
    attempts = asyncio.Semaphore(0)
    connect = bus._connect

    async def counted(server: NatsServer) -> None:
        try:
            await connect(server)
        finally:
            attempts.release()

    bus._connect = counted  # type: ignore[method-assign]
    with capture_logs() as lines:
        await bus.open()
        for _ in range(2):  # The first one is logged before the second one begins.
            await attempts.acquire()
        assert not bus.connected
        await bus.close()
    assert "p4ssword" not in str(lines)
    return [line.get("why", "") for line in lines]


@pytest.mark.parametrize("credentials", ["wrong", ""])
async def test_without_the_password_there_is_no_connection_and_no_log_line_shows_one(
    secured: PrivateNats, folder: Path, credentials: str
) -> None:
    assert set(await refused(NatsBus(servers(secured, folder, credentials), "main"))) == {"Authorization Violation"}


async def test_credentials_are_read_again_for_each_connection(secured: PrivateNats, folder: Path) -> None:
    file = folder / "replaced"
    file.write_text("referee:wrong")
    bus = NatsBus(servers(secured, folder, "replaced"), "main")
    connected = next_connection(bus)
    await bus.open()
    file.write_text("referee:p4ssword")
    await connected.wait()
    assert await bus.flush()
    await bus.close()


async def test_a_server_with_another_certificate_gets_no_password(secured: PrivateNats, folder: Path) -> None:
    other = folder / "other.pem"
    other.write_bytes(Certificate("other").cert)
    urls = servers(secured, folder).servers
    reasons = await refused(NatsBus(NatsServers(urls, folder / "credentials", other), "main"))
    assert any("CERTIFICATE_VERIFY_FAILED" in why for why in reasons)


async def test_a_server_without_tls_gets_no_password_if_tls_was_asked_for(nats: PrivateNats) -> None:
    urls = parse_servers(f"tls://127.0.0.1:{nats.port}")
    assert "the server does not offer TLS" in await refused(NatsBus(NatsServers(urls, nats.credentials_file), "main"))


@pytest.mark.parametrize("text", ["", "referee", "referee:", ":password", "referee:a\nreferee:b", "\xff"])
def test_credentials_that_are_no_user_and_password_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "credentials"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidNatsServers, match=r"must hold one line, user:password$"):
        NatsServers((), file).credentials()


def test_files_that_cannot_be_read_are_refused_when_the_bus_opens(tmp_path: Path) -> None:
    no_pem = tmp_path / "ca.pem"
    no_pem.write_text("none")
    for invalid, why in [
        (NatsServers((), tmp_path / "missing"), "cannot read .*missing: No such file"),
        (NatsServers((), None, tmp_path / "missing"), "cannot read .*missing: No such file"),
        (NatsServers((), None, no_pem), "holds no certificate in PEM format"),
    ]:
        with pytest.raises(InvalidNatsServers, match=why):
            asyncio.run(NatsBus(invalid, "main").open())


def test_urls_of_servers_are_read() -> None:
    assert [str(server) for server in parse_servers("nats://a, tls://10.0.0.1:1,nats://[::1]:5/")] == [
        "nats://a:4222",
        "tls://10.0.0.1:1",
        "nats://[::1]:5",
    ]


@pytest.mark.parametrize(
    "url", ["", "a", "http://a", "nats://", "nats://a:0x1", "nats://a:70000", "nats://a/b", "nats://["]
)
def test_invalid_urls_are_refused(url: str) -> None:
    with pytest.raises(InvalidNatsServers, match="has the form nats://HOST:PORT, or tls://HOST:PORT"):
        parse_servers(url)


@pytest.mark.parametrize("url", ["nats://referee:p4ssword@a", "nats://t0ken@a", "nats://a,tls://x:p4ssword@b"])
def test_a_url_holds_no_password_and_the_error_does_not_show_it(url: str) -> None:
    with pytest.raises(InvalidNatsServers, match="must not hold a user or password") as refused:
        parse_servers(url)
    assert "p4ssword" not in str(refused.value)
    assert "t0ken" not in str(refused.value)
