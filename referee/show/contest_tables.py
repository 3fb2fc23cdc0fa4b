"""Standings, cross table and pairings of a finished contest as CSV and JSON."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from referee_values import Pairing

from referee.show.report import Report
from referee.show.table import Table


def standings_csv(report: Report) -> bytes:
    scores = ("rating", "deviation", "lower_bound") if report.kind == "ladder" else ("points", *report.tie_breaks)
    heading = ["rank", "entrant", *scores, "wins", "draws", "losses", "forfeits"]
    rows: list[list[object]] = []
    for row in report.rows:
        rating = (
            [row.rating.value, row.rating.deviation, row.rating.lower_bound]
            if row.rating
            else [row.points, *row.tie_breaks]
        )
        rows.append([row.rank, row.name, *rating, row.wins, row.draws, row.losses, row.forfeits])
    return Table(heading, rows).to_csv()


def standings_json(report: Report) -> bytes:
    return f"{json.dumps([asdict(row) for row in report.rows], indent=1, sort_keys=True)}\n".encode()


def cross_table_csv(report: Report) -> bytes:
    """Return the points of each entrant against each other; empty cells: they have not met."""
    cells = report.cells()
    rows = [
        [name, *(cells[name, other].points if (name, other) in cells else "" for other in report.names)]
        for name in report.names
    ]
    return Table(["entrant", *report.names], rows).to_csv()


def pairings_csv(pairings: Iterable[Pairing]) -> bytes:
    """Return the pairings; several entrants, points and matches of one are separated by spaces."""
    rows = [
        [
            pairing.round,
            pairing.board,
            pairing.id,
            " ".join(pairing.entrants),
            " ".join(f"{points:g}" for points in pairing.points),
            " ".join(pairing.match_ids),
        ]
        for pairing in pairings
    ]
    return Table(("round", "board", "pairing", "entrants", "points", "matches"), rows).to_csv()
