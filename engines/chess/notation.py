"""Notation of chess: moves as in UCI, and positions as in FEN."""

import re
from typing import Final

from chess import STARTING_FEN, Move

from engines.game_errors import MalformedMove

MOVE_GRAMMAR: Final = """\
e2e4     from, to; a capture is written in the same way, and so is castling: e1g1
e7e8q    a promotion: the letter of the new piece, q, r, b or n
e1h1     castling with the option chess960: the king takes its own rook
Squares are a1 to h8. This is the notation of UCI.
"""

POSITION_GRAMMAR: Final = f"""\
{STARTING_FEN}
FEN: ranks 8 to 1 (capital letters are White's; a number of empty squares); the side to move; castling
rights or -; the square behind a pawn that can be taken en passant now, or -; the plies since a capture
or a pawn move; the number of the move.
"""

COLOURS: Final = ("white", "black")
MOVE: Final = re.compile("[a-h][1-8][a-h][1-8][qrbn]?", re.ASCII)
RIGHT_MOVE: Final = "write a move as in UCI: e2e4, or e7e8q for a promotion; squares are a1 to h8"


def read_move(text: str) -> Move:
    """Parse a move, legal or not. Raises MalformedMove."""
    if not MOVE.fullmatch(text) or text[:2] == text[2:4]:
        raise MalformedMove(text, RIGHT_MOVE)
    return Move.from_uci(text)
