"""What a viewer sees, as data and as a picture."""

import re

from engines.api import REFEREE, SPECTATOR
from engines.options import Value
from engines.toc import GAME
from tests.engines.toc.positions import set_up, set_up_with


def drawn(pawns: str, viewer: int = REFEREE, **options: Value) -> list[str]:
    """Return the lines of the picture, without colours."""
    return re.sub("\x1b\\[[0-9]+m", "", set_up_with(GAME.settings(options), pawns, "2S 3S").picture(viewer)).split("\n")


def test_the_view_of_a_seat_shows_its_own_hand_only() -> None:
    view = set_up("0*,5,H2/3//", "2S 3S").view(0)
    assert isinstance(view, dict)
    assert view["pawns"][0] == [
        {"at": "0", "fresh": True, "laps": 0},
        {"at": "5", "fresh": False, "laps": 0},
        {"at": "H2", "fresh": False, "laps": 0},
        {"at": "R", "fresh": False, "laps": 0},
    ]
    assert view["hands"] == [["2S", "3S"], ["?", "?"], ["?", "?"], ["?", "?"]]
    assert view["gave"][1] == view["gave"][3] == "?"
    assert (view["phase"], view["owing"], view["dealer"], view["leader"], view["deal"]) == ("play", [0], 3, 0, 1)
    assert len(view["played"]) == 12
    assert view["deck"] == ["?"] * 32


def test_the_view_names_the_exchange_and_the_end_as_phases() -> None:
    start = GAME.start(GAME.settings(), b"1")
    view = start.play(2, start.moves(2)[0]).view(SPECTATOR)
    assert isinstance(view, dict)
    assert (view["phase"], view["owing"], view["gave"]) == ("exchange", [0, 1, 3], [None, None, "?", None])
    over = set_up("H1,H2,H3,H4//H1,H2,H3,H4/", "2S 3S").view(SPECTATOR)
    assert isinstance(over, dict)
    assert (over["phase"], over["owing"]) == ("over", [])


def test_the_view_counts_laps() -> None:
    view = set_up("5-,6+///", "2S", back_shortcut=False).view(REFEREE)
    assert isinstance(view, dict)
    assert [pawn["laps"] for pawn in view["pawns"][0]] == [-1, 1, 0, 0]


def test_a_picture_shows_pawns_where_they_stand() -> None:
    lines = drawn("0*,5,H1/27,H4/45/63")
    assert lines[19] == "  9 ·  ·  ·  ·  0  ·  ·  ·  ·  0* ·  ·  ·  ·  ·  ·  ·  ·  3  63"
    assert lines[2].startswith(" 26 · ")
    assert lines[1].startswith(" 27 1  ·")
    assert lines[1].endswith("2  45")
    assert lines[18][30:33] == " 0 "
    assert lines[10] == " 18 +  -  -  -  1 (1)                     (3) -  -  -  -  +  54"


def test_a_picture_moves_the_corridors_with_their_branches() -> None:
    assert drawn("///", branch_offset=2)[18].index("-") == drawn("///")[18].index("-") + 6


def test_a_picture_marks_laps() -> None:
    assert "0-" in drawn("5-///", back_shortcut=False)[19]
    assert "0+" in drawn("5+///", back_shortcut=False)[19]


def test_a_picture_shows_the_hands_that_its_viewer_may_see() -> None:
    lines = drawn("5,H1///", 0)
    assert lines[22] == " 0 > reserve 2, home H1           hand 2S 3S           gave KH"
    assert lines[23] == " 1   reserve 4, home none         hand ? ?             gave ?"
    assert lines[27].startswith("seat 0 to move; 0 turns; seat 3 deals, seat 0 leads; 32 cards in the deck")
    assert lines[28].startswith("played: AS")


def test_a_picture_names_the_exchange_and_the_end() -> None:
    assert "cards are exchanged" in GAME.start(GAME.settings(), b"").picture(1)
    assert "the game is over" in set_up("H1,H2,H3,H4//H1,H2,H3,H4/", "2S").picture(1)
