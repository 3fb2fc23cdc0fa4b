"""Port: how interceptors and servicers reach the other nodes of a cluster, and how those reach this one."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from referee.live.sessions import Session
from referee.transport.forwarding.routes import Route
from referee.transport.guards.open_calls import OpenCalls
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls

Metadata: TypeAlias = Sequence[tuple[str, str | bytes]]


class CallForwarder(Protocol):
    """Passes calls on to the nodes that answer them. Adapters inherit from it."""

    @abstractmethod
    def read_header(self, path: str, metadata: Metadata) -> None:
        """Set the address of the caller if another node forwards this call. Raises BadField if the header is forged."""

    @abstractmethod
    def node_of(self, route: Route, name: str) -> str | None:
        """Return the address of the node that answers the current call; None: this node.

        Raises NodeUnavailable if it is not known, or if it is not this node although the call was forwarded here.
        """

    @abstractmethod
    def can_forward(self, request: Any) -> bool:
        """Return whether this message can be forwarded; others are rejected by the node that received them."""

    @abstractmethod
    async def forward(self, call: Any, node: str, path: str, request: bytes, metadata: Metadata) -> bytes:
        """Return the only answer. Raises NodeUnavailable, or aborts the call with the status of the other node."""

    @abstractmethod
    async def forward_stream(self, call: Any, node: str, path: str, request: bytes, metadata: Metadata) -> None:
        """Write all answers, and do the same as `forward` otherwise."""


class ClusterGate(Protocol):
    """What a node of a cluster offers to its gRPC server. Adapters inherit from it."""

    forwarder: CallForwarder

    @abstractmethod
    def handlers(self, calls: OpenCalls, unauthenticated: UnauthenticatedCalls) -> Mapping[str, Any]:
        """Return handlers of gRPC for methods outside of the contract, by path. They admit their calls themselves."""

    @abstractmethod
    def check_takes_bots(self) -> None:
        """Raise NodeUnavailable if bots that connect to this node would get no turns."""

    @abstractmethod
    def forward_item(self, session: Session, item: bytes) -> bool:
        """Let the coordinator handle an item of a Play stream; return whether it can be reached."""
