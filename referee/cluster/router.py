"""Finds the node that answers a call, by what this node knows of the cluster."""

from collections.abc import Mapping

from referee.cluster.node import ClusterNode
from referee.live.referee import Referee
from referee.transport.forwarding.routes import Route
from referee.wire.wire_errors import NodeUnavailable

ELECTING = "the cluster is electing a coordinator"


class NodeRouter:
    """A `Router`."""

    def __init__(self, node: ClusterNode, referee: Referee) -> None:
        self._node = node
        self._referee = referee
        self.addresses: Mapping[str, str] = {}
        """Addresses of all members, by id."""

    def node_of(self, route: Route, name: str) -> str | None:
        """See `Router.node_of`."""
        if route is Route.MATCH and self._referee.shared.runs(name):
            return None
        if route is Route.BOT and self._referee.sessions.is_local(name):
            return None
        if route is Route.BOT:
            for node in self._node.nodes_of(name):
                if node in self.addresses:
                    return self.addresses[node]
        return self._coordinator()

    def _coordinator(self) -> str | None:
        if self._node.ready:
            return None
        address = self.addresses.get(self._node.coordinator_node)
        if address is None or self._node.coordinates:  # It is still restoring matches and contests.
            raise NodeUnavailable(ELECTING)
        return address
