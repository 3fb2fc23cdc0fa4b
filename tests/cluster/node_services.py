"""What the nodes of a cluster share: PostgreSQL and NATS, and the ways between them, each of which can be cut."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deploy.cluster_demo.nats_server import PrivateNats, ReservedPort
from tests.cluster.bus.nats import create_nats
from tests.cluster.faulty_proxy import FaultyProxy, run_proxy
from tests.cluster.shared_services import HOST, SharedDatabase, run_shared_database
from tests.cluster.small_disk import Disk


class SharedServices:
    """For each node, the ways to the database and to NATS, and the way of other nodes to it."""

    def __init__(self, database: SharedDatabase, nats: PrivateNats, stack: ExitStack, nodes: int) -> None:
        self.database = database
        self.nats = nats
        self._ports = [ReservedPort() for _ in range(nodes)]
        self.to_nats = [stack.enter_context(run_proxy(HOST, nats.port)) for _ in range(nodes)]
        self.to_node = [stack.enter_context(run_proxy(HOST, port.number)) for port in self._ports]

    def flags(self, node: int) -> tuple[str, ...]:
        nats = ("--nats", f"nats://{self.to_nats[node].address}", "--nats-credentials", str(self.nats.credentials_file))
        own = ("--listen", f"{HOST}:{self._ports[node].number}", "--advertise", self.to_node[node].address)
        return (*self.database.flags(node), *nats, *own)

    def ways_of(self, node: int) -> list[FaultyProxy]:
        """Return everything over which a node can reach others, or be reached by them."""
        return [self.database.proxies[node], self.to_nats[node], self.to_node[node]]


@contextmanager
def run_shared_services(folder: Path, nodes: int, disk: Disk | None = None) -> Iterator[SharedServices]:
    """Run the services for this many nodes. The test is skipped if one is missing, but fails in CI.

    `disk` is that of the database; None: that of this machine.
    """
    with run_shared_database(nodes, disk) as database, create_nats(folder) as nats, ExitStack() as stack:
        yield SharedServices(database, nats, stack, nodes)
