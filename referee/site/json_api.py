"""The contract as JSON: every call that reads what pages show, with its request in the address.

Callers without a token see what the site sees, within the limits of `PublicAnswers`, and from pages of all origins,
since it is what every visitor can read. A token goes to the referee, whose permissions and limits then apply; pages of
other origins cannot send one, so no origin can use the token of another one's visitor.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from referee.live.match_timing import LoopTime
from referee.live.ports import Time
from referee.match.clock import SECOND
from referee.site.json_calls import BASE, CALLS, JsonCall, read_request
from referee.site.openapi import openapi_document
from referee.site.upstream import Upstream, UpstreamError
from referee.site.visitors import VISITOR
from referee.transport.guards.pace import AddressPace
from referee.transport.wire.wire_errors import TooManyCalls

MAX_AGE_US = 1 * SECOND
CALLS_PER_MINUTE = 120
"""Calls of one address that no kept answer serves; a tenth of them at once."""
CALLS_PER_MINUTE_OF_ALL = 300
"""The same of all addresses: half of what a token has by default."""
MAX_CONCURRENT = 32
MAX_WAITING = 64


@dataclass(slots=True)
class _Kept:
    answer: asyncio.Task[bytes]
    is_small: bool
    since_us: int = 0
    """When it was there."""


class PublicAnswers:
    """Used on one event loop."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._by_address = AddressPace(CALLS_PER_MINUTE, time)
        self._of_all = AddressPace(CALLS_PER_MINUTE_OF_ALL, time)
        self._kept: dict[str, _Kept] = {}
        self._free = asyncio.Semaphore(MAX_CONCURRENT)
        self._waiting = 0

    async def get(
        self, key: str, address: str, calls: int, fetch: Callable[[], Awaitable[bytes]], *, is_small: bool = True
    ) -> bytes:
        """Return what `fetch` returned for this key at most a second ago, or returns now. Raises UpstreamError.

        `address` is whose limit it counts for, `calls` how often. Only a small answer is kept; other requests that
        arrive while it is fetched share it anyway.
        """
        self._forget_old()
        kept = self._kept.get(key)
        if kept is None:
            self._count(address, calls)
            kept = self._kept[key] = _Kept(asyncio.ensure_future(self._fetch(key, fetch)), is_small)
            kept.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())
        # A caller that disconnects must not cancel what others wait for.
        return await asyncio.shield(kept.answer)

    def _count(self, address: str, calls: int) -> None:
        if self._waiting >= MAX_WAITING:
            raise UpstreamError(HTTPStatus.SERVICE_UNAVAILABLE, "SITE_BUSY", "The site is busy; retry in a second.")
        try:
            for _ in range(calls):
                self._by_address.count_call(address)
                self._of_all.count_call("")
        except TooManyCalls as why:
            raise UpstreamError(
                HTTPStatus.TOO_MANY_REQUESTS, "TOO_MANY_CALLS", f"{why}, or send a token of your own"
            ) from None

    async def _fetch(self, key: str, fetch: Callable[[], Awaitable[bytes]]) -> bytes:
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            return await fetch()
        finally:
            self._free.release()
            if self._kept[key].is_small:
                self._kept[key].since_us = self._time.monotonic_us()
            else:
                del self._kept[key]

    def _forget_old(self) -> None:
        """Forget what is too old. The limits bound how much there is, and so how long this takes."""
        oldest_us = self._time.monotonic_us() - MAX_AGE_US
        for key in [key for key, kept in self._kept.items() if kept.answer.done() and kept.since_us < oldest_us]:
            del self._kept[key]


MAX_TOKEN_CHARS = 8_192
PUBLIC_HEADERS = {"cache-control": "max-age=1", "access-control-allow-origin": "*", "vary": "authorization"}
PRIVATE_HEADERS = {"cache-control": "no-store", "vary": "authorization"}
RETRY_HEADERS = {"retry-after": "1"}


class JsonApi:
    """Created and used on one event loop."""

    def __init__(self, upstream: Upstream, time: Time | None = None) -> None:
        self._upstream = upstream
        self._public = PublicAnswers(time or LoopTime())

    def routes(self) -> list[Route]:
        return [
            Route(f"{BASE}/", self._index),
            Route(f"{BASE}/openapi.json", self._openapi),
            *(Route(f"{BASE}{call.path}", self._handler(call)) for call in CALLS),
        ]

    async def _index(self, _: Request) -> Response:
        paths = [f"{BASE}{call.path}" for call in CALLS]
        return JSONResponse({"openapi": f"{BASE}/openapi.json", "paths": paths}, headers=PUBLIC_HEADERS)

    async def _openapi(self, _: Request) -> Response:
        return JSONResponse(openapi_document(), headers=PUBLIC_HEADERS)

    def _handler(self, call: JsonCall) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            message, limit = read_request(call, request.path_params, request.query_params.multi_items())
            token = token_of(request)
            if token:
                body = await call.answer(self._upstream.with_token(token), message, limit)
            else:
                body = await self._public_answer(call, request, message, limit)
            headers = PRIVATE_HEADERS if token else PUBLIC_HEADERS
            return Response(body, media_type=call.media_type, headers=headers)

        return handle

    async def _public_answer(self, call: JsonCall, request: Request, message: Message, limit: int) -> bytes:
        key = f"{call.path} {limit} {message.SerializeToString(deterministic=True).hex()}"
        return await self._public.get(
            key,
            request.scope[VISITOR],
            call.upstream_calls,
            lambda: call.answer(self._upstream, message, limit),
            is_small=call.is_small,
        )


def is_api(path: str) -> bool:
    return path.startswith(f"{BASE}/")


def error_response(request: Request, status: HTTPStatus, reason: str, message: str) -> Response:
    """Return an error as JSON."""
    headers = PRIVATE_HEADERS if "authorization" in request.headers else PUBLIC_HEADERS
    if status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        headers = headers | RETRY_HEADERS
    if status == HTTPStatus.UNAUTHORIZED:
        headers = headers | {"www-authenticate": "Bearer"}
    return JSONResponse({"reason": reason, "message": message}, status.value, headers)


def token_of(request: Request) -> str:
    """Return the token that a caller sent; empty: none. Raises UpstreamError if it cannot be one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return ""
    token = token.strip()
    if not (token.isascii() and token.isprintable() and 0 < len(token) <= MAX_TOKEN_CHARS):
        raise UpstreamError(HTTPStatus.UNAUTHORIZED, "BAD_TOKEN", "invalid, expired or revoked token")
    return token
