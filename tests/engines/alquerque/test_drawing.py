"""The drawing of a view: the lines of the board, every man, and the last move."""

import random
from functools import partial
from itertools import islice
from typing import Any

from engines.alquerque import GAME
from engines.alquerque.drawing import LINES, PAINTS
from engines.alquerque.geometry import NAMES
from engines.api import SPECTATOR, Position
from engines.drawing import INK
from engines.options import Value
from engines.testing.random_games import game_path, settings_of
from engines.testing.svg_checks import NAMESPACE, places_of
from tests.engines.drawn_shapes import draw, shapes_in
from tests.engines.second.alquerque_reference import POINTS, beyond, directions, name

drawn = partial(draw, "alquerque")


def start(**options: Value) -> Position:
    return GAME.start(GAME.settings(options), b"")


def test_the_lines_are_those_of_the_rules() -> None:
    steps = [(at, beyond(at, way, 1)) for at in POINTS for way in directions(at)]
    on_board = {frozenset(map(name, step)) for step in steps if step[1] in POINTS}
    assert {frozenset(NAMES[number] for number in line) for line in LINES} == on_board
    board = next(inner.get("d", "") for inner in drawn(start()).iter(f"{NAMESPACE}path"))
    assert board.count("M") == len(on_board) == 56


def test_every_man_and_every_empty_point_is_drawn() -> None:
    rng = random.Random("alquerque")
    for settings in settings_of(GAME, 2, rng):
        for position in islice(game_path(GAME, settings, rng), 0, 60, 7):
            view: Any = position.view(SPECTATOR)
            owners = list(view["points"].values())
            root = drawn(position)
            men = {colour: len(shapes_in(root, fill)) for colour, (fill, _) in PAINTS.items()}
            assert men == {colour: owners.count(colour) for colour in PAINTS}
            assert sum(circle.get("r") == "1.8" for circle in root.iter(f"{NAMESPACE}circle")) == owners.count(None)
            assert f"{men['white']} white and {men['black']} black men" in root.get("aria-label", "")


def test_a_triangle_names_the_side_to_move() -> None:
    for position, colour in ((start(), "white"), (start().play(0, "b2-c3"), "black")):
        (triangle,) = drawn(position).findall(f"{NAMESPACE}polygon")
        assert triangle.get("fill") == PAINTS[colour][0]
        assert (places_of(triangle)[0][1] > 40) == (colour == "white")


def test_men_that_may_be_huffed_are_marked() -> None:
    text = "bbbbb/bbbbb/bbw1w/1wwww/wwwww b 0 huff=c3,d2"
    position = GAME.read(text, GAME.settings({"huff": True}))
    dashed = [inner for inner in drawn(position).iter(f"{NAMESPACE}g") if inner.get("stroke-dasharray")]
    assert [(inner.get("stroke"), len(inner)) for inner in dashed] == [(INK, 2)]
