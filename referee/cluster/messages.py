"""Messages between the coordinator and the other nodes of a cluster, on one stream for each node.

A stream keeps their order, and ends when one of them is lost. After a new stream begins, a node reports all of its
sessions and the matches that it follows, so nothing depends on an earlier stream.
"""

from typing import TypeAlias

import msgspec
from msgspec import Struct

from referee.live.match_timing import TurnUse


class SessionOpened(Struct, frozen=True, tag=True):
    """A bot has connected to the node."""

    session_id: str
    bot: str
    version: str
    holder: str
    """The holder that owns the bot."""
    games: tuple[str, ...]
    max_matches: int
    follows: tuple[str, ...] = ()
    """Matches of the bot that the node follows already."""


class SessionReport(Struct, frozen=True, tag=True):
    """All sessions of the node, the oldest first. It is the first message on a stream."""

    sessions: tuple[SessionOpened, ...]


class SessionChanged(Struct, frozen=True, tag=True):
    """The bot has sent another Hello."""

    session_id: str
    games: tuple[str, ...]
    max_matches: int


class SessionClosed(Struct, frozen=True, tag=True):
    """The bot has disconnected from the node."""

    session_id: str
    uses: tuple[tuple[str, TurnUse], ...] = ()
    """Time that the bot has used in its open turns, with the id of each match."""


class Draining(Struct, frozen=True, tag=True):
    """The node is shutting down, and sends no new turns to its bots."""


class ItemForwarded(Struct, frozen=True, tag=True):
    """An item of a Play stream that concerns a match that is not in play."""

    session_id: str
    item: bytes
    """A BotItem."""


class EndRated(Struct, frozen=True, tag=True):
    """A decision that ends a rated match, for the coordinator to store with its rating changes."""

    request_no: int
    match_id: str
    after: int
    """Number of the entry that the events follow."""
    events: tuple[str, ...]
    """By the codec of match logs."""
    request: str
    """The request that the end answers, by its codec. Empty: none."""


class Follow(Struct, frozen=True, tag=True):
    """The node has to run this match for the bots that are connected to it."""

    match_id: str
    uses: tuple[TurnUse, ...] = ()
    """Time that was used in open turns on other nodes."""
    began: bool = False
    """Whether play has just begun, so that bots must be told."""
    watched: bool = False
    """Whether the coordinator must be notified of every entry from now on, because the match is watched there."""


class Presence(Struct, frozen=True, tag=True):
    """The nodes to which bots are connected."""

    nodes_of: dict[str, tuple[str, ...]]
    """Node ids by bot; empty: it is offline."""


class SessionKnown(Struct, frozen=True, tag=True):
    """The coordinator knows the session, so that the node learns of every end of its matches from now on."""

    session_id: str


class CloseSession(Struct, frozen=True, tag=True):
    """A newer session of the same version has taken over."""

    session_id: str
    by_session_id: str


class Deliver(Struct, frozen=True, tag=True):
    """An item for the bot of this session."""

    session_id: str
    item: bytes
    """A RefereeItem."""


class Ended(Struct, frozen=True, tag=True):
    """A match of the session has ended before play began."""

    session_id: str
    match_id: str
    seat: int


class EndStored(Struct, frozen=True, tag=True):
    """The answer to `EndRated`."""

    request_no: int
    outcome: str
    """One of `STORED`, `CONFLICT` and `UNAVAILABLE`."""
    last: int = 0
    """Number of the last entry of the match."""
    why: str = ""


STORED, CONFLICT, UNAVAILABLE = "stored", "conflict", "unavailable"

ToCoordinator: TypeAlias = (
    SessionReport | SessionOpened | SessionChanged | SessionClosed | Draining | ItemForwarded | EndRated
)
FromCoordinator: TypeAlias = Follow | Presence | SessionKnown | CloseSession | Deliver | Ended | EndStored

encode = msgspec.msgpack.Encoder().encode
decode_to_coordinator = msgspec.msgpack.Decoder(ToCoordinator).decode
decode_from_coordinator = msgspec.msgpack.Decoder(FromCoordinator).decode
