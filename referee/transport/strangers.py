"""Strangers: callers without a good token, and how many calls of theirs may be open at once."""

from collections import Counter
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import unquote

from referee.transport.refused import TooManyCallsInFlight

IPV6_PREFIX = 64
"""One customer of a network has at least so much: the addresses in it count as one."""
REFUSED_POLITELY = 2
"""Beyond so many times the limit a call is not refused, which takes memory until the refusal is read, but reset."""


class Crowd(Exception):
    """Far too many: the call is to be reset."""


class Strangers:
    def __init__(self, at_most: int, per_address_at_most: int) -> None:
        self._at_most = at_most
        self._per_address_at_most = per_address_at_most
        self._of: Counter[str] = Counter()
        self._open = 0

    @property
    def open(self) -> int:
        return self._open

    def come(self, address: str) -> None:
        """One more call of that address, in any case until it `leave`s. Raises TooManyCallsInFlight, or Crowd."""
        self._of[address] += 1
        self._open += 1
        for many, at_most in ((self._of[address], self._per_address_at_most), (self._open, self._at_most)):
            if many > REFUSED_POLITELY * at_most:
                raise Crowd
            if many > at_most:
                raise TooManyCallsInFlight(at_most)

    def leave(self, address: str) -> None:
        self._open -= 1
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]


def address_of(peer: str) -> str:
    """The address of a caller, from what grpc calls it, such as `ipv4:10.0.0.1:4711`; of IPv6 its network."""
    host = unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return peer.partition(":")[0]  # Such as `unix`.
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address)
