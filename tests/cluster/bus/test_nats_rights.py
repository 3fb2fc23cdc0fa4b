"""What the configuration in deploy/nats permits, on a real server with TLS, and what wrong credentials lead to."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop
from structlog.testing import capture_logs

from deploy.cluster_demo.nats_server import PrivateNats
from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import InvalidNatsServers, NatsServer, NatsServers, parse_servers
from tests.cluster.bus.nats import create_nats
from tests.cluster.bus.open_buses import delivered, next_connection, opened, subscribed
from tests.cluster.worlds import TIMEOUT_S, in_time
from tests.e2e.test_tls import Certificate

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


@in_time
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


@in_time
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
@in_time
async def test_without_the_password_there_is_no_connection_and_no_log_line_shows_one(
    secured: PrivateNats, folder: Path, credentials: str
) -> None:
    assert set(await refused(NatsBus(servers(secured, folder, credentials), "main"))) == {"Authorization Violation"}


@in_time
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


@in_time
async def test_a_server_with_another_certificate_gets_no_password(secured: PrivateNats, folder: Path) -> None:
    other = folder / "other.pem"
    other.write_bytes(Certificate("other").cert)
    urls = servers(secured, folder).servers
    reasons = await refused(NatsBus(NatsServers(urls, folder / "credentials", other), "main"))
    assert any("CERTIFICATE_VERIFY_FAILED" in why for why in reasons)


@in_time
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
