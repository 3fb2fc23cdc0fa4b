"""Formats and parses moves."""

import re
from functools import lru_cache
from typing import Final

from engines.game_errors import MalformedMove
from engines.toc import cards
from engines.toc.moves import CARD_BITS, CARD_MASK, GIFT, KILLS_SHIFT, PLACE_BITS, SWAP, divided_way, parts_of
from engines.toc.places import BITS, NAMES, NUMBERS, places_in

MOVE_GRAMMAR: Final = """\
=5H             give the 5 of hearts to the partner
KD:R>18         start: a pawn of the reserve goes to start cell 18
9C:68>5         a pawn goes forward along the ring
6C:68>H2        a pawn goes into the corridor
4H:0>68         four back
7D:30>33,50>54  a seven divided, its parts in the order in which they are walked
7D:30>37x33x35  with seven_kills=optional: the pawns on 33 and 35 are killed in passing, in order of their numbers
JH:5<>40        the pawns on 5 and 40 change places; the own pawn comes first
-3C             discard
Cards are a rank (A23456789TJQK) and a suit (SHDC). A pawn is named by where it stands: a ring cell 0 to 71,
H1 to H4 in its own corridor, R in the reserve. Of two orders of a divided seven that lead to the same
position only the one with the smaller text is a move.
"""

SEALED: Final = "=?"
"""A gift as everyone except its giver sees it."""

_CARD: Final = "[A23456789TJQK][SHDC]"
_CELL: Final = "(?:[0-9]|[1-6][0-9]|7[01])"
_PART: Final = f"(?:{_CELL}|H[1-4]|R)>(?:{_CELL}|H[1-4])"
_SWAP: Final = f"(?:{_CELL}|H[1-4])<>(?:{_CELL}|H[1-4])"
_MOVE: Final = re.compile(
    f"=(?P<gift>{_CARD})|-(?P<discard>{_CARD})"
    f"|(?P<card>{_CARD}):(?:(?P<parts>{_PART}(?:,{_PART}){{0,3}})(?P<kills>(?:x{_CELL}){{0,6}})|(?P<swap>{_SWAP}))",
    re.ASCII,
)
RIGHT_MOVE: Final = (
    "write a card that is played as KD:R>18, 9C:68>5, 6C:68>H2, 7D:30>33,50>54 or JH:5<>40, a discard as -3C, "
    "and a gift as =5H; ring cells are 0 to 71, and a pawn must end on another place than it started from"
)


@lru_cache(maxsize=65_536)
def move_text(move: int) -> str:
    """Return a move as text."""
    card = cards.NAMES[move & CARD_MASK]
    if move & GIFT:
        return f"={card}"
    if move == move & CARD_MASK:
        return f"-{card}"
    between = "<>" if move & SWAP else ">"
    kills = "".join([f"x{NAMES[cell]}" for cell in places_in(move >> KILLS_SHIFT)])
    return f"{card}:" + ",".join([f"{NAMES[start]}{between}{NAMES[to]}" for start, to in parts_of(move)]) + kills


def read_move(text: str) -> int:
    """Parse a move, legal or not. Raises MalformedMove."""
    found = _MOVE.fullmatch(text)
    if not found:
        raise MalformedMove(text, RIGHT_MOVE)
    if found["gift"]:
        return GIFT | cards.NUMBERS[found["gift"]]
    if found["discard"]:
        return cards.NUMBERS[found["discard"]]
    card = cards.NUMBERS[found["card"]]
    if found["swap"]:
        return SWAP | _part(text, *found["swap"].split("<>")) << CARD_BITS | card
    parts = divided_way([_part(text, *part.split(">")) for part in found["parts"].split(",")])
    return _kills(text, found["kills"]) << KILLS_SHIFT | parts | card


def _kills(text: str, written: str) -> int:
    """Return the set of cells whose pawns are killed in passing."""
    cells = [NUMBERS[name] for name in written.split("x")[1:]]
    if cells != sorted(set(cells)):
        raise MalformedMove(text, f"{RIGHT_MOVE}; list each pawn killed in passing once, in order of the cells")
    return sum([BITS[cell] for cell in cells])


def _part(text: str, start: str, to: str) -> int:
    if start == to:
        raise MalformedMove(text, RIGHT_MOVE)
    return NUMBERS[start] << PLACE_BITS | NUMBERS[to]
