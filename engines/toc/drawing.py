"""Drawing of a view of Toc: the ring with its corridors, the pawns, the hands and piles of cards, and the last move.

The ring is a square with round corners around the origin. Cell 0, where seat 0 starts, is in the middle of its lower
side, and the numbers increase clockwise. In each corner inside the ring are the number, the reserve and the hand of one
seat.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Any, Final

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
    polyline,
    segments,
    svg_element,
    text,
)
from engines.game_errors import MalformedMove
from engines.options import Settings
from engines.toc import cards
from engines.toc.card_drawing import HIGH, WIDE, card_element
from engines.toc.moves import CARD_MASK, KILLS_SHIFT, SWAP, parts_of
from engines.toc.notation import read_move
from engines.toc.places import H1, H4, NUMBERS, PAWNS_EACH, RESERVE, RING, SEATS, STARTS, STEPS_BACK, places_in
from engines.toc.position_writer import HIDDEN

STEP: Final = 10
"""Distance between two cells."""
QUARTER: Final = RING // SEATS
CORNER: Final = 30
"""Radius of the corners of the ring."""
FLAT: Final = (QUARTER * STEP - CORNER * pi / 2) / 2
"""Length of the straight half of a side."""
SIDE: Final = FLAT + CORNER
"""Distance from the middle to the straight parts of the ring."""
EDGE: Final = SIDE + 19
"""Distance from the middle to the edge of the drawing."""
CELL: Final = 4.2
PAWN: Final = 4.9
RING_AROUND: Final = 6.6

CELL_FILL: Final = "#eaddc2"
LINE: Final = "#b3a386"
FILLS: Final = ("#d4543f", "#33609a", "#55934d", "#edbe45")
TINTS: Final = ("#f0cdc3", "#c6d3e4", "#cfe0c9", "#f6e5b5")
LETTER_FILLS: Final = (PAPER, PAPER, PAPER, INK)
LETTERS: Final = "RBGY"
QUADRANTS: Final = ((-1, 1), (-1, -1), (1, -1), (1, 1))
"""Directions from the middle to the corner of each seat."""


def svg(settings: Settings, view: Json, last_move: str | None) -> str:
    data: Any = view
    board = board_of(settings.count("branch_offset"))
    return svg_element(
        _label(data),
        -EDGE,
        -EDGE,
        2 * EDGE,
        2 * EDGE,
        board.empty,
        LastMove(board, data["pawns"], last_move).drawn() if last_move else "",
        *(_pawns(board, seat, pawns) for seat, pawns in enumerate(data["pawns"])),
        *(_seat(seat, seat in data["owing"]) for seat in range(SEATS)),
        *(_hand(seat, hand, data["gave"][seat]) for seat, hand in enumerate(data["hands"])),
        _piles(data["deck"], data["played"]),
    )


def _label(data: Any) -> str:
    seats = " and ".join(map(str, data["owing"]))
    doing = {"exchange": f"seats {seats} to give a card", "play": f"seat {seats} to play", "over": "the game is over"}
    home = [sum(pawn["at"].startswith("H") for pawn in pawns) for pawns in data["pawns"]]
    return f"Toc: {doing[data['phase']]}, {data['turns']} turns; pawns home: {', '.join(map(str, home))}"


class Board:
    """Where the places are drawn, and the drawing of the empty board, for one place of the corridors."""

    def __init__(self, branch_offset: int) -> None:
        self.branches = [(start - branch_offset) % RING for start in STARTS]
        ring = [circle(self.cell(cell), CELL) for cell in range(RING) if cell not in STARTS]
        starts = [
            circle(self.cell(cell), PAWN, fill=TINTS[seat], stroke=FILLS[seat]) for seat, cell in enumerate(STARTS)
        ]
        homes = [
            circle(self.place(seat, home), CELL, fill=TINTS[seat], stroke=FILLS[seat])
            for seat in range(SEATS)
            for home in range(H1, H4 + 1)
        ]
        reserves = [
            circle(self.reserve(seat, pawn), CELL, fill="none", stroke=FILLS[seat], stroke_dasharray="1.5 1.5")
            for seat in range(SEATS)
            for pawn in range(PAWNS_EACH)
        ]
        numbers = [text(self.cell(cell, 11), 6, str(cell)) for cell in range(0, RING, 6)]
        corridors = [(self.cell(branch), self.place(seat, H4)) for seat, branch in enumerate(self.branches)]
        self.empty = (
            segments(corridors, stroke=LINE)
            + group(*ring, *starts, *homes, *reserves, fill=CELL_FILL, stroke=LINE)
            + group(*numbers, fill=FAINT, text_anchor="middle")
        )

    def cell(self, cell: int, out: float = 0) -> Point:
        """Return where a ring cell is drawn, or the point that is farther out by so much."""
        side, steps = divmod(cell, QUARTER)
        along = steps * STEP
        turn = min(max(along - FLAT, 0) / CORNER, pi / 2)
        beyond = max(along - FLAT - CORNER * pi / 2, 0)
        far = CORNER + out
        x, y = -min(along, FLAT) - far * sin(turn), FLAT + far * cos(turn) - beyond
        return _turned((x, y), side)

    def place(self, seat: int, place: int) -> Point:
        """Return where a place of a seat on the ring or in its corridor is drawn."""
        if place < H1:
            return self.cell(place)
        x, y = _turned(self.cell(self.branches[seat]), -seat)
        return _turned((x, y - STEP * (place - H1 + 1)), seat)

    def reserve(self, seat: int, pawn: int) -> Point:
        right, down = QUADRANTS[seat]
        return right * (42 + 10.8 * pawn), down * 64


@lru_cache(maxsize=8)
def board_of(branch_offset: int) -> Board:
    return Board(branch_offset)


def _turned(point: Point, quarters: int) -> Point:
    """Return a point after so many quarter turns clockwise around the middle."""
    x, y = point
    for _ in range(quarters % SEATS):
        x, y = -y, x
    return x, y


def _pawns(board: Board, seat: int, pawns: Sequence[Any]) -> str:
    """Return the pawns of a seat. A fresh one, which is an obstacle, has a second ring; a sign tells the laps."""
    drawn = []
    for number, pawn in enumerate(pawns):
        place = NUMBERS[pawn["at"]]
        at = board.reserve(seat, PAWNS_EACH - 1 - number) if place == RESERVE else board.place(seat, place)
        mark = ("", "+", "−")[pawn["laps"]]
        drawn.append(circle(at, PAWN))
        drawn.append(circle(at, RING_AROUND, fill="none") if pawn["fresh"] else "")
        drawn.append(text(at, 5.4 if mark else 6.4, LETTERS[seat] + mark, fill=LETTER_FILLS[seat], stroke="none"))
    return group(*drawn, fill=FILLS[seat], stroke=INK, stroke_width=0.8, text_anchor="middle")


def _seat(seat: int, owing: bool) -> str:
    """Return the number of a seat, on a full disc if the seat is to move."""
    right, down = QUADRANTS[seat]
    at = (right * 30.5, down * 64)
    disc = circle(at, 5, fill=INK if owing else "none", stroke=INK, stroke_width=0.6)
    return disc + text(at, 6.4, str(seat), text_anchor="middle", fill=PAPER if owing else INK)


def _hand(seat: int, hand: Sequence[str], gave: str | None) -> str:
    right, down = QUADRANTS[seat]
    first = right * 59 - (WIDE + 1.2) * (len(hand) - 1) / 2
    drawn = [card_element(name, (first + (WIDE + 1.2) * number, down * 40)) for number, name in enumerate(hand)]
    if gave not in (None, HIDDEN):
        drawn.append(text((right * 59, down * 53), 5, f"gave {gave}", fill=FAINT, text_anchor="middle"))
    return group(*drawn)


def _piles(deck: Sequence[str], played: Sequence[str]) -> str:
    """Return the cards not yet dealt, face down, and the last card played, with the number of cards in each pile."""
    piles = [(-13.5, HIDDEN, len(deck)), (13.5, played[-1] if played else "", len(played))]
    return group(
        *(
            (card_element(name, (x, 0), 2) if number else _no_card(x))
            + text((x, HIGH + 5.5), 6, str(number), fill=FAINT)
            for x, name, number in piles
        ),
        text_anchor="middle",
    )


def _no_card(x: float) -> str:
    return element(
        "rect",
        x=x - WIDE,
        y=-HIGH,
        width=2 * WIDE,
        height=2 * HIGH,
        rx=2.8,
        fill="none",
        stroke=FAINT,
        stroke_width=0.6,
        stroke_dasharray="2 2",
    )


class LastMove:
    """What the last move changed on the board. Its text does not name a seat, which follows from where pawns stand."""

    def __init__(self, board: Board, pawns: Sequence[Sequence[Any]], move: str) -> None:
        self._board = board
        self._stands = [{NUMBERS[pawn["at"]] for pawn in of_seat} for of_seat in pawns]
        self._reserves = [sum(pawn["at"] == "R" for pawn in of_seat) for of_seat in pawns]
        self._move = _read(move)

    def drawn(self) -> str:
        """Return the ways of all pawns, rings on their ends, and crosses on pawns that were killed by choice."""
        crosses = [self._cross(cell) for cell in places_in(self._move >> KILLS_SHIFT)]
        drawn = [self._part(start, to) for start, to in parts_of(self._move)]
        return group(*drawn, *crosses, fill="none", stroke=MARK, stroke_width=1.6, stroke_linejoin="round")

    def _part(self, start: int, to: int) -> str:
        seat = self._seat(start, to)
        if seat is None:
            return ""
        if start == RESERVE:
            way = [self._board.reserve(seat, min(self._reserves[seat], PAWNS_EACH - 1))]
            line = ""
        else:
            way = [self._board.place(seat, place) for place in self._way(seat, start, to)]
            line = polyline([*way, self._board.place(seat, to)])
        smaller = RING_AROUND if self._move & SWAP else RING_AROUND / 2
        return line + circle(way[0], smaller) + circle(self._board.place(seat, to), RING_AROUND)

    def _seat(self, start: int, to: int) -> int | None:
        """Return the seat whose pawn has moved; any seat if the ring alone is concerned, and None if it is unknown."""
        if start == RESERVE:
            return to // QUARTER if to in STARTS else None
        if to < H1:
            return 0 if start < H1 else None
        if start < H1:
            return min(range(SEATS), key=lambda seat: (self._board.branches[seat] - start) % RING)
        seats = [seat for seat, stands in enumerate(self._stands) if to in stands and start not in stands]
        return seats[0] if len(seats) == 1 else None

    def _way(self, seat: int, start: int, to: int) -> list[int]:
        """Return the places that a pawn has passed, from its start; a swap goes straight."""
        rank = (self._move & CARD_MASK) >> 2
        if start >= H1 or self._move & SWAP:
            return [start]
        if rank == cards.FOUR:
            return [(start - step) % RING for step in range(STEPS_BACK)]
        if to < H1:
            return [(start + step) % RING for step in range((to - start) % RING)]
        to_branch = (self._board.branches[seat] - start) % RING
        return [*((start + step) % RING for step in range(to_branch + 1)), *range(H1, to)]

    def _cross(self, cell: int) -> str:
        x, y = self._board.cell(cell)
        return segments([((x - 3, y - 3), (x + 3, y + 3)), ((x - 3, y + 3), (x + 3, y - 3))])


def _read(move: str) -> int:
    """Return a move, or one without parts if it cannot be parsed or is a gift."""
    try:
        return read_move(move)
    except MalformedMove:
        return 0
