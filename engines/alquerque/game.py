"""Alquerque: rules, options and first position.

RULES is prose for players, after the French rule sheet of this game ("Jeu de l'Alquerque"). It has the rule numbers
that errors refer to.
"""

from functools import lru_cache

from engines.alquerque import drawing, notation
from engines.alquerque.codec import AlquerqueCodec
from engines.alquerque.men import Rules
from engines.alquerque.options import OPTIONS
from engines.alquerque.position import AlquerquePosition, Ending
from engines.alquerque.position_parser import read_position
from engines.alquerque.schema import VIEW_SCHEMA
from engines.api import Game, Json, Notation, Table
from engines.options import Settings

RULES = """\
Twenty-five points, five by five, joined by lines; twelve men on each side. White begins.

AQ-1  Move one man along a line to the next point, if it is empty, in any direction.
AQ-2  Capture by jumping along a line over an enemy man onto the empty point straight behind it.
AQ-3  A man that has jumped must continue to jump while it can, in any direction: that is one move.
AQ-4  Capture is compulsory, and only chains that take the most men are legal.
AQ-5  Jumped men leave the board at once; a chain may end where it began.
AQ-6  A player without men has lost; by default, so has a player who cannot move.
AQ-7  Passing is not allowed.
AQ-8  By default, the third occurrence of a position is a draw, and so are a hundred plies without a capture.

Source: the sheet "Alquerque" in French, which names five variants; each is an option here.
"""


@lru_cache(maxsize=256)
def _compiled(settings: Settings) -> tuple[Rules, Ending]:
    return Rules(settings), Ending(settings)


@lru_cache(maxsize=256)
def _first(settings: Settings) -> AlquerquePosition:
    return _read(notation.START, settings)


def _read(text: str, settings: Settings) -> AlquerquePosition:
    rules, ending = _compiled(settings)
    men, quiet = read_position(text, rules)
    return AlquerquePosition(ending, men, quiet)


@lru_cache(maxsize=256)
def _codec(settings: Settings) -> AlquerqueCodec:
    return AlquerqueCodec(settings)


class Alquerque(Game):
    name = "alquerque"
    version = 1
    title = "Alquerque"
    rules = RULES
    options = OPTIONS
    notation = Notation(notation.MOVE_GRAMMAR, notation.POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA
    draws_by_agreement = True

    def table(self, settings: Settings) -> Table:
        return Table(notation.COLOURS, ((0,), (1,)))

    def start(self, settings: Settings, seed: bytes) -> AlquerquePosition:
        return _first(settings)

    def read(self, text: str, settings: Settings) -> AlquerquePosition:
        return _read(text, settings)

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return drawing.svg(view, last_move)

    def codec(self, settings: Settings) -> AlquerqueCodec:
        return _codec(settings)
