"""The contract as JSON: every call that reads what pages show, with its request in the address.

Callers without a token see what the site sees, within the limits of `public_answers`, and from pages of all origins,
since it is what every visitor can read. A token goes to the referee, whose permissions and limits then apply; pages of
other origins cannot send one, so no origin can use the token of another one's visitor.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from referee.live.match_timing import LoopTime
from referee.live.ports import Time
from referee.site.json_calls import BASE, CALLS, JsonCall, read_request
from referee.site.openapi import openapi_document
from referee.site.public_answers import PublicAnswers
from referee.site.upstream import Upstream, UpstreamError
from referee.site.visitors import VISITOR

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
