"""The drawing of a view: circles, lines and pieces, chips and castles, and the last move."""

import json
import random
from collections import Counter
from functools import partial
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import pytest

from engines.api import SPECTATOR, Position
from engines.drawing import INK
from engines.testing.random_games import game_path, settings_of
from engines.testing.svg_checks import NAMESPACE, places_of
from engines.troke import GAME
from engines.troke.boards import BOARDS
from engines.troke.drawing import FILLS
from tests.engines.drawn_shapes import draw, marks_in, shapes_in, texts_of
from tests.engines.troke.positions import played, read, start
from tests.engines.troke.test_boards import bent, largest

drawn = partial(draw, "troke")


def marks(position: Position, last_move: str | None) -> list[str]:
    return marks_in(drawn(position, last_move))


def groups_with(root: ElementTree.Element, name: str, value: str) -> list[ElementTree.Element]:
    return [inner for inner in root.iter(f"{NAMESPACE}g") if inner.get(name) == value]


def pieces_drawn(root: ElementTree.Element) -> Counter[tuple[str, str]]:
    """Return the number of pieces by shape and colour."""
    found: Counter[tuple[str, str]] = Counter()
    for colour, fill in FILLS.items():
        found["tower", colour] = len(shapes_in(root, fill, "polygon"))
        for inner in groups_with(root, "stroke", fill):
            found["wall", colour] += len(inner.findall(f"{NAMESPACE}rect"))
            found["moat", colour] += len(inner.findall(f"{NAMESPACE}circle"))
    return found


def test_every_piece_and_every_circle_is_drawn() -> None:
    rng = random.Random("troke")
    for settings in settings_of(GAME, 2, rng):
        for position in islice(game_path(GAME, settings, rng), 0, 60, 14):
            view: Any = position.view(SPECTATOR)
            stacks = view["circles"].values()
            root = drawn(position)
            owners = Counter((shape, owner) for stack in stacks for shape, owner in stack.items() if owner)
            assert +pieces_drawn(root) == owners
            circles = [circle for circle in root.iter(f"{NAMESPACE}circle") if circle.get("r") == "8.4"]
            assert len(circles) == len(stacks)


@pytest.mark.parametrize("board", BOARDS)
def test_all_lines_of_a_board_are_drawn(board: str) -> None:
    lines = next(drawn(start(board=board)).iter(f"{NAMESPACE}path")).get("d", "")
    assert lines.count("M") == len(BOARDS[board].lines)


def test_a_board_has_the_letters_and_numbers_of_its_circles() -> None:
    assert sorted(texts_of(drawn(start()))[:18]) == [*"123456789", *"abcdefghi"]


def test_own_boards_are_scaled_by_their_closest_circles() -> None:
    for board in (bent(), largest()):
        root = drawn(start(own_board=json.dumps(board), seats=4))
        places = [places_of(circle)[0] for circle in root.iter(f"{NAMESPACE}circle") if circle.get("r") == "8.4"]
        closest = min(
            (x - other_x) ** 2 + (y - other_y) ** 2
            for number, (x, y) in enumerate(places)
            for other_x, other_y in places[:number]
        )
        assert 25.9 < closest**0.5 < 26.1


def test_the_strip_names_the_colours_that_play_with_chips_and_castles() -> None:
    at = read("b1:TrWrMr,d9:TwWwMw b 9/-3/30 0/0/0 5", seats=3)
    root = drawn(at)
    assert texts_of(root)[-9:] == ["R", "9", "0", "B", "-3", "0", "W", "30", "0"]
    assert (
        root.get("aria-label")
        == "Troke: blue to move after 5 plies; red 9 chips 0 castles, blue -3 chips 0 castles, white 30 chips 0 castles"
    )


def test_there_are_no_chips_in_a_race() -> None:
    root = drawn(start(scoring="race"))
    assert texts_of(root)[-4:] == ["R", "0", "W", "0"]
    assert "chips" not in root.get("aria-label", "")


def test_an_arrow_is_beside_the_colour_to_move() -> None:
    for move, side in ((None, 0), ("Tb1-c2", 1)):
        root = drawn(played(start(), move or ""))
        letters = [text for text in root.iter(f"{NAMESPACE}text") if text.text in ("R", "W")]
        arrows = [
            inner
            for inner in root.iter(f"{NAMESPACE}polygon")
            if not set(inner.attrib) - {"points"} and len(places_of(inner)) == 3
        ]
        assert len(arrows) == 1
        ahead = [float(letter.get("x", "")) - places_of(arrows[0])[0][0] for letter in letters]
        assert min(distance for distance in ahead if distance > 0) == ahead[side]


def test_a_move_is_marked_by_its_way_both_ends_and_its_captures() -> None:
    assert marks(start(), "Tb1-c2") == ["polyline", "circle", "circle"]
    assert marks(start(), "Tb1-c2!") == ["polyline", "circle", "circle"]
    assert marks(start(), "Td9xe8xf7-g6") == ["polyline", "circle", "circle", "g", "circle", "circle"]
    assert marks(start(), "Td9xe8") == ["polyline", "circle", "circle"]


def test_a_start_row_that_must_be_cleared_is_marked() -> None:
    at = read("b1:TrWrMr,d9:TrWrMr w 12/12 1/0 5 clear=w", clear_goal="on_demand")
    (dashed,) = [inner for inner in groups_with(drawn(at), "stroke", INK) if inner.get("stroke-dasharray") == "1.5 2"]
    assert len(dashed) == 4
