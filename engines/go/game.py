"""Go: rules, options and first position.

The rules are the logical rules of John Tromp and Bill Taylor, with options for what other rule sets do in another way.
"""

from functools import lru_cache

from engines.api import Game, Json, Notation, Table
from engines.game_errors import BadOption
from engines.go import drawing, notation
from engines.go.codec import GoCodec
from engines.go.options import OPTIONS
from engines.go.points import handicap_stones, max_handicap
from engines.go.position import GoPosition, GoRules
from engines.go.position_parser import first_position, read_position
from engines.go.schema import VIEW_SCHEMA
from engines.go.stones import Stones
from engines.options import Settings

RULES = """\
A square board of points, by default nineteen by nineteen, joined by lines. Black begins, or White if Black has a
handicap.

GO-1  Place a stone of your colour on an empty point, or pass.
GO-2  Then groups of the opponent without a liberty are removed. A group is stones of one colour that are joined by
      lines; its liberties are the empty points next to it.
GO-3  A stone may not be placed so that its own group has no liberty after that. With suicide=allowed it may, and its
      group is removed.
GO-4  A stone may not be placed so that the board is the same as at any time before (positional superko). With
      ko=situational, only if the same side was to move then; with ko=simple, only if it was the board before the
      opponent's last stone.
GO-5  The game ends after two passes in a row, or after a number of plies.
GO-6  All stones that are then on the board are alive. A side has one point for each stone, and for each empty point
      from which lines over empty points lead only to its stones. White also has the komi. More points win.

Source: John Tromp and Bill Taylor, The Logical Rules of Go; they allow suicide, which is the option suicide=allowed.
"""


@lru_cache(maxsize=256)
def _rules(settings: Settings) -> GoRules:
    return GoRules(settings)


@lru_cache(maxsize=256)
def _first(settings: Settings) -> GoPosition:
    rules, many = _rules(settings), settings.count("handicap")
    black = handicap_stones(rules.points.size, many)
    if many:
        return first_position(Stones(rules.points, rules.suicide, 1, 0, black, 0), 0, rules)
    return first_position(Stones(rules.points, rules.suicide, 0, 0, 0, 0), 0, rules)


@lru_cache(maxsize=64)
def _codec(settings: Settings) -> GoCodec:
    return GoCodec(settings)


class Go(Game):
    name = "go"
    version = 1
    title = "Go"
    rules = RULES
    options = OPTIONS
    notation = Notation(notation.MOVE_GRAMMAR, notation.POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA

    def table(self, settings: Settings) -> Table:
        size, many = settings.count("size"), settings.count("handicap")
        most = max_handicap(size)
        if many == 1 or many > most:
            known = f"0 or from 2 to {most} on a board of size {size}" if most else f"0 on a board of size {size}"
            raise BadOption("handicap", many, known)
        return Table(notation.COLOURS, ((0,), (1,)))

    def start(self, settings: Settings, seed: bytes) -> GoPosition:
        return _first(settings)

    def read(self, text: str, settings: Settings) -> GoPosition:
        return read_position(text, _rules(settings))

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return drawing.svg(view, last_move)

    def codec(self, settings: Settings) -> GoCodec:
        return _codec(settings)
