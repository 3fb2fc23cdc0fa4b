"""The session of a visitor who is signed in: a token in a cookie, which is checked before it is put there."""

import asyncio
import re
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from urllib.parse import quote, unquote

from google.protobuf.message import Message
from referee_api.v1 import token_pb2, token_service_pb2
from starlette.requests import Request
from starlette.responses import Response

from referee.site.request_values import MAX_NAME_CHARS
from referee.site.upstream import METHODS, Upstream, UpstreamError, response_class
from referee.site.visitors import ACCOUNT

COOKIE = "referee_account"
MAX_TOKEN_CHARS = 2_800
"""So that the cookie stays below the 4096 bytes that browsers keep."""
TOKEN = re.compile(rf"[!-~]{{1,{MAX_TOKEN_CHARS}}}")


class AccountRole(Enum):
    """What the pages offer. What is permitted is decided by the referee."""

    BOT = "bot"
    AUTHOR = "author"
    ORGANISER = "organiser"
    ADMIN = "administrator"


ROLES = {
    token_pb2.ROLE_BOT: AccountRole.BOT,
    token_pb2.ROLE_AUTHOR: AccountRole.AUTHOR,
    token_pb2.ROLE_ORGANISER: AccountRole.ORGANISER,
    token_pb2.ROLE_ADMIN: AccountRole.ADMIN,
}


@dataclass(frozen=True, slots=True)
class AccountSession:
    """What the cookie contains. Its role and name only choose what is shown: a visitor may have changed them."""

    role: AccountRole
    name: str
    """The holder of the token; with the role bot, the bot."""
    token: str = field(repr=False)

    @property
    def owns_bots(self) -> bool:
        return self.role is not AccountRole.BOT

    @property
    def organises(self) -> bool:
        return self.role in (AccountRole.ORGANISER, AccountRole.ADMIN)

    def may_manage(self, organiser: str) -> bool:
        """Return whether the contests of an organiser are shown as the visitor's own."""
        return self.role is AccountRole.ADMIN or (self.role is AccountRole.ORGANISER and self.name == organiser)


@dataclass(frozen=True, slots=True)
class Account:
    """A visitor who is signed in, and the referee as the visitor's token sees it."""

    session: AccountSession
    upstream: Upstream
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by what must not be done twice at once, by any visitor."""

    async def call(self, request: Message) -> Message:
        """Call the method that takes this request. Raises UpstreamError."""
        return await self.upstream.call(request, response_class(METHODS[request.DESCRIPTOR.full_name]))


def read_session(request: Request) -> AccountSession | None:
    """Return the session in the cookie; None if there is none, or what it says makes no sense."""
    parts = request.cookies.get(COOKIE, "").split(":")
    if len(parts) != 3:
        return None
    role, name, token = map(unquote, parts)
    if (
        role not in {known.value for known in AccountRole}
        or not TOKEN.fullmatch(token)
        or not 0 < len(name) <= MAX_NAME_CHARS
    ):
        return None
    return AccountSession(AccountRole(role), name, token)


def set_session(request: Request, response: Response, session: AccountSession) -> None:
    parts = (session.role.value, session.name, session.token)
    value = ":".join(quote(part, safe="") for part in parts)
    set_cookie(request, response, COOKIE, value)


def set_cookie(request: Request, response: Response, name: str, value: str, max_age_s: int | None = None) -> None:
    """Set a cookie that only these pages receive, and no script; without an age, until the browser is closed."""
    response.set_cookie(
        name, value, max_age=max_age_s, path=ACCOUNT, secure=is_secure(request), httponly=True, samesite="strict"
    )


def is_secure(request: Request) -> bool:
    """Return whether the visitor's browser uses HTTPS, perhaps with a proxy in between that ends it.

    The origin is what the browser says of itself: a visitor who forges it harms nobody else.
    """
    return request.scope["scheme"] == "https" or request.headers.get("origin", "").startswith("https://")


def delete_cookie(response: Response, name: str) -> None:
    response.delete_cookie(name, path=ACCOUNT, httponly=True, samesite="strict")


async def open_session(upstream: Upstream, token: str) -> AccountSession:
    """Return the session of a token. Raises UpstreamError if it is invalid, or not for these pages."""
    if not TOKEN.fullmatch(token):
        raise UpstreamError(HTTPStatus.UNAUTHORIZED, "BAD_TOKEN", "enter the token of your account or of your bot")
    request = token_service_pb2.GetOwnTokenRequest()
    own = (await upstream.with_token(token).call(request, token_service_pb2.GetOwnTokenResponse)).token
    if own.role not in ROLES:
        sentence = "this token is one of a spectator, who sees nothing here that the other pages do not show"
        raise UpstreamError(HTTPStatus.FORBIDDEN, "NOT_YOURS", sentence)
    return AccountSession(ROLES[own.role], own.bot or own.holder, token)
