"""Every legal move as text, in order, when there may be thousands.

Sorting them all would take longer than finding them. But the ways to lay one kind of piece differ from
those to lay another in their first letters only: the spots are put in order once, for all kinds.
"""

from functools import lru_cache

from engines.trox.notation import lay_texts, move_text
from engines.trox.pawns import CELL_BITS, LAST_CELL, Pawns
from engines.trox.pieces import KINDS

Tail = tuple[str, int]
"""What follows the colours where a piece is laid, and a bit for the cell its pawn is on: 1, 2, 4."""


def move_texts(pawns: Pawns) -> list[str]:
    """All moves, sorted."""
    if not pawns.hand:
        return _walk_texts(pawns) if pawns.can_move() else ["pass"]
    texts = sorted([move_text(pawns, move) for move in pawns.puts()])
    # A plus comes before all letters, and a cell in a tail ends in a letter: so nothing else needs sorting.
    tails = [tail for three in sorted(map(_tails, pawns.ground.spots)) for tail in three]
    chosen: dict[int, list[str]] = {}
    for kind, which in _wanted(pawns.lay_ends()).items():
        if which not in chosen:
            chosen[which] = [text for text, bit in tails if bit & which]
        colours = KINDS[kind]
        texts += [colours + text for text in chosen[which]]
    return texts


def _walk_texts(pawns: Pawns) -> list[str]:
    cells = pawns.ground.names
    return sorted([f"{cells[move >> CELL_BITS]}>{cells[move & LAST_CELL]}" for move in pawns.moves()])


def _wanted(ends: tuple[int, ...]) -> dict[int, int]:
    """By kind, in order: the cells that its pawn may be put on, as bits."""
    wanted: dict[int, int] = {}
    for end in ends:
        wanted[end >> 2] = wanted.get(end >> 2, 0) | 1 << (end & 3)
    return wanted


@lru_cache(maxsize=1 << 14)
def _tails(spot: int) -> tuple[Tail, ...]:
    """The three ways to go on after the colours, sorted."""
    return tuple(sorted((text, 1 << which) for which, text in enumerate(lay_texts(spot))))
