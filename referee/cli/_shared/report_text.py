"""Format a report as text."""

from collections.abc import Iterator, Sequence

import click

from referee.show.arranged_results import ReviewFinding
from referee.show.formatting import estimate_text, legend, meeting_text, result_text, sprt_text
from referee.show.report import Report
from referee.show.result_tables import cross_table, ends_table, standings, times_table
from referee.show.table import Table, number

MAX_CROSS_TABLE = 24
"""Maximum number of entrants; more do not fit on a line."""


def report_text(report: Report) -> str:
    return "\n\n".join(_parts(report))


def _parts(report: Report) -> Iterator[str]:
    yield f"{report.title}\n" + ", ".join(f"{word.lower()}: {text}" for word, text in report.facts)
    if report.sprt:
        yield f"{report.sprt.verdict}: {sprt_text(report.sprt)}"
    if report.rows:
        yield standings_text(report)
    if report.finishes and len(report.rows) <= MAX_CROSS_TABLE:
        yield cross_table(report).to_text()
    if report.pairings:
        rows = [(f"{pair.round}.{pair.board}", meeting_text(pair), result_text(pair)) for pair in report.pairings]
        yield Table(("round", "pairing", "result"), rows).to_text()
    if report.times:
        yield times_table(report).to_text()
    if report.ends():
        yield ends_table(report).to_text()
    if report.corrections:
        yield "\n".join([click.style("corrected by staff", bold=True), *report.corrections])
    if report.illegal_moves:
        yield "\n".join([click.style("forfeited by an illegal move", bold=True), *map(str, report.illegal_moves)])
    if terms := list(legend(report)):
        yield "\n".join(f"{term}: {means}" for term, means in terms)


def standings_text(report: Report) -> str:
    """Format the standings, with Elo estimates if there are results."""
    return "\n".join(filter(None, [standings(report).to_text(), estimate_text(report)]))


def findings_text(findings: Sequence[ReviewFinding], matches: int) -> str:
    """Format what looks arranged on a ladder."""
    if not findings:
        return f"nothing in the newest {matches} matches looks arranged"
    rows = [(finding.what, _rarity(finding.chance)) for finding in findings]
    return Table((f"in the newest {matches} matches", number("by chance on")), rows).to_text()


def _rarity(chance: float | None) -> str:
    if chance is None:
        return "-"
    return f"1 of {min(1e9, 1 / max(chance, 1e-9)):,.0f} ladders"
