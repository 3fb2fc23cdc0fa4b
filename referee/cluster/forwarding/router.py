"""Finds the node that answers a call, by what this node knows of the cluster."""

from collections.abc import Mapping, Sequence

from referee.cluster.membership.node_store import Node
from referee.cluster.node import ClusterNode
from referee.transport.forwarding.routes import Route
from referee.transport.wire.wire_errors import NodeUnavailable

ELECTING = "the cluster is electing a coordinator"


class NodeRouter:
    """A `Router`."""

    def __init__(self, node: ClusterNode) -> None:
        self._node = node
        self._addresses: Mapping[str, str] = {}
        """Addresses of all members, by id."""

    def update(self, nodes: Sequence[Node]) -> None:
        """Replace the members that are known."""
        self._addresses = {node.id: node.address for node in nodes}

    def knows(self, node_id: str) -> bool:
        return node_id in self._addresses

    def node_of(self, route: Route, name: str) -> str | None:
        """See `Router.node_of`."""
        if route is Route.MATCH and self._node.shared.runs(name):
            return None
        if route is Route.BOT and self._node.sessions.is_local(name):
            return None
        if route is Route.BOT:
            for node in self._node.nodes_of(name):
                if node in self._addresses:
                    return self._addresses[node]
        return self._coordinator()

    def _coordinator(self) -> str | None:
        if self._node.ready:
            return None
        address = self._addresses.get(self._node.coordinator_node)
        if address is None or self._node.coordinates:  # It is still restoring matches and contests.
            raise NodeUnavailable(ELECTING)
        return address
