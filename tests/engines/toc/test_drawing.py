"""What is shown of Toc: drawing, view and picture, with only the cards that the viewer may see."""

import random
import re
from functools import partial
from itertools import islice, pairwise
from math import dist
from typing import Any
from xml.etree import ElementTree

import pytest

from engines.api import REFEREE, SPECTATOR, Position
from engines.drawing import BASELINE, INK, number_text
from engines.options import Value
from engines.testing.random_games import game_path, settings_of
from engines.testing.svg_checks import NAMESPACE, places_of
from engines.toc import GAME
from engines.toc.card_drawing import BACK, FACE, HIGH, SUITS
from engines.toc.drawing import CELL, FILLS, STEP, board_of
from engines.toc.places import H1, H4, RING, STARTS
from tests.engines.drawn_shapes import draw, shapes_in, texts_of
from tests.engines.toc.positions import set_up, set_up_with

drawn = partial(draw, "toc")


def rects_with(root: ElementTree.Element, fill: str) -> list[ElementTree.Element]:
    return [inner for inner in root.iter(f"{NAMESPACE}rect") if inner.get("fill") == fill]


def suits_in(root: ElementTree.Element) -> list[str]:
    """Return the suits of all cards that lie face up."""
    letters = {outline: suit for suit, outline in SUITS.items()}
    return [letters[inner.get("d", "")] for inner in root.iter(f"{NAMESPACE}path") if inner.get("d") in letters]


def cards_in(root: ElementTree.Element) -> list[str]:
    """Return all cards that lie face up."""
    ranks = [inner.text for inner in root.iter(f"{NAMESPACE}text") if inner.get("font-weight")]
    return sorted(f"{'T' if rank == '10' else rank}{suit}" for rank, suit in zip(ranks, suits_in(root), strict=True))


def pawns_in(root: ElementTree.Element, seat: int) -> list[tuple[float, float]]:
    """Return where the pawns of a seat stand."""
    return [places_of(pawn)[0] for pawn in shapes_in(root, FILLS[seat])]


def test_every_pawn_and_no_card_but_those_of_the_view_are_drawn() -> None:
    rng = random.Random("toc")
    for settings in rng.sample(settings_of(GAME, 2, rng), 8):
        for position in islice(game_path(GAME, settings, rng), 0, 160, 40):
            for viewer in (SPECTATOR, REFEREE, 1):
                view: Any = position.view(viewer)
                hands = [card for hand in view["hands"] for card in hand]
                shown = [card for card in hands if card != "?"] + view["played"][-1:]
                root = drawn(position, viewer=viewer)
                assert cards_in(root) == sorted(shown)
                assert len(rects_with(root, FACE)) == len(shown)
                assert len(rects_with(root, BACK)) == hands.count("?") + bool(view["deck"])
                places = [place for seat in range(4) for place in pawns_in(root, seat)]
                assert len(set(places)) == len(places) == 16


def test_gifts_are_named_to_those_who_know_them() -> None:
    start = GAME.start(GAME.settings(), b"1")
    given = start.moves(2)[0]
    position = start.play(2, given)
    for viewer, said in ((2, True), (REFEREE, True), (0, False), (SPECTATOR, False)):
        gifts = [text for text in texts_of(drawn(position, viewer=viewer)) if text.startswith("gave")]
        assert gifts == ([f"gave {given[1:]}"] if said else [])


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_the_places_have_equal_distances(offset: int) -> None:
    board = board_of(offset)
    ring = [board.cell(cell) for cell in range(RING)]
    assert all(STEP * 0.98 < dist(place, other) < STEP * 1.001 for place, other in pairwise([*ring, ring[0]]))
    for seat, start in enumerate(STARTS):
        corridor = [board.cell(start - offset), *(board.place(seat, home) for home in range(H1, H4 + 1))]
        assert all(dist(place, other) == pytest.approx(STEP) for place, other in pairwise(corridor))
        assert dist(corridor[-1], (0, 0)) < dist(corridor[0], (0, 0))
        assert not [cell for cell in ring for home in corridor[1:] if dist(cell, home) < 2 * CELL]


def test_fresh_pawns_have_a_second_ring_and_signs_tell_the_laps() -> None:
    root = drawn(set_up("0*,5-,7+///", "2S", back_shortcut=False))
    rings = [inner for inner in root.iter(f"{NAMESPACE}circle") if inner.get("r") == "6.6"]
    assert [places_of(ring)[0] for ring in rings] == [pawns_in(root, 0)[0]]
    assert [text for text in texts_of(root) if text.startswith("R")] == ["R", "R−", "R+", "R"]


def test_the_seats_to_move_have_full_discs() -> None:
    def discs(position: Position) -> list[str]:
        root = drawn(position)
        numbers = [inner for inner in root.findall(f"{NAMESPACE}text") if inner.text in ("0", "1", "2", "3")]
        return [number.text or "" for number in numbers if number.get("fill") != INK]

    start = GAME.start(GAME.settings(), b"1")
    assert discs(start) == ["0", "1", "2", "3"]
    assert discs(start.play(2, start.moves(2)[0])) == ["0", "1", "3"]
    assert discs(set_up("5///", "2S", 1)) == ["1"]
    assert discs(set_up("H1,H2,H3,H4//H1,H2,H3,H4/", "2S")) == []


def test_both_piles_show_how_many_cards_they_have() -> None:
    view: Any = set_up("5///", "2S 3S").view(SPECTATOR)
    below = number_text(HIGH + 5.5 + BASELINE * 6)
    root = drawn(set_up("5///", "2S 3S"))
    counts = [inner.text for inner in root.iter(f"{NAMESPACE}text") if inner.get("y") == below]
    assert counts == [str(len(view["deck"])), str(len(view["played"]))]


def way_of(move: str) -> list[tuple[float, float]]:
    root = drawn(set_up("10,H3///", "2S", branch_offset=1), move)
    return next(places_of(inner) for inner in root.iter(f"{NAMESPACE}polyline"))


def close(points: list[tuple[float, float]], others: list[tuple[float, float]]) -> bool:
    return len(points) == len(others) and all(
        dist(point, other) < 0.02 for point, other in zip(points, others, strict=True)
    )


def test_ways_follow_the_ring_and_the_corridor() -> None:
    board = board_of(1)
    ring = [board.cell(cell) for cell in range(RING)]
    assert close(way_of("5S:70>3"), [*ring[70:], *ring[:4]])
    assert close(way_of("4S:2>70"), [ring[2], ring[1], ring[0], ring[71], ring[70]])
    assert close(way_of("JS:2<>70"), [ring[2], ring[70]])
    homes = [board.place(0, home) for home in (H1, H1 + 1)]
    assert close(way_of("4H:69>H2"), [ring[69], ring[68], ring[67], ring[66], *homes[1:]])
    assert close(way_of("5S:69>H2"), [*ring[69:], *homes])


def picture_of(pawns: str, viewer: int = REFEREE, **options: Value) -> list[str]:
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
    lines = picture_of("0*,5,H1/27,H4/45/63")
    assert lines[19] == "  9 ·  ·  ·  ·  0  ·  ·  ·  ·  0* ·  ·  ·  ·  ·  ·  ·  ·  3  63"
    assert lines[2].startswith(" 26 · ")
    assert lines[1].startswith(" 27 1  ·")
    assert lines[1].endswith("2  45")
    assert lines[18][30:33] == " 0 "
    assert lines[10] == " 18 +  -  -  -  1 (1)                     (3) -  -  -  -  +  54"


def test_a_picture_moves_the_corridors_with_their_branches() -> None:
    assert picture_of("///", branch_offset=2)[18].index("-") == picture_of("///")[18].index("-") + 6


def test_a_picture_marks_laps() -> None:
    assert "0-" in picture_of("5-///", back_shortcut=False)[19]
    assert "0+" in picture_of("5+///", back_shortcut=False)[19]


def test_a_picture_shows_the_hands_that_its_viewer_may_see() -> None:
    lines = picture_of("5,H1///", 0)
    assert lines[22] == " 0 > reserve 2, home H1           hand 2S 3S           gave KH"
    assert lines[23] == " 1   reserve 4, home none         hand ? ?             gave ?"
    assert lines[27].startswith("seat 0 to move; 0 turns; seat 3 deals, seat 0 leads; 32 cards in the deck")
    assert lines[28].startswith("played: AS")


def test_a_picture_names_the_exchange_and_the_end() -> None:
    assert "cards are exchanged" in GAME.start(GAME.settings(), b"").picture(1)
    assert "the game is over" in set_up("H1,H2,H3,H4//H1,H2,H3,H4/", "2S").picture(1)
