"""Returns a position as plain data, as described by the schema in `schema`."""

from engines.api import Json
from engines.trox.hands import in_hand
from engines.trox.lattice import cell_name
from engines.trox.notation import SEATS, by_seat, piece_name
from engines.trox.pawns import Pawns
from engines.trox.pieces import COLOUR_NAMES, COLOURS_OF, KINDS, cells_of

PHASES = ("moving", "placing")
NEUTRAL = "neutral"


def view(pawns: Pawns, plies: int) -> Json:
    hands = by_seat(pawns, pawns.hand, pawns.enemy_hand)
    return {
        "to_move": SEATS[pawns.mover],
        "phase": PHASES[pawns.hand > 0],
        "plies": plies,
        "passes": pawns.passes,
        "pieces": {piece_name(spot, kind): _cells(spot, kind) for spot, kind in pawns.ground.pieces},
        "pawns": {
            cell_name(cell): whose for cell, number in pawns.ground.numbers.items() if (whose := owner(pawns, number))
        },
        "hands": {seat: _hand(hand) for seat, hand in zip(SEATS, hands, strict=True)},
        "supply": supply_left(pawns),
    }


def owner(pawns: Pawns, number: int) -> str | None:
    """Return the owner of the pawn on a cell of the ground: a seat, "neutral", or None if the cell is free."""
    if pawns.own >> number & 1:
        return SEATS[pawns.mover]
    if pawns.enemy >> number & 1:
        return SEATS[1 - pawns.mover]
    return NEUTRAL if pawns.neutral >> number & 1 else None


def _cells(spot: int, kind: int) -> Json:
    return {
        cell_name(cell): COLOUR_NAMES[colour] for cell, colour in zip(cells_of(spot), COLOURS_OF[kind], strict=True)
    }


def _hand(hand: int) -> Json:
    return {name: in_hand(hand, colour) for colour, name in enumerate(COLOUR_NAMES)}


def supply_left(pawns: Pawns) -> dict[str, int]:
    """Return how many pieces are left of each heap, by the kinds as which they can be laid: NBR, or NBR/RBN."""
    supply = pawns.ground.supply
    return {
        "/".join(KINDS[kind] for kind in sorted(heap.kinds)): left
        for heap, left in zip(supply.heaps, supply.left, strict=True)
    }
