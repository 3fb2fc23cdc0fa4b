"""Routes of the site."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from referee_api.v1 import match_pb2, match_service_pb2
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from engines.api import Game
from referee.live.worker_pool import WorkerPool
from referee.show.markup import Markup, joined
from referee.site.account.account_routes import AccountRoutes
from referee.site.bot_page import bot_page, bots_page
from referee.site.correction_marks import match_corrections
from referee.site.event_stream import EventStream
from referee.site.finished_match import read_record
from referee.site.home_page import home_page
from referee.site.join_page import CA_FILE, FIRST_BOTS, BotsAddress, join_page
from referee.site.json_api import JsonApi, error_response, is_api
from referee.site.ladder_page import ladder_page, ladders_page
from referee.site.layout import document, heading, match_rows, nothing, pages_links
from referee.site.live_match_page import match_page
from referee.site.live_pages import LivePage, LivePages, Page, Render
from referee.site.match_feed import MatchFeeds
from referee.site.request_values import integer_in, last_entry_in, name_in
from referee.site.tournament_page import cross_table_page, round_page, tournament_page, tournaments_page
from referee.site.upstream import Upstream, UpstreamError
from referee.site.visitors import ALLOWED_METHODS, App, Protected, SiteAccess, Visitors

STATIC_FILES = {
    "site.css": "text/css; charset=utf-8",
    "site.js": "text/javascript; charset=utf-8",
    "match.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(FIRST_BOTS.values(), "text/plain; charset=utf-8"),
}
FILTERS = {"playing": match_pb2.MATCH_PHASE_PLAYING, "over": match_pb2.MATCH_PHASE_OVER}


class Site:
    """The application. It is created and used on one event loop, from `open` to `close`."""

    def __init__(self, upstream: Upstream, games: Mapping[str, Game], bots: BotsAddress) -> None:
        self._upstream = upstream
        self._feeds = MatchFeeds(upstream, games)
        self._pages = LivePages()
        self._pool = WorkerPool(max_workers=1)
        self._bots = bots
        self._static = {
            name: Response(
                files("referee.site").joinpath("static", name).read_bytes(),
                media_type=kind,
                headers={"cache-control": "max-age=300"},
            )
            for name, kind in STATIC_FILES.items()
        }

    def app(self, visitors: Visitors, access: SiteAccess) -> App:
        """Return the ASGI application."""
        api = JsonApi(self._upstream)
        routes = [
            *self._live("/", lambda _: lambda: home_page(self._upstream, self._feeds)),
            *self._live("/ladders/{name}", self._named(ladder_page)),
            *self._live("/tournaments/{name}", self._named(tournament_page)),
            *self._live("/tournaments/{name}/rounds/{number}", self._round),
            *self._live("/bots/{name}", self._named(bot_page)),
            Route("/matches", self._matches),
            Route("/matches/{id}", self._match),
            Route("/matches/{id}/events", self._match_events),
            Route("/matches/{id}/frames", self._match_frames),
            Route("/matches/{id}/record", self._match_record),
            Route("/ladders", self._list(ladders_page)),
            Route("/tournaments", self._list(tournaments_page)),
            Route("/tournaments/{name}/cross-table", self._cross_table),
            Route("/bots", self._list(bots_page)),
            Route("/join", self._joining),
            Route(f"/{CA_FILE}", self._ca),
            Route("/static/{name}", self._static_file),
            *api.routes(),
            *AccountRoutes(self._upstream, self._feeds.games).routes(),
        ]
        handlers: dict[Any, Any] = {UpstreamError: self._upstream_error, HTTPException: self._http_error}

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            yield
            await self._feeds.close()
            await self._pool.close()

        app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
        app.router.redirect_slashes = False  # It redirects to the host that the request names; see `_http_error`.
        return Protected(app, visitors, access)

    # Pages that change while they are read

    def _live(self, path: str, render: Callable[[Request], Render]) -> list[Route]:
        def live_page(request: Request) -> LivePage:
            return self._pages.get(request.url.path.removesuffix("/events") or "/", render(request))

        async def page(request: Request) -> Response:
            live = live_page(request)
            shown = await live.page()
            address = request.url.path
            return HTMLResponse(document(shown, address, live.version, f"{address.rstrip('/')}/events"))

        async def events(request: Request) -> Response:
            live = live_page(request)
            await live.page()
            version = request.headers.get("last-event-id") or request.query_params.get("version", "")
            return EventStream(live.events(version))

        return [Route(path, page), Route(f"{path.rstrip('/')}/events", events)]

    def _named(self, page: Callable[[Upstream, str], Awaitable[Page]]) -> Callable[[Request], Render]:
        """Return what renders the page of what the address names."""

        def render(request: Request) -> Render:
            name = name_in(request, "name")
            return lambda: page(self._upstream, name)

        return render

    def _round(self, request: Request) -> Render:
        name, number = name_in(request, "name"), name_in(request, "number")
        if not (number.isascii() and number.isdigit() and len(number) < 7):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return lambda: round_page(self._upstream, name, int(number))

    # Matches

    async def _match(self, request: Request) -> Response:
        feed = await self._feeds.feed(name_in(request, "id"))
        finished = await feed.finish(self._pool.run)
        ply = integer_in(request, "ply")
        corrections = await match_corrections(self._upstream, feed.match) if feed.is_over else []
        return HTMLResponse(document(match_page(feed, finished, ply, corrections), request.url.path))

    async def _match_events(self, request: Request) -> Response:
        feed = await self._feeds.feed(name_in(request, "id"))
        return EventStream(feed.events(last_entry_in(request)))

    async def _match_frames(self, request: Request) -> Response:
        """Return boards and clocks after some moves, for the script that replays a match."""
        feed = await self._feeds.feed(name_in(request, "id"))
        await feed.finish(self._pool.run)
        first, count = integer_in(request, "ply") or 0, integer_in(request, "count") or 1
        return JSONResponse({"frames": feed.boards(first, count)})

    async def _match_record(self, request: Request) -> Response:
        match_id = name_in(request, "id")
        record = await read_record(self._upstream, match_id)
        headers = {"content-disposition": f'attachment; filename="{match_id}.jsonl"'}
        return Response(record, media_type="application/jsonl", headers=headers)

    async def _matches(self, request: Request) -> Response:
        phase = request.query_params.get("phase", "")
        query = match_service_pb2.ListMatchesRequest(
            phase=FILTERS.get(phase, match_pb2.MATCH_PHASE_UNSPECIFIED),
            bot=request.query_params.get("bot", ""),
            page_size=50,
            page_token=request.query_params.get("page_token", ""),
        )
        answer = await self._upstream.call(query, match_service_pb2.ListMatchesResponse)
        more = pages_links(f"/matches?phase={phase}" if phase in FILTERS else "/matches", answer.next_page_token)
        listed = match_rows(answer.matches, "There is no match.")
        return self._page(request, Page("Matches", joined(heading("", "Matches"), listed, more)))

    # Other pages

    def _list(self, render: Callable[[Upstream, str], Awaitable[Page]]) -> Callable[[Request], Awaitable[Response]]:
        async def page(request: Request) -> Response:
            return self._page(request, await render(self._upstream, request.query_params.get("page_token", "")))

        return page

    async def _cross_table(self, request: Request) -> Response:
        return self._page(request, await cross_table_page(self._upstream, name_in(request, "name")))

    async def _joining(self, request: Request) -> Response:
        bots = self._bots
        if bots.target.startswith(":"):
            host = request.url.hostname or "localhost"
            bots = replace(bots, target=f"{f'[{host}]' if ':' in host else host}{bots.target}")
        return self._page(request, join_page(bots))

    async def _ca(self, _: Request) -> Response:
        if not self._bots.ca:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return Response(self._bots.ca, media_type="application/x-pem-file")

    async def _static_file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._static:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return self._static[name]

    def _page(self, request: Request, page: Page, status: HTTPStatus = HTTPStatus.OK) -> HTMLResponse:
        return HTMLResponse(document(page, request.url.path), status.value)

    async def _upstream_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, UpstreamError)
        return self._error(request, HTTPStatus(error.status), error.reason, error.message)

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        path = str(request.scope["path"])  # Decoded.
        if status == HTTPStatus.NOT_FOUND and path.endswith("/") and request.method in ALLOWED_METHODS:
            # One slash, and no character that a browser takes for another: the target stays on this site.
            return RedirectResponse(f"/{quote(path.strip('/'))}")
        sentence = "There is no such page." if status == HTTPStatus.NOT_FOUND else error.detail
        return self._error(request, status, status.name, sentence)

    def _error(self, request: Request, status: HTTPStatus, reason: str, message: str) -> Response:
        if is_api(request.url.path):
            return error_response(request, status, reason, message)
        text = message[:1].upper() + message[1:]
        top = joined(heading(str(status.value), status.phrase), nothing(text if text.endswith(".") else f"{text}."))
        return self._page(request, Page(status.phrase, Markup(top)), status)
