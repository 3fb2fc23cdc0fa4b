"""Parses the text of a position and reports what is wrong with it."""

import re

from engines.alquerque.geometry import BITS, BOARD, NUMBERS, PLACES
from engines.alquerque.men import EMPTY_MEMORY, NO_MEMORY, Memory, Men, Rules
from engines.alquerque.notation import START, position_text
from engines.game_errors import MalformedPosition

MEN_A_SIDE = 12
GRAMMAR = re.compile(
    r"(?P<ranks>[wb1-5/]+) (?P<side>[wb])(?: (?P<quiet>0|[1-9][0-9]{0,8}))?"
    r"(?P<again> again)?(?: huff=(?P<huff>[a-e1-5,]+))?(?: left=(?P<left>[a-e1-5,:+]+))?",
    re.ASCII,
)


def read_position(text: str, rules: Rules) -> tuple[Men, int]:
    """Return the men, and the plies since a man was last removed. Raises MalformedPosition.

    The plies may be omitted if they are at the end; they are then 0.
    """
    found = GRAMMAR.fullmatch(text)
    if not found:
        raise MalformedPosition(
            text, f"it must consist of ranks, side to move and plies without a capture, as in {START!r}"
        )
    try:
        white, black = _ranks(found["ranks"])
        mover = "wb".index(found["side"])
        own, enemy = (white, black) if mover == 0 else (black, white)
        men = Men(
            rules,
            mover,
            own,
            enemy,
            found["again"] is not None,
            _huffable(found["huff"], enemy, rules),
            _memory(found["left"], own | enemy, rules),
        )
        if men.again and not (rules.multi and men.captures()):
            raise _InvalidText("'again' needs the option multi_pawn and a possible capture")
        if men.again and men.huffable:
            raise _InvalidText(
                "'again' and huff= exclude each other, because a side that has just captured may not huff"
            )
    except _InvalidText as error:
        raise MalformedPosition(text, str(error)) from None
    quiet = int(found["quiet"] or 0)
    written = position_text(men, quiet)
    if written != (text if found["quiet"] else f"{text} 0"):
        raise MalformedPosition(text, f"its canonical form is {written!r}")
    return men, quiet


class _InvalidText(ValueError):
    pass


def _ranks(ranks: str) -> tuple[int, int]:
    """Return the sets of white and of black men."""
    rows = [re.sub("[1-5]", lambda digit: "." * int(digit[0]), row) for row in ranks.split("/")]
    if [len(row) for row in rows] != [5] * 5:
        raise _InvalidText("there must be five ranks of five points each, rank 5 first, separated by /")
    white = black = 0
    for (file, rank), bit in zip(PLACES, BITS[1:], strict=True):
        sign = rows[4 - rank][file]
        white |= bit if sign == "w" else 0
        black |= bit if sign == "b" else 0
    if max(white.bit_count(), black.bit_count()) > MEN_A_SIDE:
        raise _InvalidText("a side has at most twelve men")
    if not white | black:
        raise _InvalidText("there must be at least one man")
    return white, black


def _huffable(listed: str | None, enemy: int, rules: Rules) -> int:
    if listed is None:
        return 0
    if not rules.huff:
        raise _InvalidText("huff= needs the option huff")
    return _points(listed.split(","), enemy, "is not a man of the side that has just moved")


def _memory(listed: str | None, men: int, rules: Rules) -> Memory:
    if not rules.remembers:
        if listed is not None:
            raise _InvalidText("left= needs the option no_return")
        return NO_MEMORY
    barred = list(EMPTY_MEMORY)
    for entry in listed.split(",") if listed else ():
        name, _, points = entry.partition(":")
        man = _points([name], men, "is not a man on the board")
        barred[BITS.index(man)] = _points(points.split("+"), BOARD & ~man, "is not another point of the board")
        if not rules.ever and "+" in points:
            raise _InvalidText("left= takes one point per man unless no_return is ever")
    return tuple(barred)


def _points(listed: list[str], among: int, otherwise: str) -> int:
    points = 0
    for name in listed:
        bit = BITS[NUMBERS.get(name, 0)]
        if not bit & among:
            raise _InvalidText(f"{name!r} {otherwise}")
        points |= bit
    return points
