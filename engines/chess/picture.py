"""Drawing of the board for a terminal."""

from chess import Board, square

from engines.chess.notation import COLOURS

EMPTY = "·"


def picture(board: Board) -> str:
    """Return the ranks, with the signs of the pieces."""
    rows = [f"{rank + 1} " + " ".join(_sign(board, file, rank) for file in range(8)) for rank in range(7, -1, -1)]
    return "\n".join([*rows, "  a b c d e f g h"])


def caption(board: Board) -> str:
    """Return what the drawing of an unfinished game does not show."""
    check = ", in check" if board.is_check() else ""
    quiet = board.halfmove_clock
    return f"{COLOURS[not board.turn]} to move{check}, {quiet} plies without a capture or a pawn move"


def _sign(board: Board, file: int, rank: int) -> str:
    piece = board.piece_at(square(file, rank))
    return piece.unicode_symbol() if piece else EMPTY
