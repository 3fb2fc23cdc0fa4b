"""Which nodes can work together: each understands a range of protocols between nodes, and all must have one in common.

Nodes of different releases run side by side during a rolling upgrade. A node that joins is checked against the members;
the members are never disturbed by it.
"""

from collections.abc import Iterable

from referee.cluster.membership.node_store import Node

OLDEST_PROTOCOL = 1
"""The oldest protocol between nodes that this release understands."""
NEWEST_PROTOCOL = 1
"""The newest protocol between nodes that this release understands. Raise it with every change of their messages."""


class IncompatibleNode(Exception):
    """The node cannot join because of its release. `str()` is one sentence."""

    def __init__(self, sentence: str, member: Node) -> None:
        super().__init__(sentence)
        self.member = member
        """The member with which it has no protocol in common."""


def check_compatibility(node: Node, members: Iterable[Node]) -> None:
    """Raise IncompatibleNode if `node` has no protocol in common with one of the members."""
    for member in members:
        own, other = f"this node (version {node.version})", f"the node at {member.address} (version {member.version})"
        if node.newest_protocol < member.oldest_protocol:
            raise IncompatibleNode(
                f"{own} is too old for the cluster: it understands protocols up to {node.newest_protocol}, and {other} "
                f"needs {member.oldest_protocol} or newer",
                member,
            )
        if node.oldest_protocol > member.newest_protocol:
            raise IncompatibleNode(
                f"{own} is too new for the cluster: it needs protocol {node.oldest_protocol} or newer, and {other} "
                f"understands protocols up to {member.newest_protocol}",
                member,
            )
