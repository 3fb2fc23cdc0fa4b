"""Codec of Trox: kinds of pieces, cells, and the marks between them.

The cells are those that twelve connected pieces can reach from the first one, ring by ring around its middle.
"""

from typing import Any, Final

from engines.codec import Codec, Field
from engines.options import Settings
from engines.trox.lattice import CELL, cell_name, neighbours
from engines.trox.notation import KIND, SEATS
from engines.trox.pieces import COLOUR_NAMES, FIRST, KINDS, PIECES, middle_of
from engines.trox.supply import HEAPS
from engines.trox.view import NEUTRAL, PHASES

MAX_PLIES = 100_000


def _rings(number: int) -> tuple[str, ...]:
    """Return the names of the cells at most `number` steps from the middle of the first piece, by distance."""
    ring = [middle_of(FIRST)]
    found = dict.fromkeys(ring)
    for _ in range(number):
        ring = sorted({near for cell in ring for near in neighbours(cell)} - found.keys())
        found.update(dict.fromkeys(ring))
    return tuple(map(cell_name, found))


REACH: Final = 1 + 3 * (PIECES - 1)
"""The first piece reaches one step, and each other one at most three more; an excluded cell is never farther."""
CELLS: Final = _rings(REACH)
NUMBERS: Final = {name: number for number, name in enumerate(CELLS)}
CHUNKS: Final = ("pass", *[f"{kind}@" for kind in KINDS], "/", ":", "+", ">", *CELLS)


class TroxCodec(Codec):
    def __init__(self, settings: Settings) -> None:
        many, colours = len(CELLS), len(COLOUR_NAMES)
        heaps = HEAPS[settings.choice("tileset")]
        fields = [
            Field("ground", colours * many, 0, 1, "By colour (black, blue, red), then by cell: the cell has it."),
            Field("pawns", 3 * many, 0, 1, "By owner (the seat, the other, neutral), then by cell: a pawn."),
            Field("own_hand", colours, 0, 2, "By colour: pawns in the seat's hand."),
            Field("enemy_hand", colours, 0, 2, "By colour: pawns in the other seat's hand."),
            Field("supply", len(heaps), 0, PIECES, "By kind, or kinds as which it can be laid: pieces that are left."),
            Field("placing", 1, 0, 1, "Whether pawns are being placed."),
            Field("passes", 1, 0, 2, "How many turns were just passed in succession."),
            Field("plies", 1, 0, MAX_PLIES, "Turns played so far."),
            Field("to_move", 1, 0, 1, "Whether the seat is to move."),
            Field("seat", 1, 0, 1, "The seat: 0 round, 1 square."),
        ]
        super().__init__(CHUNKS, f"pass|(?:{KIND})@|{CELL}|[/:+>]", fields)

    def observe(self, view: Any, seat: int) -> list[int]:
        return [
            *_ground(view["pieces"]),
            *_pawns(view["pawns"], seat),
            *[view["hands"][SEATS[seat]][colour] for colour in COLOUR_NAMES],
            *[view["hands"][SEATS[1 - seat]][colour] for colour in COLOUR_NAMES],
            # A mapping that has been JSON may be in any order.
            *[view["supply"][kinds] for kinds in sorted(view["supply"])],
            int(view["phase"] == PHASES[1]),
            view["passes"],
            view["plies"],
            int(view["to_move"] == SEATS[seat]),
            seat,
        ]


def _ground(pieces: dict[str, dict[str, str]]) -> list[int]:
    found = [0] * (len(COLOUR_NAMES) * len(CELLS))
    for cells in pieces.values():
        for cell, colour in cells.items():
            found[COLOUR_NAMES.index(colour) * len(CELLS) + NUMBERS[cell]] = 1
    return found


def _pawns(pawns: dict[str, str], seat: int) -> list[int]:
    owners = (SEATS[seat], SEATS[1 - seat], NEUTRAL)
    found = [0] * (len(owners) * len(CELLS))
    for cell, owner in pawns.items():
        found[owners.index(owner) * len(CELLS) + NUMBERS[cell]] = 1
    return found
