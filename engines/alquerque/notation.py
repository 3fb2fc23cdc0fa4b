"""Notation of Alquerque: formats moves and positions, and parses moves."""

import re
from functools import lru_cache
from itertools import groupby
from typing import Final

from engines.alquerque.geometry import BITS, FILES, FLIPPED, NAMES, NUMBERS, RANK, ROW_BITS, TAKEN, path_of, points_of
from engines.alquerque.men import Men
from engines.game_errors import MalformedMove

MOVE_GRAMMAR: Final = """\
step     b2-c3        from, to
capture  d4xb2        from, and where the man lands
         e3xc1xc3     a chain: every point landed on, at most twelve
huff     !c3          take off the man on c3; the same side still has its move
Points are a1 to e5: a file letter and a rank number, White at the bottom.
"""

POSITION_GRAMMAR: Final = """\
bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0
Ranks 5 to 1 as in FEN (w, b, a number of empty points); the side to move; the plies since a man was
taken off. Then, in this order, the fields that the options require:
again                  the side to move has just captured and must capture once more
huff=c3,d2             the men that may be huffed
left=c3:b2,d4:c4+c5    points to which the men on c3 and on d4 may not step back
"""

COLOURS: Final = ("white", "black")
LETTERS: Final = "wb"
START: Final = "bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0"
MAX_JUMPS: Final = 12
"""Maximum number of jumps in a chain: each jump captures a man, and a side has twelve."""
MOVE: Final = re.compile(rf"[a-e][1-5]-[a-e][1-5]|[a-e][1-5](?:x[a-e][1-5]){{1,{MAX_JUMPS}}}|![a-e][1-5]", re.ASCII)
RIGHT_MOVE: Final = (
    "write a step as b2-c3, a capture as d4xb2 or e3xc1xc3 with at most twelve jumps, and a huff as !c3; "
    "points are a1 to e5"
)

TEXTS: Final = {
    path: ("x" if TAKEN[path] else "-").join(NAMES[n] for n in points_of(path)) for path in range(1024) if FLIPPED[path]
}
TEXTS.update({NUMBERS[name]: f"!{name}" for name in NUMBERS})
PATHS: Final = {text: path for path, text in TEXTS.items()}


def move_text(path: int) -> str:
    """Return a legal path as text."""
    return TEXTS[path] if path < 1024 else _chain_text(path)


@lru_cache(maxsize=1 << 12)
def _chain_text(path: int) -> str:
    return "x".join([NAMES[number] for number in points_of(path)])


def read_move(text: str) -> int:
    """Parse a move, legal or not, and return its path. Raises MalformedMove."""
    if text in PATHS:
        return PATHS[text]
    if not MOVE.fullmatch(text):
        raise MalformedMove(text, RIGHT_MOVE)
    return path_of(*(BITS[NUMBERS[name]] for name in re.findall("[a-e][1-5]", text)))


def names(points: int) -> list[str]:
    """Return the names of the points in a set, in order."""
    return [NAMES[number] for number, bit in enumerate(BITS) if bit & points]


def position_text(men: Men, quiet: int) -> str:
    """Return the text of a position: everything except its history."""
    fields = [_ranks_text(men), LETTERS[men.mover], str(quiet)]
    if men.again:
        fields.append("again")
    if men.huffable:
        fields.append("huff=" + ",".join(names(men.huffable)))
    left = [f"{NAMES[n]}:{'+'.join(names(points))}" for n, points in enumerate(men.barred) if points]
    if left:
        fields.append("left=" + ",".join(left))
    return " ".join(fields)


def _ranks_text(men: Men) -> str:
    white, black = (men.own, men.enemy) if men.mover == 0 else (men.enemy, men.own)
    shifts = range(4 * ROW_BITS, -1, -ROW_BITS)
    return "/".join([_rank_text(white >> shift & RANK, black >> shift & RANK) for shift in shifts])


@lru_cache(maxsize=3**5)
def _rank_text(white: int, black: int) -> str:
    """Return the text of one rank; `white` and `black` are sets of files."""
    signs = ["w" if white >> file & 1 else "b" if black >> file & 1 else "1" for file in range(len(FILES))]
    runs = [(sign, len(list(same))) for sign, same in groupby(signs)]
    return "".join([str(many) if sign == "1" else sign * many for sign, many in runs])
