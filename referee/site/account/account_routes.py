"""Routes of the pages behind a token."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from urllib.parse import quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from engines.api import Game
from referee.show.markup import Markup, joined, tag
from referee.site.account.account_action import REQUEST_ID, Action, new_request_id, read_request, subject_of
from referee.site.account.account_actions import ACTIONS
from referee.site.account.account_page import (
    account_page,
    as_sentence,
    confirmation_page,
    secret_page,
    sign_in_page,
    signed_in_bar,
)
from referee.site.account.account_session import (
    COOKIE,
    Account,
    AccountSession,
    delete_cookie,
    open_session,
    read_session,
    set_cookie,
    set_session,
)
from referee.site.account.clock_charges import own_match_page
from referee.site.account.own_bot_page import own_bot_page
from referee.site.account.own_contest_pages import own_ladder_page, own_pairing_page, own_tournament_page
from referee.site.account.private_log_page import private_log_page, read_number
from referee.site.account.seat_match_page import SeatMatches
from referee.site.event_stream import EventStream
from referee.site.layout import document, heading
from referee.site.live_pages import Page
from referee.site.request_values import MAX_NAME_CHARS, fields_of, integer_in, last_entry_in, name_in, read_form
from referee.site.upstream import Upstream, UpstreamError
from referee.site.visitors import ACCOUNT

SEAT = "/matches/{id}/seats/{seat:int}"
DONE = "referee_done"
"""Cookie with the sentence that says what was done, which the next page shows."""
DONE_S = 60
MAX_DONE_CHARS = 600
SECRETS = ("secret", "code")
"""Fields of answers that are shown once; empty if that was before."""

Render = Callable[[Account, Request], Awaitable[Page]]


class AccountRoutes:
    """The routes, for one referee."""

    def __init__(self, upstream: Upstream, games: Mapping[str, Game]) -> None:
        self._upstream = upstream
        self._matches = SeatMatches(games)
        self._lock = asyncio.Lock()

    def routes(self) -> list[Route]:
        pages: dict[str, Render] = {
            "": lambda account, _: account_page(account),
            "/bots/{bot}": _named(own_bot_page, "bot"),
            "/bots/{bot}/log": _log,
            "/bots/{bot}/matches/{match}": _named(own_match_page, "bot", "match"),
            "/matches/{id}": self._seat_page,
            SEAT: self._seat_page,
            "/tournaments/{name}": _listing(own_tournament_page),
            "/tournaments/{name}/pairings/{pairing}": _named(own_pairing_page, "name", "pairing"),
            "/ladders/{name}": _listing(own_ladder_page),
            "/actions/{action}": _confirmation,
        }
        return [
            *(Route(f"{ACCOUNT}{path}", self._page(render), methods=["GET"]) for path, render in pages.items()),
            Route(f"{ACCOUNT}{SEAT}/events", self._seat_events),
            Route(f"{ACCOUNT}{SEAT}/frames", self._seat_frames),
            Route(f"{ACCOUNT}/session", self._sign_in, methods=["POST"]),
            Route(f"{ACCOUNT}/end", self._sign_out, methods=["POST"]),
            Route(f"{ACCOUNT}/actions/{{action}}", self._act, methods=["POST"]),
        ]

    def _page(self, render: Render) -> Callable[[Request], Awaitable[Response]]:
        async def page(request: Request) -> Response:
            session = read_session(request)
            if session is None:
                status = HTTPStatus.OK if request.url.path == ACCOUNT else HTTPStatus.UNAUTHORIZED
                return _html(sign_in_page(), status)
            try:
                shown = await render(self._account(session), request)
            except UpstreamError as error:
                return _failed(session, error)
            done = unquote(request.cookies.get(DONE, ""))[:MAX_DONE_CHARS]
            response = _html(_with_bar(session, shown, done))
            if done:
                delete_cookie(response, DONE)
            return response

        return page

    async def _sign_in(self, request: Request) -> Response:
        form = await read_form(request)
        try:
            session = await open_session(self._upstream, form.get("token", ""))
        except UpstreamError as error:
            return _html(sign_in_page(error.message), HTTPStatus(error.status))
        response = RedirectResponse(ACCOUNT, HTTPStatus.SEE_OTHER)
        set_session(request, response, session)
        return response

    async def _sign_out(self, request: Request) -> Response:
        await read_form(request)
        response = RedirectResponse(ACCOUNT, HTTPStatus.SEE_OTHER)
        delete_cookie(response, COOKIE)
        return response

    async def _act(self, request: Request) -> Response:
        action, session = _action(request), read_session(request)
        form = dict(await read_form(request))
        if session is None:
            return _html(sign_in_page(), HTTPStatus.UNAUTHORIZED)
        request_id = form.pop(REQUEST_ID, "")
        account, message = self._account(session), read_request(action, form, request_id)
        done = f"Done: {action.button}."
        try:
            answer = await (action.call(account, message, request_id) if action.call else account.call(message))
        except UpstreamError as error:
            if error.reason != action.done_before:
                return _failed(session, error)
            done = "It was done already."
        else:
            if secret := next((name for name in SECRETS if name in answer.DESCRIPTOR.fields_by_name), ""):
                return _html(_with_bar(session, secret_page(action, form, getattr(answer, secret))))
        response = RedirectResponse(action.back(form), HTTPStatus.SEE_OTHER)
        set_cookie(request, response, DONE, quote(done[:MAX_DONE_CHARS], safe=""), DONE_S)
        return response

    async def _seat_page(self, account: Account, request: Request) -> Page:
        seat = request.path_params.get("seat")
        return await self._matches.page(account, name_in(request, "id"), seat, integer_in(request, "ply"))

    async def _seat_events(self, request: Request) -> Response:
        account, seat = self._signed_in(request), request.path_params["seat"]
        return EventStream(await self._matches.events(account, name_in(request, "id"), seat, last_entry_in(request)))

    async def _seat_frames(self, request: Request) -> Response:
        account, seat = self._signed_in(request), request.path_params["seat"]
        first, count = integer_in(request, "ply") or 0, integer_in(request, "count") or 1
        return JSONResponse({"frames": await self._matches.frames(account, name_in(request, "id"), seat, first, count)})

    def _signed_in(self, request: Request) -> Account:
        """Return the visitor. Raises HTTPException if nobody is signed in."""
        session = read_session(request)
        if session is None:
            raise HTTPException(HTTPStatus.UNAUTHORIZED, "Sign in first.")
        return self._account(session)

    def _account(self, session: AccountSession) -> Account:
        return Account(session, self._upstream.with_token(session.token), self._lock)


def _failed(session: AccountSession, error: UpstreamError) -> Response:
    """Return the page of an error; a visitor whose token is no longer valid is signed out."""
    status = HTTPStatus(error.status)
    if status == HTTPStatus.UNAUTHORIZED:
        response = _html(sign_in_page(error.message), status)
        delete_cookie(response, COOKIE)
        return response
    top = joined(
        heading("Not done", status.phrase), tag("p", as_sentence(error.message), class_="problem", role="alert")
    )
    return _html(_with_bar(session, Page(status.phrase, top)), status)


def _with_bar(session: AccountSession, page: Page, done: str = "") -> Page:
    notice = tag("p", done, class_="done", role="status") if done else Markup("")
    return Page(page.title, joined(signed_in_bar(session), notice, page.top), page.regions)


def _html(page: Page, status: HTTPStatus = HTTPStatus.OK) -> HTMLResponse:
    return HTMLResponse(document(page, ACCOUNT), status.value)


def _query(request: Request, key: str, max_chars: int = MAX_NAME_CHARS) -> str:
    """Return a value of the query; empty if there is none. Raises HTTPException."""
    text = request.query_params.get(key, "")
    if len(text) > max_chars:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"`{key}` is too long.")
    return text


def _action(request: Request) -> Action:
    """Return what the address names. Raises HTTPException."""
    action = ACTIONS.get(request.path_params["action"])
    if action is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return action


async def _log(account: Account, request: Request) -> Page:
    before = read_number(request.query_params.get("before"))
    return await private_log_page(account, name_in(request, "bot"), _query(request, "match"), before)


def _named(page: Callable[..., Awaitable[Page]], *keys: str) -> Render:
    """Return what renders the page of names in the path."""
    return lambda account, request: page(account, *(name_in(request, key) for key in keys))


def _listing(page: Callable[[Account, str, str], Awaitable[Page]]) -> Render:
    """Return what renders the page of a contest, which lists something from a page token on."""
    return lambda account, request: page(account, name_in(request, "name"), _query(request, "page_token", 1_000))


async def _confirmation(account: Account, request: Request) -> Page:
    action = _action(request)
    values = fields_of(request.url.query.encode("ascii", "replace"))
    message = read_request(action, values, new_request_id())
    return confirmation_page(action, values, await subject_of(account, message))
