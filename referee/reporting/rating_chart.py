"""Ratings over time: a line for each entrant, the best in colour, the others behind them in grey.

Lines are drawn in an SVG that is stretched to whatever room there is; what is written stands beside it as text, and
keeps its size on a phone.
"""

from collections.abc import Mapping, Sequence

from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Point, Report
from referee.reporting.scale import SECOND, Scale, around, marks, time_marks
from referee.reporting.words import moment

COLOURS = 8
"""Line by line in a colour of its own, and no more: nobody can tell twenty apart."""
LEAST_ELO = 100.0
MARKS_AT_MOST = 6
POINTS_AT_MOST = 400
"""Of one line; more would not be seen."""


def rating_chart(report: Report) -> Markup | None:
    """None: nothing has been rated."""
    lines = {name: thinned(report.histories[name]) for name in report.names if report.histories.get(name)}
    points = [point for line in lines.values() for point in line]
    if not points:
        return None
    times = around((point.at_ms for point in points), SECOND)
    values = around((point.value for point in points), LEAST_ELO)
    first = list(lines)[:COLOURS]
    drawn = [
        _line(name, lines[name], times, values, number)
        # The best on top, so that nobody hides them.
        for name, number in [*((name, 0) for name in list(lines)[COLOURS:]), *_numbered(first)[::-1]]
    ]
    picture = tag(
        "svg",
        *_grid(times, values),
        *_belief(lines[first[0]], times, values),
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
    """Evenly, and with both ends."""
    if len(line) <= POINTS_AT_MOST:
        return line
    last = len(line) - 1
    return [line[round(number * last / (POINTS_AT_MOST - 1))] for number in range(POINTS_AT_MOST)]


def _numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    return [(name, number) for number, name in enumerate(names, 1)]


def _line(name: str, line: Sequence[Point], times: Scale, values: Scale, number: int) -> Markup:
    last = line[-1]
    way = "L".join(f"{times.at(point.at_ms)} {100 - values.at(point.value):.2f}" for point in line)
    # A step to the end of the picture would claim matches that were not played; a single point needs a stroke to show.
    tip = tag("title", f"{name}: {last.value:.0f} ± {2 * last.deviation:.0f} on {moment(last.at_ms)}")
    return tag("path", tip, d=f"M{way}{'h.01' if len(line) == 1 else ''}", class_=f"line c{number}")


def _belief(line: Sequence[Point], times: Scale, values: Scale) -> list[Markup]:
    """The 95 % interval of the first in the table, as a band."""
    upper = [(times.at(it.at_ms), 100 - values.at(it.value + 2 * it.deviation)) for it in line]
    lower = [(times.at(it.at_ms), 100 - values.at(it.value - 2 * it.deviation)) for it in reversed(line)]
    return [tag("path", d="M" + "L".join(f"{x} {y:.2f}" for x, y in [*upper, *lower]) + "z", class_="belief")]


def _grid(times: Scale, values: Scale) -> list[Markup]:
    across = [f"M0 {100 - values.at(value):.2f}h100" for value in marks(values, MARKS_AT_MOST)]
    down = [f"M{times.at(time)} 0v100" for time, _ in time_marks(times, MARKS_AT_MOST - 1)]
    return [tag("path", d="".join([*across, *down]), class_="grid")]


def _marks(times: Scale, values: Scale) -> list[Markup]:
    return [
        *(
            tag("span", f"{value:.0f}", class_="up", style=f"top:{100 - values.at(value):.2f}%")
            for value in marks(values, MARKS_AT_MOST)
        ),
        *(
            tag("span", text, class_="along", style=f"left:{times.at(time)}%")
            for time, text in time_marks(times, MARKS_AT_MOST - 1)
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
