"""Drawing of a view of chess: the board, the pieces, and the squares of the last move."""

from typing import Any, Final

from chess import SQUARE_NAMES

from engines.api import Json
from engines.chess.notation import COLOURS, MOVE
from engines.drawing import FAINT, INK, MARK, Point, element, group, polygon, svg_element, text

STEP: Final = 20
"""Side of a square; a piece is drawn in a square of this size."""
SIDE: Final = 8 * STEP
MARGIN: Final = 12
LIGHT: Final = "#f2e6cf"
DARK: Final = "#c9b48c"
PAINTS: Final = {"white": ("#fffdf6", INK), "black": ("#39332c", "#14110e")}
"""Inside and border of a piece, by colour."""
LINES_IN: Final = {"white": INK, "black": "#fffdf6"}
"""Lines inside of a piece, by colour."""

BASE: Final = "M5,17.5H15V15.5H5Z"
SHAPES: Final = {
    "pawn": "M6,17.5H14V15.8H12.6L11.4,11A3,3 0 1 0 8.6,11L7.4,15.8H6Z",
    "knight": BASE
    + "M6.5,15.5C6.5,12 9,11.5 9.2,9.6L6.6,11.4L4.6,9.8L7.2,5.6L8.4,2.8L10,4.6C13.6,5.2 14.4,9 13.6,15.5Z",
    "bishop": BASE + "M8,15.5L8.6,13.2C5.4,10.4 7.4,6.8 10,4.4C12.6,6.8 14.6,10.4 11.4,13.2L12,15.5ZM9,3H11V4.6H9Z",
    "rook": BASE + "M6.6,15.5L7.2,7.4H5.6V3.4H7.8V5H8.9V3.4H11.1V5H12.2V3.4H14.4V7.4H12.8L13.4,15.5Z",
    "queen": BASE + "M6,15.5L3.6,5.6L7,9.4L7.4,3.8L10,8.6L12.6,3.8L13,9.4L16.4,5.6L14,15.5Z",
    "king": BASE
    + "M6.4,15.5C1.6,10.6 5.6,6.6 9.3,9V5.2H7.8V3.8H9.3V2.4H10.7V3.8H12.2V5.2H10.7V9C14.4,6.6 18.4,10.6 13.6,15.5Z",
}
INNER: Final = {
    "knight": "M7.6,7.4H8.6",
    "bishop": "M10,7.6V11.4M8.4,9.3H11.6",
    "rook": "M7.6,7.4H12.4",
    "queen": "M6.6,13.2H13.4",
    "king": "M6.8,13.4H13.2",
}
"""Lines inside of a piece."""


def svg(view: Json, last_move: str | None) -> str:
    data: Any = view
    squares: dict[str, str | None] = data["squares"]
    check = ", in check" if data["check"] else ""
    return svg_element(
        f"Chess: {data['to_move']} to move{check}, {_counts(squares)}",
        -MARGIN,
        -MARGIN,
        SIDE + 2 * MARGIN,
        SIDE + 2 * MARGIN,
        _board(),
        _marked(last_move),
        *(_pieces(colour, squares) for colour in COLOURS),
        _turn(data["to_move"]),
    )


def _counts(squares: dict[str, str | None]) -> str:
    """Return how many pieces each side has."""
    of = {colour: sum(1 for piece in squares.values() if (piece or "").startswith(colour)) for colour in COLOURS}
    return " and ".join(f"{many} {colour}" for colour, many in of.items()) + " pieces"


def _corner(name: str) -> Point:
    """Return the upper left corner of a square; White is at the bottom."""
    number = SQUARE_NAMES.index(name)
    return STEP * (number % 8), STEP * (7 - number // 8)


def _board() -> str:
    ground = element("rect", x=0, y=0, width=SIDE, height=SIDE, fill=LIGHT)
    dark = "".join(
        f"M{STEP * file},{STEP * row}h{STEP}v{STEP}h-{STEP}z"
        for file in range(8)
        for row in range(8)
        if (file + row) % 2
    )
    files = [text((STEP * (number + 0.5), SIDE + 6), 6, name) for number, name in enumerate("abcdefgh")]
    ranks = [text((-6, SIDE - STEP * (number + 0.5)), 6, name) for number, name in enumerate("12345678")]
    letters = group(*files, *ranks, fill=FAINT, text_anchor="middle")
    return ground + element("path", d=dark, fill=DARK) + letters


def _marked(move: str | None) -> str:
    """Return a frame inside of both squares of the last move."""
    if not MOVE.fullmatch(move or ""):
        return ""
    corners = [_corner(name) for name in (str(move)[:2], str(move)[2:4])]
    frames = [element("rect", x=x + 1, y=y + 1, width=STEP - 2, height=STEP - 2) for x, y in corners]
    return group(*frames, fill="none", stroke=MARK, stroke_width=2)


def _pieces(colour: str, squares: dict[str, str | None]) -> str:
    found = [(name, piece.split()[1]) for name, piece in squares.items() if piece and piece.startswith(colour)]
    fill, border = PAINTS[colour]
    shapes = [element("path", d=SHAPES[kind], transform=_moved(name)) for name, kind in found]
    lines = [element("path", d=INNER[kind], transform=_moved(name)) for name, kind in found if kind in INNER]
    return group(*shapes, fill=fill, stroke=border, stroke_width=0.8, stroke_linejoin="round") + group(
        *lines, fill="none", stroke=LINES_IN[colour], stroke_width=0.8, stroke_linecap="round"
    )


def _moved(name: str) -> str:
    x, y = _corner(name)
    return f"translate({x:g},{y:g})"


def _turn(colour: str) -> str:
    """Return a triangle beside the side of the board where the side to move began."""
    y = SIDE - STEP / 2 if colour == "white" else STEP / 2
    fill, border = PAINTS[colour]
    return polygon([(SIDE + 3, y), (SIDE + 8, y - 3), (SIDE + 8, y + 3)], fill=fill, stroke=border)
