"""The drawing of a view: every stone on its point, the last stone, what the ko rule forbids, and the side to move."""

from functools import partial

import pytest

from engines.api import SPECTATOR, Position
from engines.drawing import MARK
from engines.go import GAME
from engines.go.drawing import PAINTS
from engines.testing.svg_checks import NAMESPACE
from tests.engines.drawn_shapes import draw, shapes_in

drawn = partial(draw, "go")


def at(text: str) -> Position:
    return GAME.read(text, GAME.settings({"size": text.count("/") + 1}))


def centres(position: Position, colour: str) -> list[tuple[str | None, str | None]]:
    shapes = shapes_in(drawn(position), PAINTS[colour][0], "circle")
    return [(shape.get("cx"), shape.get("cy")) for shape in shapes]


def test_every_stone_is_on_its_point_and_row_one_is_at_the_bottom() -> None:
    position = at("4w/5/5/1b3/b4 b 0 3")
    assert centres(position, "black") == [("0", "80"), ("20", "60")]
    assert centres(position, "white") == [("80", "0")]


@pytest.mark.parametrize(("move", "marked"), [("B2", [("20", "60")]), (None, [])])
def test_the_last_stone_has_a_ring(move: str | None, marked: list[tuple[str, str]]) -> None:
    circles = drawn(at("5/5/5/1b3/5 w 0 1"), move).iter(f"{NAMESPACE}circle")
    rings = [ring for ring in circles if ring.get("stroke") == MARK]
    assert [(ring.get("cx"), ring.get("cy")) for ring in rings] == marked


def test_a_point_that_the_ko_rule_forbids_has_a_square() -> None:
    squares = drawn(at("5/1bw2/b1bw1/1bw2/5 w 0 9 ko=B3")).iter(f"{NAMESPACE}rect")
    assert [(shape.get("x"), shape.get("y")) for shape in squares if shape.get("width") == "8"] == [("16", "36")]


def test_the_triangle_has_the_colour_of_the_side_to_move() -> None:
    for side, y in (("b", "70"), ("w", "10")):
        (triangle,) = drawn(at(f"5/5/5/5/5 {side} 0 0")).iter(f"{NAMESPACE}polygon")
        assert triangle.get("points", "").startswith(f"94,{y} ")


def test_the_largest_full_board_is_drawn_within_the_limit() -> None:
    rows = "/".join(["b" * 25] * 12 + ["25"] + ["w" * 25] * 12)
    position = at(f"{rows} b 0 0")
    assert len(GAME.svg(position.settings, position.view(SPECTATOR), "A1")) < 40_000
