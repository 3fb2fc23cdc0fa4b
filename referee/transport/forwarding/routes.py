"""How the node that answers a call is found: the route of its method, and the port `Router`."""

from enum import Enum
from typing import Protocol

from referee_api.v1 import options_pb2


class Route(Enum):
    """Which node answers a call, as `Route` in the contract describes."""

    COORDINATOR = options_pb2.ROUTE_UNSPECIFIED
    LOCAL = options_pb2.ROUTE_LOCAL
    MATCH = options_pb2.ROUTE_MATCH
    BOT = options_pb2.ROUTE_BOT


class Router(Protocol):
    """Knows which node answers which calls. It answers from memory, because a bot's clock may be running."""

    def node_of(self, route: Route, name: str) -> str | None:
        """Return the gRPC address (HOST:PORT) of the node that answers; None: this node.

        `name` is the id of the match for MATCH, the name of the bot for BOT, and empty for COORDINATOR; callers choose
        ids of matches, so any text is possible. Raises NodeUnavailable if the node is not known at the moment.
        """
        ...
