"""Notation of Trox: formats moves and positions, and parses moves."""

import re
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engines.game_errors import MalformedMove
from engines.trox.cellsets import numbers_in
from engines.trox.hands import hand_text
from engines.trox.lattice import CELL, cell_name, cell_named
from engines.trox.pawns import CELL_BITS, LAST_CELL, PASS, PUT, SPOT_SHIFT, Pawns
from engines.trox.pieces import KIND_NUMBERS, KINDS, cells_of, excluded_of, middle_of, spot_of

MOVE_GRAMMAR: Final = """\
lay    NBR@0.0u/0.-1d:0.0d   lay a piece and put a pawn on it: colours, middle cell, excluded cell, the pawn's cell
put    +0.1u                 put a pawn on a piece already laid
move   0.1u>2.0d             move a pawn, once all are down
pass   pass                  only if there is no other move
A cell is x.y and u or d, as it points up or down. The colours are N (black), B (blue) and R (red): those of cell A,
of the middle and of cell B, counter-clockwise from the excluded cell, the neighbour of the middle that is not part
of the piece.
"""

POSITION_GRAMMAR: Final = """\
BRN@0.0u/0.-1d,NRB@-2.0d/-2.1u 0.0d -2.0d - NNBRR/NNBBR round 2 0
The pieces; the cells of Round's, of Square's and of the neutral pawns; the pawns in hand, Round's/Square's,
in the order N, B, R; who is to move; the plies played; how many turns in succession have just been passed.
Lists are separated by commas and sorted as ASCII text; an empty list or hand is -.
"""

SEATS: Final = ("round", "square")
START: Final = "- - - - NNBBRR/NNBBRR round 0 0"
KIND: Final = "|".join(KINDS)
MOVE: Final = re.compile(
    rf"pass|({KIND})@({CELL})/({CELL}):({CELL})|\+({CELL})|({CELL})>({CELL})",
    re.ASCII,
)
RIGHT_MOVE: Final = "write a move as NBR@0.0u/0.-1d:0.0d (lay), +0.1u (put), 0.1u>2.0d (move) or pass"
NO_SPOT: Final = "the excluded cell must be one of the three neighbours of the middle, as in NBR@0.0u/0.-1d:0.0d"


class Lay(NamedTuple):
    kind: int
    spot: int
    pawn: int


class Put(NamedTuple):
    to: int


class Walk(NamedTuple):
    start: int
    to: int


class Pass(NamedTuple):
    pass


Written: TypeAlias = Lay | Put | Walk | Pass
"""A move as it is written: in cells of the plane, whether or not there are pieces on them."""


def read_move(text: str) -> Written:
    """Parse a move, legal or not. Raises MalformedMove."""
    found = MOVE.fullmatch(text)
    if not found:
        raise MalformedMove(text, RIGHT_MOVE)
    kind, middle, excluded, pawn, put, start, to = found.groups()
    if kind:
        spot = spot_of(cell_named(middle), cell_named(excluded))
        if spot is None:
            raise MalformedMove(text, NO_SPOT)
        return Lay(KIND_NUMBERS[kind], spot, cell_named(pawn))
    if put:
        return Put(cell_named(put))
    return Walk(cell_named(start), cell_named(to)) if start else Pass()


def move_number(pawns: Pawns, move: Written) -> int | None:
    """Return a move in the encoding of the fast position, or None if it refers to a cell that is not there."""
    numbers = pawns.ground.numbers
    match move:
        case Lay(kind, spot, pawn):
            cells = cells_of(spot)
            return spot << SPOT_SHIFT | kind << 2 | cells.index(pawn) if pawn in cells else None
        case Put(to):
            return PUT | numbers[to] if to in numbers else None
        case Walk(start, to):
            return numbers[start] << CELL_BITS | numbers[to] if start in numbers and to in numbers else None
        case _:
            return PASS


def move_text(pawns: Pawns, move: int) -> str:
    """Return a move of the fast position as text."""
    if move == PASS:
        return "pass"
    cells = pawns.ground.names()
    if move < PUT:
        return f"{cells[move >> CELL_BITS]}>{cells[move & LAST_CELL]}"
    if move < PUT << 1:
        return f"+{cells[move & LAST_CELL]}"
    return KINDS[move >> 2 & 7] + lay_texts(move >> SPOT_SHIFT)[move & 3]


@lru_cache(maxsize=1 << 14)
def lay_texts(spot: int) -> tuple[str, str, str]:
    """Return the text after the colours for a piece on this spot, with the pawn on A, the middle, or B."""
    where = spot_name(spot)
    a, m, b = map(cell_name, cells_of(spot))
    return f"{where}:{a}", f"{where}:{m}", f"{where}:{b}"


def spot_name(spot: int) -> str:
    return f"@{cell_name(middle_of(spot))}/{cell_name(excluded_of(spot))}"


def piece_name(spot: int, kind: int) -> str:
    return KINDS[kind] + spot_name(spot)


def names(pawns: Pawns, cells: int) -> list[str]:
    """Return the names of a set of cells, sorted."""
    return sorted([pawns.ground.names()[number] for number in numbers_in(cells)])


def position_text(pawns: Pawns, plies: int) -> str:
    """Return the text of a position: everything except its history."""
    round_pawns, square_pawns = by_seat(pawns, pawns.own, pawns.enemy)
    round_hand, square_hand = by_seat(pawns, pawns.hand, pawns.enemy_hand)
    fields = [
        _pieces_text(pawns.ground.pieces),
        _listed(names(pawns, round_pawns)),
        _listed(names(pawns, square_pawns)),
        _listed(names(pawns, pawns.neutral)),
        f"{hand_text(round_hand)}/{hand_text(square_hand)}",
        SEATS[pawns.mover],
        str(plies),
        str(pawns.passes),
    ]
    return " ".join(fields)


@lru_cache(maxsize=1 << 10)
def _pieces_text(pieces: tuple[tuple[int, int], ...]) -> str:
    """Return the text of the pieces. It is cached because it no longer changes once all pieces are laid."""
    return _listed(sorted([piece_name(spot, kind) for spot, kind in pieces]))


def by_seat(pawns: Pawns, mine: int, theirs: int) -> tuple[int, int]:
    """Convert what belongs to the mover and to the other seat into what belongs to Round and to Square."""
    return (mine, theirs) if pawns.mover == 0 else (theirs, mine)


def _listed(texts: list[str]) -> str:
    return ",".join(texts) or "-"
