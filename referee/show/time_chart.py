"""Chart of the time that each move took, as SVG, and the parts that it has in common with other charts.

Its colours are classes of the style of the page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Protocol

from referee.show.formatting import time_text
from referee.show.markup import Markup, Scale, tag

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, TOP, BOTTOM = 64, 8, 10, 24
"""Margins for labels."""
MAX_BARS = 300
COLOURS = {"white", "black", "red", "blue", "green", "yellow"}
"""Names of seats that have a colour of their own in the style of the page."""
SCALE_MS = (0.1, 1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000)
"""Lines of the logarithmic scale of times."""


class TimedMove(Protocol):
    """What the chart needs of a move, or of another entry, for which nothing was charged."""

    @property
    def ply(self) -> int: ...

    @property
    def seat(self) -> int | None: ...

    @property
    def text(self) -> str: ...

    @property
    def charged_ms(self) -> float | None: ...


def time_chart(moves: Sequence[TimedMove], seat_names: Sequence[str]) -> Markup | None:
    """Return the time charged for each move on a logarithmic scale; None if nothing was charged."""
    charged = [move for move in moves if move.charged_ms is not None]
    if not charged:
        return None
    step = len(charged) // MAX_BARS + 1
    shown = [max(charged[at : at + step], key=lambda move: move.charged_ms or 0) for at in range(0, len(charged), step)]
    times = [max(move.charged_ms or 0, SCALE_MS[0]) for move in shown]
    high = max(log10(max(times)), 0.0) * 1.05 + 0.05
    low = log10(SCALE_MS[0])

    def up(ms: float) -> float:
        return round(HEIGHT - BOTTOM - (log10(ms) - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    width = (WIDTH - LEFT - RIGHT) / len(shown)
    bars = [
        tag(
            "rect",
            tag("title", f"{seat_names[move.seat or 0]}, {move.text}: {time_text(1_000 * ms)}"),
            x=round(LEFT + number * width, 1),
            y=up(ms),
            width=round(max(width * 0.8, 0.5), 1),
            height=round(HEIGHT - BOTTOM - up(ms), 1),
            class_=seat_class(seat_names, move.seat or 0),
        )
        for number, (move, ms) in enumerate(zip(shown, times, strict=True))
    ]
    lines = [grid_line(up(ms), time_text(1_000 * ms)) for ms in SCALE_MS if log10(ms) <= high]
    ends = end_labels(f"move {shown[0].ply}", f"move {shown[-1].ply}")
    return chart_element("Time charged for each move", *lines, *bars, *ends)


def seat_class(seat_names: Sequence[str], seat: int) -> str:
    """Return the class of the colour of a seat, which is its own if it is named after one."""
    return f"c-{seat_names[seat]}" if seat_names[seat] in COLOURS else f"c{seat % 8 + 1}"


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves on two scales."""

    horizontal: Scale
    vertical: Scale

    def across(self, value: float) -> float:
        return round(LEFT + self.horizontal.at(value) / 100 * (WIDTH - LEFT - RIGHT), 1)

    def up(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - self.vertical.at(value) / 100 * (HEIGHT - TOP - BOTTOM), 1)

    def way(self, points: Sequence[tuple[float, float]]) -> str:
        """Return the path through these points."""
        return "M" + "L".join(f"{self.across(x)} {self.up(y)}" for x, y in points)

    def band(self, points: Sequence[tuple[float, float, float]], class_: str) -> Markup:
        """Return the area between the lower and the upper value at each place."""
        over, under = [(x, high) for x, _, high in points], [(x, low) for x, low, _ in reversed(points)]
        return tag("path", d=f"{self.way([*over, *under])}z", class_=class_)


def end_labels(first: str, last: str) -> list[Markup]:
    """Return the labels below both ends of the horizontal scale."""
    return [chart_label(LEFT, HEIGHT - 6, first), chart_label(WIDTH - RIGHT, HEIGHT - 6, last, "end")]


def chart_element(label: str, *inside: Markup) -> Markup:
    return tag("svg", *inside, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label, class_="chart")


def grid_line(y: float, text: str) -> Markup:
    line = tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid")
    return Markup(line + chart_label(LEFT - 6, y + 4, text, "end"))


def chart_label(x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return tag("text", text, x=x, y=y, text_anchor=anchor)
