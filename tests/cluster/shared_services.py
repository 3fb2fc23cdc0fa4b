"""A PostgreSQL server that nodes share, each through a proxy of its own, so that one node alone can be cut off."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from deploy.cluster_demo.postgres_server import FAST, PrivatePostgres
from tests.cluster.faulty_proxy import FaultyProxy, run_proxy
from tests.cluster.small_disk import SMALL_LOG, Disk
from tests.storage.postgres_databases import run_postgres

HOST = "127.0.0.1"


class SharedDatabase:
    def __init__(self, server: PrivatePostgres, proxies: Sequence[FaultyProxy]) -> None:
        self.server = server
        self.proxies = proxies
        """The way of each node to the server."""

    def flags(self, node: int) -> tuple[str, ...]:
        """Return the flags with which a node uses the database, through its own proxy."""
        return ("--database", through(self.proxies[node], self.server.url()))

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all processes of the server with SIGSTOP within this block."""
        parent = self.server.running_pid
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
def run_shared_database(nodes: int = 1, disk: Disk | None = None) -> Iterator[SharedDatabase]:
    """Run a server for this many nodes. The test is skipped if PostgreSQL is missing, but fails in CI."""
    running = run_postgres(disk.mounted, FAST | SMALL_LOG) if disk else run_postgres()
    with running as server, ExitStack() as stack:
        yield SharedDatabase(server, [stack.enter_context(run_proxy(HOST, server.port)) for _ in range(nodes)])


def through(proxy: FaultyProxy, url: str) -> str:
    """Return the URL of a server with the address of a proxy to it."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    return urlunsplit(parts._replace(netloc=f"{user}@{proxy.address}" if user else proxy.address))
