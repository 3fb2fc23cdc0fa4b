"""Notation of Troke: formats moves and positions, and parses moves."""

import re
from typing import Final

from engines.game_errors import MalformedMove
from engines.troke.boards import COLOURS, NAME, Board
from engines.troke.pieces import Pieces
from engines.troke.turns import (
    DEMAND,
    DIGIT,
    DIGIT_BITS,
    MAX_STEPS,
    PASS,
    TWO_STEPS,
    circles,
    standing_on,
    stepped,
)

MOVE_GRAMMAR: Final = """\
Tb1-c2          the tower on b1 goes to c2, which is empty or holds only pieces that cannot be captured
Wb1xc2-d3       the wall on b1 captures what stands on c2 and goes on with it to d3
Md1xd3-d5-d7    the moat captures two pieces: two more steps
pass            the only move of a seat that has no other
Tb1-c2!         with clear_goal=on_demand: the same move, and the seat across must clear its start row
A letter (T tower, W wall, M moat), the circle where the piece starts, and each circle it enters: after -,
or after x where it captures. Turns by different routes are different moves.
"""

POSITION_GRAMMAR: Final = """\
b1:TrWrMr,d1:TrMr,d5:TrWwMw r 12/12 0/0 0
The circles that are not empty, in the order of the board: T, W, M, each with its owner's letter (r red,
b blue, w white, y yellow); the side to move; the chips of each seat; the castles for which each seat has
been paid; the plies played. Then, if there are any:
back=Td1-b1,We4-c4    the steps back that TK-17 restricts: one for each piece that last stepped sideways
clear=w               the colours that must clear their start row, by clear_goal=on_demand
"""

SHAPE_LETTERS: Final = "TWM"
COLOUR_LETTERS: Final = "rbwy"
PASS_TEXT: Final = "pass"
THREE_STEPS: Final = TWO_STEPS << DIGIT_BITS
DEMAND_MARK: Final = "!"

_MOVE: Final = re.compile(rf"[{SHAPE_LETTERS}]{NAME.pattern}(?:[-x]{NAME.pattern}){{1,{MAX_STEPS}}}", re.ASCII)
_STEP: Final = re.compile(rf"([-x])({NAME.pattern})", re.ASCII)
_RIGHT_MOVE: Final = (
    "write a move as Tb1-c2, Wb1xc2-d3 or Md1xd3-d5-d7: T, W or M, the circle where the piece starts, and up to three "
    "circles that it enters, each after -, or after x if it captures there; or as pass; a final ! demands a clear row"
)


class Spelling:
    """Formats and parses turns on one board."""

    __slots__ = ("_number", "_starts", "_steps", "names")

    def __init__(self, board: Board) -> None:
        self.names = board.names
        self._number = {name: circle for circle, name in enumerate(board.names)}
        self._starts = {
            standing_on(shape, circle): letter + name
            for shape, letter in enumerate(SHAPE_LETTERS)
            for circle, name in enumerate(board.names)
        }
        self._steps = [mark + name for name in board.names for mark in "-x"]

    def move(self, turn: int) -> str:
        """Return a turn as text, put together from the texts of its start and its steps."""
        steps = self._steps
        if turn < TWO_STEPS:
            return self._starts[turn >> DIGIT_BITS] + steps[turn & DIGIT] if turn != PASS else PASS_TEXT
        if turn < THREE_STEPS:
            return self._starts[turn >> 2 * DIGIT_BITS] + steps[turn >> DIGIT_BITS & DIGIT] + steps[turn & DIGIT]
        if turn >= DEMAND:
            return self.move(turn ^ DEMAND) + DEMAND_MARK
        return self.move(turn >> DIGIT_BITS) + steps[turn & DIGIT]

    def read_move(self, text: str) -> int:
        """Parse a turn, legal or not. Raises MalformedMove."""
        plain = text.removesuffix(DEMAND_MARK)
        demand = 0 if plain == text else DEMAND
        if plain == PASS_TEXT:
            return demand | PASS
        if not _MOVE.fullmatch(plain):
            raise MalformedMove(text, _RIGHT_MOVE)
        (_, start), *steps = _STEP.findall(f"-{plain[1:]}")
        turn = standing_on(SHAPE_LETTERS.index(text[0]), self._circle(text, start))
        for mark, name in steps:
            turn = stepped(turn, self._circle(text, name), mark == "x")
        return demand | turn

    def circle(self, name: str) -> int | None:
        """Return the number of the circle with this name, or None if the board has none."""
        return self._number.get(name)

    def _circle(self, text: str, name: str) -> int:
        circle = self.circle(name)
        if circle is None:
            raise MalformedMove(
                text, f"there is no circle {name} on this board; its circles are {self.names[0]} to {self.names[-1]}"
            )
        return circle


def owner_of(pieces: Pieces, shape: int, circle: int) -> int | None:
    """Return the seat that owns the piece of this shape on a circle, or None if there is none."""
    for seat in range(pieces.rules.seats):
        if pieces.sets[3 * seat + shape] & 1 << circle:
            return seat
    return None


def colour_name(pieces: Pieces, seat: int) -> str:
    return COLOURS[pieces.rules.colours[seat]]


def position_text(pieces: Pieces, plies: int, spelling: Spelling) -> str:
    """Return the text of a position: everything except its history."""
    fields = [
        stacks_text(pieces, spelling),
        COLOUR_LETTERS[pieces.rules.colours[pieces.mover]],
        "/".join(map(str, pieces.chips)),
        "/".join(map(str, pieces.castles)),
        str(plies),
    ]
    if pieces.barred:
        fields.append("back=" + ",".join(map(spelling.move, pieces.barred)))
    if pieces.demanded:
        seats = [seat for seat in range(pieces.rules.seats) if pieces.demanded >> seat & 1]
        fields.append("clear=" + ",".join([COLOUR_LETTERS[pieces.rules.colours[seat]] for seat in seats]))
    return " ".join(fields)


def stacks_text(pieces: Pieces, spelling: Spelling) -> str:
    """Return the circles that are not empty with their pieces, in the order of the board."""
    stacks: dict[int, str] = {}
    letters = [COLOUR_LETTERS[colour] for colour in pieces.rules.colours]
    for shape, shape_letter in enumerate(SHAPE_LETTERS):
        for seat, owner in enumerate(letters):
            for circle in circles(pieces.sets[3 * seat + shape]):
                stacks[circle] = stacks.get(circle, "") + shape_letter + owner
    names = spelling.names
    return ",".join([f"{names[circle]}:{stacks[circle]}" for circle in sorted(stacks)])
