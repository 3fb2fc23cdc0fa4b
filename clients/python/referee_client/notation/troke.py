"""Troke: towers, walls and moats on circles. See docs/rules/troke.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from referee_client.notation.errors import Unreadable

SHAPES = {"T": "tower", "W": "wall", "M": "moat"}
COLOURS = {"r": "red", "b": "blue", "w": "white", "y": "yellow"}

CIRCLE = r"[a-z][1-9]\d?"
TURN = re.compile(rf"([TWM])({CIRCLE})((?:[-x]{CIRCLE}){{1,3}})(!?)")
STEP = re.compile(rf"([-x])({CIRCLE})")
STACK = re.compile(rf"({CIRCLE}):((?:[TWM][rbwy])+)")
NUMBERS = r"-?\d+(?:/-?\d+)*"
POSITION = re.compile(
    rf"(\S+) ([rbwy])(?: ({NUMBERS}))?(?: ({NUMBERS}))?(?: (\d+))?(?: back=(\S+))?(?: clear=([rbwy,]+))?"
)


@dataclass(frozen=True)
class Step:
    to: str
    captures: bool


@dataclass(frozen=True)
class Move:
    """A piece and its one to three steps; or a pass, which has no steps."""

    shape: str = ""
    """`tower`, `wall` or `moat`."""
    start: str = ""
    steps: tuple[Step, ...] = ()
    demands: bool = False
    """Whether the move demands that the opposite seat clears its start row."""

    @property
    def passes(self) -> bool:
        return not self.steps

    @property
    def to(self) -> str:
        """Where the piece ends."""
        return self.steps[-1].to if self.steps else ""


@dataclass(frozen=True)
class Position:
    circles: Mapping[str, Mapping[str, str]]
    """The pieces of each circle that is not empty: shape to colour."""
    to_move: str
    chips: tuple[int, ...]
    """Chips of each seat, in the order of play. Empty if the text omits them, like the following fields."""
    castles: tuple[int, ...]
    """Castles for which each seat has been paid."""
    plies: int
    barred: tuple[Move, ...]
    """Steps straight back that rule TK-17 restricts, of all seats."""
    must_clear: tuple[str, ...] = ()
    """The colours that must clear their start row (rule TK-16, on demand)."""


def move(text: str) -> Move:
    """Parse a move. Raises Unreadable."""
    if text in ("pass", "pass!"):
        return Move(demands=text == "pass!")
    if not (read := TURN.fullmatch(text)):
        raise Unreadable("move of Troke", text)
    steps = (Step(to, captures=sign == "x") for sign, to in STEP.findall(read[3]))
    return Move(SHAPES[read[1]], read[2], tuple(steps), demands=bool(read[4]))


def position(text: str) -> Position:
    """Parse a position. Raises Unreadable."""
    if not (read := POSITION.fullmatch(text)):
        raise Unreadable("position of Troke", text)
    stacks, side, chips, castles, plies, back, clear = read.groups()
    return Position(
        dict(_stack(stack) for stack in stacks.split(",")),
        COLOURS[side],
        _numbers(chips),
        _numbers(castles),
        int(plies or 0),
        tuple(map(move, back.split(","))) if back else (),
        tuple(COLOURS[colour] for colour in clear.split(",")) if clear else (),
    )


def _stack(text: str) -> tuple[str, dict[str, str]]:
    if not (read := STACK.fullmatch(text)):
        raise Unreadable("stack of Troke", text)
    pieces = zip(read[2][::2], read[2][1::2], strict=True)
    return read[1], {SHAPES[shape]: COLOURS[owner] for shape, owner in pieces}


def _numbers(text: str | None) -> tuple[int, ...]:
    return tuple(map(int, text.split("/"))) if text else ()
