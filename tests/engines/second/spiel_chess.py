"""Chess as OpenSpiel plays it, to compare our engine with.

OpenSpiel gives no reason for the end of a game. It writes a square for en passant also where the capture would leave
the own king in check; here such a square is left out, as in the texts of the game.
"""

from collections.abc import Collection
from functools import cached_property, lru_cache
from typing import Any

import pyspiel

from engines.api import Outcome, Seat
from engines.options import Settings
from engines.testing.second_engine import OpenPosition, SecondEngine

WHITE_SEAT, BLACK_SEAT = 0, 1
SCORES = {1.0: (1.0, 0.0), 0.0: (0.5, 0.5), -1.0: (0.0, 1.0)}
"""Scores by what OpenSpiel returns to White."""


@lru_cache(maxsize=1)
def _chess() -> Any:
    return pyspiel.load_game("chess")


class SpielChessPosition(OpenPosition):
    """A state of OpenSpiel, which is never changed."""

    def __init__(self, state: Any) -> None:
        self._state = state

    @property
    def owing(self) -> tuple[Seat, ...]:
        if self._state.is_terminal():
            return ()
        return (WHITE_SEAT if self._fen[1] == "w" else BLACK_SEAT,)

    def moves(self, seat: Seat) -> Collection[str]:
        return self._actions

    def play(self, seat: Seat, move: str, after: str) -> "SpielChessPosition":
        there = self._state.clone()
        there.apply_action(self._actions[move])
        return SpielChessPosition(there)

    @property
    def outcome(self) -> Outcome | None:
        if not self._state.is_terminal():
            return None
        scores = SCORES[self._state.returns()[1]]  # Its players are Black and White.
        return Outcome("", scores, scores)

    def full_text(self) -> str:
        board, side, castling, behind, quiet, number = self._fen
        return " ".join([board, side, castling, behind if self._captures_on(behind) else "-", quiet, number])

    @cached_property
    def _fen(self) -> list[str]:
        return str(self._state.board().to_fen()).split(" ")

    @cached_property
    def _actions(self) -> dict[str, int]:
        """The number of each legal move."""
        board = self._state.board()
        return {pyspiel.chess.action_to_move(number, board).to_lan(): number for number in self._state.legal_actions()}

    def _captures_on(self, behind: str) -> bool:
        """Return whether a pawn of the side to move may capture on this square, behind a pawn, en passant."""
        board = self._state.board()
        for number in self._state.legal_actions() if behind != "-" else ():
            move = pyspiel.chess.action_to_move(number, board)
            is_pawn = move.piece.type == pyspiel.chess.PieceType.PAWN
            if is_pawn and move.to_lan()[2:4] == behind and move.to_lan()[0] != behind[0]:
                return True
        return False


class SpielChess(SecondEngine):
    def refusal(self, settings: Settings) -> str:
        if settings.flag("chess960"):
            return "pyspiel does not play chess960"
        if settings.choice("draws") != "automatic":
            return "pyspiel knows no claims: it needs draws=automatic"
        return ""

    def start(self, settings: Settings, text: str) -> SpielChessPosition:
        return SpielChessPosition(_chess().new_initial_state(text))


PYSPIEL = SpielChess()
