"""Troke: rules, options and first position.

RULES is prose for players, after the French rule sheet of Troque (1956) and an English rules page. It has the rule
numbers that errors refer to.
"""

from functools import lru_cache

from engines.api import Game, Json, Notation, Table
from engines.game_errors import BadOption
from engines.options import Settings
from engines.troke import drawing, notation
from engines.troke.boards import COLOURS
from engines.troke.codec import TrokeCodec
from engines.troke.options import OPTIONS
from engines.troke.own_board import board_of
from engines.troke.placing import placed
from engines.troke.position import ALONE, TEAMS, GameConstants, TrokePosition
from engines.troke.position_parser import read_position
from engines.troke.rules import colours_of
from engines.troke.schema import VIEW_SCHEMA

RULES = """\
Two to four players bring twelve pieces each, four towers, four walls and four moats, across the board to
the row opposite, and build castles of all three shapes there. Chips are won by capturing on the way.

TK-1  Red begins; then, clockwise, those of Blue, White and Yellow that play.
TK-2  Each player starts with four castles on the start row, and twelve chips.
TK-3  Move one own piece, alone, along a line to the next circle: forward, obliquely forward or sideways.
TK-4  A circle with a piece of the same shape, whoever owns it, cannot be entered.
TK-5  On an empty circle the turn ends.
TK-6  Landing on one or two other shapes captures them, one's own pieces too: one more step for each.
TK-7  These steps are made by all of them together, in the mover's directions; they may capture more.
TK-8  All these steps must be made, or the capture is illegal. Capturing is never compulsory.
TK-9  After the turn every piece obeys its owner again.
TK-10 No piece may enter the start rows of the two neighbouring colours.
TK-11 On the goal row a piece may stop, or use the remaining steps along the row.
TK-12 A piece on its goal row never moves again and cannot be captured.
TK-13 A piece may join such a piece on its owner's start row; that gives no step and no chip.
TK-14 Enemy pieces that still stand on one's goal row are captured there, even if the turn ends.
TK-15 Captured pieces may be carried back to where they started.
TK-16 A player whose start row is full must first move a piece out of it, if possible.
TK-17 A piece that has just stepped sideways may not step back while there is another move.
TK-18 A player who cannot move passes; others may not. When no player can move, the game ends.
TK-19 Each captured enemy piece brings one chip from its owner.
TK-20 The first, second, third and fourth castle bring 1, 2, 3 and 4 chips from each other player.
TK-21 The fourth castle ends the game: 2 more chips for each enemy piece on its way, 1 for each that has
      arrived but stands in no castle.
TK-22 The most chips win; debts are possible, and the chips of a team are added up.
TK-23 The third occurrence of a position, or the two thousandth ply, ends the game; the chips decide.
TK-24 In a race there are no chips: the first with four castles wins.

Sources: the sheet "Troque" in French (1956), and an English rules page of Troke; where they differ, the
French one applies, and the other is the preset troke_english. The board is a reconstruction.
"""


@lru_cache(maxsize=256)
def _constants(settings: Settings) -> GameConstants:
    return GameConstants(settings)


@lru_cache(maxsize=256)
def _codec(settings: Settings) -> TrokeCodec:
    return TrokeCodec(settings)


class Troke(Game):
    name = "troke"
    version = 1
    title = "Troke"
    rules = RULES
    options = OPTIONS
    notation = Notation(notation.MOVE_GRAMMAR, notation.POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA

    def table(self, settings: Settings) -> Table:
        board_of(settings)
        seats = tuple(COLOURS[colour] for colour in colours_of(settings))
        if not settings.flag("teams"):
            return Table(seats, ALONE[len(seats)])
        if len(seats) < 4:
            raise BadOption("teams", "true", "false unless seats is 4")
        return Table(seats, TEAMS)

    def start(self, settings: Settings, seed: bytes) -> TrokePosition:
        constants = _constants(settings)
        rules = constants.rules
        sets = tuple(ways.start for ways in rules.ways for _ in range(3))
        nothing = (0,) * rules.seats
        return TrokePosition(constants, placed(rules, 0, sets, (rules.start_chips,) * rules.seats, nothing), 0)

    def read(self, text: str, settings: Settings) -> TrokePosition:
        constants = _constants(settings)
        pieces, plies = read_position(text, constants.rules, constants.spelling)
        return TrokePosition(constants, pieces, plies)

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return drawing.svg(settings, view, last_move)

    def codec(self, settings: Settings) -> TrokeCodec:
        return _codec(settings)
