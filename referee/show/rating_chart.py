"""Ratings over time: a line for each entrant, the best in colour, the others in grey.

Lines are drawn in an SVG that is stretched to the available space. Labels are HTML text beside it, so that they keep
their size on small screens.
"""

from collections.abc import Mapping, Sequence

from referee.show.formatting import moment
from referee.show.markup import SECOND, Markup, Scale, fit_scale, joined, tag, tick_values, time_ticks
from referee.show.report import Point, Report

COLOURS = 8
"""Lines with a colour of their own; more could not be distinguished."""
LEAST_ELO = 100.0
MAX_TICKS = 6
MAX_POINTS = 400
"""Points per line; more would not be visible."""


def rating_chart(report: Report) -> Markup | None:
    """Return the chart; None if there are no ratings."""
    lines = {name: thinned(report.histories[name]) for name in report.names if report.histories.get(name)}
    points = [point for line in lines.values() for point in line]
    if not points:
        return None
    times = fit_scale((point.at_ms for point in points), SECOND)
    values = fit_scale((point.value for point in points), LEAST_ELO)
    first = list(lines)[:COLOURS]
    drawn = [
        _line(name, lines[name], times, values, number)
        # The best are drawn last, on top of the others.
        for name, number in [*((name, 0) for name in list(lines)[COLOURS:]), *_numbered(first)[::-1]]
    ]
    picture = tag(
        "svg",
        *_grid(times, values),
        *_confidence_band(lines[first[0]], times, values),
        *drawn,
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        role="img",
        aria_label="Ratings over time",
    )
    return joined(
        tag("div", picture, *_marks(times, values), class_="plot"),
        _legend(first, lines, others=len(lines) - len(first)),
    )


def thinned(line: Sequence[Point]) -> Sequence[Point]:
    """Reduce a line to `MAX_POINTS` evenly spaced points, including both ends."""
    if len(line) <= MAX_POINTS:
        return line
    last = len(line) - 1
    return [line[round(number * last / (MAX_POINTS - 1))] for number in range(MAX_POINTS)]


def _numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    return [(name, number) for number, name in enumerate(names, 1)]


def _line(name: str, line: Sequence[Point], times: Scale, values: Scale, number: int) -> Markup:
    last = line[-1]
    way = "L".join(f"{times.at(point.at_ms)} {100 - values.at(point.value):.2f}" for point in line)
    # A single point needs a short stroke to be visible. Lines are not extended to the right edge.
    tip = tag("title", f"{name}: {last.value:.0f} ± {2 * last.deviation:.0f} on {moment(last.at_ms)}")
    return tag("path", tip, d=f"M{way}{'h.01' if len(line) == 1 else ''}", class_=f"line c{number}")


def _confidence_band(line: Sequence[Point], times: Scale, values: Scale) -> list[Markup]:
    """Draw the 95 % interval of the entrant in first place as a band."""
    upper = [(times.at(point.at_ms), 100 - values.at(point.value + 2 * point.deviation)) for point in line]
    lower = [(times.at(point.at_ms), 100 - values.at(point.value - 2 * point.deviation)) for point in reversed(line)]
    return [tag("path", d="M" + "L".join(f"{x} {y:.2f}" for x, y in [*upper, *lower]) + "z", class_="belief")]


def _grid(times: Scale, values: Scale) -> list[Markup]:
    across = [f"M0 {100 - values.at(value):.2f}h100" for value in tick_values(values, MAX_TICKS)]
    down = [f"M{times.at(time)} 0v100" for time, _ in time_ticks(times, MAX_TICKS - 1)]
    return [tag("path", d="".join([*across, *down]), class_="grid")]


def _marks(times: Scale, values: Scale) -> list[Markup]:
    return [
        *(
            tag("span", f"{value:.0f}", class_="up", style=f"top:{100 - values.at(value):.2f}%")
            for value in tick_values(values, MAX_TICKS)
        ),
        *(
            tag("span", text, class_="along", style=f"left:{times.at(time)}%")
            for time, text in time_ticks(times, MAX_TICKS - 1)
        ),
    ]


def _legend(first: Sequence[str], lines: Mapping[str, Sequence[Point]], others: int) -> Markup:
    keys = [
        tag("li", tag("i", class_=f"key c{number}"), f"{name} ", tag("b", f"{lines[name][-1].value:.0f}"))
        for name, number in _numbered(first)
    ]
    if others:
        keys.append(tag("li", tag("i", class_="key c0"), f"{others} more"))
    return tag("ul", *keys, class_="legend")
