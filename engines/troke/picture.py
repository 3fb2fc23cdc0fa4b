"""Drawing of the board for a terminal."""

from engines.troke.boards import FILES, Board
from engines.troke.notation import COLOUR_LETTERS, colour_name, owner_of
from engines.troke.pieces import Pieces

ANSI = {"r": "\x1b[91m", "b": "\x1b[94m", "w": "\x1b[97m", "y": "\x1b[93m"}
PLAIN = "\x1b[0m"

WIDE, HIGH = 6, 2
"""Number of columns and of lines from one place to the next."""
MARGIN = 3
CROSSED = {frozenset("─│"): "┼", frozenset("╱╲"): "╳"}
LEGEND = "(TWM): whose tower, wall and moat stand on a circle"


class Drawing:
    """The drawing of an empty board, made once, into which pieces are inserted."""

    __slots__ = ("_board", "_closed", "_height", "_lines", "_opened")

    def __init__(self, board: Board) -> None:
        self._board = board
        self._opened = [_bracket(board, circle, "(") for circle in range(len(board.names))]
        self._closed = [_bracket(board, circle, ")") for circle in range(len(board.names))]
        self._height = HIGH * max(y for _, y in board.places)
        width = MARGIN + WIDE * max(x for x, _ in board.places) + WIDE
        self._lines = [[" "] * width for _ in range(self._height + 1)]
        for circle, other in board.lines:
            self._draw(circle, other)
        self._lines.append([" "] * width)
        for (_, y), label in labels(board, 1, "0123456789").items():
            self._lines[self._height - HIGH * y][: len(label)] = label
        for (x, _), label in labels(board, 0, FILES).items():
            self._lines[-1][MARGIN + WIDE * x + 2] = label

    def of(self, pieces: Pieces) -> str:
        """Return the drawing of the board with its pieces."""
        lines = [list(line) for line in self._lines]
        for circle, (x, y) in enumerate(self._board.places):
            signs = [_sign(pieces, shape, circle) for shape in range(3)]
            column = MARGIN + WIDE * x
            lines[self._height - HIGH * y][column : column + 5] = [self._opened[circle], *signs, self._closed[circle]]
        return "\n".join("".join(line).rstrip() for line in lines)

    def _draw(self, circle: int, other: int) -> None:
        """Draw the line between two circles, if its slope can be drawn with characters."""
        (x, y), (to_x, to_y) = sorted((self._board.places[circle], self._board.places[other]))
        right, up = to_x - x, to_y - y
        if right and up and right != abs(up):
            return
        sign = "─" if not up else "│" if not right else "╱" if up > 0 else "╲"
        far = WIDE * right if not up else HIGH * abs(up)
        for step in range(1, far):
            column = MARGIN + 2 + WIDE * x + (right and step * WIDE * right // far)
            line = self._height - HIGH * y - (up and step * up * HIGH // far)
            there = self._lines[line][column]
            self._lines[line][column] = CROSSED.get(frozenset((there, sign)), sign)


def caption(pieces: Pieces, plies: int) -> str:
    """Return what the drawing of an unfinished game does not show."""
    chips = ", ".join(f"{colour_name(pieces, seat)} {has}" for seat, has in enumerate(pieces.chips))
    castles = ", ".join(f"{colour_name(pieces, seat)} {has}" for seat, has in enumerate(pieces.castles))
    letter = COLOUR_LETTERS[pieces.rules.colours[pieces.mover]]
    mover = f"{ANSI[letter]}{letter}{PLAIN} {colour_name(pieces, pieces.mover)} to move, {plies} plies played"
    stakes = f"castles: {castles}" if pieces.rules.race else f"chips: {chips}; castles: {castles}"
    seats = [colour_name(pieces, seat) for seat in range(pieces.rules.seats) if pieces.demanded >> seat & 1]
    demand = f"\n{' and '.join(seats)} must clear the start row" if seats else ""
    return f"{LEGEND}\n{mover}\n{stakes}{demand}"


def labels(board: Board, axis: int, signs: str) -> dict[tuple[int, int], str]:
    """Return by place along an axis the letter or number that all circles there have in common."""
    found: dict[tuple[int, int], set[str]] = {}
    for name, place in zip(board.names, board.places, strict=True):
        along = (place[0], 0) if axis == 0 else (0, place[1])
        found.setdefault(along, set()).add("".join(sign for sign in name if sign in signs))
    return {place: label for place, (label, *others) in found.items() if not others}


def _bracket(board: Board, circle: int, sign: str) -> str:
    """Return a bracket, in the colour of the start row if the circle belongs to one."""
    for row, letter in zip(board.rows, COLOUR_LETTERS, strict=True):
        if circle in row:
            return f"{ANSI[letter]}{sign}{PLAIN}"
    return sign


def _sign(pieces: Pieces, shape: int, circle: int) -> str:
    owner = owner_of(pieces, shape, circle)
    if owner is None:
        return "·"
    letter = COLOUR_LETTERS[pieces.rules.colours[owner]]
    return f"{ANSI[letter]}{letter}{PLAIN}"
