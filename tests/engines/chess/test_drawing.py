"""The drawing of a view: every piece on its square, and the squares of the last move."""

import re
from collections import Counter
from functools import partial

from engines.api import Position
from engines.chess import GAME
from engines.chess.drawing import PAINTS, SHAPES
from engines.drawing import MARK
from engines.testing.svg_checks import NAMESPACE
from tests.engines.drawn_shapes import draw, shapes_in

drawn = partial(draw, "chess")


def start() -> Position:
    return GAME.start(GAME.settings(), b"")


def frames(position: Position, last_move: str | None) -> list[tuple[str | None, str | None]]:
    """Return the corners of the squares that mark the last move."""
    groups = [inner for inner in drawn(position, last_move).iter(f"{NAMESPACE}g") if inner.get("stroke") == MARK]
    return [(inner.get("x"), inner.get("y")) for inner in groups for inner in inner]


def test_every_piece_of_the_first_position_is_on_its_square() -> None:
    kinds = {shape: kind for kind, shape in SHAPES.items()}
    for colour, rows in (("white", (120, 140)), ("black", (0, 20))):
        paths = shapes_in(drawn(start()), PAINTS[colour][0], "path")
        counts = Counter(kinds[path.get("d", "")] for path in paths)
        assert counts == {"pawn": 8, "rook": 2, "knight": 2, "bishop": 2, "queen": 1, "king": 1}
        places = {path.get("transform", ""): kinds[path.get("d", "")] for path in paths}
        assert {int(re.findall(r"\d+", place)[1]) for place in places} == set(rows)
        assert places[f"translate(80,{0 if colour == 'black' else 140})"] == "king"


def test_the_last_move_frames_its_two_squares() -> None:
    after = start().play(0, "e2e4")
    assert frames(after, "e2e4") == [("81", "121"), ("81", "81")]


def test_the_triangle_is_on_the_side_of_the_side_to_move() -> None:
    for position, y in ((start(), "150"), (start().play(0, "e2e4"), "10")):
        (triangle,) = drawn(position).iter(f"{NAMESPACE}polygon")
        assert triangle.get("points", "").startswith(f"163,{y} ")
