"""The pages of tournaments."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from http import HTTPStatus

from referee_api.v1 import tournament_pb2, tournament_service_pb2

from referee.accounts.names import natural_key
from referee.show.formatting import points_text
from referee.show.markup import Markup, joined, tag
from referee.show.table import Table, number, scroller
from referee.show.words import format_text, round_text, time_control_text
from referee.site.correction_marks import MARK, corrections_list, list_pairings
from referee.site.layout import entrant_link, entrant_with_bots, heading, moment, nothing, pages_links, section
from referee.site.live_pages import Page
from referee.site.tournament_rounds import count_rounds, one_round, rounds_section
from referee.site.upstream import Upstream, UpstreamError

PHASES = {
    tournament_pb2.TOURNAMENT_PHASE_ENTRY: "open for entries",
    tournament_pb2.TOURNAMENT_PHASE_PLAYING: "in play",
    tournament_pb2.TOURNAMENT_PHASE_FINISHED: "finished",
    tournament_pb2.TOURNAMENT_PHASE_CANCELLED: "cancelled",
}
MAX_ROWS = 1_000
MAX_TITLED = 40
"""Entrants of a cross table whose cells have titles."""


async def tournaments_page(upstream: Upstream, page_token: str) -> Page:
    request = tournament_service_pb2.ListTournamentsRequest(page_token=page_token)
    answer = await upstream.call(request, tournament_service_pb2.ListTournamentsResponse)
    rows = [
        (
            tag("a", tournament.title or tournament.name, href=f"/tournaments/{tournament.name}"),
            tournament.terms.match_terms.rules.game,
            format_text(tournament.terms),
            len(tournament.entrants),
            PHASES.get(tournament.phase, ""),
            moment(tournament.start_time if tournament.HasField("start_time") else tournament.terms.starts_at),
        )
        for tournament in answer.tournaments
    ]
    columns = ("Tournament", "Game", "Format", number("Entrants"), "State", "Start")
    listed = Table(columns, rows).to_html(empty="There is no tournament.")
    return Page(
        "Tournaments", joined(heading("", "Tournaments"), listed, pages_links("/tournaments", answer.next_page_token))
    )


async def tournament_page(upstream: Upstream, name: str) -> Page:
    tournament = await upstream.find_tournament(name)
    links = _entrant_links(tournament)
    pairings = tournament_service_pb2.ListPairingsResponse()
    if tournament.phase != tournament_pb2.TOURNAMENT_PHASE_ENTRY:
        pairings = await list_pairings(upstream, name, 0)
    corrected = [pairing for pairing in pairings.pairings if pairing.corrections]
    standings, rounds = await asyncio.gather(
        _standings(upstream, name, links, {entrant for pairing in corrected for entrant in pairing.entrants}),
        rounds_section(upstream, tournament, pairings, links),
    )
    corrections = corrections_list(correction for pairing in corrected for correction in pairing.corrections)
    title = tournament.title or name
    facts = (
        ("Game", tournament.terms.match_terms.rules.game),
        ("Format", format_text(tournament.terms)),
        ("Time", time_control_text(tournament.terms.match_terms.time_control)),
        ("Organiser", tournament.organiser),
        ("Starts", moment(tournament.terms.starts_at)),
        ("Began", moment(tournament.start_time)),
        ("Ended", moment(tournament.end_time)),
    )
    cross_table = tag("p", tag("a", "Cross table", href=f"/tournaments/{name}/cross-table")) if standings else ""
    return Page(
        title,
        heading("Tournament", title, facts),
        {
            "state": _state(tournament),
            "standings": section("Standings", standings or nothing("It has not started."), corrections, cross_table),
            "rounds": rounds,
            "entrants": _entrants(tournament),
        },
        description=f"Standings and pairings of the tournament {name}.",
    )


async def round_page(upstream: Upstream, name: str, number: int) -> Page:
    """Return the page of one round. Raises UpstreamError if the tournament does not have so many."""
    tournament = await upstream.find_tournament(name)
    if not 1 <= number <= count_rounds(tournament):
        raise UpstreamError(HTTPStatus.NOT_FOUND, "NO_SUCH_ROUND", "there is no such round")
    title = f"Round {number} of {tournament.title or name}"
    back = tag("p", tag("a", "Back to the tournament", href=f"/tournaments/{name}"))
    shown = await one_round(upstream, tournament, number, _entrant_links(tournament))
    return Page(title, joined(heading("Round", title), back), {"rounds": shown})


async def cross_table_page(upstream: Upstream, name: str) -> Page:
    tournament, rows = await asyncio.gather(upstream.find_tournament(name), _cross_table_rows(upstream, name))
    back = tag("p", tag("a", "Back to the tournament", href=f"/tournaments/{name}"))
    shown = cross_table(rows, _entrant_links(tournament))
    return Page(f"Cross table of {name}", joined(heading("Cross table", name), back, shown))


def _entrant_links(tournament: tournament_pb2.Tournament) -> Mapping[str, Markup]:
    return {entrant.name: entrant_link(entrant) for entrant in tournament.entrants}


async def _cross_table_rows(upstream: Upstream, name: str) -> list[tournament_pb2.CrossTableRow]:
    rows: list[tournament_pb2.CrossTableRow] = []
    token = ""
    while True:
        request = tournament_service_pb2.GetCrossTableRequest(tournament=name, page_size=MAX_ROWS, page_token=token)
        answer = await upstream.call(request, tournament_service_pb2.GetCrossTableResponse)
        rows += answer.rows
        token = answer.next_page_token
        if not token or len(rows) >= MAX_ROWS:
            return rows


def cross_table(rows: Sequence[tournament_pb2.CrossTableRow], links: Mapping[str, Markup]) -> Markup:
    """Return the points of each entrant against each other, with columns by rank so that 150 of them fit.

    `links`: how entrants are shown, by name.
    """
    order = [row.entrant for row in rows]
    # In a large table the heads of the columns must do, or it would be twice as large.
    has_titles = len(rows) <= MAX_TITLED
    body = []
    for rank, row in enumerate(rows, 1):
        cells = {cell.opponent: cell for cell in row.cells}
        total = sum(cell.points for cell in row.cells)
        columns = [
            tag("td", "", class_="self")
            if opponent == row.entrant
            else _cell(cells.get(opponent), f"against {opponent}" if has_titles else None)
            for opponent in order
        ]
        head = tag("th", tag("span", rank, class_="rank"), " ", links.get(row.entrant, row.entrant), scope="row")
        body.append(tag("tr", head, *columns, tag("td", points_text(total), class_="number")))
    heads = [tag("th", rank, scope="col", title=name) for rank, name in enumerate(order, 1)]
    head = tag("thead", tag("tr", tag("th", "Entrant", scope="col"), *heads, tag("th", "Sum", scope="col")))
    size = "crowd" if len(rows) > 40 else "many" if len(rows) > 15 else ""
    return scroller(tag("table", head, tag("tbody", *body), class_=f"cross {size}".strip()), "Cross table")


def _cell(cell: tournament_pb2.CrossTableCell | None, title: str | None) -> Markup:
    if cell is None or not (cell.match_ids or cell.no_shows):
        return tag("td", "", class_="none")
    text = points_text(cell.points)
    return tag("td", tag("a", text, href=f"/matches/{cell.match_ids[0]}", title=title) if cell.match_ids else text)


async def _standings(upstream: Upstream, name: str, links: Mapping[str, Markup], corrected: Collection[str]) -> Markup:
    """Return the standings, with a mark at entrants with `corrected` results; empty: it has not started."""
    request = tournament_service_pb2.GetTournamentStandingsRequest(tournament=name)
    try:
        answer = await upstream.call(request, tournament_service_pb2.GetTournamentStandingsResponse)
    except UpstreamError as error:
        if error.reason == "TOURNAMENT_NOT_STARTED":
            return Markup()
        raise
    breaks = (
        [tournament_pb2.TieBreak.Name(tie_break.tie_break) for tie_break in answer.standings[0].tie_breaks]
        if answer.standings
        else []
    )
    numbers = map(number, ("Points", *map(_tie_break_text, breaks), "Won", "Drawn", "Lost", "Elo"))
    rows = [
        (
            row.rank,
            links.get(row.entrant, row.entrant),
            points_text(row.points) + (MARK if row.entrant in corrected else ""),
            *(points_text(tie_break.value) for tie_break in row.tie_breaks),
            row.wins,
            row.draws,
            row.losses,
            f"{row.estimate.elo:+.0f} ({row.estimate.low_elo:+.0f} to {row.estimate.high_elo:+.0f})"
            if row.HasField("estimate")
            else "",
        )
        for row in answer.standings
    ]
    return Table((number(""), "Entrant", *numbers), rows).to_html("standings")


def _tie_break_text(name: str) -> str:
    words = name.removeprefix("TIE_BREAK_").replace("_", " ").capitalize()
    return words.replace("buchholz", "Buchholz").replace("Sonneborn berger", "Sonneborn-Berger")


def _state(tournament: tournament_pb2.Tournament) -> Markup:
    parts = [PHASES.get(tournament.phase, "")]
    if tournament.current_round:
        parts.append(round_text(tournament))
    if tournament.total_pairings:
        parts.append(f"{tournament.completed_pairings} of {tournament.total_pairings} pairings done")
    share = tag(
        "progress", "", value=tournament.completed_pairings, max=tournament.total_pairings, aria_label="Pairings done"
    )
    return tag("p", ", ".join(parts), " ", share if tournament.total_pairings else "", class_="state")


def _entrants(tournament: tournament_pb2.Tournament) -> Markup:
    gone = set(tournament.withdrawn_entrants)
    listed = [
        tag("li", entrant_with_bots(entrant), tag("span", " withdrawn", class_="soft") if entrant.name in gone else "")
        for entrant in sorted(tournament.entrants, key=lambda entrant: natural_key(entrant.name))
    ]
    return section(
        f"Entrants ({len(listed)})",
        tag("ul", *listed, class_="entrants") if listed else nothing("Nobody has entered yet."),
    )
