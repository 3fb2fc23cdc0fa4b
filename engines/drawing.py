"""Building blocks of the drawings that games make of their views: SVG elements as text.

A drawing is one `svg` element without styles, scripts, ids or references, so that every page may contain it, whatever
its Content-Security-Policy says. Colours are attributes, and all text is escaped. Numbers have at most two decimals,
which keeps drawings short, and equal on every machine.
"""

from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias

Point: TypeAlias = tuple[float, float]
Attribute: TypeAlias = str | float

PAPER: Final = "#f5eedf"
"""Background of a drawing, which is readable on light and on dark pages."""
INK: Final = "#2e2a25"
FAINT: Final = "#7d7365"
MARK: Final = "#d9730d"
"""Colour of what marks the last move. No game uses it for its pieces."""

BLANK: Final = "\u00a0"
"""A blank that a drawing keeps at the beginning of a text and beside another one."""

BASELINE: Final = 0.35
"""How far the baseline of a text is below its middle, in units of its size."""


def escaped(text: str) -> str:
    """Return text for use in elements and attributes; what cannot be printed, or is not legal in XML, is replaced."""
    printable = text if text.isprintable() else "".join([sign if sign.isprintable() else "\ufffd" for sign in text])
    return escape(printable)


def number_text(value: float) -> str:
    """Return a number with at most two decimals, and none that are not needed."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def element(tag: str, *content: str, **attributes: Attribute) -> str:
    """Return an element. `content` is elements or escaped text; underscores in names of attributes become hyphens."""
    listed = "".join([f' {name.replace("_", "-")}="{_attribute(value)}"' for name, value in attributes.items()])
    inside = "".join(content)
    return f"<{tag}{listed}>{inside}</{tag}>" if inside else f"<{tag}{listed}/>"


def svg_element(label: str, left: float, top: float, width: float, height: float, *content: str) -> str:
    """Return a whole drawing of this part of the plane. `label` tells those who cannot see it what it shows."""
    box = " ".join(map(number_text, (left, top, width, height)))
    background = element("rect", x=left, y=top, width=width, height=height, rx=min(width, height) / 40, fill=PAPER)
    return element(
        "svg",
        background,
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=box,
        role="img",
        aria_label=label,
        font_family="sans-serif",
    )


def group(*content: str, **attributes: Attribute) -> str:
    """Return elements that share attributes."""
    return element("g", *content, **attributes) if any(content) else ""


def circle(at: Point, radius: float, **attributes: Attribute) -> str:
    return element("circle", cx=at[0], cy=at[1], r=radius, **attributes)


def polygon(points: Iterable[Point], **attributes: Attribute) -> str:
    return element("polygon", points=_listed(points), **attributes)


def polyline(points: Iterable[Point], **attributes: Attribute) -> str:
    return element("polyline", points=_listed(points), **attributes)


def line(start: Point, end: Point, **attributes: Attribute) -> str:
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)


def segments(lines: Iterable[tuple[Point, Point]], **attributes: Attribute) -> str:
    """Return one element that draws many straight lines."""
    listed = "".join([f"M{_listed([start])}L{_listed([end])}" for start, end in lines])
    return element("path", d=listed, **attributes)


def text(at: Point, size: float, written: str, **attributes: Attribute) -> str:
    """Return a text whose middle line is at the height of `at`; it starts there unless `text_anchor` is given."""
    x, y = at
    shown = BLANK.join(map(escaped, written.split(BLANK)))
    return element("text", shown, x=x, y=y + BASELINE * size, font_size=size, **attributes)


def _listed(points: Iterable[Point]) -> str:
    return " ".join([f"{number_text(x)},{number_text(y)}" for x, y in points])


def _attribute(value: Attribute) -> str:
    return escaped(value) if isinstance(value, str) else number_text(value)
