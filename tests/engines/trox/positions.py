"""Shorthand for positions in tests."""

from collections.abc import Mapping
from typing import Any

from engines.trox import GAME
from engines.trox.position import TroxPosition
from tests.engines.second.trox_reference import SEATS, name, named, outer_cells

FIRST = "BRN@0.0u/0.-1d"
SECOND = "BRN@0.1u/0.0d"
TWO_PIECES = f"{FIRST} {SECOND}"
"""The ground of "Must hold": the red centre 0.1u has the corners 0.0d, 0.1d and -1.1d."""


def start(**options: Any) -> TroxPosition:
    return GAME.start(GAME.settings(options), b"")


def at(text: str, **options: Any) -> TroxPosition:
    return GAME.read(text, GAME.settings(options))


def colours(pieces: str) -> dict[str, str]:
    """Return the colour of each cell of the ground."""
    found: dict[str, str] = {}
    for piece in pieces.split():
        kind, _, spot = piece.partition("@")
        middle, excluded = map(named, spot.split("/"))
        a, b = outer_cells(middle, excluded)
        found.update(zip(map(name, (a, middle, b)), kind, strict=True))
    return found


def text_of(pieces: str, pawns: Mapping[str, str], plies: int | None = None, passes: int = 0) -> str:
    """Return a text, with the hands computed. `pawns` names cells for round, square, round_neutral, square_neutral."""
    colour = colours(pieces)
    cells = {whose: names.split() for whose, names in pawns.items()}
    hands = []
    for seat in SEATS:
        placed = [colour[cell] for cell in cells.get(seat, []) + cells.get(f"{seat}_neutral", [])]
        hands.append("".join(letter * (2 - placed.count(letter)) for letter in "NBR") or "-")
    neutral = cells.get("round_neutral", []) + cells.get("square_neutral", [])
    lists = [pieces.split(), cells.get("round", []), cells.get("square", []), neutral]
    plies = sum(map(len, lists[1:])) if plies is None else plies
    parts = [",".join(sorted(texts)) or "-" for texts in lists]
    return " ".join([*parts, "/".join(hands), SEATS[plies % 2], str(plies), str(passes)])


def played(position: TroxPosition, *moves: str) -> TroxPosition:
    for move in moves:
        position = position.play(position.owing[0], move)
    return position


def moves(position: TroxPosition) -> list[str]:
    return [move for seat in position.owing for move in position.moves(seat)]


def pawns(position: TroxPosition) -> dict[str, str]:
    """Return the owner of the pawn on each cell."""
    view = position.view(0)
    assert isinstance(view, dict)
    return dict(view["pawns"])


def won_by(position: TroxPosition) -> str | None:
    """Return the seat that has won by a triangle, if one has."""
    outcome = position.outcome
    if outcome is None or outcome.reason != "triangle":
        return None
    return SEATS[outcome.scores.index(1.0)]


STRIP = [
    FIRST,
    "NRB@1.0d/1.1u",
    "NBR@3.0u/3.-1d",
    "RBN@4.0d/4.1u",
    "BNR@6.0u/6.-1d",
    "RNB@7.0d/7.1u",
]
"""Pieces side by side in one row. No cell of a strip has three neighbours, so no capture or triangle is possible."""


def all_down(pieces: int = 6, neutral: str = "", plies: int = 14, passes: int = 0) -> str:
    """Return a text with all pawns on a strip, the pawns of `neutral` (a seat) turned over."""
    colour = colours(" ".join(STRIP[:pieces]))
    pawns: dict[str, str] = {}
    for letter in "NBR":
        cells = [cell for cell in colour if colour[cell] == letter][:4]
        for place, cell in enumerate(cells):
            whose = SEATS[place % 2]
            whose += "_neutral" if whose == neutral else ""
            pawns[whose] = f"{pawns.get(whose, '')} {cell}".strip()
    return text_of(" ".join(STRIP[:pieces]), pawns, plies, passes)
