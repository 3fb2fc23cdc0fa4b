"""Implements `Position` for chess: a board of python-chess together with the positions that have occurred."""

from collections.abc import Sequence

from chess import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, SQUARES, WHITE, Board, Move, SquareSet, piece_name, square_name

from engines.api import Json, Outcome, Position, Seat, Viewer
from engines.chess.explain import illegal
from engines.chess.notation import COLOURS, read_move
from engines.chess.picture import caption, picture
from engines.game_errors import NotYourTurn
from engines.options import Settings

WORTH = ((PAWN, 1.0), (KNIGHT, 3.0), (BISHOP, 3.0), (ROOK, 5.0), (QUEEN, 9.0))
CLAIM = (3, 100)
"""Occurrences of a position, and plies without progress, from which a game is drawn, or can be claimed to be."""
LIMIT = (5, 150)
"""The same numbers from which a game is drawn although nobody claims it."""


class ChessPosition(Position):
    """A board, which is never changed, and the keys of the positions since the last capture or pawn move."""

    __slots__ = ("_before", "_key", "_outcome", "_settings", "board")

    def __init__(self, settings: Settings, board: Board, before: tuple[str, ...] = ()) -> None:
        self.board = board
        self._settings = settings
        self._before = before
        self._key = board.epd()
        self._outcome = self._ended()

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self._outcome else (self._mover,)

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def standing(self) -> tuple[float, ...]:
        return self._material(True), self._material(False)

    @property
    def claimable(self) -> str | None:
        if self._outcome:
            return None
        occurrences, plies = CLAIM
        if self._before.count(self._key) + 1 >= occurrences:
            return "repetition"
        return "fifty_moves" if self.board.halfmove_clock >= plies else None

    def moves(self, seat: Seat) -> Sequence[str]:
        if self._outcome or seat != self._mover:
            return []
        return sorted([move.uci() for move in self.board.generate_legal_moves()])

    def play(self, seat: Seat, move: str) -> "ChessPosition":
        parsed = read_move(move)
        if self._outcome or seat != self._mover:
            raise NotYourTurn(seat, self.owing)
        if not self._is_legal(parsed):
            raise illegal(self.board, parsed, move)
        board = self.board.copy(stack=False)
        board.push(parsed)
        board.clear_stack()
        return ChessPosition(self._settings, board, (*self._before, self._key) if board.halfmove_clock else ())

    def text(self, viewer: Viewer) -> str:
        return f"{self._key} {self.board.halfmove_clock} {self.board.fullmove_number}"

    def view(self, viewer: Viewer) -> Json:
        board = self.board
        en_passant = board.ep_square if board.has_legal_en_passant() else None
        return {
            "to_move": COLOURS[self._mover],
            "squares": {square_name(at): _occupant(board, at) for at in SQUARES},
            "check": board.is_check(),
            "castling": {colour: _rooks(board, white) for colour, white in zip(COLOURS, (True, False), strict=True)},
            "en_passant": None if en_passant is None else square_name(en_passant),
            "plies_without_progress": board.halfmove_clock,
            "move_number": board.fullmove_number,
        }

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        board = picture(self.board)
        return board if self._outcome else f"{board}\n\n{caption(self.board)}"

    @property
    def _mover(self) -> Seat:
        return 0 if self.board.turn is WHITE else 1

    def _is_legal(self, move: Move) -> bool:
        board = self.board
        # python-chess accepts both spellings of castling, and legal moves have one text.
        if board.is_castling(move):
            return move in board.generate_castling_moves()
        return board.is_legal(move)

    def _material(self, colour: bool) -> float:
        return sum(len(self.board.pieces(piece, colour)) * worth for piece, worth in WORTH)

    def _ended(self) -> Outcome | None:
        board = self.board
        if not any(board.generate_legal_moves()):
            return _won(1 - self._mover) if board.is_check() else _drawn("stalemate")
        if board.is_insufficient_material():
            return _drawn("insufficient_material")
        automatic = self._settings.choice("draws") == "automatic"
        occurrences, plies = CLAIM if automatic else LIMIT
        if self._before.count(self._key) + 1 >= occurrences:
            return _drawn("repetition" if automatic else "fivefold_repetition")
        if board.halfmove_clock >= plies:
            return _drawn("fifty_moves" if automatic else "seventy_five_moves")
        return None


def _occupant(board: Board, at: int) -> str | None:
    piece = board.piece_at(at)
    return f"{COLOURS[not piece.color]} {piece_name(piece.piece_type)}" if piece else None


def _rooks(board: Board, colour: bool) -> list[str]:
    rights = board.clean_castling_rights() & board.occupied_co[colour]
    return [square_name(at) for at in SquareSet(rights)]


def _won(winner: Seat) -> Outcome:
    scores = (1.0, 0.0) if winner == 0 else (0.0, 1.0)
    return Outcome("checkmate", scores, scores)


def _drawn(reason: str) -> Outcome:
    return Outcome(reason, (0.5, 0.5), (0.5, 0.5))
