"""Drawing of a view of Trox: the ground, scaled to the room there is, the pawns, the hands and the supply.

Letters name the colours (N black, B blue, R red), and the shape of a pawn its owner, so that it does not take colours
to read the drawing.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from math import cos, pi, sin, sqrt
from typing import Any, Final, TypeAlias

from engines.api import Json
from engines.drawing import (
    FAINT,
    INK,
    MARK,
    PAPER,
    Point,
    circle,
    element,
    group,
    polygon,
    polyline,
    segments,
    svg_element,
    text,
)
from engines.game_errors import MalformedMove
from engines.trox.lattice import cell_named, corners
from engines.trox.notation import SEATS, Lay, Put, Walk, read_move
from engines.trox.pieces import COLOUR_NAMES, COLOURS, COLOURS_OF, FIRST, KIND_NUMBERS, cells_of
from engines.trox.view import NEUTRAL

WIDTH: Final = 120
HEIGHT: Final = 132
STRIP: Final = 15
"""Height of the strip of the hands, at the top, and of that of the supply, at the bottom."""
MARGIN: Final = 5
HANDS_AT: Final = 9
SUPPLY_AT: Final = HEIGHT - 8
KIND_WIDTH: Final = 9.4
COUNT_WIDTH: Final = 8
MAX_EDGE: Final = 21
"""Maximum length of the side of a cell; a large ground has shorter ones."""
PAWN: Final = 0.235
"""Radius of a pawn, in units of the side of a cell."""
RING: Final = 0.31

FILLS: Final = {"black": "#57514b", "blue": "#8db4dc", "red": "#e39a87"}
LETTER_FILLS: Final = {"black": "#f5eedf", "blue": "#20456b", "red": "#7a2415"}
LETTERS: Final = dict(zip(COLOUR_NAMES, COLOURS, strict=True))
PAWNS: Final = {"round": ("#fffdf6", INK), "square": ("#2b2622", "#fffdf6"), NEUTRAL: ("#c3bbae", "#6d655a")}
"""Inside and outline of a pawn, by owner."""

Edge: TypeAlias = tuple[Point, Point]


class Scale:
    """Places the lattice in the room between the strips."""

    def __init__(self, cells: list[int]) -> None:
        flat = [_flat(point) for cell in cells for point in corners(cell)]
        left, right = min(x for x, _ in flat), max(x for x, _ in flat)
        low, high = min(y for _, y in flat), max(y for _, y in flat)
        room = WIDTH - 2 * MARGIN, HEIGHT - 2 * (STRIP + MARGIN)
        self.edge = min(MAX_EDGE, room[0] / (right - left), room[1] / (high - low))
        self._middle = (left + right) / 2, (low + high) / 2

    def place(self, point: Point) -> Point:
        """Return where a point of the lattice is drawn."""
        (x, y), (middle_x, middle_y) = _flat(point), self._middle
        return WIDTH / 2 + self.edge * (x - middle_x), HEIGHT / 2 - self.edge * (y - middle_y)

    def triangle(self, cell: int) -> list[Point]:
        return [self.place(point) for point in sorted(corners(cell))]

    def middle(self, cell: int) -> Point:
        around = self.triangle(cell)
        return sum(x for x, _ in around) / 3, sum(y for _, y in around) / 3


def svg(view: Json, last_move: str | None) -> str:
    data: Any = view
    pieces = [{cell_named(name): colour for name, colour in cells.items()} for cells in data["pieces"].values()]
    colours = {cell: colour for piece in pieces for cell, colour in piece.items()}
    pawns = {cell_named(name): owner for name, owner in data["pawns"].items()}
    scale = Scale(list(colours or cells_of(FIRST)))
    return svg_element(
        _label(data),
        0,
        0,
        WIDTH,
        HEIGHT,
        _ground(scale, pieces) if pieces else _first_spot(scale),
        _marked(scale, colours, last_move),
        group(*(_pawn(scale.middle(cell), scale.edge * PAWN, owner) for cell, owner in pawns.items())),
        _letters(scale, colours, pawns),
        *(_hand(seat, data["hands"][seat], data["to_move"] == seat) for seat in SEATS),
        _supply(data["supply"]) if data["phase"] == "placing" else "",
    )


def _label(data: Any) -> str:
    owners = Counter(data["pawns"].values())
    counts = ", ".join(f"{owners[owner]} {owner}" for owner in PAWNS)
    return f"Trox: {data['to_move']} to move, {data['phase']}; {len(data['pieces'])} pieces, pawns: {counts}"


def _flat(point: Point) -> Point:
    """Return a point of the lattice, whose axes enclose 60 degrees, in rectangular coordinates."""
    x, y = point
    return x + y / 2, y * sqrt(3) / 2


def _ground(scale: Scale, pieces: list[dict[int, str]]) -> str:
    """Return the cells by colour, dotted lines within pieces, and solid lines around them."""
    within, around = (
        [(scale.place(corner), scale.place(other)) for corner, other in _sides(pieces, cells)] for cells in (2, 1)
    )
    return (
        "".join(
            group(
                *(polygon(scale.triangle(cell)) for piece in pieces for cell, has in piece.items() if has == colour),
                fill=fill,
            )
            for colour, fill in FILLS.items()
        )
        + segments(within, stroke=PAPER, stroke_width=scale.edge / 40, stroke_dasharray=scale.edge / 16)
        + segments(around, stroke=PAPER, stroke_width=scale.edge / 8, stroke_linecap="round")
        + segments(around, stroke=INK, stroke_width=scale.edge / 22, stroke_linecap="round")
    )


def _sides(pieces: Sequence[Collection[int]], cells: int) -> list[Edge]:
    """Return the sides of cells that belong to so many cells of a piece: 2 within a piece, 1 around it."""
    found = [Counter(side for cell in piece for side in combinations(sorted(corners(cell)), 2)) for piece in pieces]
    return [side for of_piece in found for side, many in of_piece.items() if many == cells]


def _first_spot(scale: Scale) -> str:
    """Return the place of the first piece."""
    return group(
        *(polygon(scale.triangle(cell)) for cell in cells_of(FIRST)), fill="none", stroke=FAINT, stroke_dasharray=2
    )


def _pawn(at: Point, radius: float, owner: str, inside: str | None = None) -> str:
    """Return a pawn: a circle, a square, or a hexagon with two bars if it is neutral."""
    x, y = at
    fill, border = PAWNS[owner] if inside is None else (inside, INK)
    width = radius / 5
    if owner == "round":
        return circle(at, radius, fill=fill, stroke=border, stroke_width=width)
    if owner == "square":
        side = 1.8 * radius
        return element(
            "rect",
            x=x - side / 2,
            y=y - side / 2,
            width=side,
            height=side,
            fill=fill,
            stroke=border,
            stroke_width=width,
        )
    hexagon = [(x + radius * cos(turn * pi / 3), y + radius * sin(turn * pi / 3)) for turn in range(6)]
    far = radius / 2.2
    bars: list[Edge] = [((x - far, y + up), (x + far, y + up)) for up in (-radius / 4, radius / 4)]
    return polygon(hexagon, fill=fill, stroke=border, stroke_width=width) + segments(
        bars, stroke=border, stroke_width=width
    )


def _letters(scale: Scale, colours: dict[int, str], pawns: dict[int, str]) -> str:
    """Return the letter of the colour of each cell, on its pawn if it has one; neutral pawns have none."""
    size = scale.edge * 0.25
    by_fill: dict[str, list[str]] = {}
    for cell, colour in colours.items():
        owner = pawns.get(cell)
        if owner != NEUTRAL:
            fill = PAWNS[owner][1] if owner else LETTER_FILLS[colour]
            by_fill.setdefault(fill, []).append(text(scale.middle(cell), size, LETTERS[colour]))
    return group(*(group(*letters, fill=fill) for fill, letters in by_fill.items()), text_anchor="middle")


def _marked(scale: Scale, colours: dict[int, str], last_move: str | None) -> str:
    """Return rings on the cells that the last move names, and the way between them or the sides of the piece laid."""
    cells, laid = _named(last_move)
    if not {*cells, *laid} <= set(colours):
        return ""
    sides = [(scale.place(corner), scale.place(other)) for corner, other in _sides([laid], 1)]
    places = [scale.middle(cell) for cell in cells]
    rings = [circle(at, scale.edge * RING, fill=FILLS[colours[cell]]) for cell, at in zip(cells, places, strict=True)]
    return group(
        segments(sides) if sides else "",
        polyline(places) if len(places) > 1 else "",
        *rings,
        fill="none",
        stroke=MARK,
        stroke_width=scale.edge / 14,
        stroke_linecap="round",
    )


def _named(move: str | None) -> tuple[list[int], tuple[int, ...]]:
    """Return the cells of the pawn before and after a move, and those of the piece laid."""
    try:
        read = read_move(move or "")
    except MalformedMove:
        return [], ()
    match read:
        case Lay(_, spot, pawn):
            return [pawn], cells_of(spot)
        case Put(to):
            return [to], ()
        case Walk(start, to):
            return [start, to], ()
        case _:
            return [], ()


def _hand(seat: str, hand: dict[str, int], to_move: bool) -> str:
    """Return the pawns in a hand: Round's from the left edge, Square's from the right one."""
    inward = 1 if seat == "round" else -1
    edge = 0 if seat == "round" else WIDTH
    colours = [colour for colour in COLOUR_NAMES for _ in range(hand[colour])]
    places = [(edge + inward * (22 + 6.4 * number), HANDS_AT) for number in range(len(colours))]
    pawns = [_pawn(at, 2.7, seat, FILLS[colour]) for at, colour in zip(places, colours, strict=True)]
    letters = [
        text(at, 3, LETTERS[colour], fill=LETTER_FILLS[colour]) for at, colour in zip(places, colours, strict=True)
    ]
    tip = edge + inward * 7.5
    arrow = [(tip, HANDS_AT), (tip - inward * 3.5, HANDS_AT - 2.5), (tip - inward * 3.5, HANDS_AT + 2.5)]
    return (
        _pawn((edge + inward * 13, HANDS_AT), 4, seat)
        + (polygon(arrow, fill=INK) if to_move else "")
        + group(*pawns, *letters, text_anchor="middle")
    )


def _supply(supply: dict[str, int]) -> str:
    """Return each heap that is left: the kinds as which its pieces can be laid, and how many there are."""
    heaps = [(heap.split("/"), left) for heap, left in supply.items() if left]
    x = (WIDTH - sum(KIND_WIDTH * len(kinds) + COUNT_WIDTH for kinds, _ in heaps)) / 2
    drawn = []
    for kinds, left in heaps:
        for kind in kinds:
            drawn.append(_kind(kind, x))
            x += KIND_WIDTH
        drawn.append(text((x, SUPPLY_AT), 4.2, f"×{left}", fill=FAINT))
        x += COUNT_WIDTH
    return group(*drawn)


def _kind(kind: str, x: float) -> str:
    """Return a small piece as it lies on the first spot: B, the middle and A from left to right."""
    side, top, bottom = 4.2, SUPPLY_AT - 1.8, SUPPLY_AT + 1.8
    points = [(x + side * halves / 2, bottom if halves % 2 else top) for halves in range(5)]
    colours = [COLOUR_NAMES[colour] for colour in COLOURS_OF[KIND_NUMBERS[kind]]][::-1]
    return "".join(
        polygon(points[cell : cell + 3], fill=FILLS[colour], stroke=INK, stroke_width=0.3)
        for cell, colour in enumerate(colours)
    )
