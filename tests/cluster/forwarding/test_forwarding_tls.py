"""Forwarded calls between nodes that have TLS, and what happens when the certificate files change."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.match.clock import SECOND
from referee.transport.tls import InvalidTlsFiles, NodeCredentials, TlsFiles, credentials
from tests.cluster.forwarding.nodes import Cluster, error_of, run_cluster
from tests.cluster.worlds import in_time
from tests.e2e.test_tls import Certificate
from tests.live.fake_time import FakeTime

LIST = "LadderService/ListLadders"


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


@pytest.fixture
def a(tmp_path: Path) -> NodeFiles:
    return files_of("a", tmp_path)


@pytest.fixture
def b(tmp_path: Path) -> NodeFiles:
    return files_of("b", tmp_path)


def files_of(name: str, folder: Path) -> NodeFiles:
    files = NodeFiles(folder / name)
    files.write(Certificate(name))
    return files


def no_wait() -> int:
    """Stand for a clock by which it is always time to check the files."""
    return 0


def cluster_of(of_a: TlsFiles, of_b: NodeCredentials) -> AbstractAsyncContextManager[Cluster]:
    server = credentials(of_a, 0, no_wait)
    return run_cluster(tmp_path=of_a.cert.parent, credentials=server, trusted=of_b.current)


async def call_passes(cluster: Cluster) -> None:
    assert not (await cluster.b.call(LIST, cluster.admin)).ladders


async def call_fails(cluster: Cluster) -> None:
    assert (await error_of(cluster.b.call(LIST, cluster.admin))).reason == "NODE_UNAVAILABLE"


@pytest.mark.parametrize(("trusts_a", "check"), [(True, call_passes), (False, call_fails)])
@in_time
async def test_calls_are_forwarded_to_a_node_whose_authority_is_trusted(
    a: NodeFiles, b: NodeFiles, trusts_a: bool, check: Callable[[Cluster], Awaitable[None]]
) -> None:
    trusted = a.cert if trusts_a else b.cert
    async with cluster_of(a.tls_files(), NodeCredentials(b.tls_files(), trusted, 0, no_wait)) as cluster:
        await check(cluster)


@pytest.mark.parametrize(("shows_own", "check"), [(True, call_passes), (False, call_fails)])
@in_time
async def test_a_node_shows_its_certificate_where_clients_need_one(
    a: NodeFiles, b: NodeFiles, shows_own: bool, check: Callable[[Cluster], Awaitable[None]]
) -> None:
    of_b = b.tls_files(a.cert if shows_own else None)
    async with cluster_of(a.tls_files(client_ca=b.cert), NodeCredentials(of_b, a.cert, 0, no_wait)) as cluster:
        await check(cluster)


@in_time
async def test_calls_use_a_changed_authority_without_a_restart(a: NodeFiles, b: NodeFiles, tmp_path: Path) -> None:
    trusted = tmp_path / "ca.pem"
    trusted.write_bytes(b.cert.read_bytes())
    async with cluster_of(a.tls_files(), NodeCredentials(b.tls_files(), trusted, 0, no_wait)) as cluster:
        await call_fails(cluster)
        trusted.write_bytes(a.cert.read_bytes())
        await call_passes(cluster)


def test_credentials_change_with_the_files_and_stay_while_these_cannot_be_used(b: NodeFiles) -> None:
    time = FakeTime()
    changing = NodeCredentials(b.tls_files(), None, SECOND, time.monotonic_us)
    first = changing.current()
    b.write(Certificate("later"))
    assert changing.current() is first
    time.us += SECOND
    second = changing.current()
    assert second is not first
    b.cert.write_text("half a file")
    time.us += SECOND
    assert changing.current() is second
    b.cert.unlink()
    time.us += SECOND
    assert changing.current() is second


def test_an_authority_that_cannot_be_read_is_an_error_at_the_start(b: NodeFiles, tmp_path: Path) -> None:
    with pytest.raises(InvalidTlsFiles, match="cannot read"):
        NodeCredentials(b.tls_files(), tmp_path / "none.pem", SECOND, no_wait)
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(InvalidTlsFiles, match="the cluster CA file contains no certificate"):
        NodeCredentials(b.tls_files(), tmp_path / "ca.pem", SECOND, no_wait)
