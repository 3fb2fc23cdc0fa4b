"""What is shown of Troke: text, view, picture and drawing."""

import json
import random
import re
from collections import Counter
from functools import partial
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import pytest

from engines.api import REFEREE, SPECTATOR
from engines.drawing import INK
from engines.game_errors import MalformedPosition
from engines.testing.random_games import game_path, settings_of
from engines.testing.svg_checks import NAMESPACE, places_of
from engines.troke import GAME
from engines.troke.boards import BOARDS
from engines.troke.drawing import FILLS
from tests.engines.drawn_shapes import draw, shapes_in, texts_of
from tests.engines.rule_cases import check_malformed
from tests.engines.troke.positions import played, read, start
from tests.engines.troke.test_boards import bent, largest

drawn = partial(draw, "troke")


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
    for settings in rng.sample(settings_of(GAME, 2, rng), 12):
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
    assert texts_of(drawn(at))[-9:] == ["R", "9", "0", "B", "-3", "0", "W", "30", "0"]


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


def test_a_start_row_that_must_be_cleared_is_marked() -> None:
    at = read("b1:TrWrMr,d9:TrWrMr w 12/12 1/0 5 clear=w", clear_goal="on_demand")
    (dashed,) = [inner for inner in groups_with(drawn(at), "stroke", INK) if inner.get("stroke-dasharray") == "1.5 2"]
    assert len(dashed) == 4


ANSI = re.compile(r"\x1b\[\d+m")


def test_every_viewer_sees_the_same() -> None:
    at = start()
    for viewer in (0, 1, SPECTATOR):
        assert at.text(viewer) == at.text(REFEREE)
        assert at.view(viewer) == at.view(REFEREE)
        assert at.visible_move(0, "Tb1-c2", viewer) == "Tb1-c2"


def test_the_fields_after_the_side_to_move_may_be_omitted() -> None:
    whole = read("d5:Tr,d1:TwWwMw r 12/12 0/1 0")
    for short in ("d5:Tr,d1:TwWwMw r", "d5:Tr,d1:TwWwMw r 12/12", "d5:Tr,d1:TwWwMw r 12/12 0/1"):
        assert read(short) == whole


WRONG = [
    ("", "it must consist of circles, side to move, chips, castles and plies"),
    ("d5:Tr", "it must consist of circles"),
    ("d5:Tr x", "it must consist of circles"),
    ("d5:Tr r 12", "12 gives the chips of 1 seats; there must be 2"),
    ("d5:Tr r 12/12 0", "0 gives the castles of 1 seats; there must be 2"),
    ("d5:Tr r 12/12 0/5 0", "it must consist of circles"),
    ("d5:Tr r 12/12 0/1 0", "the castles must be those on the board, 0/0"),
    ("d5:Tr r 012/12", "its canonical form is 'd5:Tr r 12/12 0/0 0'"),
    ("d5:Tr r -0/12", "its canonical form is"),
    ("d5:Tr r 12/12 0/0 00", "its canonical form is"),
    ("d5:Tr r 12/12 0/0 9999999999", "it must consist of circles"),
    ("d5:Tr r  12/12", "it must consist of circles"),
    ("d5:Tr r\n", "it must consist of circles"),
    ("d5:Tr b", "blue does not play"),
    ("d5:Tb r", "blue does not play"),
    ("d5:WrTr r", "'d5:WrTr' is not a circle with its pieces, which is written like d5:TrWwMw"),
    ("d5: r", "'d5:' is not a circle with its pieces"),
    ("d5 r", "'d5' is not a circle with its pieces"),
    ("z9:Tr r", "there is no circle z9 on this board"),
    ("d5:Tr,d5:Wr r", "its canonical form is 'd5:TrWr r 12/12 0/0 0'"),
    ("d5:Tr,b1:Tr r", "its canonical form is 'b1:Tr,d5:Tr r 12/12 0/0 0'"),
    ("b1:Tr,d1:Tr,f1:Tr,h1:Tr,c2:Tr r", "red has 5 towers; the maximum is four"),
    ("f5:Tr r 12/12 0/0 0 back=Tf5xd5", "is not a sideways step of a piece"),
    ("f5:Tr r 12/12 0/0 0 back=Tf5-f7", "is not a sideways step of a piece"),
    ("f5:Tr r 12/12 0/0 0 back=Td5-f5", "is not a sideways step of a piece"),
    ("f5:Tr r 12/12 0/0 0 back=Tf5-d5-b5", "is not a sideways step of a piece"),
    ("f5:Tr r 12/12 0/0 0 back=pass", "is not a sideways step of a piece"),
    ("f5:Tr r 12/12 0/0 0 back=Tf5", "'Tf5' in back= is not a step: write a move as"),
    ("f5:Tr r 12/12 0/0 0 back=Tf5-d5,Tf5-h5", "back= may contain only one step for each piece"),
    ("f5:Tr,h5:Wr r 12/12 0/0 0 back=Wh5-f5,Tf5-d5", "its canonical form is"),
]


@pytest.mark.parametrize(("text", "wrong"), WRONG)
def test_an_impossible_position_is_an_error(text: str, wrong: str) -> None:
    check_malformed(GAME, text, wrong, {})


def test_a_text_is_parsed_under_its_settings() -> None:
    with pytest.raises(MalformedPosition, match="lateral_rule=free"):
        read("f5:Tr r 12/12 0/0 0 back=Tf5-d5", lateral_rule="free")
    with pytest.raises(MalformedPosition, match="no chips in a race"):
        read("f5:Tr r 12/12", scoring="race")
    with pytest.raises(MalformedPosition, match="fewer than 0 chips"):
        read("f5:Tr r -1/25", debt="cap")
    assert read("f5:Tr r -1/25").pieces.chips == (-1, 25)


def test_more_castles_may_be_paid_than_stand_if_pieces_can_still_move() -> None:
    assert read("f5:Tr r 12/12 3/0", goal_pieces="sideways").pieces.castles == (3, 0)
    for castles in ("4/0", "0/0"):
        with pytest.raises(MalformedPosition, match="at least the castles on the board"):
            read(f"f5:Tr,b9:TrWrMr r 12/12 {castles}", goal_pieces="sideways")


def test_a_view_names_every_circle_and_its_owners() -> None:
    view = read("d5:TrMw,f5:Wr w 12/12 0/0 3 back=Wf5-h5").view(SPECTATOR)
    assert isinstance(view, dict)
    circles = view.pop("circles")
    assert isinstance(circles, dict)
    assert len(circles) == 40
    assert circles["d5"] == {"tower": "red", "wall": None, "moat": "white"}
    assert view == {
        "to_move": "white",
        "chips": {"red": 12, "white": 12},
        "castles": {"red": 0, "white": 0},
        "plies": 3,
        "barred": ["Wf5-h5"],
        "must_clear": [],
    }


def test_a_picture_can_be_read_without_colours() -> None:
    lines = ANSI.sub("", read("d5:TrMw,f5:Wr w 12/12 0/0 3").picture(0)).splitlines()
    assert lines[0] == "9        (···)───────(···)───────(···)───────(···)"
    assert lines[8] == "5    │   (···)───┼───(r·w)───┼───(·r·)───┼───(···)   │"
    assert lines[-4:] == [
        "",
        "(TWM): whose tower, wall and moat stand on a circle",
        "w white to move, 3 plies played",
        "chips: red 12, white 12; castles: red 0, white 0",
    ]


def test_a_picture_is_coloured() -> None:
    picture = start(seats=4).picture(SPECTATOR)
    for code in (91, 94, 97, 93):
        assert f"\x1b[{code}m" in picture


def test_a_picture_of_a_race_shows_no_chips_and_of_an_ended_game_no_caption() -> None:
    assert "chips" not in start(scoring="race").picture(0)
    assert "to move" not in read("d9:Tr r").picture(0)
