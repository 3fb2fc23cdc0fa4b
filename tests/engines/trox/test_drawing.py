"""What is shown of Trox: picture, view and drawing."""

import random
import re
from collections import Counter
from functools import partial
from itertools import islice
from math import dist
from typing import Any
from xml.etree import ElementTree

from engines.api import SPECTATOR
from engines.drawing import FAINT, INK
from engines.testing.random_games import game_path, settings_of
from engines.testing.svg_checks import NAMESPACE, places_of
from engines.trox import GAME
from engines.trox.drawing import FILLS, PAWNS
from tests.engines.drawn_shapes import draw, shapes_in, texts_of
from tests.engines.trox.positions import all_down, at, played, start
from tests.engines.trox.test_rules import CAPTURE_FIRST, FIGURE_5

SHAPES = {"round": "circle", "square": "rect", "neutral": "polygon"}

drawn = partial(draw, "trox")


def pawns_drawn(root: ElementTree.Element) -> dict[str, int]:
    """Return the number of pawns by owner. The pawns that stand for the two seats are not counted."""
    by_shape = {
        owner: sum(inner.get("fill") == PAWNS[owner][0] for inner in root.iter(f"{NAMESPACE}{shape}"))
        for owner, shape in SHAPES.items()
    }
    return {owner: many - (owner != "neutral") for owner, many in by_shape.items()}


def test_every_cell_every_pawn_and_every_hand_is_drawn() -> None:
    rng = random.Random("trox")
    for settings in rng.sample(settings_of(GAME, 2, rng), 6):
        for position in islice(game_path(GAME, settings, rng), 0, 60, 7):
            view: Any = position.view(SPECTATOR)
            colours = Counter(colour for cells in view["pieces"].values() for colour in cells.values())
            owners = Counter(view["pawns"].values())
            root = drawn(position)
            assert {colour: len(shapes_in(root, fill, "polygon")) for colour, fill in FILLS.items()} == {
                colour: colours[colour] for colour in FILLS
            }
            assert pawns_drawn(root) == {owner: owners[owner] for owner in PAWNS}
            letters = (
                sum(colours.values()) - owners["neutral"] + sum(sum(hand.values()) for hand in view["hands"].values())
            )
            assert sum(written in ("N", "B", "R") for written in texts_of(root)) == letters


def test_the_empty_ground_shows_where_the_first_piece_is_laid() -> None:
    dashed = [inner for inner in drawn(start()).iter(f"{NAMESPACE}g") if inner.get("stroke") == FAINT]
    assert [len(inner) for inner in dashed] == [3]


def test_a_large_ground_is_scaled_to_its_room() -> None:
    position = start()
    sides = []
    while position.pawns.hand:
        lays = [move for move in position.moves(position.owing[0]) if "@" in move]
        position = played(position, max(lays))
        root = drawn(position)
        first, second, _ = places_of(shapes_in(root, FILLS["red"], "polygon")[0])
        sides.append(round(dist(first, second), 1))
    assert sides == sorted(sides, reverse=True)
    assert sides[0] > 2 * sides[-1]


def test_the_supply_shows_the_kinds_of_each_heap_and_how_many_are_left_while_pieces_are_laid() -> None:
    counts = [text for text in texts_of(drawn(played(start(), *FIGURE_5))) if text.startswith("×")]
    assert counts == ["×2", "×2", "×1", "×2", "×2"]
    assert [text for text in texts_of(drawn(start(tileset="3x4_flip"))) if text.startswith("×")] == ["×4"] * 3
    moving = GAME.read(
        "BRN@0.0u/0.-1d,NBR@3.0u/3.-1d,NRB@1.0d/1.1u,RBN@4.0d/4.1u -1.0d,0.0d,0.0u,2.0d,3.0d,3.0u "
        "1.0d,1.0u,2.0u,4.0d,4.0u,5.0u - -/- round 14 0",
        GAME.settings(),
    )
    assert not [text for text in texts_of(drawn(moving)) if text.startswith("×")]


def test_the_label_and_an_arrow_name_the_seat_to_move() -> None:
    for position, seat in ((start(), "round"), (played(start(), FIGURE_5[0]), "square")):
        root = drawn(position)
        assert root.get("aria-label", "").startswith(f"Trox: {seat} to move, placing; ")
        (arrow,) = [inner for inner in root.findall(f"{NAMESPACE}polygon") if inner.get("fill") == INK]
        assert (places_of(arrow)[0][0] < 60) == (seat == "round")


PICTURE = r"""
                  \‾-1‾..‾0‾‾/
y=1                \N○.R=.B○/
                    \._0__./
        /.‾-2‾.\‾-1‾..‾0‾‾/
y=0    /N .R■.B \N .R .B○/
      /_-2_.._-1_\._0__./

■ square to move, placing, 5 plies played
in hand: ○ round NRR, ■ square NNBB; = is neutral
pieces left: BNR:2 NBR:2 NRB:1 RBN:2 RNB:2
colours: N black, B blue, R red
"""


def plain(picture: str) -> str:
    """Return the picture without colours, after checking that each line resets them."""
    for line in picture.splitlines():
        assert line.count("\x1b[0m") * 2 == line.count("\x1b[")
        assert line.rfind("\x1b[0m") == line.rfind("\x1b[")
    return re.sub(r"\x1b\[[0-9;]*m", "", picture)


def test_the_picture_shows_colours_pawns_and_coordinates() -> None:
    assert plain(played(start(), *FIGURE_5).picture(0)) == PICTURE.strip("\n")


def test_the_picture_has_colours() -> None:
    assert "\x1b[97;44m‾0‾‾\x1b[0m" in played(start(), *FIGURE_5).picture(0)


def test_the_picture_of_an_empty_ground_can_be_drawn() -> None:
    assert start().picture(0).startswith("(the table is empty)\n\n○ round to move, placing, 0 plies")


def test_the_picture_names_the_seat_that_has_passed_or_won() -> None:
    passed = played(at(all_down(4)), "pass")
    assert "■ square to move, moving, the other has just passed, 15 plies" in passed.picture(0)
    assert "○ round has a winning triangle" in played(at(CAPTURE_FIRST), "+0.1u").picture(0)
    assert "pieces left: none" in plain(twelve_pieces())


def twelve_pieces() -> str:
    position = start(tileset="identical")
    while position.pawns.hand:
        lays = [move for move in position.moves(position.owing[0]) if "@" in move]
        position = played(position, lays[-1])
    return position.picture(0)


def test_the_view_is_complete() -> None:
    assert played(start(), *FIGURE_5).view(0) == {
        "to_move": "square",
        "phase": "placing",
        "plies": 5,
        "passes": 0,
        "pieces": {
            "BRN@0.0u/0.-1d": {"0.0d": "blue", "0.0u": "red", "-1.0d": "black"},
            "NRB@-2.0d/-2.1u": {"-2.0u": "black", "-2.0d": "red", "-1.0u": "blue"},
            "BRN@0.1u/0.0d": {"0.1d": "blue", "0.1u": "red", "-1.1d": "black"},
        },
        "pawns": {"0.0d": "round", "-2.0d": "square", "0.1d": "round", "0.1u": "neutral", "-1.1d": "round"},
        "hands": {"round": {"black": 1, "blue": 0, "red": 2}, "square": {"black": 2, "blue": 2, "red": 0}},
        "supply": {"BNR": 2, "BRN": 0, "NBR": 2, "NRB": 1, "RBN": 2, "RNB": 2},
    }


def test_the_view_of_a_supply_names_kinds_that_share_a_heap() -> None:
    position = played(start(tileset="3x4_flip"), "RBN@0.0u/0.-1d:0.0u")
    view = position.view(0)
    assert isinstance(view, dict)
    assert view["supply"] == {"NBR/RBN": 3, "BRN/NRB": 4, "BNR/RNB": 4}
