"""The pages of bots."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from referee_api.v1 import bot_service_pb2, ladder_service_pb2, match_pb2, match_service_pb2, rating_pb2, result_pb2

from referee.accounts.names import natural_key
from referee.show.frames import milliseconds
from referee.show.markup import Markup, fit_scale, joined, tag, tick_values, time_ticks
from referee.show.table import Table, number
from referee.show.time_chart import HEIGHT, MAX_BARS, Plot, chart_element, chart_label, grid_line
from referee.show.words import ENDINGS
from referee.site.layout import bot_link, heading, match_rows, moment, nothing, pages_links, section
from referee.site.live_pages import Page
from referee.site.upstream import Upstream, UpstreamError

MAX_MATCHES = 300
"""Latest matches from which the tables of results are made."""
SHOWN_MATCHES = 20
MAX_LADDERS = 4
MAX_POINTS = 1_000

FORFEITS = {
    result_pb2.FORFEIT_CAUSE_TIME: "time",
    result_pb2.FORFEIT_CAUSE_ILLEGAL_MOVE: "illegal moves",
    result_pb2.FORFEIT_CAUSE_DISCONNECTED: "absence",
    result_pb2.FORFEIT_CAUSE_WITHDRAWN: "withdrawal",
}


async def bots_page(upstream: Upstream, page_token: str) -> Page:
    request = bot_service_pb2.ListBotsRequest(page_token=page_token)
    answer = await upstream.call(request, bot_service_pb2.ListBotsResponse)
    rows = [
        (
            bot_link(bot.name),
            bot.owner,
            bot.latest_version,
            "paused" if bot.HasField("pause") else "online" if bot.presence.sessions else "offline",
            bot.presence.matches_in_play,
        )
        for bot in sorted(answer.bots, key=lambda bot: natural_key(bot.name))
    ]
    columns = ("Bot", "Owner", "Version", "State", number("In play"))
    listed = Table(columns, rows).to_html(empty="There is no bot yet.")
    return Page("Bots", joined(heading("", "Bots"), listed, pages_links("/bots", answer.next_page_token)))


async def bot_page(upstream: Upstream, name: str) -> Page:
    answer, versions, matches, ladders = await asyncio.gather(
        upstream.call(bot_service_pb2.GetBotRequest(name=name), bot_service_pb2.GetBotResponse),
        upstream.call(bot_service_pb2.ListVersionsRequest(bot=name), bot_service_pb2.ListVersionsResponse),
        upstream.call(
            match_service_pb2.ListMatchesRequest(bot=name, page_size=MAX_MATCHES), match_service_pb2.ListMatchesResponse
        ),
        upstream.call(
            ladder_service_pb2.ListLaddersRequest(bot=name, page_size=MAX_LADDERS),
            ladder_service_pb2.ListLaddersResponse,
        ),
    )
    bot, played = answer.bot, list(matches.matches)
    charts = await asyncio.gather(*(_ratings(upstream, ladder.name, ladder.title, name) for ladder in ladders.ladders))
    facts = (
        ("Owner", bot.owner),
        ("Version", bot.latest_version),
        ("Since", moment(bot.create_time)),
        ("About", bot.description),
    )
    return Page(
        name,
        heading("Bot", name, facts),
        {
            "presence": _presence(bot.presence.matches_in_play, len(bot.presence.sessions), bot.pause.message),
            "ratings": joined(*charts),
            "results": _results(name, played),
            "matches": section("Matches", match_rows(played[:SHOWN_MATCHES])),
            "versions": _versions(versions),
        },
        description=f"Ratings and results of the bot {name}.",
    )


def _presence(in_play: int, sessions: int, pause: str) -> Markup:
    state = f"paused: {pause}" if pause else "online" if sessions else "offline"
    return tag("p", f"{state}, {in_play} {'match' if in_play == 1 else 'matches'} in play", class_="state")


async def _ratings(upstream: Upstream, ladder: str, title: str, bot: str) -> Markup:
    request = ladder_service_pb2.ListRatingHistoryRequest(ladder=ladder, bot=bot, page_size=MAX_POINTS)
    try:
        answer = await upstream.call(request, ladder_service_pb2.ListRatingHistoryResponse)
    except UpstreamError:
        return Markup("")  # It left the ladder meanwhile.
    points = list(answer.points)
    link = tag("a", title or ladder, href=f"/ladders/{ladder}")
    if not points:
        return Markup("")
    rating = points[-1].rating
    now = tag("p", f"{rating.value:.0f} ± {2 * rating.deviation:.0f} after {rating.matches} rated matches")
    return tag("section", tag("h2", "Rating in ", link), now, rating_chart(points) or "")


def _results(bot: str, matches: Sequence[match_pb2.Match]) -> Markup:
    """Return tables of the results against each opponent, in each game, and of how matches ended."""
    opponents: dict[str, Counter[str]] = {}
    games: dict[str, Counter[str]] = {}
    ends: Counter[str] = Counter()
    for match in matches:
        if not match.HasField("result"):
            continue
        ends[_end(match)] += 1
        if match.result.WhichOneof("kind") == "voided":
            continue
        outcome = outcome_of(match, bot)
        games.setdefault(match.terms.rules.game, Counter())[outcome] += 1
        for other in dict.fromkeys(seat.bot for seat in match.seats if seat.bot and seat.bot != bot):
            opponents.setdefault(other, Counter())[outcome] += 1
    if not ends:
        return Markup("")
    note = nothing(f"From the last {len(matches)} matches.")
    return section(
        "Results",
        tag(
            "div",
            _tally("Opponent", {bot_link(name): counts for name, counts in opponents.items()}),
            _tally("Game", {joined(name): counts for name, counts in games.items()}),
            Table(("Ends", number("Matches")), ends.most_common()).to_html(),
            class_="cards",
        ),
        note,
    )


def outcome_of(match: match_pb2.Match, bot: str) -> str:
    """Return `won`, `drawn` or `lost` for a bot in a match that is not void; the best of its sides counts."""
    ranks = [seat.rank for seat in match.result.seats if match.seats[seat.seat].bot == bot]
    best = min(ranks, default=0)
    if best != 1:
        return "lost"
    return "drawn" if sum(side.rank == 1 for side in match.result.sides) > 1 else "won"


def _tally(head: str, counts: dict[Markup, Counter[str]]) -> Markup:
    rows = [
        (name, results["won"], results["drawn"], results["lost"])
        for name, results in sorted(counts.items(), key=lambda item: -item[1].total())
    ]
    return Table((head, *map(number, ("Won", "Drawn", "Lost"))), rows).to_html()


def _end(match: match_pb2.Match) -> str:
    result = match.result
    kind = result.WhichOneof("kind")
    if kind == "voided":
        return "void"
    if kind == "forfeited":
        return f"forfeited: {FORFEITS.get(result.forfeited.forfeits[0].cause, 'other')}"
    return result.played.reason.replace("_", " ") or ENDINGS.get(result.played.ending, "played")


def _versions(answer: bot_service_pb2.ListVersionsResponse) -> Markup:
    rows = [(version.version, version.note, moment(version.create_time)) for version in answer.versions]
    return section("Versions", Table(("Version", "Note", "Registered"), rows).to_html()) if rows else Markup("")


LEAST_ELO = 100.0


def rating_chart(points: Sequence[rating_pb2.RatingPoint]) -> Markup | None:
    """Return the rating over time with its 95 % interval; None if there are fewer than two points."""
    if len(points) < 2:
        return None
    step = len(points) // MAX_BARS + 1
    shown = [*points[:-1:step], points[-1]]
    at_ms = [milliseconds(point.match_end_time) for point in shown]
    times = fit_scale(at_ms, 1_000)
    bounds = [point.rating.value + sign * 2 * point.rating.deviation for point in shown for sign in (-1, 1)]
    values = fit_scale(bounds, LEAST_ELO)
    plot = Plot(times, values)
    spread = [(at, point.rating.value, 2 * point.rating.deviation) for at, point in zip(at_ms, shown, strict=True)]
    band = plot.band([(at, value - two, value + two) for at, value, two in spread], "band")
    line = tag("path", d=plot.way([(at, value) for at, value, _ in spread]), class_="line")
    grid = [grid_line(plot.up(value), f"{value:.0f}") for value in tick_values(values, 5)]
    labels = [chart_label(plot.across(time), HEIGHT - 6, text, "middle") for time, text in time_ticks(times, 4)]
    return chart_element("Rating over time", *grid, band, line, *labels)
