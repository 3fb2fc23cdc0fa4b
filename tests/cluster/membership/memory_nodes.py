"""The table of nodes in memory: for tests, and shared by the nodes of one process."""

from collections.abc import Callable

from msgspec.structs import replace

from referee.cluster.membership.compatibility import check_compatibility
from referee.cluster.membership.node_store import ClusterState, Node, NodeStore


class MemoryNodes(NodeStore):
    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self._coordinator = ""
        self._epoch = 0
        self._listeners: list[Callable[[], None]] = []

    async def read(self) -> ClusterState:
        nodes = tuple(node for _, node in sorted(self.nodes.items()))
        return ClusterState(nodes, self._coordinator, self._epoch)

    async def join(self, node: Node) -> None:
        check_compatibility(node, (await self.read()).nodes)
        known = self.nodes.get(node.id, node)
        self.nodes[node.id] = replace(known, renewals=max(known.renewals, node.renewals))
        self._notify()

    async def renew(self, node_id: str, renewals: int, load: int, draining: bool) -> ClusterState | None:
        node = self.nodes.get(node_id)
        if node is None:
            return None
        self.nodes[node_id] = replace(node, load=load, draining=draining, renewals=max(node.renewals, renewals))
        return await self.read()

    async def remove(self, node: Node) -> bool:
        stored = self.nodes.get(node.id)
        if stored is None or stored.renewals != node.renewals:
            return False
        await self.leave(node.id)
        return True

    async def leave(self, node_id: str) -> None:
        if self.nodes.pop(node_id, None):
            await self.resign(node_id)
            self._notify()

    async def elect(self, node_id: str) -> bool:
        if self._coordinator or node_id not in self.nodes:
            return False
        self._coordinator = node_id
        self._epoch += 1
        self._notify()
        return True

    async def resign(self, node_id: str) -> None:
        if self._coordinator == node_id:
            self._coordinator = ""
            self._notify()

    def on_change(self, changed: Callable[[], None]) -> None:
        self._listeners.append(changed)

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()
