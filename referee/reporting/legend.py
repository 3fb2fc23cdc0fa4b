"""Explanations of the columns and symbols of a report."""

from collections.abc import Iterator

from referee.reporting.report import Report
from referee.reporting.standings_table import above


def legend(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the terms that the report uses, with their meanings."""
    if any(row.rating for row in report.rows):
        yield "rating", "strength, updated after each match from 1500; comparable only within a ladder"
        yield "?", "provisional: too few matches for a rank"
    if any(row.points is not None for row in report.rows):
        yield "points", "1 for a win or a bye, ½ for a draw; with more than two sides, a share by rank"
    if report.estimates():
        yield "elo", f"strength from all results (Bradley–Terry), relative to {above(report)} at 0"
        yield "± n", "95 % confidence interval"
