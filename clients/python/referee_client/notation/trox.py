"""Trox: a ground of triangular cells that is built during the game. See docs/rules/trox.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from referee_client.notation.errors import Unreadable

COLOURS = {"N": "black", "B": "blue", "R": "red"}

CELL = r"-?\d+\.-?\d+[ud]"
PIECE = rf"[BNR]{{3}}@{CELL}/{CELL}"
LAY = re.compile(rf"({PIECE}):({CELL})")
PUT = re.compile(rf"\+({CELL})")
WALK = re.compile(rf"({CELL})>({CELL})")
SEATS = ("round", "square")


class Cell(NamedTuple):
    x: int
    y: int
    up: bool
    """Whether the cell points up."""

    @property
    def neighbours(self) -> tuple["Cell", "Cell", "Cell"]:
        """The cells across its three sides, counter-clockwise."""
        x, y, up = self
        step = -1 if up else 1
        return Cell(x, y, not up), Cell(x + step, y, not up), Cell(x, y + step, not up)

    def __str__(self) -> str:
        return f"{self.x}.{self.y}{'u' if self.up else 'd'}"


@dataclass(frozen=True)
class Piece:
    kind: str
    """The letters of its colours, in the order A, middle, B."""
    middle: Cell
    excluded: Cell
    """The neighbour of the middle that is not part of the piece."""

    @property
    def cells(self) -> dict[Cell, str]:
        """Its three cells in the order A, middle, B, each with its colour."""
        around = self.middle.neighbours
        first = around.index(self.excluded) + 1
        cells = (around[first % 3], self.middle, around[(first + 1) % 3])
        return {cell: COLOURS[letter] for cell, letter in zip(cells, self.kind, strict=True)}


@dataclass(frozen=True)
class Move:
    """A pawn that is put on a cell, optionally on a piece that is laid with it, or that moves there; or a pass."""

    to: Cell | None = None
    lays: Piece | None = None
    start: Cell | None = None
    """Where the pawn stood, if it moves."""

    @property
    def passes(self) -> bool:
        return self.to is None


@dataclass(frozen=True)
class Position:
    pieces: tuple[Piece, ...]
    round: frozenset[Cell]
    square: frozenset[Cell]
    neutral: frozenset[Cell]
    hands: tuple[str, str]
    """The letters of the pawns in the hands of Round and Square."""
    to_move: str
    plies: int
    passes: int

    @property
    def colours(self) -> Mapping[Cell, str]:
        """Every cell of the ground with its colour."""
        return {cell: colour for piece in self.pieces for cell, colour in piece.cells.items()}

    @property
    def free(self) -> frozenset[Cell]:
        """Cells of the ground without a pawn."""
        return frozenset(self.colours) - self.round - self.square - self.neutral


def cell(text: str) -> Cell:
    """Parse a cell. Raises Unreadable."""
    if not re.fullmatch(CELL, text):
        raise Unreadable("cell of Trox", text)
    x, y = text[:-1].split(".")
    return Cell(int(x), int(y), text.endswith("u"))


def piece(text: str) -> Piece:
    """Parse a piece. Raises Unreadable."""
    if not re.fullmatch(PIECE, text):
        raise Unreadable("piece of Trox", text)
    kind, middle, excluded = re.split("[@/]", text)
    read = Piece(kind, cell(middle), cell(excluded))
    if read.excluded not in read.middle.neighbours:
        raise Unreadable("piece of Trox", text)
    return read


def move(text: str) -> Move:
    """Parse a move. Raises Unreadable."""
    if text == "pass":
        return Move()
    if read := LAY.fullmatch(text):
        return Move(cell(read[2]), lays=piece(read[1]))
    if read := PUT.fullmatch(text):
        return Move(cell(read[1]))
    if read := WALK.fullmatch(text):
        return Move(cell(read[2]), start=cell(read[1]))
    raise Unreadable("move of Trox", text)


def position(text: str) -> Position:
    """Parse a position. Raises Unreadable."""
    try:
        pieces, rounds, squares, neutrals, hands, to_move, plies, passes = text.split(" ")
        of_round, of_square = hands.replace("-", "").split("/")
        return Position(
            tuple(map(piece, _listed(pieces))),
            frozenset(map(cell, _listed(rounds))),
            frozenset(map(cell, _listed(squares))),
            frozenset(map(cell, _listed(neutrals))),
            (of_round, of_square),
            SEATS[SEATS.index(to_move)],
            int(plies),
            int(passes),
        )
    except ValueError:
        raise Unreadable("position of Trox", text) from None


def _listed(text: str) -> list[str]:
    return [] if text == "-" else text.split(",")
