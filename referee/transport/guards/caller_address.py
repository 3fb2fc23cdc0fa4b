"""The address of a caller, by which calls without a token are limited.

This is the only place that asks grpc for the peer of a call. For a forwarded call the peer is another node, and the
address is the one that this node vouches for (`referee/cluster/forwarding/forwarding_header.py`). For a call on a Unix
socket, which strangers cannot open, it is the one that the front door names (`deploy/edge`).
"""

from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import unquote

IPV6_PREFIX = 64
"""Addresses of one /64 network count as one, because a single customer has at least that much."""

PEER_HEADER = "referee-peer"
LOCAL = "unix:"
"""Beginning of the peer name of a call on a Unix socket."""

FORWARDED_FROM: ContextVar[str] = ContextVar("forwarded_from", default="")
"""Address of the caller of a forwarded call; empty: the call was not forwarded."""


def caller_address(context: Any) -> str:
    """Return the address of the caller of the current call; IPv6: its network."""
    return FORWARDED_FROM.get() or _peer_address(context)


def _peer_address(context: Any) -> str:
    peer: str = context.peer()
    if peer.startswith(LOCAL):
        named = next((value for name, value in context.invocation_metadata() or () if name == PEER_HEADER), "")
        return _group(named) if named else address_of(peer)
    return address_of(peer)


def address_of(peer: str) -> str:
    """Parse a peer name of grpc, such as `ipv4:10.0.0.1:4711`, to an address; IPv6: to its network."""
    host = unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")
    try:
        return _group(host.partition("%")[0])
    except ValueError:
        return peer.partition(":")[0]  # Such as `unix`.


def _group(host: str) -> str:
    """Return the address, or the network of an IPv6 address. Raises ValueError."""
    address = ip_address(host)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address)
