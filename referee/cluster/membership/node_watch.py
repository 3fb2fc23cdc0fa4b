"""Which nodes are gone: those whose count of renewals stands still for the length of their lease.

The time is measured by the monotonic clock of the node that watches, from the end of the read in which it first saw a
count to the beginning of a later read that still returned it. Both are pessimistic: a node that is found to be gone has
really not renewed for that long, whatever pauses the watching node had. Only reads without a failed call in between
are compared: a crash of the store can undo renewals, and makes at least one call of each node fail.
"""

from collections.abc import Iterable

from msgspec import Struct

from referee.cluster.membership.node_store import Node
from referee.match.clock import Micros


class _Seen(Struct, frozen=True, gc=False):
    renewals: int
    at_us: Micros
    """The end of the first read that returned this count."""
    has_renewed: bool
    """Whether another count was seen before."""


class NodeWatch:
    """What one node has seen of all others."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def update(self, nodes: Iterable[Node], began_us: Micros, ended_us: Micros) -> list[Node]:
        """Record a read of all nodes, and return those that are gone."""
        before, self._seen = self._seen, {}
        gone = []
        for node in nodes:
            seen = before.get(node.id)
            if seen is None or seen.renewals != node.renewals:
                seen = _Seen(node.renewals, ended_us, seen is not None)
            elif began_us - seen.at_us >= node.lease_us:
                gone.append(node)
            self._seen[node.id] = seen
        return gone

    def restart(self) -> None:
        """Forget all counts, because a call of the store has failed."""
        self._seen.clear()

    def has_renewed(self, node_id: str) -> bool:
        """Return whether the node has renewed while it was watched, so that it certainly runs."""
        seen = self._seen.get(node_id)
        return seen is not None and seen.has_renewed
