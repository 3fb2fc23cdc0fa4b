"""Charts of ratings as SVG. Their colours are classes of the site's style."""

from collections.abc import Sequence

from referee_api.v1 import rating_pb2

from referee.show.frames import milliseconds
from referee.show.markup import Markup, fit_scale, tag, tick_values, time_ticks
from referee.show.time_chart import HEIGHT, MAX_BARS, Plot, chart_element, chart_label, grid_line

LEAST_ELO = 100.0


def rating_chart(points: Sequence[rating_pb2.RatingPoint]) -> Markup | None:
    """Return the rating over time with its 95 % interval; None if there are fewer than two points."""
    if len(points) < 2:
        return None
    step = len(points) // MAX_BARS + 1
    shown = [*points[:-1:step], points[-1]]
    at_ms = [milliseconds(point.match_end_time) for point in shown]
    times = fit_scale(at_ms, 1_000)
    bounds = [point.rating.value + sign * 2 * point.rating.deviation for point in shown for sign in (-1, 1)]
    values = fit_scale(bounds, LEAST_ELO)
    plot = Plot(times, values)
    spread = [(at, point.rating.value, 2 * point.rating.deviation) for at, point in zip(at_ms, shown, strict=True)]
    band = plot.band([(at, value - two, value + two) for at, value, two in spread], "band")
    line = tag("path", d=plot.way([(at, value) for at, value, _ in spread]), class_="line")
    grid = [grid_line(plot.up(value), f"{value:.0f}") for value in tick_values(values, 5)]
    labels = [chart_label(plot.across(time), HEIGHT - 6, text, "middle") for time, text in time_ticks(times, 4)]
    return chart_element("Rating over time", *grid, band, line, *labels)


def interval(value: float, low: float, high: float, least: float, most: float) -> Markup:
    """Return a value with its interval on a scale from `least` to `most`, for a row of a table."""
    span = (most - least) or 1.0

    def at(x: float) -> float:
        return round(2 + 116 * min(1.0, max(0.0, (x - least) / span)), 1)

    return tag(
        "svg",
        tag("line", x1=at(low), x2=at(high), y1=8, y2=8, class_="whisker"),
        tag("circle", cx=at(value), cy=8, r=3.5, class_="dot"),
        viewBox="0 0 120 16",
        class_="interval",
        role="img",
        aria_label=f"{value:.0f}, from {low:.0f} to {high:.0f}",
    )
