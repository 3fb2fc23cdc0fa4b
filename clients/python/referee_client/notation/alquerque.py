"""Alquerque: twenty-five points, a1 to e5. See docs/rules/alquerque.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from referee_client.notation.errors import Unreadable

FILES = "abcde"
COLOURS = {"w": "white", "b": "black"}

POINT = "[a-e][1-5]"
STEP = re.compile(f"({POINT})-({POINT})")
CAPTURE = re.compile(f"{POINT}(x{POINT})+")
HUFF = re.compile(f"!({POINT})")
POSITION = re.compile(r"([wb1-5]+(?:/[wb1-5]+){4}) ([wb])(?: (\d+))?( again)?(?: huff=(\S+))?(?: left=(\S+))?")


@dataclass(frozen=True)
class Move:
    """A man that steps or captures, or one that is huffed."""

    points: tuple[str, ...]
    """The start and each point of landing; for a huff, the point of the man."""
    captures: int = 0
    """How many men it captures."""

    @property
    def huffs(self) -> bool:
        return len(self.points) == 1


@dataclass(frozen=True)
class Position:
    men: Mapping[str, str]
    """`white` or `black` by point; empty points are omitted."""
    to_move: str
    plies_without_capture: int
    again: bool
    """Whether the side to move must capture again."""
    huffable: tuple[str, ...]
    left: Mapping[str, tuple[str, ...]]
    """The points that a man may not step to, by the point of the man."""


def move(text: str) -> Move:
    """Parse a move. Raises Unreadable."""
    if read := STEP.fullmatch(text) or HUFF.fullmatch(text):
        return Move(read.groups())
    if CAPTURE.fullmatch(text):
        points = tuple(text.split("x"))
        return Move(points, captures=len(points) - 1)
    raise Unreadable("move of Alquerque", text)


def position(text: str) -> Position:
    """Parse a position. Raises Unreadable."""
    read = POSITION.fullmatch(text)
    if not read:
        raise Unreadable("position of Alquerque", text)
    ranks, side, plies, again, huffable, left = read.groups()
    return Position(
        _men(ranks, text),
        COLOURS[side],
        int(plies or 0),
        bool(again),
        tuple(huffable.split(",")) if huffable else (),
        _left(left or ""),
    )


def _men(ranks: str, text: str) -> dict[str, str]:
    men: dict[str, str] = {}
    for number, rank in zip("54321", ranks.split("/"), strict=True):
        row = re.sub(r"\d", lambda empty: " " * int(empty[0]), rank)
        if len(row) != len(FILES):
            raise Unreadable("position of Alquerque", text)
        men |= {f"{file}{number}": COLOURS[man] for file, man in zip(FILES, row, strict=True) if man != " "}
    return men


def _left(text: str) -> dict[str, tuple[str, ...]]:
    men = (man.split(":") for man in text.split(",") if man)
    return {point: tuple(points.split("+")) for point, points in men}
