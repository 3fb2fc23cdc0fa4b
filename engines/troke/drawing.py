"""Drawing of a view of Troke: the circles and lines of the board, the pieces, the chips and castles, and the last move.

Pieces are nested as in a real castle: a tower stands inside a wall, and a wall inside a moat. Their shapes tell them
apart: a battlement, a square of stones, and a ring of waves. Sizes are multiples of the radius of a circle.
"""

from functools import lru_cache
from itertools import product
from math import dist
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
from engines.options import Settings
from engines.troke.boards import COLOURS, FILES, Board
from engines.troke.notation import Spelling
from engines.troke.own_board import board_of
from engines.troke.picture import labels
from engines.troke.turns import DEMAND, DIGIT, start_of, steps_of

RADIUS: Final = 8.4
"""Radius of a circle of the board."""
MOAT: Final = 9.6
WALL: Final = 4.9
"""Half of the side of a wall."""
AROUND: Final = 12.4
"""Radius of the rings around circles."""
APART: Final = 26
"""Smallest distance between two circles."""
MARGIN: Final = 24
STRIP: Final = 0.12
"""Height of the strip for chips and castles, in units of the width of the drawing."""
MIN_WIDTH: Final = 150

LINE: Final = "#b3a386"
FILLS: Final = {"red": "#d4543f", "blue": "#33609a", "white": "#fffdf6", "yellow": "#edbe45"}
LETTERS: Final = {"red": PAPER, "blue": PAPER, "white": INK, "yellow": INK}
"""Colour of letters and waves on each colour."""
TINTS: Final = {"red": "#f0cdc3", "blue": "#c6d3e4", "white": "#fffdf6", "yellow": "#f6e5b5"}
"""Insides of the circles of the start rows."""
NO_ROW: Final = "#eaddc2"
TOWER: Final[tuple[Point, ...]] = (
    (-3.4, 3.4),
    (-2.6, -0.6),
    (-3.4, -0.6),
    (-3.4, -3.4),
    (-2, -3.4),
    (-2, -2.2),
    (-0.7, -2.2),
    (-0.7, -3.4),
    (0.7, -3.4),
    (0.7, -2.2),
    (2, -2.2),
    (2, -3.4),
    (3.4, -3.4),
    (3.4, -0.6),
    (2.6, -0.6),
    (3.4, 3.4),
)

Stacks: TypeAlias = dict[str, dict[str, str | None]]


class Layout:
    """The places of the circles of a board, and all that is drawn of it when it is empty."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.spelling = Spelling(board)
        unit = APART / min(dist(place, other) for place, other in product(board.places, repeat=2) if place != other)
        left, low = (min(place[axis] for place in board.places) for axis in (0, 1))
        right, high = (max(place[axis] for place in board.places) for axis in (0, 1))
        wide = unit * (right - left)
        self.width = max(MIN_WIDTH, wide + 2 * MARGIN)
        self.height = unit * (high - low) + 2 * MARGIN
        self._left, self._high, self._unit = left - (self.width - wide) / 2 / unit, high + MARGIN / unit, unit
        self.places = [self.place(place) for place in board.places]
        """Where each circle is drawn."""
        self.by_name = dict(zip(board.names, self.places, strict=True))
        self.empty = self._lines() + self._circles() + self._labels()

    def place(self, place: Point) -> Point:
        return self._unit * (place[0] - self._left), self._unit * (self._high - place[1])

    def _lines(self) -> str:
        return segments([(self.places[cell], self.places[other]) for cell, other in self.board.lines], stroke=LINE)

    def _circles(self) -> str:
        of_row = {number: colour for colour, row in zip(COLOURS, self.board.rows, strict=True) for number in row}
        tints = [TINTS[of_row[number]] if number in of_row else NO_ROW for number in range(len(self.places))]
        return group(
            *(
                group(
                    *(circle(at, RADIUS) for at, has in zip(self.places, tints, strict=True) if has == tint), fill=tint
                )
                for tint in dict.fromkeys(tints)
            ),
            stroke=LINE,
        )

    def _labels(self) -> str:
        files = [
            text((self.place((x, 0))[0], self.height - 6), 7, label)
            for (x, _), label in labels(self.board, 0, FILES).items()
        ]
        ranks = [
            text((6, self.place((0, y))[1]), 7, label) for (_, y), label in labels(self.board, 1, "0123456789").items()
        ]
        return group(*files, *ranks, fill=FAINT, text_anchor="middle")


@lru_cache(maxsize=16)
def layout_of(board: Board) -> Layout:
    return Layout(board)


def svg(settings: Settings, view: Json, last_move: str | None) -> str:
    data: Any = view
    layout = layout_of(board_of(settings))
    race = settings.choice("scoring") == "race"
    return svg_element(
        _label(data, race),
        0,
        0,
        layout.width,
        layout.height + STRIP * layout.width,
        layout.empty,
        _marked(layout, last_move),
        _to_clear(layout, data["must_clear"]),
        _moats(layout, data["circles"]),
        _walls(layout, data["circles"]),
        _towers(layout, data["circles"]),
        group(
            *(
                _seat(layout, number / len(data["castles"]), colour, data, race)
                for number, colour in enumerate(data["castles"])
            ),
            fill=INK,
        ),
    )


def _label(data: Any, race: bool) -> str:
    seats = [
        f"{colour} {castles} castles" if race else f"{colour} {data['chips'][colour]} chips {castles} castles"
        for colour, castles in data["castles"].items()
    ]
    return f"Troke: {data['to_move']} to move after {data['plies']} plies; {', '.join(seats)}"


def _owned(layout: Layout, stacks: Stacks, shape: str) -> dict[str, list[Point]]:
    """Return the places of all pieces of a shape, by colour."""
    return {
        colour: [layout.by_name[name] for name, stack in stacks.items() if stack[shape] == colour] for colour in COLOURS
    }


def _moats(layout: Layout, stacks: Stacks) -> str:
    by_colour = _owned(layout, stacks, "moat")
    rings = {colour: [circle(at, MOAT) for at in places] for colour, places in by_colour.items()}
    return group(
        group(*(ring for of_colour in rings.values() for ring in of_colour), stroke=INK, stroke_width=3.8),
        *(group(*of_colour, stroke=FILLS[colour], stroke_width=2.8) for colour, of_colour in rings.items()),
        *(
            group(*of_colour, stroke=LETTERS[colour], stroke_width=0.7, stroke_dasharray="2.2 2.1")
            for colour, of_colour in rings.items()
        ),
        fill="none",
    )


def _walls(layout: Layout, stacks: Stacks) -> str:
    by_colour = _owned(layout, stacks, "wall")
    squares = {
        colour: [element("rect", x=x - WALL, y=y - WALL, width=2 * WALL, height=2 * WALL) for x, y in places]
        for colour, places in by_colour.items()
    }
    return group(
        group(*(square for of_colour in squares.values() for square in of_colour), stroke=INK, stroke_width=3.2),
        *(
            group(*of_colour, stroke=FILLS[colour], stroke_width=2.2, stroke_dasharray="2.75 0.5")
            for colour, of_colour in squares.items()
        ),
        fill="none",
    )


def _towers(layout: Layout, stacks: Stacks) -> str:
    return group(
        *(
            group(*(_tower(at) for at in places), fill=FILLS[colour])
            for colour, places in _owned(layout, stacks, "tower").items()
        ),
        stroke=INK,
        stroke_width=0.8,
        stroke_linejoin="round",
    )


def _tower(at: Point) -> str:
    return polygon((at[0] + right, at[1] + down) for right, down in TOWER)


def _marked(layout: Layout, last_move: str | None) -> str:
    """Return the way of the last move, rings on both of its ends, and dashed rings where it captured."""
    try:
        turn = layout.spelling.read_move(last_move or "") & ~DEMAND
    except MalformedMove:
        return ""
    steps = steps_of(turn)
    if not steps:
        return ""
    way = [layout.places[number] for number in (start_of(turn) & DIGIT, *(number for number, _ in steps))]
    captures = [layout.places[number] for number, captured in steps[:-1] if captured]
    return group(
        polyline(way),
        circle(way[0], AROUND / 3),
        circle(way[-1], AROUND),
        group(*(circle(at, AROUND) for at in captures), stroke_dasharray="2.5 2.5"),
        fill="none",
        stroke=MARK,
        stroke_width=2.4,
        stroke_linejoin="round",
    )


def _to_clear(layout: Layout, colours: list[str]) -> str:
    """Return dashed rings around the start rows of the colours that must clear them."""
    rows = [layout.board.rows[COLOURS.index(colour)] for colour in colours]
    return group(
        *(circle(layout.places[number], AROUND) for row in rows for number in row),
        fill="none",
        stroke=INK,
        stroke_dasharray="1.5 2",
    )


def _seat(layout: Layout, along: float, colour: str, data: Any, race: bool) -> str:
    """Return the entry of a colour in the strip: its letter, its chips unless it is a race, and its castles."""
    unit = layout.width / 200
    x, y = layout.width * along + 14 * unit, layout.height + 8 * unit
    arrow = [(x - 6 * unit, y), (x - 10 * unit, y - 3 * unit), (x - 10 * unit, y + 3 * unit)]
    letter = text((x, y), 6 * unit, colour[0].upper(), text_anchor="middle", fill=LETTERS[colour])
    castle = polygon(
        ((x + (22 + right) * unit, y + down * unit) for right, down in TOWER),
        fill=FILLS[colour],
        stroke=INK,
        stroke_width=0.7 * unit,
    )
    return (
        (polygon(arrow) if colour == data["to_move"] else "")
        + circle((x, y), 4.6 * unit, fill=FILLS[colour], stroke=INK, stroke_width=0.7 * unit)
        + letter
        + ("" if race else text((x + 6 * unit, y), 7 * unit, str(data["chips"][colour])))
        + castle
        + text((x + 27 * unit, y), 7 * unit, str(data["castles"][colour]))
    )
