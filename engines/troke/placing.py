"""Chooses the kind of fast position: `PackedPieces` where they are faster, otherwise `Pieces`."""

from typing import Final

from engines.form import is_compiled
from engines.troke import pieces
from engines.troke.boards import BOARDS
from engines.troke.pieces import Pieces
from engines.troke.rules import Rules
from engines.troke.step_table import table_of

COMPILED: Final = is_compiled(str(pieces.__file__))


def placed(
    rules: Rules,
    mover: int,
    sets: tuple[int, ...],
    chips: tuple[int, ...],
    castles: tuple[int, ...],
    barred: tuple[int, ...] = (),
    demanded: int = 0,
) -> Pieces:
    """Return the pieces that stand on these circles."""
    if COMPILED or rules.board not in BOARDS.values():
        return Pieces(rules, mover, sets, chips, castles, barred, demanded)
    from engines.troke.packed_pieces import PackedPieces  # noqa: PLC0415  # A compiled class cannot be its base.

    table = table_of(rules.ways)
    barred_steps = sum(table.bit[step] for step in barred)
    return PackedPieces(table, table.packed(sets), rules, mover, sets, chips, castles, barred_steps, demanded)
