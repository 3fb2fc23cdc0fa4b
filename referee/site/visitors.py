"""Limits of what one address can use of the site, and the headers that protect its visitors.

An ASGI middleware around the whole site, so that no page can be forgotten.
"""

import asyncio
import json
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

REQUESTS_PER_MINUTE = 600
MAX_CONCURRENT = 32
"""Concurrent requests of an address, including streams."""
MAX_CONCURRENT_OF_ALL = 8_000
MAX_ADDRESSES = 10_000
"""Addresses whose requests are counted; the one that was seen longest ago is forgotten."""
SEND_TIMEOUT_S = 30.0
"""Timeout for a visitor to read a part of a response."""
ALLOWED_METHODS = {"GET", "HEAD"}
ACCOUNT = "/account"
"""Root of the pages behind a token: only below it are forms sent, and no cache may keep what it returns."""
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")
VISITOR = "visitor"
"""Key of the scope with the address that a request counts for."""

NOT_SERVED = "This site is not served by that name; its operator can add the name to the setting site_names."
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"interest-cohort=()"),
)
MORE_HEADERS = {
    HTTPStatus.METHOD_NOT_ALLOWED: ((b"allow", b"GET, HEAD"),),
    HTTPStatus.TOO_MANY_REQUESTS: ((b"retry-after", b"10"),),
}
"""Headers of refusals."""


class Visitors:
    """Counts requests by address. IPv6 addresses count by their /64 network, which one person usually has."""

    def __init__(
        self,
        requests_per_minute: int = REQUESTS_PER_MINUTE,
        max_concurrent: int = MAX_CONCURRENT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_minute = requests_per_minute
        self._max_concurrent = max_concurrent
        self._clock = clock
        self._tokens: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Requests that an address can still make, and since when."""
        self._open: Counter[str] = Counter()

    def admit(self, address: str) -> str:
        """Count a request, which `leave` ends. Return why it is not allowed; empty: it is."""
        if self._open[address] >= self._max_concurrent:
            return f"There are {self._max_concurrent} open requests from your address, which is the limit."
        if self._open.total() >= MAX_CONCURRENT_OF_ALL:
            return "The site has too many visitors at the moment."
        now = self._clock()
        left, since = self._tokens.pop(address, (float(self._per_minute), now))
        left = min(float(self._per_minute), left + (now - since) * self._per_minute / 60)
        if len(self._tokens) >= MAX_ADDRESSES:
            self._tokens.popitem(last=False)
        self._tokens[address] = (max(0.0, left - 1), now)
        if left < 1:
            return f"There were more than {self._per_minute} requests from your address within a minute."
        self._open[address] += 1
        return ""

    def leave(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """The names by which visitors reach the site, and its trusted proxies."""

    names: frozenset[str] = frozenset()
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()

    def serves(self, host: str) -> bool:
        """Return whether `host`, with or without a port, is an address, localhost or a name of the site.

        A browser sends the name of another site that has pointed its name at this address (DNS rebinding).
        """
        found = HOST.fullmatch(host.lower())
        name = (found[1] or found[2]).rstrip(".") if found else ""
        return name == "localhost" or name in self.names or _is_address(name)

    def visitor_address(self, peer: str, forwarded: str) -> str:
        """Return the address of a visitor: of `peer`, or the last one in X-Forwarded-For that is not a proxy.

        Entries before that can be the visitor's own. What others than proxies send is ignored.
        """
        address = peer
        entries = [entry.strip() for entry in forwarded.split(",") if entry.strip()]
        while entries and self._is_proxy(address):
            address = entries.pop()
        return address

    def _is_proxy(self, address: str) -> bool:
        if not _is_address(address):
            return False
        parsed = ip_address(address)
        mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
        return any((mapped or parsed) in network for network in self.proxies)


class Protected:
    """The site behind its limits, with protecting headers on every response."""

    def __init__(self, app: App, visitors: Visitors, access: SiteAccess) -> None:
        self._access = access
        self._app = app
        self._visitors = visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        path = scope["path"]
        is_below = path.startswith(f"{ACCOUNT}/")
        private = [(b"cache-control", b"no-store")] if is_below or path == ACCOUNT else []

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS, *private]}
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await send(message)

        if scope["method"] not in ALLOWED_METHODS and not (is_below and scope["method"] == "POST"):
            await _refuse(scope, send_protected, HTTPStatus.METHOD_NOT_ALLOWED, "This site is read with GET.")
            return
        host = _header(scope, b"host")
        if host and not self._access.serves(host):
            await _refuse(scope, send_protected, HTTPStatus.MISDIRECTED_REQUEST, NOT_SERVED)
            return
        peer = (scope.get("client") or ("",))[0]
        address = network_of(self._access.visitor_address(peer, _header(scope, b"x-forwarded-for")))
        if why := self._visitors.admit(address):
            await _refuse(scope, send_protected, HTTPStatus.TOO_MANY_REQUESTS, why)
            return
        try:
            await self._app({**scope, VISITOR: address}, receive, send_protected)
        finally:
            self._visitors.leave(address)


def _header(scope: Scope, name: bytes) -> str:
    """Return the values of a header, with commas between several."""
    return ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and the /64 network of an IPv6 address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)


async def _refuse(scope: Scope, send: Send, status: HTTPStatus, why: str) -> None:
    """Refuse a request; to programs, which call addresses below /api/, as JSON."""
    is_program = scope["path"].startswith("/api/")
    body = (json.dumps({"reason": status.name, "message": why}) if is_program else f"{why}\n").encode()
    more = MORE_HEADERS.get(status, ())
    headers = [
        (b"content-type", b"application/json" if is_program else b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
