"""Drawing of a view of Alquerque: the lines of the board, the men, and the last move."""

from itertools import pairwise
from typing import Any, Final

from engines.alquerque.geometry import FILES, LEFT, NUMBER_OF, NUMBERS, PLACES, RANKS, TAKEN, landings, points_of
from engines.alquerque.notation import COLOURS, read_move
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
    polyline,
    segments,
    svg_element,
    text,
)
from engines.game_errors import MalformedMove

STEP: Final = 20
"""Distance between two points of the board."""
SIDE: Final = 4 * STEP
MARGIN: Final = 18
MAN: Final = 7.4
LINE: Final = "#a08c6c"
GROUND: Final = "#eaddc2"
PAINTS: Final = {"white": ("#fffdf6", INK), "black": ("#39332c", "#14110e")}
"""Inside and border of a man, by colour."""

LINES: Final = [points_of(path) for shift in LEFT for path in landings(shift, 1).values()]
"""The two points of each line of the board."""


def svg(view: Json, last_move: str | None) -> str:
    data: Any = view
    points: dict[str, str | None] = data["points"]
    men = {colour: [name for name, owner in points.items() if owner == colour] for colour in COLOURS}
    empty = [name for name, owner in points.items() if owner is None]
    counts = " and ".join(f"{len(names)} {colour}" for colour, names in men.items())
    return svg_element(
        f"Alquerque: {data['to_move']} to move, {counts} men",
        -MARGIN,
        -MARGIN,
        SIDE + 2 * MARGIN,
        SIDE + 2 * MARGIN,
        _board(),
        group(*(circle(_place(NUMBERS[name]), 1.8) for name in empty), fill=LINE),
        _marked(last_move),
        *(_men(colour, names) for colour, names in men.items()),
        group(
            *(circle(_place(NUMBERS[name]), MAN + 1.6) for name in data["huffable"]),
            fill="none",
            stroke=INK,
            stroke_dasharray="2.4 2.4",
        ),
        _turn(data["to_move"]),
    )


def _place(number: int) -> Point:
    file, rank = PLACES[number - 1]
    return STEP * file, SIDE - STEP * rank


def _board() -> str:
    ground = element("rect", x=-10, y=-10, width=SIDE + 20, height=SIDE + 20, rx=3, fill=GROUND)
    drawn = segments([(_place(point), _place(other)) for point, other in LINES], stroke=LINE, stroke_width=1.1)
    files = [text((STEP * file, SIDE + 14), 6, name) for file, name in enumerate(FILES)]
    ranks = [text((-14, SIDE - STEP * rank), 6, name) for rank, name in enumerate(RANKS)]
    return ground + drawn + group(*files, *ranks, fill=FAINT, text_anchor="middle")


def _men(colour: str, names: list[str]) -> str:
    """Return the men of a colour. White ones have a ring inside, so that it does not take colours to see which."""
    fill, border = PAINTS[colour]
    places = [_place(NUMBERS[name]) for name in names]
    rings = [circle(at, 4.4, fill="none", stroke=LINE) for at in places if colour == "white"]
    return group(*(circle(at, MAN) for at in places), *rings, fill=fill, stroke=border, stroke_width=1.2)


def _turn(colour: str) -> str:
    """Return a triangle beside the side of the board where the men of the side to move began."""
    y = SIDE - STEP / 2 if colour == "white" else STEP / 2
    fill, border = PAINTS[colour]
    return polygon([(SIDE + 11.5, y), (SIDE + 16, y - 3), (SIDE + 16, y + 3)], fill=fill, stroke=border)


def _marked(move: str | None) -> str:
    """Return the way of the last move, a ring on both of its ends, and a cross on each man taken."""
    try:
        path = points_of(read_move(move or ""))
    except MalformedMove:
        return ""
    jumped = [TAKEN[start << 5 | end] for start, end in pairwise(path)]
    taken = [NUMBER_OF[bit] for bit in jumped if bit] if len(path) > 1 else path
    way = polyline(map(_place, path))
    rings = [circle(_place(number), radius) for number, radius in ((path[0], 4), (path[-1], MAN + 1.6))]
    crosses = [circle(_place(number), 5, fill=GROUND, stroke_width=1.2) for number in taken]
    crosses += [segments(_cross(_place(number))) for number in taken]
    return group(
        *((way, *rings) if len(path) > 1 else ()),
        *crosses,
        fill="none",
        stroke=MARK,
        stroke_width=2,
        stroke_linecap="round",
        stroke_linejoin="round",
    )


def _cross(at: Point) -> list[tuple[Point, Point]]:
    x, y = at
    return [((x - 2, y - 2), (x + 2, y + 2)), ((x - 2, y + 2), (x + 2, y - 2))]
