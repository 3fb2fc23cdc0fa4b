"""The pages of ladders."""

import asyncio

from referee_api.v1 import ladder_pb2, ladder_service_pb2, match_service_pb2

from referee.show.markup import Markup, joined, tag
from referee.show.table import Column, Table, number
from referee.show.words import time_control_text
from referee.site.correction_marks import corrections_list, ladder_corrections
from referee.site.layout import (
    entrant_link,
    entrant_with_bots,
    heading,
    match_rows,
    moment,
    nothing,
    pages_links,
    section,
)
from referee.site.live_pages import Page
from referee.site.upstream import Upstream

MAX_STANDINGS = 200
MAX_MATCHES = 20
MAX_EXPECTED = 12
"""Entrants in the table of expected scores."""


async def ladders_page(upstream: Upstream, page_token: str) -> Page:
    request = ladder_service_pb2.ListLaddersRequest(include_closed=True, page_token=page_token)
    answer = await upstream.call(request, ladder_service_pb2.ListLaddersResponse)
    rows = [
        (
            tag("a", ladder.title or ladder.name, href=f"/ladders/{ladder.name}"),
            _games(ladder),
            ladder.entrant_count,
            _state(ladder),
        )
        for ladder in answer.ladders
    ]
    listed = Table(("Ladder", "Game", number("Entrants"), "State"), rows).to_html(empty="There is no ladder.")
    return Page("Ladders", joined(heading("", "Ladders"), listed, pages_links("/ladders", answer.next_page_token)))


async def ladder_page(upstream: Upstream, name: str) -> Page:
    ladder, standings, matches, corrections = await asyncio.gather(
        upstream.find_ladder(name),
        upstream.call(
            ladder_service_pb2.ListLadderStandingsRequest(ladder=name, page_size=MAX_STANDINGS),
            ladder_service_pb2.ListLadderStandingsResponse,
        ),
        upstream.call(
            match_service_pb2.ListMatchesRequest(ladder=name, page_size=MAX_MATCHES),
            match_service_pb2.ListMatchesResponse,
        ),
        ladder_corrections(upstream, name),
    )
    facts = (
        ("Game", _games(ladder)),
        ("Time", ", ".join(dict.fromkeys(time_control_text(terms.time_control) for terms in ladder.terms.match_terms))),
        ("Organiser", ladder.organiser),
        ("Season", f"{ladder.season}" if ladder.season else ""),
        ("Since", moment(ladder.season_start_time)),
        ("State", _state(ladder)),
    )
    return Page(
        ladder.title or name,
        heading("Ladder", ladder.title or name, facts),
        {
            "standings": section(
                "Standings",
                _standings(list(standings.standings)),
                _left_out(ladder, len(standings.standings)),
                corrections_list(corrections),
            ),
            "matches": section("Matches", match_rows(matches.matches)),
            "expected": _expected(list(standings.standings)),
        },
        description=f"Standings and matches of the ladder {name}.",
    )


def _left_out(ladder: ladder_pb2.Ladder, shown: int) -> Markup:
    """Say that there are more entrants than are shown; nothing if there are not."""
    if ladder.entrant_count <= shown:
        return Markup("")
    return tag("p", f"The first {shown} of {ladder.entrant_count} entrants.", class_="soft")


def _standings(rows: list[ladder_pb2.LadderStanding]) -> Markup:
    if not rows:
        return nothing("Nobody has joined yet.")
    bounds = [row.rating.value + sign * 2 * row.rating.deviation for row in rows for sign in (-1, 1)]
    least, most = min(bounds), max(bounds)
    counts = map(number, ("Won", "Drawn", "Lost", "Forfeits"))
    return Table(
        (number(""), "Bot", number("Rating"), "95 % interval", *counts),
        [
            (
                row.rank or "–",
                joined(
                    entrant_with_bots(row.entrant, row.version),
                    tag("small", " new", class_="soft") if row.rating.provisional else "",
                ),
                f"{row.rating.value:.0f} ± {2 * row.rating.deviation:.0f}",
                interval(row.rating.value, 2 * row.rating.deviation, least, most),
                row.wins,
                row.draws,
                row.losses,
                row.forfeits,
            )
            for row in rows
        ],
    ).to_html("standings")


def interval(value: float, error: float, least: float, most: float) -> Markup:
    """Return a value with its interval on a scale from `least` to `most`, for a row of a table."""
    low, high = value - error, value + error
    span = (most - least) or 1.0

    def at(x: float) -> float:
        return round(2 + 116 * min(1.0, max(0.0, (x - least) / span)), 1)

    return tag(
        "svg",
        tag("line", x1=at(low), x2=at(high), y1=8, y2=8, class_="whisker"),
        tag("circle", cx=at(value), cy=8, r=3.5, class_="dot"),
        viewBox="0 0 120 16",
        class_="interval",
        role="img",
        aria_label=f"{value:.0f}, from {low:.0f} to {high:.0f}",
    )


def expected_score(mine: float, other: float) -> float:
    """Return the score that the Elo formula expects, from 0 to 1."""
    return float(1 / (1 + 10 ** ((other - mine) / 400)))


def _expected(rows: list[ladder_pb2.LadderStanding]) -> Markup:
    ranked = [row for row in rows if row.rank][:MAX_EXPECTED]
    if len(ranked) < 2:
        return Markup("")
    cells = [
        (
            entrant_link(row.entrant),
            *(
                tag("span", "–", class_="soft")
                if other is row
                else f"{100 * expected_score(row.rating.value, other.rating.value):.0f}"
                for other in ranked
            ),
        )
        for row in ranked
    ]
    columns = [Column("Expected score in per cent"), *(number(row.rank) for row in ranked)]
    return section("Expected scores", Table(columns, cells).to_html("expected"))


def _games(ladder: ladder_pb2.Ladder) -> str:
    return ", ".join(dict.fromkeys(terms.rules.game for terms in ladder.terms.match_terms))


def _state(ladder: ladder_pb2.Ladder) -> str:
    return "closed" if ladder.closed else "paused" if ladder.paused else "open"
