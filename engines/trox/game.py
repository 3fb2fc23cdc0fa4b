"""Trox: rules, options and first position.

RULES is prose for players, after the French rule sheet of Peter Andrew's game of 1997. It has the rule numbers that
errors refer to.
"""

from functools import lru_cache

from engines.api import Game, Json, Notation, Table
from engines.options import Settings
from engines.trox import drawing, notation
from engines.trox.codec import TroxCodec
from engines.trox.options import OPTIONS
from engines.trox.pawns import Rules
from engines.trox.position import Ending, TroxPosition
from engines.trox.position_parser import read_position
from engines.trox.schema import VIEW_SCHEMA

RULES = """\
Two players build a ground of twelve pieces, each of three triangular cells, and place pawns on it.

TX-1  Round and Square have six pawns each, two of each colour: black, blue, red.
TX-2  Each of the twelve pieces has a black, a blue and a red cell; all lie open in one supply.
TX-3  Round begins: it lays a piece in the middle and puts a pawn on it.
TX-4  In turn, put a pawn on a free cell of its colour, on the ground or on a piece that you lay first.
TX-5  A piece is laid touching the ground along at least one whole side of a cell, and overlaps nothing.
TX-6  It may not enclose an empty area.
TX-7  A pawn can always be placed.
TX-8  When all pawns are down, move one of yours in turn, however far, to a free cell of its colour.
TX-9  A pawn among three enemy or neutral pawns, not all neutral, is turned over: neutral for good.
TX-10 A player with a pawn among three pawns that are the player's own or neutral has won.
TX-11 After an action, in this order: enemies are captured; the mover may win; the pawn just played
      may be captured; the other player may win.
TX-12 By default, a pawn may be played where it is captured at once.
TX-13 By default, a player who cannot move passes; when both pass in succession, the game is drawn.
TX-14 By default, the third occurrence of the same pawns is a draw, and so are five hundred plies.

Source: the sheet "Trox" in French; what it leaves open is an option here.
"""


@lru_cache(maxsize=256)
def _compiled(settings: Settings) -> tuple[Rules, Ending]:
    return Rules(settings), Ending(settings)


@lru_cache(maxsize=256)
def _first(settings: Settings) -> TroxPosition:
    return _read(notation.START, settings)


def _read(text: str, settings: Settings) -> TroxPosition:
    rules, ending = _compiled(settings)
    pawns, plies = read_position(text, rules)
    return TroxPosition(ending, pawns, plies)


@lru_cache(maxsize=256)
def _codec(settings: Settings) -> TroxCodec:
    return TroxCodec(settings)


class Trox(Game):
    name = "trox"
    version = 1
    title = "Trox"
    rules = RULES
    options = OPTIONS
    notation = Notation(notation.MOVE_GRAMMAR, notation.POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA
    draws_by_agreement = True

    def table(self, settings: Settings) -> Table:
        return Table(notation.SEATS, ((0,), (1,)))

    def start(self, settings: Settings, seed: bytes) -> TroxPosition:
        return _first(settings)

    def read(self, text: str, settings: Settings) -> TroxPosition:
        return _read(text, settings)

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return drawing.svg(view, last_move)

    def codec(self, settings: Settings) -> TroxCodec:
        return _codec(settings)
