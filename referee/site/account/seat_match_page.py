"""A match as a seat of the visitor's bot sees it, with its hidden cards, live and move by move.

Nobody else may receive any of this, so nothing of it is kept or shared: each request reads the match again, with the
token of the visitor, and the referee decides which seats that token may see. It is the token of a bot: no other role is
shown hidden information.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus

from referee_api.v1 import bot_service_pb2, match_pb2

from engines.api import Game
from referee.show.markup import Markup, joined, tag
from referee.show.words import seat_text
from referee.site.account.account_action import PAGE_SIZE, page_address
from referee.site.account.account_session import Account
from referee.site.layout import heading, match_title, nothing
from referee.site.live_match_page import match_content, match_heading, match_times
from referee.site.live_pages import Page
from referee.site.match_feed import CLOSED, MatchFeed
from referee.site.upstream import UpstreamError

MAX_OPEN = 200
"""Matches that are followed at once for visitors of these pages."""
MAX_OPEN_PER_TOKEN = 10
"""Matches that are followed at once for one token, so that nobody takes the places of all others."""
READY_TIMEOUT_S = 15.0


class SeatMatches:
    """Follows matches for one visitor each."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games
        self._open: Counter[str] = Counter()
        """Matches that are followed now, by token."""

    async def page(self, account: Account, match_id: str, seat: int | None, ply: int | None) -> Page:
        """Return the page of a seat; None: the first one of the visitor's bot. Raises UpstreamError."""
        match = await account.upstream.find_match(match_id)
        if account.session.owns_bots:
            return await _owner_page(account, match)
        seats = _own_seats(account, match)
        shown = _own_seat(seats, seat)
        async with self._follow(account, match_id, shown) as feed:
            content = match_content(feed, ply, seat_address(match_id, shown))
            parts = (match_heading(feed), _links(match, seats, shown), content, *match_times(feed))
        return Page(match_title(match), joined(*parts))

    async def frames(self, account: Account, match_id: str, seat: int, first: int, count: int) -> list[object]:
        """Return boards and clocks after some moves. Raises UpstreamError."""
        await self._require_seat(account, match_id, seat)
        async with self._follow(account, match_id, seat) as feed:
            return feed.boards(first, count)

    async def events(self, account: Account, match_id: str, seat: int, after: int) -> AsyncGenerator[bytes, None]:
        """Return the events after an entry. Raises UpstreamError."""
        await self._require_seat(account, match_id, seat)
        return self._events(account, match_id, seat, after)

    async def _events(self, account: Account, match_id: str, seat: int, after: int) -> AsyncGenerator[bytes, None]:
        async with self._follow(account, match_id, seat) as feed:
            async for event in feed.events(after):
                yield event

    async def _require_seat(self, account: Account, match_id: str, seat: int) -> None:
        _own_seat(_own_seats(account, await account.upstream.find_match(match_id)), seat)

    @asynccontextmanager
    async def _follow(self, account: Account, match_id: str, seat: int) -> AsyncIterator[MatchFeed]:
        """Follow a match until the block ends. Raises UpstreamError."""
        token = account.session.token
        if self._open[token] >= MAX_OPEN_PER_TOKEN or self._open.total() >= MAX_OPEN:
            raise CLOSED
        self._open[token] += 1
        feed = MatchFeed(account.upstream, match_id, self._games, seat)
        try:
            try:
                async with asyncio.timeout(READY_TIMEOUT_S):
                    await feed.ready()
            except TimeoutError:
                raise CLOSED from None
            yield feed
        finally:
            self._open[token] -= 1
            if not self._open[token]:
                del self._open[token]
            await feed.close()


def seat_address(match_id: str, seat: int) -> str:
    return page_address("matches", match_id, "seats", str(seat))


def _own_seats(account: Account, match: match_pb2.Match) -> list[int]:
    """Return the seats of the visitor's bot. Raises UpstreamError if it has none, or the visitor is no bot."""
    name = "" if account.session.owns_bots else account.session.name
    seats = [number for number, seat in enumerate(match.seats) if name and seat.bot == name]
    if not seats:
        raise UpstreamError(HTTPStatus.FORBIDDEN, "NOT_YOURS", f"{account.session.name} has no seat in this match")
    return seats


def _own_seat(seats: list[int], wanted: int | None) -> int:
    if wanted is None:
        return seats[0]
    if wanted not in seats:
        raise UpstreamError(HTTPStatus.FORBIDDEN, "NOT_YOURS", f"seat {wanted} belongs to another bot")
    return wanted


def _links(match: match_pb2.Match, seats: list[int], shown: int) -> Markup:
    others = [
        joined(" · ", tag("a", f"As {seat_text(match, seat)} sees it", href=seat_address(match.id, seat)))
        for seat in seats
        if seat != shown
    ]
    return tag(
        "p",
        f"As {seat_text(match, shown)} sees it, with what is hidden from others. · ",
        tag("a", "Public page", href=f"/matches/{match.id}"),
        *others,
    )


async def _owner_page(account: Account, match: match_pb2.Match) -> Page:
    """Return what an owner can do to see more than a spectator."""
    request = bot_service_pb2.ListBotsRequest(owner=account.session.name, page_size=PAGE_SIZE)
    owned = {bot.name for bot in (await account.upstream.call(request, bot_service_pb2.ListBotsResponse)).bots}
    links = [
        tag("li", tag("a", name, href=page_address("bots", name)))
        for name in dict.fromkeys(seat.bot for seat in match.seats)
        if name in owned
    ]
    why = nothing("The referee shows what is hidden only to the bot that plays: sign in with a token of it to see it.")
    own = joined(tag("p", "Your bots in this match, whose pages create tokens:"), tag("ul", *links)) if links else ""
    public = tag("p", tag("a", "Public page", href=f"/matches/{match.id}"))
    return Page(match_title(match), joined(heading("Match", match_title(match)), why, own, public))
