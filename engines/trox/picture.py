"""Drawing of the ground for a terminal: a lattice of triangles with ANSI colours.

A row of cells takes three lines. Each cell shows its colour as a letter, its pawn as a sign, and its x; the y of a row
is at the left. Lines surround each piece, and dots separate the cells of a piece. The drawing is readable without the
ANSI codes too.
"""

import re

from engines.trox.cellsets import colour_of
from engines.trox.hands import hand_text
from engines.trox.lattice import neighbours, place_of
from engines.trox.notation import SEATS, by_seat
from engines.trox.pawns import Pawns
from engines.trox.pieces import COLOUR_NAMES, COLOURS, PIECES
from engines.trox.triangles import NOBODY
from engines.trox.view import owner, supply_left

SIGNS = {"round": "○", "square": "■", "neutral": "=", None: " "}
PAINTS = ("\x1b[97;40m", "\x1b[97;44m", "\x1b[97;41m")
"""White letters on black, blue and red."""
PLAIN = "\x1b[0m"
LINES = 3


def picture(pawns: Pawns, plies: int) -> str:
    return "\n".join([*_drawn(pawns), "", *_caption(pawns, plies)])


def _drawn(pawns: Pawns) -> list[str]:
    """Return the ground, from the highest y down, or a remark if no piece has been laid."""
    places = [place_of(cell) for cell in pawns.ground.numbers]
    if not places:
        return ["(the table is empty)"]
    rows = [y for _, y, _ in places]
    left = min(LINES * (2 * x + y) for x, y, _ in places)
    lines: list[str] = []
    for row in range(max(rows), min(rows) - 1, -1):
        lines += _row(pawns, row, left)
    return lines


def _row(pawns: Pawns, row: int, left: int) -> list[str]:
    """Return the three lines of a row, character by character; adjacent triangles share their border."""
    lines: list[dict[int, str]] = [{} for _ in range(LINES)]
    for cell, number in pawns.ground.numbers.items():
        x, y, down = place_of(cell)
        if y == row:
            borders = [_same_piece(pawns, number, neighbour) for neighbour in neighbours(cell)]
            _draw(lines, LINES * (2 * x + y + down) - left, down, _inside(pawns, number, x, down), borders)
    drawn = ["".join([line.get(column, " ") for column in range(max(line) + 1)]) for line in lines]
    heads = ("", f"y={row}", "")
    return [f"{head:<6}{line}" for head, line in zip(heads, drawn, strict=True)]


def _same_piece(pawns: Pawns, number: int, neighbour: int) -> bool:
    """Return whether the cell across a side of a cell is on the same piece."""
    other = pawns.ground.numbers.get(neighbour)
    return other is not None and other % PIECES == number % PIECES


def _draw(lines: list[dict[int, str]], at: int, down: bool, inside: list[str], borders: list[bool]) -> None:
    """Draw a triangle whose leftmost character is in column `at`; sides within a piece (`borders`) are dotted."""
    paint = inside.pop()
    left, right, level = borders if down else (borders[1], borders[0], borders[2])
    if level:
        inside[0 if down else -1] = re.sub("[‾_]", ".", inside[0 if down else -1])
    for line, text in enumerate(inside):
        start = at + (line if down else LINES - 1 - line)
        signs = ["." if left else "\\/"[not down], *text, "." if right else "/\\"[not down]]
        if text:
            signs[1] = paint + signs[1]
            signs[-2] += PLAIN
        lines[line].update(enumerate(signs, start))


def _inside(pawns: Pawns, number: int, x: int, down: bool) -> list[str]:
    """Return the inside of a triangle, line by line, followed by its colour code."""
    colour = colour_of(number)
    label = COLOURS[colour] + SIGNS[owner(pawns, number)]
    lines = [f"{x:‾^4}", label, ""] if down else ["", label, f"{x:_^4}"]
    return [*lines, PAINTS[colour]]


def _caption(pawns: Pawns, plies: int) -> list[str]:
    hands = by_seat(pawns, pawns.hand, pawns.enemy_hand)
    in_hands = [f"{SIGNS[name]} {name} {hand_text(hand)}" for name, hand in zip(SEATS, hands, strict=True)]
    supply = " ".join(f"{heap}:{left}" for heap, left in supply_left(pawns).items() if left)
    return [
        f"{_turn(pawns)}, {plies} plies played",
        f"in hand: {', '.join(in_hands)}; {SIGNS['neutral']} is neutral",
        f"pieces left: {supply or 'none'}",
        f"colours: {', '.join(f'{letter} {name}' for letter, name in zip(COLOURS, COLOUR_NAMES, strict=True))}",
    ]


def _turn(pawns: Pawns) -> str:
    if pawns.winner != NOBODY:
        winner = SEATS[pawns.winner]
        return f"{SIGNS[winner]} {winner} has a winning triangle"
    seat = SEATS[pawns.mover]
    passed = ", the other has just passed" if pawns.passes == 1 else ""
    return f"{SIGNS[seat]} {seat} to move, {'placing' if pawns.hand else 'moving'}{passed}"
