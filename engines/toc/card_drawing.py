"""Drawing of cards: a rank above the sign of a suit, or a back."""

from typing import Final

from engines.drawing import INK, Point, element, line, number_text, text
from engines.toc.position_writer import HIDDEN

WIDE: Final = 10.4
HIGH: Final = 15.6
FACE: Final = "#fffdf6"
BACK: Final = "#8598b0"
RED: Final = "#b5302a"
SUITS: Final = {
    "S": "M0-4c1.5 1.8 3.4 3 3.4 4.9c0 2.1-2.2 2.4-3 1.2l.6 1.9h-2l.6-1.9c-.8 1.2-3 .9-3-1.2c0-1.9 1.9-3.1 3.4-4.9z",
    "H": "M0 3.7c-1.5-1.8-3.5-3-3.5-4.9c0-2.7 2.9-2.9 3.5-.8c.6-2.1 3.5-1.9 3.5.8c0 1.9-2 3.1-3.5 4.9z",
    "D": "M0-4l3 4-3 4-3-4z",
    "C": "M-1.7-2a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0m-2 2.9a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0"
    "m4 0a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0m1.4-1.2l.8 4.3h-2.4l.8-4.3z",
}
"""Outlines of the signs, around the origin; as letters, some browsers would show them as coloured pictures."""


def card_element(name: str, at: Point, scale: float = 1) -> str:
    """Return a card around a point, face up, or face down if its name is hidden."""
    x, y = at
    wide, high = WIDE * scale, HIGH * scale
    fill = BACK if name == HIDDEN else FACE
    blank = element(
        "rect",
        x=x - wide / 2,
        y=y - high / 2,
        width=wide,
        height=high,
        rx=1.4 * scale,
        fill=fill,
        stroke=INK,
        stroke_width=0.5,
    )
    if name == HIDDEN:
        return blank + line((x - wide / 4, y), (x + wide / 4, y), stroke=FACE, stroke_width=0.35 * high)
    rank, suit = name[0], name[1]
    paint = RED if suit in "HD" else INK
    place = f"translate({number_text(x)} {number_text(y + 3.3 * scale)}) scale({number_text(0.82 * scale)})"
    written = "10" if rank == "T" else rank
    return (
        blank
        + text((x, y - 3.3 * scale), 7 * scale, written, text_anchor="middle", font_weight="bold", fill=paint)
        + element("path", d=SUITS[suit], transform=place, fill=paint)
    )
