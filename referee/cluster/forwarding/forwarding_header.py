"""The header of a forwarded call: who forwards it, and the address of its caller, with a MAC by the cluster's key.

Limits of callers without a token are counted by address, so an address that a caller could choose would defeat them.
The header therefore counts only with the MAC of a node, for this method, and once: the receiver remembers the latest
counters of each node. Otherwise the header carries no authority: the call has its caller's own token, or none.
"""

import hmac
from collections import OrderedDict
from hashlib import blake2b
from itertools import count

from referee.accounts.account_errors import BadField
from referee.transport.forwarding.cluster_gate import Metadata

HEADER = "referee-forwarded"
MAX_HEADER_CHARS = 256
MAC_BYTES = 16
PERSON = b"forwarded call"
"""Separates these MACs from others with the same key."""

WINDOW = 65_536
"""Counters of a node that are remembered. More calls than these are never on their way from one node to another, so a
call is not refused for being overtaken by others."""
ALL_SEEN = (1 << WINDOW) - 1
MAX_NODES = 256
"""Nodes whose counters are remembered; a node gets a new id with each start."""


class ForwardingHeader:
    """Writes the headers of the calls that this node forwards, and reads those of other nodes."""

    def __init__(self, key: bytes, node: str) -> None:
        """`key`: secret of the cluster, up to 64 bytes. `node`: id of this start of this node, without spaces."""
        assert node
        assert " " not in node
        self._mac = blake2b(key=key, digest_size=MAC_BYTES, person=PERSON)
        self._node = node
        self._counter = count(1)
        self._seen: OrderedDict[str, SeenCounters] = OrderedDict()

    def write(self, path: str, address: str) -> str:
        """Return the header for one call of the method with this path."""
        text = f"{self._node} {next(self._counter)} {address}"
        return f"{text} {self._mac_of(path, text)}"

    def read(self, path: str, metadata: Metadata) -> str:
        """Return the address of the caller of a forwarded call; empty: it was not forwarded. Raises BadField."""
        return self.verify(path, metadata)[1]

    def verify(self, path: str, metadata: Metadata) -> tuple[str, str]:
        """Return the node that wrote the header, and the address in it; both empty: there is no header.

        Raises BadField if the header was not written by a node of this cluster for this method, or counted before.
        """
        header = next((value for name, value in metadata if name == HEADER), "")
        if not header:
            return "", ""
        text, _, mac = str(header)[:MAX_HEADER_CHARS].rpartition(" ")
        if not hmac.compare_digest(mac.encode(), self._mac_of(path, text).encode()):
            raise BadField(HEADER, "only the nodes of the cluster can set it")
        node, counter, address = text.split(" ", 2)
        if not self._counters_of(node).add(int(counter)):
            raise BadField(HEADER, "it was received before")
        return node, address

    def _mac_of(self, path: str, text: str) -> str:
        mac = self._mac.copy()
        mac.update(f"{path} {text}".encode())
        return mac.hexdigest()

    def _counters_of(self, node: str) -> "SeenCounters":
        seen = self._seen.setdefault(node, SeenCounters())
        self._seen.move_to_end(node)
        if len(self._seen) > MAX_NODES:
            self._seen.popitem(last=False)
        return seen


class SeenCounters:
    """The counters received from one node: the highest, and which of the `WINDOW` below it."""

    def __init__(self) -> None:
        self._highest = 0
        self._bits = 0
        """Bit n is set if the counter `_highest - n` was received."""

    def add(self, counter: int) -> bool:
        """Return whether the counter is new; one below the window is not."""
        ahead = counter - self._highest
        if ahead > 0:
            self._bits = (self._bits << ahead | 1) & ALL_SEEN if ahead < WINDOW else 1
            self._highest = counter
            return True
        if -ahead >= WINDOW or self._bits >> -ahead & 1:
            return False
        self._bits |= 1 << -ahead
        return True
