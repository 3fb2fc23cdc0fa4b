"""Finds out why a well-formed move is illegal: the rule it breaks, and what would be legal instead."""

from engines.game_errors import IllegalMove
from engines.trox.cellsets import CELLS, colour_of
from engines.trox.hands import held
from engines.trox.holes import fitting
from engines.trox.lattice import cell_name
from engines.trox.notation import SEATS, Lay, Put, Walk, Written, spot_name
from engines.trox.pawns import Pawns
from engines.trox.pieces import COLOUR_NAMES, COLOURS_OF, COVERED, FIRST, KINDS, cells_of

Reason = tuple[str, str]
"""The rule that a move breaks, and a sentence about it."""


def illegal(pawns: Pawns, move: Written, text: str) -> IllegalMove:
    """Return the error for `move`, which must not be a legal move of `pawns`."""
    rule, why = _reason(pawns, move)
    return IllegalMove(text, rule, why)


def _reason(pawns: Pawns, move: Written) -> Reason:
    match move:
        case Lay():
            return _lay(pawns, move)
        case Put(to):
            return _put(pawns, to)
        case Walk(start, to):
            return _walk(pawns, start, to)
        case _:
            return "TX-13", f"{SEATS[pawns.mover]} has another move and may not pass"


def _lay(pawns: Pawns, move: Lay) -> Reason:
    cells = cells_of(move.spot)
    if not pawns.hand:
        return "TX-8", "all pawns are placed, so no more pieces may be laid"
    if move.pawn not in cells:
        named = ", ".join(map(cell_name, cells))
        return "TX-4", f"the pawn must be placed on the piece that is laid, on one of {named}"
    supply = pawns.ground.supply
    if move.kind not in supply.kinds:
        left = ", ".join(KINDS[kind] for kind in supply.kinds)
        return "TX-2", f"there is no piece {KINDS[move.kind]} in the supply; it has {left}"
    colour = COLOURS_OF[move.kind][cells.index(move.pawn)]
    if colour not in held(pawns.hand):
        return _nothing_in_hand(pawns, colour)
    return _no_fit(pawns, move.spot)


def _no_fit(pawns: Pawns, spot: int) -> Reason:
    ground = pawns.ground
    if not ground.pieces:
        return "TX-3", f"the first piece must be laid on {spot_name(FIRST)[1:]}"
    ring = ground.room.rings.get(spot, 0)
    if ring & COVERED:
        taken = next(cell_name(cell) for cell in cells_of(spot) if cell in ground.numbers)
        return "TX-5", f"there is already a piece on {taken}"
    if not fitting("off")[ring]:
        return "TX-5", "the piece must touch the ground along a whole side of a cell"
    return "TX-6", "the piece would enclose an empty area"


def _put(pawns: Pawns, to: int) -> Reason:
    number = pawns.ground.numbers.get(to)
    if not pawns.hand:
        return "TX-8", "all pawns are placed; write a move of a pawn as 0.1u>2.0d"
    if number is None:
        return "TX-4", f"there is no piece on {cell_name(to)}"
    if not pawns.free >> number & 1:
        return "TX-4", f"{cell_name(to)} is not free"
    colour = colour_of(number)
    if colour not in held(pawns.hand):
        return _nothing_in_hand(pawns, colour)
    return _suicide(to)


def _walk(pawns: Pawns, start: int, to: int) -> Reason:
    numbers = pawns.ground.numbers
    if pawns.hand:
        return "TX-8", "pawns may not move before all twelve are placed"
    if start not in numbers or not pawns.own >> numbers[start] & 1:
        return _not_own(pawns, start)
    if to not in numbers:
        return "TX-8", f"there is no piece on {cell_name(to)}"
    if not pawns.free >> numbers[to] & 1:
        return "TX-8", f"{cell_name(to)} is not free"
    colour = colour_of(numbers[start])
    if colour != colour_of(numbers[to]):
        name = COLOUR_NAMES[colour]
        return "TX-8", f"a {name} pawn may move only to {name} cells; {cell_name(to)} has another colour"
    return _suicide(to)


def _not_own(pawns: Pawns, start: int) -> Reason:
    number = pawns.ground.numbers.get(start, CELLS)
    if pawns.neutral >> number & 1:
        return "TX-9", f"the pawn on {cell_name(start)} is neutral and may not move"
    return "TX-8", f"{SEATS[pawns.mover]} has no pawn on {cell_name(start)}"


def _nothing_in_hand(pawns: Pawns, colour: int) -> Reason:
    left = " and ".join(COLOUR_NAMES[other] for other in held(pawns.hand))
    return "TX-4", f"{SEATS[pawns.mover]} has no {COLOUR_NAMES[colour]} pawn left to place, only {left}"


def _suicide(to: int) -> Reason:
    return "TX-12", f"the pawn would be captured on {cell_name(to)}, and suicide is forbidden"
