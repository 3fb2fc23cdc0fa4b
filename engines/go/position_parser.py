"""Parses the text of a position and reports what is wrong with it."""

import re
from typing import Final

from engines.game_errors import MalformedPosition
from engines.go.notation import SIDES, position_text
from engines.go.points import Points
from engines.go.position import GoPosition, GoRules
from engines.go.stones import Stones

GRAMMAR: Final = re.compile(
    r"(?P<rows>[bw0-9/]{3,674}) (?P<side>[bw]) (?P<passes>[012]) (?P<plies>0|[1-9][0-9]{0,4})"
    r"(?: ko=(?P<ko>[A-Z0-9,]{2,2500}))?",
    re.ASCII,
)
EXAMPLE: Final = "9/9/2b3w2/9/9/9/2w3b2/9/9 b 0 4"


class _InvalidText(ValueError):
    pass


def read_position(text: str, rules: GoRules) -> GoPosition:
    """Return the position that a text describes. Raises MalformedPosition.

    Of the boards that have occurred, it knows this one and those that the points after `ko=` would repeat.
    """
    found = GRAMMAR.fullmatch(text)
    if not found:
        wrong = f"it must consist of rows, side to move, passes and plies, as in {EXAMPLE!r}"
        raise MalformedPosition(text, wrong)
    try:
        black, white = _rows(found["rows"], rules.points)
        mover = SIDES.index(found["side"])
        own, enemy = (black, white) if mover == 0 else (white, black)
        stones = Stones(rules.points, rules.suicide, mover, own, enemy, int(found["passes"]))
        if not stones.all_have_liberties():
            raise _InvalidText("a group of stones has no liberty")
        position = _with_history(stones, int(found["plies"]), found["ko"], rules)
    except _InvalidText as error:
        raise MalformedPosition(text, str(error)) from None
    written = position_text(stones, position.plies, position.barred)
    if written != text:
        raise MalformedPosition(text, f"its canonical form is {written!r}")
    return position


def first_position(stones: Stones, plies: int, rules: GoRules) -> GoPosition:
    """Return a position of which no earlier one is known."""
    seen = frozenset([rules.key(stones)] if rules.ko != "simple" else [])
    return GoPosition(rules, stones, plies, seen, rules.suicide)


def _with_history(stones: Stones, plies: int, ko: str | None, rules: GoRules) -> GoPosition:
    position = first_position(stones, plies, rules)
    if ko is None:
        return position
    legal = stones.legal_points()
    listed = [rules.points.by_name.get(name, 0) & legal for name in ko.split(",")]
    if not all(listed):
        raise _InvalidText("a point after ko= is not one on which a stone could be placed")
    repeated = frozenset([rules.key(stones.play(bit)) for bit in listed])
    if rules.ko == "simple" and len(repeated) > 1:
        raise _InvalidText("the points after ko= would repeat different boards, and ko=simple forbids only one")
    own_key = frozenset([rules.key(stones)] if rules.ko != "simple" else [])
    return GoPosition(rules, stones, plies, own_key | repeated, True)


def _rows(text: str, points: Points) -> tuple[int, int]:
    """Return the black and the white stones."""
    rows = [re.sub("[0-9]+", lambda run: "." * min(int(run[0][:3]), 99), row) for row in text.split("/")]
    if [len(row) for row in rows] != [points.size] * points.size:
        raise _InvalidText(f"there must be {points.size} rows of {points.size} points, separated by /")
    signs = "".join(reversed(rows))
    black = sum([bit for bit, sign in zip(points.bits, signs, strict=True) if sign == "b"])
    return black, sum([bit for bit, sign in zip(points.bits, signs, strict=True) if sign == "w"])
