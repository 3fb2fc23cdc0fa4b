"""Port: what live matches ask about the other nodes of a cluster, which run the same matches.

A single server has no other nodes: it is the `SingleNode`.
"""

from abc import abstractmethod
from typing import Protocol

from referee.live.ports import Append, Entry
from referee.match.clock import Micros


class OtherNodes(Protocol):
    """Knowledge of the other nodes. Adapters inherit from it."""

    @property
    @abstractmethod
    def in_charge(self) -> bool:
        """Whether this node, and no other, starts matches, writes down who is absent, and learns of every end."""

    @abstractmethod
    def is_expected(self, bot: str, *, online: bool) -> bool:
        """Handle changed sessions of a bot. Return whether it is online, or may be connected to another node."""

    @abstractmethod
    def decision_delay_us(self, bot: str) -> Micros | None:
        """Return how long after a deadline of the bot this node decides it.

        None: it does not, because another node does, or because the bot may be connected to another node.
        """

    @abstractmethod
    async def store_end(self, append: Append) -> list[Entry] | None:
        """Let another node store the end of a rated match, with its rating changes; return its entries.

        None: this node does so. Raises what `EventLog.append` raises.
        """

    @abstractmethod
    async def read_on(self, match_id: str, *, watched: bool = False) -> None:
        """Apply what other nodes have stored of a live match, unless this node is notified of that.

        It is from now on if the match is `watched` here. Raises StoreUnavailable.
        """


class SingleNode(OtherNodes):
    """There are no other nodes."""

    in_charge = True

    def is_expected(self, bot: str, *, online: bool) -> bool:
        return online

    def decision_delay_us(self, bot: str) -> Micros | None:
        return 0

    async def store_end(self, append: Append) -> list[Entry] | None:
        return None

    async def read_on(self, match_id: str, *, watched: bool = False) -> None:
        return None


SINGLE_NODE = SingleNode()


def connect_to_none(_: object) -> OtherNodes:
    """Return that there are no other nodes."""
    return SINGLE_NODE
