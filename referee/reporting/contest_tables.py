"""Standings, cross table and pairings of a finished contest as CSV and JSON."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from io import StringIO

from referee_values import Pairing

from referee.reporting.report import Report


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
    return _csv(heading, rows)


def standings_json(report: Report) -> bytes:
    return f"{json.dumps([asdict(row) for row in report.rows], indent=1, sort_keys=True)}\n".encode()


def cross_table_csv(report: Report) -> bytes:
    """Return the points of each entrant against each other; empty cells: they have not met."""
    cells = report.cells()
    rows = [
        [name, *(cells[name, other].points if (name, other) in cells else "" for other in report.names)]
        for name in report.names
    ]
    return _csv(["entrant", *report.names], rows)


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
    return _csv(["round", "board", "pairing", "entrants", "points", "matches"], rows)


def _csv(heading: Sequence[object], rows: Iterable[Sequence[object]]) -> bytes:
    text = StringIO()
    sheet = csv.writer(text, lineterminator="\n")
    sheet.writerow(heading)
    sheet.writerows(rows)
    return text.getvalue().encode()
