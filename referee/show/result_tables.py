"""Tables of results: the standings with Elo estimates and their intervals, the cross table, and the rounds.

The colours of the cross table range from orange (lost all) to blue (won all), which is safe for colour-blind readers.
"""

from math import floor

from referee_values import Pairing

from referee.contests.strength.elo import EloEstimate
from referee.show.formatting import (
    counted,
    elo_baseline,
    end_text,
    forfeits_text,
    meeting_text,
    percent,
    plain,
    points_text,
    result_text,
    signed,
    time_text,
)
from referee.show.markup import Markup, Scale, fit_scale, joined, tag, tick_values
from referee.show.report import Report, Row, Score, Times
from referee.show.table import Cell, Column, Table, number, picture

NONE = "–"
MIN_WIDTH = 0.4
"""Minimum width of a bar in per cent, so that a small value differs from zero."""
RANKED_BY = "The rating less two deviations, by which the ladder ranks"

LEAST_ELO = 200.0
MARGIN = 0.06
"""Space for the labels at the ends."""
MAX_TICKS = 3
"""More labels of four digits would overlap in a table with many columns."""
SHADES = 9
"""CSS classes h0 to h8; h4 is even."""
OPEN_AT_FIRST = 1
"""Number of latest rounds that the page shows unfolded."""


def standings(report: Report) -> Table:
    """Return the standings with Elo estimates."""
    estimates, chances = report.estimates(), report.chances_to_be_best()
    scale = fit_scale((end for elo in estimates.values() for end in (elo.low, elo.high)), LEAST_ELO, MARGIN)
    is_ladder = report.kind == "ladder"
    columns = (
        number("#", "rank"),
        Column("Entrant", "name"),
        *((number("Rating"), number("At least", "wide", RANKED_BY)) if is_ladder else (number("Points"),)),
        *(number(plain(name), "wide") for name in report.tie_breaks),
        number("Elo", "elo", f"Relative to {elo_baseline(report)}, from all results"),
        picture(_axis(scale), "whisker"),
        number("Best", "wide", "Probability of being the strongest"),
        picture("Won · drawn · lost", "score"),
        *(Column(head, "number", only="text") for head in ("Won", "Drawn", "Lost")),
        number("Forfeits", "wide"),
    )
    rows = (
        (
            row.rank,
            row.name,
            *(_rating(row) if is_ladder else [Cell(worth := points_text(row.points or 0), tag("b", worth))]),
            *map(points_text, row.tie_breaks),
            _elo(estimates.get(row.name)),
            _whisker(estimates.get(row.name), scale),
            percent(chances[row.name]) if row.name in chances else NONE,
            results_bar(row.wins, row.draws, row.losses),
            *(row.wins, row.draws, row.losses),
            forfeits_text(row) or NONE,
        )
        for row in report.rows
    )
    return Table(columns, rows)


def _rating(row: Row) -> tuple[object, object]:
    """Return the cells of the rating and of its lower bound."""
    if row.rating is None:
        return NONE, NONE
    value, error = f"{row.rating.value:.0f}", f" ± {2 * row.rating.deviation:.0f}"
    sign = "?" if row.rating.provisional else ""
    provisional = tag("span", sign, class_="provisional", title="provisional") if sign else ""
    shown = joined(tag("b", value), provisional, tag("span", error, class_="error"))
    return Cell(f"{value}{sign}{error}", shown), f"{row.rating.lower_bound:.0f}"


def _elo(estimate: EloEstimate | None) -> object:
    if estimate is None:
        return NONE
    elo, error = signed(estimate.elo), f" ± {(estimate.high - estimate.low) / 2:.0f}"
    return Cell(f"{elo}{error}", joined(elo, tag("span", error, class_="error")))


def _whisker(estimate: EloEstimate | None, scale: Scale) -> Markup:
    """Draw the estimate as a dot and its 95 % interval as a line."""
    zero = tag("i", class_="zero", style=f"left:{scale.at(0)}%")
    if estimate is None:
        return tag("div", zero, class_="lane")
    left, right = scale.at(estimate.low), scale.at(estimate.high)
    interval = tag("i", class_="interval", style=f"left:{left}%;width:{right - left:.2f}%")
    dot = tag("i", class_="dot", style=f"left:{scale.at(estimate.elo)}%")
    text = f"{signed(estimate.elo)} Elo; 95 % interval {signed(estimate.low)} to {signed(estimate.high)}"
    return tag("div", zero, interval, dot, class_="lane", title=text)


def _axis(scale: Scale) -> Markup:
    return tag(
        "div",
        *(tag("span", signed(value), style=f"left:{scale.at(value)}%") for value in tick_values(scale, MAX_TICKS)),
        class_="lane axis",
    )


def results_bar(won: int, drawn: int, lost: int) -> Markup:
    total = max(1, won + drawn + lost)
    parts = (("won", won), ("drawn", drawn), ("lost", lost))
    bar = (tag("i", class_=kind, style=f"width:{floor(10_000 * many / total) / 100}%") for kind, many in parts if many)
    return joined(tag("div", *bar, class_="parts"), tag("span", f"{won} · {drawn} · {lost}"))


def cross_table(report: Report) -> Table:
    """Return the points of each entrant against each other, and the numbers of matches."""
    cells = report.cells()
    numbers = {name: place for place, name in enumerate(report.names, 1)}
    columns = (Column("", "name"), *(number(place, title=name) for name, place in numbers.items()))
    rows = (
        (
            Cell(f"{place} {name}", joined(tag("span", place, class_="at"), name)),
            *(_cell(name, other, cells.get((name, other))) for other in numbers),
        )
        for name, place in numbers.items()
    )
    return Table(columns, rows)


def heat_map(report: Report) -> Markup | None:
    """Return the cross table in colours; None if there are no results."""
    if not report.finishes:
        return None
    return joined(cross_table(report).to_html(f"heat {_crowd(len(report.names))}".strip()), _colour_scale())


def shade(share: float) -> int:
    return min(SHADES - 1, int(share * SHADES))


def _crowd(many: int) -> str:
    """Return CSS classes that make cells smaller in large tables."""
    return "crowd many" if many > 30 else "many" if many > 12 else ""


def _cell(name: str, other: str, cell: Score | None) -> Cell:
    if name == other:
        return Cell(NONE, "", {"class_": "self"})
    if cell is None:
        return Cell(NONE, "·", {"class_": "none"})
    points = points_text(cell.points)
    title = f"{name} against {other}: {points} of {counted(cell.matches, 'match', 'matches')}"
    of = tag("small", f"/{cell.matches}") if cell.matches > 1 else ""
    return Cell(f"{points}/{cell.matches}", joined(points, of), {"class_": f"h{shade(cell.share)}", "title": title})


def _colour_scale() -> Markup:
    swatches = (tag("i", class_=f"swatch h{number}") for number in range(SHADES))
    return tag(
        "p",
        "lost all ",
        tag("span", *swatches, class_="ramp"),
        " won all. Each cell shows the points of the row against the column, and the number of matches.",
        class_="note",
    )


def rounds(report: Report) -> Markup | None:
    """Return the pairings of each round, latest first; None if there are none."""
    found = sorted(report.rounds.items(), reverse=True)
    folds = [_round(number, pairings, place < OPEN_AT_FIRST) for place, (number, pairings) in enumerate(found)]
    return joined(*folds) if folds else None


def _round(number_: int, pairings: list[Pairing], unfolded: bool) -> Markup:
    done = sum(pairing.phase == "done" for pairing in pairings)
    summary = tag("summary", f"Round {number_}: {done} of {len(pairings)} done")
    rows = [(pairing.board, meeting_text(pairing), result_text(pairing)) for pairing in pairings]
    table = Table((number("Board"), Column("Pairing", "name"), number("Result")), rows)
    return tag("details", summary, table.to_html("rounds"), open="open" if unfolded else None)


def times_table(report: Report) -> Table:
    """Return the time used by each entrant whose times are known."""
    known = [(name, report.times[name]) for name in report.names if name in report.times]
    slowest = max((times.percentile_95_us for _, times in known), default=1) or 1
    columns = (
        Column("Entrant", "name"),
        picture("Time per move", "bar"),
        Column("Moves", "number", only="text"),
        *(number("median"), number("95 %"), number("longest", "wide"), number("total"), number("flags", "wide")),
    )
    rows = (
        (
            name,
            _time_bar(name, times, slowest),
            times.moves,
            *map(time_text, (times.median_us, times.percentile_95_us, times.longest_us, times.total_us)),
            times.flags or NONE,
        )
        for name, times in known
    )
    return Table(columns, rows)


def _time_bar(name: str, times: Times, slowest: int) -> Markup:
    slow, usual = (width(us, slowest) for us in (times.percentile_95_us, times.median_us))
    bars = (tag("i", class_=kind, style=f"width:{share}%") for kind, share in (("slow", slow), ("usual", usual)))
    return tag("div", *bars, class_="lane", title=f"{counted(times.moves, 'move')} of {name}")


def ends_table(report: Report) -> Table:
    """Return how matches ended, and how many."""
    ends = report.ends()
    most, total = max((many for _, many in ends), default=1), sum(many for _, many in ends)
    columns = (
        Column("Ended by", "name"),
        Column("", "kind"),
        picture("", "bar"),
        number("Matches"),
        Column("", "number", only="page"),
    )
    rows = ((end_text(end), end.kind, lane(end.kind, many, most), many, percent(many / total)) for end, many in ends)
    return Table(columns, rows)


def lane(kind: str, part: float, whole: float) -> Markup:
    """Return a bar that is as long as the part of the whole."""
    return tag("div", tag("i", class_=kind, style=f"width:{width(part, whole)}%"), class_="lane")


def width(part: float, whole: float) -> float:
    return round(max(MIN_WIDTH, 100 * part / whole), 2) if part else 0
