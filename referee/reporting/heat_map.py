"""The cross table as a heat map: what everybody scored against everybody, in numbers and in colours.

From orange (nothing) by pale to blue (everything): a scale that those tell apart too who see colours otherwise, and
never the colour alone, as the number stands in the cell.
"""

from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Cell, Report
from referee.reporting.words import counted, points_text

SHADES = 9
"""From h0 to h8; h4 is even."""


def heat_map(report: Report) -> Markup | None:
    """None: nobody has met anybody."""
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
    """The more there are, the smaller the cells."""
    return "crowd many" if many > 30 else "many" if many > 12 else ""


def _cell(name: str, other: str, cell: Cell | None) -> Markup:
    if name == other:
        return tag("td", class_="self")
    if cell is None:
        return tag("td", "·", class_="none")
    said = f"{name} against {other}: {points_text(cell.points)} of {counted(cell.matches, 'match', 'matches')}"
    of = tag("small", f"/{cell.matches}") if cell.matches > 1 else ""
    return tag("td", points_text(cell.points), of, class_=f"h{shade(cell.share)}", title=said)


def _legend() -> Markup:
    swatches = (tag("i", class_=f"swatch h{number}") for number in range(SHADES))
    return tag(
        "p",
        "lost all ",
        tag("span", *swatches, class_="ramp"),
        " won all. A cell holds the points of its row against its column, of so many matches.",
        class_="note",
    )
