"""The view and the picture of Trox."""

import re

from engines.trox.pieces import NEAR
from tests.engines.trox.positions import all_down, at, played, start
from tests.engines.trox.test_rules import CAPTURE_FIRST, FIGURE_5

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


def test_a_piece_affects_79_spots_in_either_orientation() -> None:
    assert [len(covered) + len(others) for covered, others in NEAR] == [79, 79, 79, 0, 79, 79, 79, 0]
