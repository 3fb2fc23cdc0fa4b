"""Lists all legal moves as sorted text, of which there may be thousands.

Sorting them all would take longer than finding them. But the ways to lay one kind of piece differ from those of another
kind only in their first letters, so the spots are sorted once for all kinds.
"""

from functools import lru_cache

from engines.trox.notation import lay_texts, move_text
from engines.trox.pawns import CELL_BITS, LAST_CELL, Pawns
from engines.trox.pieces import KINDS

Tail = tuple[str, int]
"""The text after the colours of a lay, and a bit for the cell of its pawn: 1, 2 or 4."""


def move_texts(pawns: Pawns) -> list[str]:
    """Return all legal moves, sorted."""
    if not pawns.hand:
        return _walk_texts(pawns) if pawns.can_move() else ["pass"]
    texts = sorted([move_text(pawns, move) for move in pawns.puts()])
    # "+" sorts before all letters, and cells in a tail end with a letter, so nothing else needs sorting.
    tails = [tail for three in sorted(map(_tails, pawns.ground.room.spots)) for tail in three]
    chosen: dict[int, list[str]] = {}
    for kind, which in _wanted(pawns.lay_ends()).items():
        if which not in chosen:
            chosen[which] = [text for text, bit in tails if bit & which]
        colours = KINDS[kind]
        texts += [colours + text for text in chosen[which]]
    return texts


def _walk_texts(pawns: Pawns) -> list[str]:
    cells = pawns.ground.names()
    return sorted([f"{cells[move >> CELL_BITS]}>{cells[move & LAST_CELL]}" for move in pawns.moves()])


def _wanted(ends: tuple[int, ...]) -> dict[int, int]:
    """Return by kind, in order, the cells on which its pawn may be put, as bits."""
    wanted: dict[int, int] = {}
    for end in ends:
        wanted[end >> 2] = wanted.get(end >> 2, 0) | 1 << (end & 3)
    return wanted


@lru_cache(maxsize=1 << 14)
def _tails(spot: int) -> tuple[Tail, ...]:
    """Return the three possible texts after the colours, sorted."""
    return tuple(sorted((text, 1 << which) for which, text in enumerate(lay_texts(spot))))
