"""Port: the shared table of nodes and the coordinator, and what is stored in it.

The store decides nothing by a clock. A node counts its renewals, and the other nodes measure with their own monotonic
clocks how long that count stands still (`NodeWatch`), so clocks of machines are never compared. The count is kept by
the node itself, so that it never repeats a value even if a crash of the store undoes renewals.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from referee.match.clock import MS, SECOND, Micros

LEASE_US: Micros = 5 * SECOND
RENEWAL_US: Micros = SECOND


class Node(Struct, frozen=True, gc=False):
    """One start of a server process that is a member of the cluster."""

    id: str
    """Drawn at random whenever a process joins, so that an id never returns."""
    address: str
    """Where other nodes reach its gRPC server, as `host:port`."""
    version: str
    """Its release, for people."""
    oldest_protocol: int
    """The oldest protocol between nodes that it understands."""
    newest_protocol: int
    """The newest protocol between nodes that it understands."""
    lease_us: Micros
    """It is gone if its renewals stand still for this long."""
    draining: bool = False
    """Whether it is about to leave: it takes no new streams, and does not become the coordinator."""
    renewals: int = 0
    """Grows with every attempt to join or to renew."""

    def constant(self) -> "Node":
        """Return the node without what changes with every renewal, for comparisons."""
        return replace(self, renewals=0)


class ClusterState(Struct, frozen=True):
    """The contents of the store at one moment."""

    nodes: tuple[Node, ...] = ()
    """In the order of their ids."""
    coordinator: str = ""
    """The id of the coordinator; empty: there is none."""
    epoch: int = 0
    """The number of elections so far, hence of the current or last coordinator."""

    def node(self, node_id: str) -> Node | None:
        return next((node for node in self.nodes if node.id == node_id), None)


class LeaseTerms(Struct, frozen=True):
    """How often a node renews, and when it is gone. The nodes of a cluster may have different terms."""

    lease_us: Micros
    """Other nodes remove a node that has not renewed for this long."""
    renewal_us: Micros
    """Time between two renewals."""

    @property
    def valid_us(self) -> Micros:
        """How long a renewal is valid for the node itself, from its beginning.

        It ends before other nodes may remove the node, although two clocks do not run at exactly the same rate.
        """
        return self.lease_us - self.renewal_us

    @property
    def retry_us(self) -> Micros:
        """Time between two attempts while renewals fail."""
        return self.renewal_us // 4

    @property
    def attempt_us(self) -> Micros:
        """How long one call of the store may take, so that a second attempt is possible."""
        return max(self.valid_us // 2 - 100 * MS, self.valid_us // 3)


class NodeStore(Protocol):
    """The table of nodes and the coordinator. Adapters inherit from it.

    Every method raises StoreUnavailable if the store cannot be used now; then it is unknown whether anything changed.
    """

    @abstractmethod
    async def read(self) -> ClusterState:
        """Return all nodes and the coordinator."""

    @abstractmethod
    async def join(self, node: Node) -> None:
        """Add a node under a new id. A join that is repeated, because its answer is not known, counts as a renewal.

        Raises IncompatibleNode if it and the members do not have a protocol in common. Nodes that join at the
        same time are checked one after the other.
        """

    @abstractmethod
    async def renew(self, node_id: str, renewals: int, draining: bool) -> ClusterState | None:
        """Store a renewal, and return the state before or after it. None: there is no such node any more.

        A renewal that arrives after a later one does not decrease the stored count.
        """

    @abstractmethod
    async def remove(self, node: Node) -> bool:
        """Remove a node if it has not renewed since `node` was read. Return whether it was removed."""

    @abstractmethod
    async def leave(self, node_id: str) -> None:
        """Remove a node at its own request. Idempotent."""

    @abstractmethod
    async def elect(self, node_id: str) -> bool:
        """Make a member the coordinator of the next epoch if there is none now. Return whether that happened."""

    @abstractmethod
    async def resign(self, node_id: str) -> None:
        """End the office of the coordinator if it is this node."""

    @abstractmethod
    def on_change(self, changed: Callable[[], None]) -> None:
        """Call `changed` when a node may have joined or left or the coordinator may have changed: a hint, not more.

        A node that is removed or leaves is not the coordinator any more.
        """
