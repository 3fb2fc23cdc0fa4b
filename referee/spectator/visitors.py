"""Limits of what one address can use of the site, and the headers that protect its visitors.

An ASGI middleware around the whole site, so that no page can be forgotten.
"""

import asyncio
import json
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
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
VISITOR = "visitor"
"""Key of the scope with the address that a request counts for."""

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


class Protected:
    """The site behind its limits, with protecting headers on every response."""

    def __init__(self, app: App, visitors: Visitors, *, behind_proxy: bool = False) -> None:
        """`behind_proxy`: the last entry of X-Forwarded-For is the visitor's address, as the proxy has seen it."""
        self._behind_proxy = behind_proxy
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
        address = network_of(self._address(scope))
        if why := self._visitors.admit(address):
            await _refuse(scope, send_protected, HTTPStatus.TOO_MANY_REQUESTS, why)
            return
        try:
            await self._app({**scope, VISITOR: address}, receive, send_protected)
        finally:
            self._visitors.leave(address)

    def _address(self, scope: Scope) -> str:
        forwarded = _forwarded_for(scope["headers"]) if self._behind_proxy else ""
        return forwarded or (scope.get("client") or ("",))[0]


def _forwarded_for(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the last entry of X-Forwarded-For; the entries before it can be the visitor's own. Empty: none."""
    values = [value for name, value in headers if name == b"x-forwarded-for"]
    return values[-1].decode("latin-1").rpartition(",")[2].strip() if values else ""


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
    more = (b"allow", b"GET, HEAD") if status == HTTPStatus.METHOD_NOT_ALLOWED else (b"retry-after", b"10")
    headers = [
        (b"content-type", b"application/json" if is_program else b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        more,
    ]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
