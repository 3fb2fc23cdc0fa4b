"""What the nodes of a cluster share: PostgreSQL and NATS, and the ways between them, each of which can be cut."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from deploy.cluster_demo.nats_server import PrivateNats, ReservedPort
from deploy.cluster_demo.postgres_server import FAST, PrivatePostgres
from tests.cluster.bus.nats import create_nats
from tests.cluster.faulty_proxy import FaultyProxy, run_proxy
from tests.cluster.small_disk import SMALL_LOG, Disk
from tests.storage.postgres_databases import run_postgres

HOST = "127.0.0.1"


class SharedServices:
    """For each node, the ways to the database and to NATS, and the way of other nodes to it."""

    def __init__(self, postgres: PrivatePostgres, nats: PrivateNats | None, stack: ExitStack, nodes: int) -> None:
        """`nats` is None for a node alone."""
        self.postgres = postgres
        self._nats = nats
        self._ports = [ReservedPort() for _ in range(nodes)]
        self.to_database = [stack.enter_context(run_proxy(HOST, postgres.port)) for _ in range(nodes)]
        self.to_nats = [stack.enter_context(run_proxy(HOST, nats.port)) for _ in range(nodes) if nats]
        self.to_node = [stack.enter_context(run_proxy(HOST, port.number)) for port in self._ports if nats]

    @property
    def nats(self) -> PrivateNats:
        assert self._nats
        return self._nats

    def flags(self, node: int) -> tuple[str, ...]:
        """Return the flags with which a node uses the services, through its own proxies."""
        database = ("--database", through(self.to_database[node], self.postgres.url()))
        if not self._nats:
            return database
        nats = ("--nats", f"nats://{self.to_nats[node].address}", "--nats-credentials", str(self.nats.credentials_file))
        own = ("--listen", f"{HOST}:{self._ports[node].number}", "--advertise", self.to_node[node].address)
        return (*database, *nats, *own)

    @contextmanager
    def frozen_database(self) -> Iterator[None]:
        """Stop all processes of PostgreSQL with SIGSTOP within this block."""
        parent = self.postgres.running_pid
        # The parent first, so that it starts no others meanwhile.
        os.kill(parent, signal.SIGSTOP)
        children = [int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
        for child in children:
            os.kill(child, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in (*children, parent):
                os.kill(process, signal.SIGCONT)


@contextmanager
def run_shared_services(folder: Path, nodes: int = 1, disk: Disk | None = None) -> Iterator[SharedServices]:
    """Run the services for this many nodes. The test is skipped if one is missing, but fails in CI.

    `disk` is that of the database; None: that of this machine.
    """
    with ExitStack() as stack:
        postgres = stack.enter_context(run_postgres(disk.mounted, FAST | SMALL_LOG) if disk else run_postgres())
        nats_folder = folder / "services"
        nats_folder.mkdir()
        nats = stack.enter_context(create_nats(nats_folder)) if nodes > 1 else None
        yield SharedServices(postgres, nats, stack, nodes)


def through(proxy: FaultyProxy, url: str) -> str:
    """Return the URL of a server with the address of a proxy to it."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    return urlunsplit(parts._replace(netloc=f"{user}@{proxy.address}" if user else proxy.address))
