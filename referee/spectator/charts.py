"""Charts as SVG: time per move, and ratings over time. Their colours are classes of the site's style."""

from collections.abc import Sequence
from math import log10

from referee_api.v1 import rating_pb2

from referee.reporting.formatting import time_text
from referee.reporting.markup import Markup, fit_scale, tag, tick_values, time_ticks
from referee.spectator.frames import Frame, milliseconds

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, TOP, BOTTOM = 64, 8, 10, 24
"""Margins for labels."""
MAX_BARS = 300
LEAST_ELO = 100.0
COLOURS = {"white", "black", "red", "blue", "green", "yellow"}
"""Names of seats that have a colour of their own in the site's style."""
SCALE_MS = (0.1, 1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000)
"""Lines of the logarithmic scale of times."""


def seat_class(seat_names: Sequence[str], seat: int) -> str:
    """Return the class of the colour of a seat, which is its own if it is named after one."""
    return f"c-{seat_names[seat]}" if seat_names[seat] in COLOURS else f"c{seat % 8 + 1}"


def time_chart(frames: Sequence[Frame], seat_names: Sequence[str]) -> Markup | None:
    """Return the time charged for each move on a logarithmic scale; None if nothing was charged."""
    charged = [frame for frame in frames if frame.charged_ms is not None]
    if not charged:
        return None
    step = len(charged) // MAX_BARS + 1
    shown = [
        max(charged[at : at + step], key=lambda frame: frame.charged_ms or 0) for at in range(0, len(charged), step)
    ]
    times = [max(frame.charged_ms or 0, SCALE_MS[0]) for frame in shown]
    high = max(log10(max(times)), 0.0) * 1.05 + 0.05
    low = log10(SCALE_MS[0])

    def up(ms: float) -> float:
        return round(HEIGHT - BOTTOM - (log10(ms) - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    width = (WIDTH - LEFT - RIGHT) / len(shown)
    bars = [
        tag(
            "rect",
            tag("title", f"{seat_names[frame.seat or 0]}, {frame.text}: {time_text(1_000 * ms)}"),
            x=round(LEFT + number * width, 1),
            y=up(ms),
            width=round(max(width * 0.8, 0.5), 1),
            height=round(HEIGHT - BOTTOM - up(ms), 1),
            class_=seat_class(seat_names, frame.seat or 0),
        )
        for number, (frame, ms) in enumerate(zip(shown, times, strict=True))
    ]
    lines = [_grid_line(up(ms), time_text(1_000 * ms)) for ms in SCALE_MS if log10(ms) <= high]
    ends = [
        _label(LEFT, HEIGHT - 6, f"move {shown[0].ply}"),
        _label(WIDTH - RIGHT, HEIGHT - 6, f"move {shown[-1].ply}", "end"),
    ]
    return _chart("Time charged for each move", *lines, *bars, *ends)


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

    def across(time_ms: float) -> float:
        return round(LEFT + times.at(time_ms) / 100 * (WIDTH - LEFT - RIGHT), 1)

    def up(value: float) -> float:
        return round(HEIGHT - BOTTOM - values.at(value) / 100 * (HEIGHT - TOP - BOTTOM), 1)

    def path(signs: float) -> list[str]:
        return [
            f"{across(time)} {up(point.rating.value + signs * 2 * point.rating.deviation)}"
            for time, point in zip(at_ms, shown, strict=True)
        ]

    band = tag("path", d=f"M{'L'.join([*path(1), *reversed(path(-1))])}z", class_="band")
    line = tag("path", d=f"M{'L'.join(path(0))}", class_="line")
    grid = [_grid_line(up(value), f"{value:.0f}") for value in tick_values(values, 5)]
    labels = [_label(across(time), HEIGHT - 6, text, "middle") for time, text in time_ticks(times, 4)]
    return _chart("Rating over time", *grid, band, line, *labels)


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


def _chart(label: str, *inside: Markup) -> Markup:
    return tag("svg", *inside, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label, class_="chart")


def _grid_line(y: float, text: str) -> Markup:
    line = tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid")
    return Markup(line + _label(LEFT - 6, y + 4, text, "end"))


def _label(x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return tag("text", text, x=x, y=y, text_anchor=anchor)
