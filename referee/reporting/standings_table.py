"""The standings, with Elo estimates and their intervals."""

from collections.abc import Mapping
from math import floor

from referee.contests.strength.elo import EloEstimate
from referee.reporting.formatting import plain, points_text, signed
from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Report, Row
from referee.reporting.scale import Scale, fit_scale, tick_values

LEAST_ELO = 200.0
MARGIN = 0.06
"""Space for the labels at the ends."""
MAX_TICKS = 5


def above(report: Report) -> str:
    """Return what Elo values are relative to."""
    return "the other" if len(report.estimates()) == 2 else "the average of the field"


def standings_table(report: Report) -> Markup:
    estimates = report.estimates()
    scale = fit_scale((end for it in estimates.values() for end in (it.low, it.high)), LEAST_ELO, MARGIN)
    ladder = report.kind == "ladder"
    heads = [
        tag("th", "#", class_="number"),
        tag("th", "Entrant", scope="col", class_="name"),
        tag("th", "Rating" if ladder else "Points", scope="col", class_="number"),
        *(tag("th", plain(name), scope="col", class_="number wide") for name in report.tie_breaks),
        tag("th", "Elo", scope="col", class_="number", title=f"Relative to {above(report)}, from all results"),
        tag("th", _axis(scale), scope="col", class_="whisker"),
        tag("th", "Won · drawn · lost", scope="col", class_="score"),
        tag("th", "Forfeits", scope="col", class_="number wide"),
    ]
    rows = (_row(row, ladder, estimates, scale) for row in report.rows)
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="standings")
    return tag("div", table, class_="scrolls", tabindex="0")


def _row(row: Row, ladder: bool, estimates: Mapping[str, EloEstimate], scale: Scale) -> Markup:
    estimate = estimates.get(row.name)
    return tag(
        "tr",
        tag("td", row.rank, class_="number rank"),
        tag("th", row.name, scope="row", class_="name"),
        tag("td", _rating(row) if ladder else tag("b", points_text(row.points or 0)), class_="number"),
        *(tag("td", points_text(value), class_="number wide") for value in row.tie_breaks),
        tag("td", _elo(estimate), class_="number elo"),
        tag("td", _whisker(estimate, scale), class_="whisker"),
        tag("td", _score(row), class_="score"),
        tag("td", row.forfeits or "–", class_="number wide"),
    )


def _rating(row: Row) -> Markup:
    if row.rating is None:
        return joined("–")
    sure = tag("span", f" ± {2 * row.rating.deviation:.0f}", class_="error")
    provisional = tag("span", "?", class_="provisional", title="provisional") if row.rating.provisional else ""
    return joined(tag("b", f"{row.rating.value:.0f}"), provisional, sure)


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
