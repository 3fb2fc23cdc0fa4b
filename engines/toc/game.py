"""Toc: rules, options and first position.

RULES is prose for players, after the French rule sheet of this game ("Jeu de Toc", Québec). It has the rule numbers
that errors refer to.
"""

from functools import lru_cache

from engines.api import Game, Json, Notation, Table
from engines.chance import Chance
from engines.options import Settings
from engines.toc import drawing, notation, position_writer
from engines.toc.codec import TocCodec
from engines.toc.imagine import imagine
from engines.toc.options import OPTIONS
from engines.toc.position import TocPosition, compiled
from engines.toc.position_parser import read_position
from engines.toc.round import FIRST_DEALER, shuffled
from engines.toc.schema import VIEW_SCHEMA
from engines.toc.track import Track

SEAT_NAMES = ("red", "blue", "green", "yellow")

RULES = """\
A race of four colours round a ring of 72 cells, moved by cards. Opposite seats are partners: 0 and 2, 1 and 3.
Seat k starts on cell 18k; its four pawns begin in reserve, and their goal is its corridor, H1 to H4.

TC-1   A deck of 52 is dealt out in three deals, of 5, 4 and 4 cards for each seat; then the next dealer shuffles.
       Seat 3 deals first; the seat after the dealer leads.
TC-2   After every deal partners give each other one card, all at the same time and unseen.
TC-3   Seats take turns to play a card and move a pawn by it. A seat that can use a card must; otherwise it
       discards one.
TC-4   A: start, or 1, or 11. K: start, or 13. Q: 12. J: 10, or swap. 7: divisible, and kills. 4: four back.
       Other cards: their number.
TC-5   A start puts a pawn of the reserve on its start cell, where it is fresh until it leaves the cell. An enemy
       there is killed; a pawn of one's own team there makes the start impossible.
TC-6   Pawns go clockwise and may pass others.
TC-7   No pawn may land on a fresh pawn.
TC-8   Landing on an enemy pawn kills it: it goes back to its reserve. Landing on a pawn of one's own team is
       illegal.
TC-9   A 4 moves four cells back on the ring, but never into, within or out of a corridor.
TC-10  A pawn that is not fresh enters its corridor by a count that ends there exactly, passing or leaving its branch
       cell, or continues round the ring. In the corridor no pawn is passed, killed or swapped.
TC-11  In the corridor a pawn may move deeper by exact counts.
TC-12  A seven is seven steps by one pawn, or divided among several in any order; all must be made. Every enemy that
       is passed or landed on is killed.
TC-13  No part of a divided seven enters the corridor.
TC-14  A jack may swap one's own pawn on the ring with a pawn of another colour that is not on a start cell. Neither
       is fresh afterwards.
TC-15  A player with all four pawns in the corridor plays the partner's pawns.
TC-16  A team whose eight pawns are home has won. After 20000 turns the game is drawn.

Options change every rule that could reasonably be different.
"""


@lru_cache(maxsize=256)
def _codec(settings: Settings) -> TocCodec:
    return TocCodec(settings)


class Toc(Game):
    name = "toc"
    version = 1
    title = "Toc"
    rules = RULES
    options = OPTIONS
    notation = Notation(notation.MOVE_GRAMMAR, position_writer.POSITION_GRAMMAR)
    view_schema = VIEW_SCHEMA

    def table(self, settings: Settings) -> Table:
        return Table(SEAT_NAMES, ((0, 2), (1, 3)))

    def start(self, settings: Settings, seed: bytes) -> TocPosition:
        return TocPosition(shuffled(Track(compiled(settings)), 0, FIRST_DEALER, Chance(seed)))

    def read(self, text: str, settings: Settings) -> TocPosition:
        return TocPosition(read_position(text, compiled(settings)))

    def imagine(self, text: str, settings: Settings, seed: bytes) -> TocPosition:
        return imagine(text, settings, seed)

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return drawing.svg(settings, view, last_move)

    def codec(self, settings: Settings) -> TocCodec:
        return _codec(settings)
