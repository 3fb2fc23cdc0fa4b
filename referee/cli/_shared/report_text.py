"""Format a report as text."""

from collections.abc import Iterator, Sequence

import click

from referee.cli._shared.output import table, text_table
from referee.contests.strength.elo import EloEstimate
from referee.show.arranged_results import ReviewFinding
from referee.show.formatting import (
    end_text,
    estimate_text,
    forfeits_text,
    legend,
    meeting_text,
    percent,
    plain,
    points_text,
    result_text,
    signed,
    sprt_text,
    time_text,
)
from referee.show.report import Cell, Meeting, Report, Row

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
        yield _cross_table(report)
    if report.meetings:
        yield _rounds(report.meetings)
    if report.times:
        heads = ["time used", "moves", "median", "95 %", "longest", "total", "flags"]
        yield table(heads, [_times(report, name) for name in report.names if name in report.times])
    if ends := report.ends():
        yield table(["ended by", "", "matches"], [[end_text(end), end.kind, str(many)] for end, many in ends])
    if report.corrections:
        yield "\n".join([click.style("corrected by staff", bold=True), *report.corrections])
    if report.illegal_moves:
        yield "\n".join([click.style("forfeited by an illegal move", bold=True), *map(str, report.illegal_moves)])
    if terms := list(legend(report)):
        yield "\n".join(f"{term}: {means}" for term, means in terms)


def _rounds(meetings: Sequence[Meeting]) -> str:
    rows = [(f"{it.round}.{it.board}", meeting_text(it), result_text(it)) for it in meetings]
    return text_table(("round", "pairing", "result"), rows)


def standings_text(report: Report) -> str:
    """Format the standings, with Elo estimates if there are results."""
    estimates, chances = report.estimates(), report.chances_to_be_best()
    worth = ["rating", "at least"] if report.kind == "ladder" else ["points"]
    heads = ["", *worth, *map(plain, report.tie_breaks), "elo", "best", "won", "drawn", "lost", "forfeits"]
    rows = [_row(row, estimates.get(row.name), chances.get(row.name)) for row in report.rows]
    return "\n".join(filter(None, [table(heads, rows), estimate_text(report)]))


def findings_text(findings: Sequence[ReviewFinding], matches: int) -> str:
    """Format what looks arranged on a ladder."""
    if not findings:
        return f"nothing in the newest {matches} matches looks arranged"
    rows = [[it.what, _rarity(it.chance)] for it in findings]
    return table([f"in the newest {matches} matches", "by chance on"], rows)


def _rarity(chance: float | None) -> str:
    if chance is None:
        return "-"
    return f"1 of {min(1e9, 1 / max(chance, 1e-9)):,.0f} ladders"


def _cross_table(report: Report) -> str:
    cells, numbered = report.cells(), list(enumerate(report.names, 1))
    rows = [
        [f"{number} {name}", *(_cell(cells.get((name, other))) for _, other in numbered)] for number, name in numbered
    ]
    return table(["", *(str(number) for number, _ in numbered)], rows)


def _row(row: Row, estimate: EloEstimate | None, best: float | None) -> list[str]:
    worth = _rating(row) if row.points is None else [points_text(row.points)]
    elo = f"{signed(estimate.elo)} ± {(estimate.high - estimate.low) / 2:.0f}" if estimate else "-"
    chance = "-" if best is None else percent(best)
    counts = [str(row.wins), str(row.draws), str(row.losses), forfeits_text(row) or "-"]
    return [f"{row.rank} {row.name}", *worth, *map(points_text, row.tie_breaks), elo, chance, *counts]


def _rating(row: Row) -> list[str]:
    if row.rating is None:
        return ["-", "-"]
    sure = "?" if row.rating.provisional else ""
    return [f"{row.rating.value:.0f}{sure} ± {2 * row.rating.deviation:.0f}", f"{row.rating.lower_bound:.0f}"]


def _cell(cell: Cell | None) -> str:
    return f"{points_text(cell.points)}/{cell.matches}" if cell else "-"


def _times(report: Report, name: str) -> list[str]:
    times = report.times[name]
    spans = (times.median_us, times.percentile_95_us, times.longest_us, times.total_us)
    return [name, str(times.moves), *map(time_text, spans), str(times.flags or "-")]
