"""Tables of results: the standings with Elo estimates and their intervals, the cross table, and the rounds.

The colours of the cross table range from orange (lost all) to blue (won all), which is safe for colour-blind readers.
"""

from collections.abc import Mapping
from math import floor

from referee.contests.strength.elo import EloEstimate
from referee.show.formatting import (
    counted,
    elo_baseline,
    estimate_text,
    forfeits_text,
    meeting_text,
    percent,
    plain,
    points_text,
    result_text,
    signed,
)
from referee.show.markup import Markup, Scale, fit_scale, joined, tag, tick_values
from referee.show.report import Cell, Meeting, Report, Row

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


def standings_table(report: Report) -> Markup:
    estimates, chances = report.estimates(), report.chances_to_be_best()
    scale = fit_scale((end for it in estimates.values() for end in (it.low, it.high)), LEAST_ELO, MARGIN)
    ladder = report.kind == "ladder"
    heads = [
        tag("th", "#", class_="number"),
        tag("th", "Entrant", scope="col", class_="name"),
        tag("th", "Rating" if ladder else "Points", scope="col", class_="number"),
        *([tag("th", "At least", scope="col", class_="number wide", title=RANKED_BY)] if ladder else []),
        *(tag("th", plain(name), scope="col", class_="number wide") for name in report.tie_breaks),
        tag("th", "Elo", scope="col", class_="number", title=f"Relative to {elo_baseline(report)}, from all results"),
        tag("th", _axis(scale), scope="col", class_="whisker"),
        tag("th", "Best", scope="col", class_="number wide", title="Probability of being the strongest"),
        tag("th", "Won · drawn · lost", scope="col", class_="score"),
        tag("th", "Forfeits", scope="col", class_="number wide"),
    ]
    rows = (_standings_row(row, ladder, estimates, chances, scale) for row in report.rows)
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="standings")
    scrolling, text = tag("div", table, class_="scrolls", tabindex="0"), estimate_text(report)
    return joined(scrolling, tag("p", f"{text[0].upper()}{text[1:]}.", class_="note")) if text else scrolling


def _standings_row(
    row: Row, ladder: bool, estimates: Mapping[str, EloEstimate], chances: Mapping[str, float], scale: Scale
) -> Markup:
    estimate = estimates.get(row.name)
    return tag(
        "tr",
        tag("td", row.rank, class_="number rank"),
        tag("th", row.name, scope="row", class_="name"),
        tag("td", _rating(row) if ladder else tag("b", points_text(row.points or 0)), class_="number"),
        *([tag("td", _lower_bound(row), class_="number wide")] if ladder else []),
        *(tag("td", points_text(value), class_="number wide") for value in row.tie_breaks),
        tag("td", _elo(estimate), class_="number elo"),
        tag("td", _whisker(estimate, scale), class_="whisker"),
        tag("td", percent(chances[row.name]) if row.name in chances else "–", class_="number wide"),
        tag("td", _score(row), class_="score"),
        tag("td", forfeits_text(row) or "–", class_="number wide"),
    )


def _rating(row: Row) -> Markup:
    if row.rating is None:
        return joined("–")
    sure = tag("span", f" ± {2 * row.rating.deviation:.0f}", class_="error")
    provisional = tag("span", "?", class_="provisional", title="provisional") if row.rating.provisional else ""
    return joined(tag("b", f"{row.rating.value:.0f}"), provisional, sure)


def _lower_bound(row: Row) -> str:
    return f"{row.rating.lower_bound:.0f}" if row.rating else "–"


def _elo(estimate: EloEstimate | None) -> Markup:
    if estimate is None:
        return joined("–")
    return joined(signed(estimate.elo), tag("span", f" ± {(estimate.high - estimate.low) / 2:.0f}", class_="error"))


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


def _score(row: Row) -> Markup:
    played = row.wins + row.draws + row.losses
    parts = (("won", row.wins), ("drawn", row.draws), ("lost", row.losses))
    bar = (tag("i", class_=kind, style=f"width:{floor(10_000 * many / played) / 100}%") for kind, many in parts if many)
    text = " · ".join(str(many) for _, many in parts)
    return joined(tag("div", *bar, class_="parts"), tag("span", text))


def heat_map(report: Report) -> Markup | None:
    """Return the heat map; None if there are no results."""
    cells = report.cells()
    if not cells:
        return None
    numbers = {name: number for number, name in enumerate(report.names, 1)}
    heads = (tag("th", number, scope="col", title=name) for name, number in numbers.items())
    rows = (
        tag(
            "tr",
            tag("th", tag("span", number, class_="at"), name, scope="row", class_="name"),
            *(_cell(name, other, cells.get((name, other))) for other in numbers),
        )
        for name, number in numbers.items()
    )
    head = tag("thead", tag("tr", tag("th", class_="name"), *heads))
    table = tag("table", head, tag("tbody", *rows), class_=f"heat {_crowd(len(numbers))}".strip())
    return joined(tag("div", table, class_="scrolls", tabindex="0"), _colour_scale())


def shade(share: float) -> int:
    return min(SHADES - 1, int(share * SHADES))


def _crowd(many: int) -> str:
    """Return CSS classes that make cells smaller in large tables."""
    return "crowd many" if many > 30 else "many" if many > 12 else ""


def _cell(name: str, other: str, cell: Cell | None) -> Markup:
    if name == other:
        return tag("td", class_="self")
    if cell is None:
        return tag("td", "·", class_="none")
    text = f"{name} against {other}: {points_text(cell.points)} of {counted(cell.matches, 'match', 'matches')}"
    of = tag("small", f"/{cell.matches}") if cell.matches > 1 else ""
    return tag("td", points_text(cell.points), of, class_=f"h{shade(cell.share)}", title=text)


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
    folds = [_round(number, meetings, place < OPEN_AT_FIRST) for place, (number, meetings) in enumerate(found)]
    return joined(*folds) if folds else None


def _round(number: int, meetings: list[Meeting], unfolded: bool) -> Markup:
    done = sum(it.state == "done" for it in meetings)
    heads = (("Board", "number"), ("Pairing", "name"), ("Result", "number"))
    table = tag(
        "table",
        tag("thead", tag("tr", *(tag("th", head, scope="col", class_=kind) for head, kind in heads))),
        tag("tbody", *map(_meeting_row, meetings)),
        class_="rounds",
    )
    summary = tag("summary", f"Round {number}: {done} of {len(meetings)} done")
    content = tag("div", table, class_="scrolls", tabindex="0")
    return tag("details", summary, content, open="open") if unfolded else tag("details", summary, content)


def _meeting_row(meeting: Meeting) -> Markup:
    return tag(
        "tr",
        tag("td", meeting.board, class_="number"),
        tag("td", meeting_text(meeting), class_="name"),
        tag("td", result_text(meeting), class_="number"),
    )
