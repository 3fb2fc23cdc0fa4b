"""What the nodes of a cluster share: PostgreSQL and NATS, and the ways between them, each of which can be cut."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from deploy.cluster_demo.nats_server import PrivateNats, ReservedPort
from deploy.cluster_demo.postgres_server import FAST, PrivatePostgres
from tests.cluster.bus.nats import create_nats
from tests.cluster.faulty_proxy import FaultyProxy, run_proxy
from tests.storage.postgres_databases import run_postgres

SIZE = "192m"
SMALL_LOG = {"min_wal_size": "32MB", "max_wal_size": "32MB"}
"""Options of a PostgreSQL server whose write-ahead log leaves room on such a disk."""
BLOCK = bytes(1 << 16)


class Disk:
    """In memory, mounted on a folder by root, or by sudo. Without that right, the test is skipped, but fails in CI."""

    def __init__(self) -> None:
        self._as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        self._folder = Path()

    @contextmanager
    def mounted(self, folder: Path) -> Iterator[None]:
        options = f"size={SIZE},uid={os.geteuid()},mode=700"
        try:
            self._run("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder))
        except (OSError, subprocess.CalledProcessError) as why:
            if "CI" in os.environ:
                raise
            pytest.skip(f"only root can mount a file system: {why}")
        self._folder = folder
        try:
            yield
        finally:
            self._run("umount", str(folder))

    def _run(self, *command: str) -> None:
        subprocess.run([*self._as_root, *command], check=True)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave no room on it within this block."""
        filler = self._folder / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(BLOCK)
        try:
            yield
        finally:
            filler.unlink()


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
