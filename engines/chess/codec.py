"""Codec of chess: the square where a piece stands, the square that it moves to, and what a pawn is promoted to."""

from typing import Any

from chess import FILE_NAMES, PIECE_NAMES, SQUARE_NAMES

from engines.chess.notation import COLOURS
from engines.codec import Codec, Field, from_seat

CHUNKS = (*SQUARE_NAMES, "q", "r", "b", "n")
KINDS = tuple(name for name in PIECE_NAMES if name)
MAX_PLIES = 150
MAX_MOVE_NUMBER = 10_000


class ChessCodec(Codec):
    def __init__(self) -> None:
        squares, files = len(SQUARE_NAMES), len(FILE_NAMES)
        owners = (("own", "the seat"), ("enemy", "the other seat"))
        fields = [
            Field(f"{owner}_{kind}", squares, 0, 1, f"By square: a {kind} of {whose}.")
            for owner, whose in owners
            for kind in KINDS
        ]
        fields += [
            Field(f"{owner}_castling", files, 0, 1, f"By file: a rook with which {whose} may still castle.")
            for owner, whose in owners
        ]
        fields += [
            Field("en_passant", files, 0, 1, "By file: a pawn that can be taken en passant now."),
            Field("seat", 1, 0, 1, "The seat: 0 white, 1 black."),
            Field("to_move", 1, 0, 1, "Whether the seat is to move."),
            Field("check", 1, 0, 1, "Whether the side to move is in check."),
            Field("plies", 1, 0, MAX_PLIES, "Plies since a capture or a pawn move."),
            Field("number", 1, 0, MAX_MOVE_NUMBER, "The number of the move."),
        ]
        super().__init__(CHUNKS, "[a-h][1-8]|[qrbn]", fields)

    def observe(self, view: Any, seat: int) -> list[int]:
        squares = view["squares"]
        ordered = from_seat(COLOURS, seat)
        found = [
            int(squares[name] == f"{colour} {kind}") for colour in ordered for kind in KINDS for name in SQUARE_NAMES
        ]
        for colour in ordered:
            found += _files(view["castling"][colour])
        found += _files([view["en_passant"]] if view["en_passant"] else [])
        found += [seat, int(view["to_move"] == COLOURS[seat]), int(view["check"])]
        return [*found, min(view["plies_without_progress"], MAX_PLIES), min(view["move_number"], MAX_MOVE_NUMBER)]


def _files(squares: list[str]) -> list[int]:
    """Return a one for each file of these squares."""
    files = {square[0] for square in squares}
    return [int(file in files) for file in FILE_NAMES]
