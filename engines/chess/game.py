"""Chess: rules, options and first position.

The rules are those of FIDE's Laws of Chess, in force since 1 January 2023. python-chess knows how the pieces move; this
package decides when a game ends.
"""

from chess import Board

from engines.api import Game, Json, Notation, Table
from engines.chance import Chance
from engines.chess import drawing, notation
from engines.chess.codec import ChessCodec
from engines.chess.options import OPTIONS
from engines.chess.position import ChessPosition
from engines.chess.position_parser import read_board
from engines.chess.schema import VIEW_SCHEMA
from engines.options import Settings

RULES = """\
Eight by eight squares, sixteen pieces on each side. White begins.

CH-1  Move one of your own pieces; passing is not allowed.
CH-2  No move may leave the own king in check.
CH-3  Each piece moves and captures in its own way.
CH-4  A pawn may take en passant, and is promoted to a queen, rook, bishop or knight on the last rank.
CH-5  The king may castle with a rook if neither has moved, nothing is between them, and the king is not in
      check, passes no attacked square and reaches none.
CH-6  A side that is in check and has no legal move has lost; without check the game is drawn (stalemate).
CH-7  The game is drawn if neither side has the material to give mate: a king, alone or with one knight, or
      with bishops that all stand on squares of one colour, against a king, or against such bishops.
CH-8  By default, the third occurrence of a position is a draw, and so are fifty moves of each side without a
      capture or a pawn move. With draws=claimed, the side to move may claim these draws, and the game ends by
      itself at the fifth occurrence and after seventy-five moves.

Source: FIDE Laws of Chess, in force since 1 January 2023, articles 1 to 5 and 9, and the guidelines for chess960.
"""

FIRST_POSITIONS = 960
CODEC = ChessCodec()


class Chess(Game):
    name = "chess"
    version = 1
    title = "Chess"
    rules = RULES
    options = OPTIONS
    notation = Notation(notation.MOVE_GRAMMAR, notation.POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA
    draws_by_agreement = True
    drawn_when_stopped = True

    def table(self, settings: Settings) -> Table:
        return Table(notation.COLOURS, ((0,), (1,)))

    def start(self, settings: Settings, seed: bytes) -> ChessPosition:
        if not settings.flag("chess960"):
            return ChessPosition(settings, Board())
        return ChessPosition(settings, Board.from_chess960_pos(Chance(seed).below(FIRST_POSITIONS)[0]))

    def read(self, text: str, settings: Settings) -> ChessPosition:
        return ChessPosition(settings, read_board(text, settings.flag("chess960")))

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return drawing.svg(view, last_move)

    def codec(self, settings: Settings) -> ChessCodec:
        return CODEC
