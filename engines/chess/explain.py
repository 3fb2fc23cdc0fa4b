"""Finds out why a well-formed move is illegal: the rule it breaks, and a sentence about it."""

from chess import BLACK, KING, PAWN, WHITE, Board, Move, piece_name, square_name, square_rank

from engines.chess.notation import COLOURS
from engines.game_errors import IllegalMove

LAST_RANK = {WHITE: 7, BLACK: 0}


def illegal(board: Board, move: Move, text: str) -> IllegalMove:
    """Return the error for `move`, which must not be legal on the board."""
    return IllegalMove(text, *_reason(board, move))


def _reason(board: Board, move: Move) -> tuple[str, str]:
    start, end = square_name(move.from_square), square_name(move.to_square)
    piece = board.piece_at(move.from_square)
    if piece is None or piece.color is not board.turn:
        return "CH-1", f"{COLOURS[not board.turn]} has no piece on {start}"
    if board.is_pseudo_legal(move) and board.is_into_check(move):
        return "CH-2", "it would leave the own king in check"
    if piece.piece_type == PAWN:
        return "CH-4", _pawn(move, piece.color)
    if move.promotion:
        return "CH-4", f"there is no pawn on {start} that could be promoted"
    if piece.piece_type == KING and _looks_like_castling(board, move):
        return "CH-5", "the king cannot castle there now"
    return "CH-3", f"the {piece_name(piece.piece_type)} on {start} cannot move to {end}"


def _pawn(move: Move, colour: bool) -> str:
    to_last = square_rank(move.to_square) == LAST_RANK[colour]
    if to_last and not move.promotion:
        return "a pawn that reaches the last rank must be promoted: add q, r, b or n"
    if move.promotion and not to_last:
        return "a pawn is promoted only on the last rank"
    return f"the pawn on {square_name(move.from_square)} cannot move to {square_name(move.to_square)}"


def _looks_like_castling(board: Board, move: Move) -> bool:
    files = abs(move.from_square % 8 - move.to_square % 8)
    on_rook = bool(board.occupied_co[board.turn] & board.rooks & 1 << move.to_square)
    return move.from_square // 8 == move.to_square // 8 and (files == 2 or on_rook)
