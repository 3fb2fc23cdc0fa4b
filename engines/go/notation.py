"""Notation of Go: moves as in GTP, and positions as rows of the board with what the rules need besides."""

from functools import lru_cache
from itertools import groupby
from typing import Final

from engines.game_errors import MalformedMove
from engines.go.points import LETTERS, Points
from engines.go.stones import PASS, Stones

MOVE_GRAMMAR: Final = """\
D4       place a stone: a column from A to Z without I, and a row from 1, which is at the bottom
pass     place none
This is the notation of GTP, in one spelling: columns are capital letters, pass is in small letters.
"""

POSITION_GRAMMAR: Final = """\
9/9/2b3w2/9/9/9/2w3b2/9/9 b 0 4
Rows from the highest to 1 (b, w, a number of empty points); the side to move; how many passes were made
just before; the plies. Then, if there are any:
ko=D4,E5    the points on which the ko rule forbids the side to move to place a stone now
"""

COLOURS: Final = ("black", "white")
SIDES: Final = "bw"
PASS_TEXT: Final = "pass"


def read_move(text: str, points: Points) -> int:
    """Parse a move, legal or not. Raises MalformedMove."""
    if text == PASS_TEXT:
        return PASS
    move = points.by_name.get(text)
    if move is None:
        last = f"{LETTERS[points.size - 1]}{points.size}"
        raise MalformedMove(text, f"write a move as D4 or pass; points are A1 to {last}, without the letter I")
    return move


def position_text(stones: Stones, plies: int, barred: int) -> str:
    """Return the text of a position. `barred`: the points that the ko rule forbids."""
    points = stones.points
    row = (1 << points.size) - 1
    shifts = range(points.width * (points.size - 1), -1, -points.width)
    rows = "/".join([_row_text(points.size, stones.black >> by & row, stones.white >> by & row) for by in shifts])
    text = f"{rows} {SIDES[stones.mover]} {stones.passes} {plies}"
    return f"{text} ko={','.join(points.listed(barred))}" if barred else text


@lru_cache(maxsize=1 << 12)
def _row_text(size: int, black: int, white: int) -> str:
    """Return the text of one row; `black` and `white` are sets of columns."""
    signs = ["b" if black >> column & 1 else "w" if white >> column & 1 else "1" for column in range(size)]
    runs = [(sign, len(list(same))) for sign, same in groupby(signs)]
    return "".join([str(many) if sign == "1" else sign * many for sign, many in runs])
