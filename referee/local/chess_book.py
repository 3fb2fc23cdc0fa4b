"""Entries of chess books: positions in EPD, and games in PGN. It needs python-chess, as the game of chess does."""

import re
from typing import TextIO, cast

from chess import Board, Move
from chess.pgn import SKIP, BaseVisitor, SkipType, read_game, skip_game

from engines.api import Game, Position
from engines.game_errors import DetailedError
from engines.options import Settings
from referee.local.opening_book import MAX_PLIES, BookLines

COUNTERS = re.compile(r"[0-9]+\s+[0-9]+", re.ASCII)


def fen_of_epd(line: str) -> str:
    """Return the FEN of a line of EPD: four fields, and operations such as `hmvc 0; fmvn 1; id "name";`.

    Many books have lines of FEN instead, with two counters for the operations. Raises ValueError.
    """
    *fields, last = line.split(None, 4)
    if len(fields) == 4 and COUNTERS.fullmatch(last):
        return " ".join(line.split())
    board = Board()
    board.set_epd(line)
    return board.fen()


class PgnReader:
    """Reads games: their first position, from the tags FEN and SetUp, and their main line."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._game = game
        self._settings = settings

    def skip(self, lines: BookLines) -> bool:
        return skip_game(cast(TextIO, lines))

    def read(self, lines: BookLines, plies: int) -> Position:
        first = lines.number + 1
        try:
            board = cast(Board, read_game(cast(TextIO, lines), Visitor=lambda: MainLine(plies or MAX_PLIES + 1)))
            if len(board.move_stack) > MAX_PLIES:
                raise ValueError(f"the game has more than {MAX_PLIES} moves; set a number of plies")
            return self._game.read(board.fen(), self._settings)
        except (DetailedError, ValueError) as wrong:
            raise lines.error(f"{wrong} (in the game that begins in line {first})") from None


class MainLine(BaseVisitor[Board]):
    """Plays the first moves of the main line, without comments, variations and annotations. Raises ValueError."""

    def __init__(self, plies: int) -> None:
        self._plies = plies
        self._board: Board | None = None

    def visit_board(self, board: Board) -> None:
        """Take the first position; this is called after each move, too."""
        if self._board is None:
            self._board = board.copy()

    def begin_variation(self) -> SkipType:
        return SKIP

    def begin_parse_san(self, board: Board, san: str) -> SkipType | None:
        return SKIP if len(self.result().move_stack) >= self._plies else None

    def visit_move(self, board: Board, move: Move) -> None:
        if not move:
            raise ValueError("passing is no move")
        self.result().push(move)

    def result(self) -> Board:
        assert self._board
        return self._board
