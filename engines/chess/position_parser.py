"""Parses FEN and reports what is wrong with it."""

import re
from typing import Final

from chess import STARTING_FEN, STATUS_VALID, Board

from engines.game_errors import MalformedPosition

GRAMMAR: Final = re.compile(
    r"[pnbrqkPNBRQK1-8/]{15,71} [wb] (?:-|[KQkqA-Ha-h]{1,4}) (?:-|[a-h][36]) (?:0|[1-9][0-9]{0,3}) [1-9][0-9]{0,4}",
    re.ASCII,
)


def read_board(text: str, chess960: bool) -> Board:
    """Return the board that a text describes. Raises MalformedPosition.

    A text may name a square for en passant on which no pawn can be taken, as many programs write it.
    """
    if not GRAMMAR.fullmatch(text):
        raise MalformedPosition(text, f"it must be FEN with six fields, as in {STARTING_FEN!r}")
    try:
        board = Board(text, chess960=chess960)
    except ValueError as error:
        raise MalformedPosition(text, str(error)) from None
    status = board.status()
    if status is not STATUS_VALID:
        broken = ", ".join(str(flag.name).lower() for flag in type(status) if flag & status)
        raise MalformedPosition(text, f"it cannot occur in a game: {broken}")
    if text not in (board.fen(), board.fen(en_passant="fen")):
        raise MalformedPosition(text, f"its canonical form is {board.fen()!r}")
    return board
