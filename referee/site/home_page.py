"""The home page: live matches, ladders and tournaments."""

import asyncio

from referee_api.v1 import (
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    match_service_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from referee.show.markup import Markup, joined, tag
from referee.show.table import Table, number
from referee.show.words import round_text
from referee.site.layout import entrant_link, heading, match_rows, match_title, moment, nothing, section
from referee.site.live_pages import Page
from referee.site.match_feed import MatchFeed, MatchFeeds
from referee.site.upstream import Upstream, UpstreamError

MAX_BOARDS = 12
MAX_LADDERS = 6
MAX_TOURNAMENTS = {
    tournament_pb2.TOURNAMENT_PHASE_PLAYING: 8,
    tournament_pb2.TOURNAMENT_PHASE_ENTRY: 8,
    tournament_pb2.TOURNAMENT_PHASE_FINISHED: 4,
}
"""Tournaments of each phase, in the order of the page. Of those that are finished, the newest ones are shown."""
TOP = 5
MAX_OVER = 8


async def home_page(upstream: Upstream, feeds: MatchFeeds) -> Page:
    boards, ladders, tournaments, over = await asyncio.gather(
        _live_matches(upstream, feeds), _ladders(upstream), _tournaments(upstream), _latest(upstream)
    )
    return Page(
        "Live matches",
        heading("Referee", "Bots at play"),
        {"live": boards, "tournaments": tournaments, "ladders": ladders, "latest": over},
        description="Live matches, ladders and tournaments of bots.",
    )


async def _live_matches(upstream: Upstream, feeds: MatchFeeds) -> Markup:
    request = match_service_pb2.ListMatchesRequest(phase=match_pb2.MATCH_PHASE_PLAYING, page_size=MAX_BOARDS)
    answer = await upstream.call(request, match_service_pb2.ListMatchesResponse)
    shown = await asyncio.gather(*(_feed(feeds, match.id) for match in answer.matches))
    boards = [_small_board(feed) for feed in shown if feed]
    if not boards:
        return section("Live", nothing("No match is being played at the moment."))
    more = tag("p", tag("a", "All matches in play", href="/matches?phase=playing")) if answer.next_page_token else ""
    return section("Live", tag("ul", *boards, class_="boards"), more)


async def _feed(feeds: MatchFeeds, match_id: str) -> MatchFeed | None:
    try:
        return await feeds.feed(match_id)
    except UpstreamError:
        return None  # It ended and was archived meanwhile, or this node cannot reach it.


def _small_board(feed: MatchFeed) -> Markup:
    match, last = feed.match, feed.last
    seats = joined(*(tag("span", seat.bot or "open seat", class_="seat") for seat in match.seats))
    board = Markup(feed.painter().svg(feed.last_board))
    link = tag(
        "a",
        board or tag("span", "Not visible yet", class_="soft"),
        href=f"/matches/{match.id}",
        aria_label=match_title(match),
    )
    note = f"{match.terms.rules.game}, move {last.ply}"
    return tag("li", link, tag("p", seats), tag("p", note, class_="soft"))


async def _ladders(upstream: Upstream) -> Markup:
    answer = await upstream.call(
        ladder_service_pb2.ListLaddersRequest(page_size=MAX_LADDERS), ladder_service_pb2.ListLaddersResponse
    )
    if not answer.ladders:
        return section("Ladders", nothing("There is no ladder yet."))
    tops = await asyncio.gather(*(_top(upstream, ladder) for ladder in answer.ladders))
    return section("Ladders", tag("div", *tops, class_="cards"))


async def _top(upstream: Upstream, ladder: ladder_pb2.Ladder) -> Markup:
    request = ladder_service_pb2.ListLadderStandingsRequest(ladder=ladder.name, page_size=TOP)
    answer = await upstream.call(request, ladder_service_pb2.ListLadderStandingsResponse)
    rows = [
        (row.rank or "–", entrant_link(row.entrant), f"{row.rating.value:.0f} ± {2 * row.rating.deviation:.0f}")
        for row in answer.standings
    ]
    return tag(
        "article",
        tag("h3", tag("a", ladder.title or ladder.name, href=f"/ladders/{ladder.name}")),
        Table((number(""), "Bot", number("Rating")), rows).to_html(empty="Nobody has joined yet."),
    )


async def _tournaments(upstream: Upstream) -> Markup:
    answers = await asyncio.gather(
        *(
            upstream.call(
                tournament_service_pb2.ListTournamentsRequest(phase=phase, page_size=many),
                tournament_service_pb2.ListTournamentsResponse,
            )
            for phase, many in MAX_TOURNAMENTS.items()
        )
    )
    rows = [
        (
            tag("a", tournament.title or tournament.name, href=f"/tournaments/{tournament.name}"),
            tournament.terms.match_terms.rules.game,
            _state(tournament),
            moment(tournament.start_time if tournament.HasField("start_time") else tournament.terms.starts_at),
        )
        for answer in answers
        for tournament in answer.tournaments
    ]
    listed = Table(("Tournament", "Game", "State", "Start"), rows).to_html(empty="There is no tournament yet.")
    return section("Tournaments", listed)


def _state(tournament: tournament_pb2.Tournament) -> Markup | str:
    if tournament.phase == tournament_pb2.TOURNAMENT_PHASE_FINISHED:
        return joined("finished ", moment(tournament.end_time))
    return round_text(tournament) if tournament.current_round else "announced"


async def _latest(upstream: Upstream) -> Markup:
    request = match_service_pb2.ListMatchesRequest(phase=match_pb2.MATCH_PHASE_OVER, page_size=MAX_OVER)
    answer = await upstream.call(request, match_service_pb2.ListMatchesResponse)
    return section("Latest results", match_rows(answer.matches, "No match is over yet."))
