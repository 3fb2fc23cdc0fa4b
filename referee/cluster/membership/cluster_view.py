"""What one node knows of the cluster, and the observer that is notified when it changes."""

from collections.abc import Callable, Sequence
from typing import Protocol

import structlog

from referee.cluster.membership.compatibility import IncompatibleNode
from referee.cluster.membership.node_store import ClusterState, Node

DEPOSED = "another node is the coordinator now"

log = structlog.get_logger("referee")


class ClusterObserver(Protocol):
    """Notified of changes in the cluster. All methods but `on_lost` must return at once."""

    def on_nodes(self, nodes: Sequence[Node]) -> None:
        """Handle that other nodes are members, or drain, than before. None: this process is no member any more."""

    def on_coordinator(self, node: Node | None) -> None:
        """Handle that another node is the coordinator than before. None: there is none, or it is not known."""

    def on_elected(self, epoch: int) -> None:
        """Handle that this node has become the coordinator."""

    def on_deposed(self, why: str) -> None:
        """Handle that this node is not the coordinator any more, for that reason in one sentence."""

    async def on_lost(self, why: str) -> None:
        """End all streams, because this process is no member any more. When this returns it joins again."""

    def on_refused(self, why: IncompatibleNode) -> None:
        """End this process: it cannot join again, since its release does not fit the cluster any more."""


class ClusterView:
    """The last state of the cluster that this node has read, and whether it is the coordinator."""

    def __init__(self, observer: ClusterObserver) -> None:
        self._observer = observer
        self.state = ClusterState()
        self.epoch = 0
        """The epoch in which this node is the coordinator; 0: it is not."""

    def publish(self, state: ClusterState, candidate: str, lost: str = "") -> None:
        """Replace the state, and notify the observer.

        `candidate` is the id of this node; empty: it takes no office. `lost`: why it is no member any more.
        """
        before, self.state = self.state, state
        epoch = state.epoch if candidate and state.coordinator == candidate else 0
        if [node.constant() for node in before.nodes] != [node.constant() for node in state.nodes]:
            _guard(lambda: self._observer.on_nodes(state.nodes))
        if self.epoch and epoch != self.epoch:
            log.info("coordinator deposed", epoch=self.epoch)
            self.epoch = 0
            _guard(lambda: self._observer.on_deposed(lost or DEPOSED))
        if before.coordinator != state.coordinator:
            _guard(lambda: self._observer.on_coordinator(state.node(state.coordinator)))
        if epoch and not self.epoch:
            log.info("coordinator elected", epoch=epoch)
            self.epoch = epoch
            _guard(lambda: self._observer.on_elected(epoch))

    async def lost(self, why: str) -> None:
        try:
            await self._observer.on_lost(why)
        except Exception:
            log.exception("cluster observer failed")

    def refused(self, why: IncompatibleNode) -> None:
        log.error("cluster refuses this node", reason=str(why))
        _guard(lambda: self._observer.on_refused(why))


def _guard(notify: Callable[[], None]) -> None:
    """Call the observer. A fault in it must not end the membership."""
    try:
        notify()
    except Exception:
        log.exception("cluster observer failed")
