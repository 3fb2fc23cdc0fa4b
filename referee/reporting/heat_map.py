"""The cross table as a heat map: the score of each entrant against each other, as numbers and colours.

Colours range from orange (lost all) to blue (won all), a scale that is safe for colour-blind readers.
"""

from referee.reporting.formatting import counted, points_text
from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Cell, Report

SHADES = 9
"""CSS classes h0 to h8; h4 is even."""


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
    return joined(tag("div", table, class_="scrolls", tabindex="0"), _legend())


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


def _legend() -> Markup:
    swatches = (tag("i", class_=f"swatch h{number}") for number in range(SHADES))
    return tag(
        "p",
        "lost all ",
        tag("span", *swatches, class_="ramp"),
        " won all. Each cell shows the points of the row against the column, and the number of matches.",
        class_="note",
    )
