"""What the columns of a report mean: its scales, and the signs beside its numbers."""

from collections.abc import Iterator

from referee.reporting.report import Report
from referee.reporting.standings_table import above


def legend(report: Report) -> Iterator[tuple[str, str]]:
    """Each term that the report uses, and what it means."""
    if any(row.rating for row in report.rows):
        yield "rating", "strength by one match after the other, from 1500; only ratings of the same ladder compare"
        yield "?", "provisional: too few matches for a place among the ranked"
    if any(row.points is not None for row in report.rows):
        yield "points", "1 for a win or a bye, ½ for a draw; a share by rank among more than two"
    if report.estimates():
        yield "elo", f"strength by all results at once (Bradley–Terry), above {above(report)}, which is 0"
        yield "± n", "the true value lies within n to both sides in 95 of 100 cases"
