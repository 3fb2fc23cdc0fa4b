"""Drawing of a view of Go: the lines of the board, the stones, and the last move."""

from typing import Any, Final

from engines.api import Json
from engines.drawing import (
    FAINT,
    INK,
    MARK,
    Point,
    circle,
    element,
    group,
    polygon,
    segments,
    svg_element,
    text,
)
from engines.go.notation import COLOURS
from engines.go.points import LETTERS, Points, handicap_stones, max_handicap, points_of

STEP: Final = 20
"""Distance between two points."""
EDGE: Final = 12
"""Width of the board outside of its lines."""
MARGIN: Final = 24
STONE: Final = 9.2
GROUND: Final = "#e8c98a"
LINE: Final = "#7b6238"
PAINTS: Final = {"black": ("#2b2724", "#14110e"), "white": ("#fffdf6", INK)}
"""Inside and border of a stone, by colour."""


def svg(view: Json, last_move: str | None) -> str:
    data: Any = view
    points = points_of(data["size"])
    side = STEP * (points.size - 1)
    counts = " and ".join(f"{len(data[colour])} {colour}" for colour in COLOURS)
    return svg_element(
        f"Go: {data['to_move']} to move, {counts} stones",
        -MARGIN,
        -MARGIN,
        side + 2 * MARGIN,
        side + 2 * MARGIN,
        _board(points, side),
        *(_stones(points, colour, data[colour]) for colour in COLOURS),
        _forbidden(points, data["ko"]),
        _marked(points, last_move),
        _turn(data["to_move"], side),
    )


def _place(points: Points, name: str) -> Point:
    row, column = divmod(points.names.index(name), points.size)
    return STEP * column, STEP * (points.size - 1 - row)


def _board(points: Points, side: float) -> str:
    ground = element("rect", x=-EDGE, y=-EDGE, width=side + 2 * EDGE, height=side + 2 * EDGE, rx=2, fill=GROUND)
    steps = [STEP * number for number in range(points.size)]
    lines = [line for at in steps for line in (((at, 0.0), (at, side)), ((0.0, at), (side, at)))]
    drawn = segments(lines, stroke=LINE, stroke_width=0.9)
    stars = points.listed(handicap_stones(points.size, max_handicap(points.size)))
    dots = group(*(circle(_place(points, name), 2.2) for name in stars), fill=LINE)
    columns = [text((at, side + 18), 8, LETTERS[number]) for number, at in enumerate(steps)]
    rows = [text((-18, side - at), 8, str(number + 1)) for number, at in enumerate(steps)]
    return ground + drawn + dots + group(*columns, *rows, fill=FAINT, text_anchor="middle")


def _stones(points: Points, colour: str, names: list[str]) -> str:
    fill, border = PAINTS[colour]
    return group(*(circle(_place(points, name), STONE) for name in names), fill=fill, stroke=border)


def _forbidden(points: Points, names: list[str]) -> str:
    """Return a small square on each point that the ko rule forbids."""
    corners = [_place(points, name) for name in names]
    squares = [element("rect", x=x - 4, y=y - 4, width=8, height=8) for x, y in corners]
    return group(*squares, fill="none", stroke=INK, stroke_width=1.2)


def _marked(points: Points, move: str | None) -> str:
    """Return a ring inside of the last stone."""
    if move not in points.by_name:
        return ""
    return circle(_place(points, str(move)), 4.6, fill="none", stroke=MARK, stroke_width=2.4)


def _turn(colour: str, side: float) -> str:
    """Return a triangle beside the board in the colour of the side to move: Black's is at the bottom."""
    y = side - STEP / 2 if colour == "black" else STEP / 2
    fill, border = PAINTS[colour]
    return polygon([(side + 14, y), (side + 20, y - 3.5), (side + 20, y + 3.5)], fill=fill, stroke=border)
