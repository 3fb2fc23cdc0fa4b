"""Plots as SVG: bars with the range of their rounds, and lines over a logarithmic scale."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10

from bench.figures import Figure, short

WIDE, LABEL, ROW, HEAD = 860, 300, 26, 50
VALUE = 150
"""Space for the number behind a bar."""
PLOT_HIGH, MARGIN = 300, 70
COLOURS = ("#2a6fbb", "#c8553d", "#3a8f5c", "#8a5fb0", "#b58a1b", "#555555")


def bars(title: str, figures: Sequence[Figure]) -> str:
    """Return a bar for each figure: its median, with a line from its lowest to its highest round."""
    most = max((figure.high for figure in figures), default=1) or 1
    scale = (WIDE - LABEL - VALUE) / most
    parts = [_text(10, 24, title, size=16)]
    for place, figure in enumerate(figures):
        top = HEAD + place * ROW
        middle, end = top + ROW / 2 - 3, LABEL + figure.high * scale
        parts += [
            _text(LABEL - 8, top + 14, figure.of, anchor="end"),
            f'<rect x="{LABEL}" y="{top}" width="{figure.median * scale:.1f}" height="{ROW - 8}" fill="{COLOURS[0]}"/>',
            _line(LABEL + figure.low * scale, middle, end, middle, "#222222"),
            _text(end + 6, top + 14, short(figure.median)),
        ]
    return _page(HEAD + len(figures) * ROW + 10, parts)


def lines(title: str, across: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Return a line for each series of points; the vertical scale starts at 0, the horizontal one is logarithmic."""
    points = [point for line in series.values() for point in line]
    left, right = (log10(pick(x for x, _ in points)) for pick in (min, max))
    top = max(y for _, y in points) * 1.1 or 1

    def place(x: float, y: float) -> tuple[float, float]:
        share = (log10(x) - left) / (right - left or 1)
        return MARGIN + share * (WIDE - 3.5 * MARGIN), HEAD + PLOT_HIGH * (1 - y / top)

    low = HEAD + PLOT_HIGH
    parts = [_text(10, 24, title, size=16), _text(WIDE / 2, low + 45, across, anchor="middle")]
    for part in range(5):
        value = top * part / 4
        height = place(10**left, value)[1]
        parts += [_line(MARGIN, height, WIDE - 2.5 * MARGIN, height, "#dddddd")]
        parts += [_text(MARGIN - 8, height + 4, short(value), anchor="end")]
    parts += [_text(place(x, 0)[0], low + 20, f"{x:g}", anchor="middle") for x in sorted({x for x, _ in points})]
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line))
        parts += [f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>']
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in (place(*p) for p in line)]
        parts += [_text(WIDE - 2.4 * MARGIN, HEAD + 10 + 18 * number, name, colour=colour)]
    return _page(low + 60, parts)


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12, colour: str = "#222222") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
    )


def _line(x: float, y: float, to_x: float, to_y: float, colour: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}"/>'


def _page(high: float, parts: Sequence[str]) -> str:
    size = f'width="{WIDE}" height="{high:.0f}" viewBox="0 0 {WIDE} {high:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"
