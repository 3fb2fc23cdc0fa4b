"""Trox by its rules page: each line of "Must hold", each rule, and the effect of each option."""

from typing import Any

import pytest

from engines.trox import GAME
from engines.trox.notation import move_text
from engines.trox.pawns import Pawns
from engines.trox.triangles import captured
from tests.engines.trox.positions import (
    FIRST,
    STRIP,
    TWO_PIECES,
    all_down,
    at,
    colours,
    moves,
    pawns,
    played,
    start,
    text_of,
    won_by,
)

ROUND, SQUARE = 0, 1

# --- Must hold


@pytest.mark.parametrize("first", moves(start()))
def test_after_any_first_move_there_are_24_placements_and_434_moves(first: str) -> None:
    position = played(start(), first)
    assert len({move.split(":")[0][3:] for move in moves(position) if "@" in move}) == 24
    assert len(moves(position)) == 434


FIGURE_5 = ["BRN@0.0u/0.-1d:0.0d", "NRB@-2.0d/-2.1u:-2.0d", "BRN@0.1u/0.0d:0.1d", "+0.1u", "+-1.1d"]


def test_figure_5_ends_with_a_neutral_pawn() -> None:
    position = played(start(), *FIGURE_5)
    assert pawns(position) == {"0.0d": "round", "-2.0d": "square", "0.1d": "round", "0.1u": "neutral", "-1.1d": "round"}


def test_the_ground_of_the_examples_has_its_colours() -> None:
    assert colours(TWO_PIECES) == {"0.0d": "B", "0.0u": "R", "-1.0d": "N", "0.1d": "B", "0.1u": "R", "-1.1d": "N"}


# --- TX-1 to TX-3: the beginning


def test_each_seat_begins_with_two_pawns_of_each_colour() -> None:
    assert str(start()) == "- - - - NNBBRR/NNBBRR round 0 0"


def test_round_begins_for_every_seed() -> None:
    assert GAME.start(GAME.settings(), b"a") == GAME.start(GAME.settings(), b"b")
    assert start().owing == (ROUND,)


def test_the_first_piece_has_a_fixed_place() -> None:
    assert {move[3:].split(":")[0] for move in moves(start())} == {"@0.0u/0.-1d"}


def kinds(moves: list[str]) -> set[str]:
    return {move[:3] for move in moves if "@" in move}


@pytest.mark.parametrize(
    ("tileset", "expected"),
    [
        ("6x2", {"NBR", "NRB", "BNR", "BRN", "RNB", "RBN"}),
        ("3x4", {"NBR", "BRN", "RNB"}),
        ("3x4_flip", {"NBR", "NRB", "BNR", "BRN", "RNB", "RBN"}),
        ("identical", {"NBR"}),
        ("free", {"NBR", "NRB", "BNR", "BRN", "RNB", "RBN"}),
    ],
)
def test_each_tileset_has_its_kinds_of_pieces(tileset: str, expected: set[str]) -> None:
    assert kinds(moves(start(tileset=tileset))) == expected


SIDE_BY_SIDE = ["@0.0u/0.-1d:0.0u", "@1.0d/1.1u:1.0d", "@3.0u/3.-1d:3.0u", "@4.0d/4.1u:4.0d", "@6.0u/6.-1d:6.0u"]
"""A strip, with each pawn in the middle of its piece."""


@pytest.mark.parametrize(
    ("tileset", "laid", "gone"),
    [
        ("6x2", ["NBR", "NBR"], {"NBR"}),
        ("3x4", ["NBR", "NBR", "BRN", "BRN"], set()),
        ("3x4_flip", ["NBR", "RBN", "RNB", "BNR"], set()),
        ("free", ["NBR", "NBR", "BRN", "BRN"], set()),
    ],
)
def test_a_kind_of_piece_can_be_used_up(tileset: str, laid: list[str], gone: set[str]) -> None:
    before = start(tileset=tileset)
    position = played(before, *(kind + where for kind, where in zip(laid, SIDE_BY_SIDE, strict=False)))
    assert kinds(moves(before)) - kinds(moves(position)) == gone


def test_a_piece_that_is_turned_over_is_taken_from_the_same_heap() -> None:
    laid = ["NBR@0.0u/0.-1d:0.0u", "RBN@1.0d/1.1u:1.0d", "NBR@3.0u/3.-1d:3.0d", "RBN@4.0d/4.1u:5.0u"]
    position = played(start(tileset="3x4_flip"), *laid)
    assert kinds(moves(position)) == {"BRN", "NRB", "RNB", "BNR"}
    assert "NBR" in kinds(moves(played(start(tileset="free"), *laid)))


# --- TX-4 to TX-7: placing


def test_a_pawn_goes_on_a_free_cell_of_its_colour() -> None:
    position = at(text_of(FIRST, {"round": "0.0d"}))
    assert [move for move in moves(position) if "@" not in move] == ["+-1.0d", "+0.0u"]


def test_a_pawn_that_is_not_in_hand_is_not_placed() -> None:
    text = text_of(TWO_PIECES, {"round": "0.0d 0.1d", "square": "0.0u 0.1u"})
    assert kinds(moves(at(text))) == {"NBR", "NRB", "BNR", "RNB", "RBN"}
    assert [move for move in moves(at(text)) if "@" not in move] == ["+-1.0d", "+-1.1d"]
    on_blue = [move for move in moves(at(text)) if move.startswith("NBR@1.0d/1.1u")]
    assert on_blue == ["NBR@1.0d/1.1u:1.0u", "NBR@1.0d/1.1u:2.0u"]


def test_a_piece_touches_the_ground_by_a_side() -> None:
    position = at(text_of(FIRST, {"round": "0.0d"}))
    assert "NBR@1.0d/1.1u:1.0d" in moves(position)
    assert not any(move.startswith("NBR@2.0u") for move in moves(position))
    assert not any(move.startswith("NBR@0.0u") for move in moves(position))


BAY = ["NBR@0.0u/0.-1d:0.0u", "NRB@-1.-1d/-1.-1u:-1.-1d"]
DEEPER_BAY = [*BAY, "BNR@1.-2u/1.-3d:1.-2u"]
CLOSING = "RBN@1.-1d/2.-1u:1.-1d"


@pytest.mark.parametrize(
    ("hole_rule", "closes_bay", "closes_deeper_bay"),
    [("edge", False, False), ("vertex", True, False), ("off", True, True)],
)
def test_no_empty_area_is_enclosed(hole_rule: str, closes_bay: bool, closes_deeper_bay: bool) -> None:
    before = start(hole_rule=hole_rule)
    assert (CLOSING in moves(played(before, *BAY))) == closes_bay
    assert (CLOSING in moves(played(before, *DEEPER_BAY))) == closes_deeper_bay


@pytest.mark.parametrize("suicide", ["captured", "safe", "forbidden"])
def test_a_pawn_can_always_be_placed(suicide: str) -> None:
    position = start(tileset="identical", suicide=suicide)
    while position.pawns.hand:
        assert "pass" not in moves(position)
        position = played(position, moves(position)[0])


# --- TX-8: moving


def test_when_all_pawns_are_placed_a_pawn_moves_to_any_free_cell_of_its_colour() -> None:
    position = at(all_down(5))
    colour = colours(" ".join(STRIP[:5]))
    steps = [move.split(">") for move in moves(position)]
    assert len(steps) == 6
    assert all(colour[a] == colour[b] and pawns(position)[a] == "round" and b not in pawns(position) for a, b in steps)
    after = played(position, "-1.0d>6.0u")
    assert "-1.0d" not in pawns(after)
    assert pawns(after)["6.0u"] == "round"


def test_no_piece_is_laid_when_all_pawns_are_placed() -> None:
    assert all(">" in move for move in moves(at(all_down(6))))


# --- TX-9 to TX-12: triangles

OTHERS_TRIANGLE = text_of(
    f"{TWO_PIECES} NRB@1.0d/1.1u NBR@3.0u/3.-1d",
    {"round": "-1.0d 1.0d 2.0u 3.0u 3.0d", "square": "0.0d 0.1d -1.1d 0.0u 1.0u"},
)
"""Round may play 0.1u and be captured there; then Square's pawn on 0.0d has a winning triangle."""

CAPTURE_FIRST = text_of(
    f"{TWO_PIECES} NRB@1.0d/1.1u",
    {"round": "0.0u 1.0u 2.0u", "square": "0.0d", "square_neutral": "0.1d -1.1d"},
)
"""Round may play 0.1u among neutral pawns and one of Square's, which it captures."""


@pytest.mark.parametrize("too", [False, True])
def test_three_neutral_pawns_alone_capture_only_with_the_option(too: bool) -> None:
    centre, corners = 0b0001, 0b1110
    assert captured([(centre, corners)], centre, 0, too) == (centre if too else 0)
    assert captured([(centre, corners)], centre, 0b0010, too) == centre


THREE_NEUTRAL = text_of(TWO_PIECES, {"round_neutral": "0.0d 0.1d -1.1d", "square": "-1.0d 0.0u"})
TWO_CORNERS = text_of(TWO_PIECES, {"round": "0.0d 0.1u", "square": "0.0u", "square_neutral": "0.1d"})
CAPTURES = {"neutral_triangle": "captures"}

TRIANGLES: dict[str, list[tuple[str, dict[str, Any], str, str, str | None]]] = {
    "square_on_the_centre_is_captured_by_the_third_corner_and_nobody_wins": [
        (text_of(TWO_PIECES, {"round": "0.0d 0.1d", "square": "0.1u 0.0u"}), {}, "+-1.1d", "neutral", None)
    ],
    "round_on_the_centre_wins_with_a_neutral_corner": [(TWO_CORNERS, {}, "+-1.1d", "round", "round")],
    "square_in_the_centre_of_round_is_neutral_at_once": [
        (text_of(TWO_PIECES, {"round": "0.0d 0.1d -1.1d", "square": "-1.0d 0.0u"}), {}, "+0.1u", "neutral", None)
    ],
    "square_among_three_neutral_pawns_wins": [(THREE_NEUTRAL, {}, "+0.1u", "square", "square")],
    "a_triangle_with_corners_of_both_seats_has_no_effect": [
        (text_of(TWO_PIECES, {"round": "0.0d 0.1d -1.0d", "square": "0.1u 0.0u"}), {}, "+-1.1d", "square", None)
    ],
    "enemies_are_captured_before_the_mover_would_be": [(CAPTURE_FIRST, {}, "+0.1u", "round", "round")],
    "with_the_option_three_neutral_corners_capture_a_pawn_played_between_them": [
        (THREE_NEUTRAL, CAPTURES, "+0.1u", "neutral", None),
        (THREE_NEUTRAL, CAPTURES | {"suicide": "safe"}, "+0.1u", "square", None),
        (THREE_NEUTRAL, CAPTURES | {"suicide": "safe"}, "+0.1u NRB@1.0d/1.1u:1.0d", "neutral", None),
    ],
    "a_captured_pawn_can_give_the_other_seat_a_winning_triangle": [(OTHERS_TRIANGLE, {}, "+0.1u", "neutral", "square")],
    "a_safe_suicide_is_captured_by_the_next_action_of_the_other_seat": [
        (OTHERS_TRIANGLE, {"suicide": "safe"}, "+0.1u", "round", None),
        (OTHERS_TRIANGLE, {"suicide": "safe"}, "+0.1u BNR@4.0d/4.1u:5.0u", "neutral", "square"),
    ],
    "a_move_that_wins_or_captures_first_is_no_suicide": [
        (CAPTURE_FIRST, {"suicide": "forbidden"}, "+0.1u", "round", "round")
    ],
    "a_triangle_on_the_last_ply_still_wins": [(TWO_CORNERS, {"max_plies": 5}, "+-1.1d", "round", "round")],
}
"""Position, options, moves, the owner of the pawn on 0.1u after them, and the seat that has won."""


@pytest.mark.parametrize("cases", TRIANGLES.values(), ids=TRIANGLES)
def test_a_triangle(cases: list[tuple[str, dict[str, Any], str, str, str | None]]) -> None:
    for text, options, line, owner, winner in cases:
        position = played(at(text, **options), *line.split())
        assert (pawns(position)["0.1u"], won_by(position)) == (owner, winner), (text, line)
        assert winner or position.outcome is None


def test_suicide_can_be_forbidden() -> None:
    assert "+0.1u" in moves(at(OTHERS_TRIANGLE))
    assert "+0.1u" not in moves(at(OTHERS_TRIANGLE, suicide="forbidden"))
    assert "+0.1u" not in moves(at(THREE_NEUTRAL, neutral_triangle="captures", suicide="forbidden"))


BESIDE_A_GAP = text_of(
    f"{TWO_PIECES} NRB@1.0d/1.1u NBR@3.0u/3.-1d RNB@4.0d/4.1u",
    {"round": "-1.0d 1.0d 2.0u 3.0u 3.0d 2.0d", "square": "0.0d 0.1d -1.1d 0.0u 1.0u 4.0u"},
)
"""All pawns are down, and Round may move a red pawn to 0.1u, into Square's triangle."""


@pytest.mark.parametrize(("suicide", "allowed"), [("captured", True), ("safe", True), ("forbidden", False)])
def test_a_pawn_may_or_may_not_move_into_a_capturing_triangle(suicide: str, allowed: bool) -> None:
    assert ("1.0d>0.1u" in moves(at(BESIDE_A_GAP, suicide=suicide))) == allowed


def test_a_neutral_pawn_never_moves_again() -> None:
    position = at(all_down(6, neutral="square", plies=15))
    assert moves(position) == ["pass"]


# --- TX-13 and TX-14: the end without a triangle


def test_a_seat_that_cannot_move_passes_and_two_passes_are_a_draw() -> None:
    position = at(all_down(4))
    assert moves(position) == ["pass"]
    once = played(position, "pass")
    assert moves(once) == ["pass"]
    assert once.owing == (SQUARE,)
    twice = played(once, "pass")
    assert twice.outcome is not None
    assert (twice.outcome.reason, twice.outcome.scores) == ("passes", (0.5, 0.5))
    assert GAME.read(str(twice), GAME.settings()).outcome == twice.outcome


def test_having_no_move_can_be_a_loss() -> None:
    outcome = at(all_down(4), no_move="loss").outcome
    assert outcome is not None
    assert (outcome.reason, outcome.scores) == ("no_move", (0.0, 1.0))
    assert at(all_down(5), no_move="loss").outcome is None


def test_having_neutral_pawns_only_can_be_a_loss() -> None:
    text = all_down(6, neutral="round")
    assert moves(at(text, no_move="loss")) == ["pass"]
    outcome = at(text, all_neutral="loss").outcome
    assert outcome is not None
    assert (outcome.reason, outcome.scores) == ("all_neutral", (0.0, 1.0))
    assert moves(at(all_down(4), all_neutral="loss")) == ["pass"]


def test_a_move_resets_the_count_of_passes() -> None:
    position = played(at(all_down(6, neutral="round")), "pass")
    assert str(position).endswith("square 15 1")
    after = played(position, moves(position)[0])
    assert str(after).endswith("round 16 0")
    assert moves(after) == ["pass"]


TO_AND_FRO = ["-1.0d>6.0u", "4.0d>6.0d", "6.0u>-1.0d", "6.0d>4.0d"]
"""Moves on a strip of five."""


@pytest.mark.parametrize(("repetition", "plies"), [(1, 0), (2, 4), (3, 8), (4, 12)])
def test_repetition_limits_how_often_a_position_may_occur(repetition: int, plies: int) -> None:
    position = at(all_down(5), repetition=repetition)
    went = 0
    while position.owing:
        position = played(position, TO_AND_FRO[went % 4])
        went += 1
    assert position.outcome is not None
    assert (position.outcome.reason, position.outcome.scores) == ("repetition", (0.5, 0.5))
    assert went == plies


def test_without_repetition_the_maximum_length_still_ends_the_game() -> None:
    position = at(all_down(5), repetition=0, max_plies=42)
    for went in range(28):
        position = played(position, TO_AND_FRO[went % 4])
    assert position.outcome is not None
    assert (position.outcome.reason, position.outcome.scores) == ("max_plies", (0.5, 0.5))


# --- What a bot may rely on


def test_checking_one_move_does_not_list_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(_: Pawns) -> list[int]:
        raise AssertionError("all moves were listed")

    position = start()
    monkeypatch.setattr(Pawns, "moves", listed)
    monkeypatch.setattr(Pawns, "lay_ends", listed)
    monkeypatch.setattr(Pawns, "puts", listed)
    assert str(played(position, *FIGURE_5)).endswith("square 5 0")


def test_the_standing_counts_pawns_that_are_not_neutral() -> None:
    assert start().standing == (6, 6)
    assert played(start(), *FIGURE_5).standing == (6, 5)
    assert at(all_down(6, neutral="round")).standing == (0, 6)


@pytest.mark.parametrize("text", [str(start()), CAPTURE_FIRST, all_down(5), all_down(4), all_down(5, neutral="round")])
def test_the_fast_moves_are_the_listed_ones(text: str) -> None:
    position = at(text)
    assert sorted(move_text(position.pawns, move) for move in position.pawns.moves()) == moves(position)


def test_a_seat_with_no_pawn_of_a_colour_left_moves_the_others() -> None:
    text = text_of(
        " ".join(STRIP[:5]),
        {"round": "0.0d 3.0u 0.0u 2.0d", "round_neutral": "-1.0d 3.0d", "square": "1.0u 5.0u 2.0u 4.0d 1.0d 4.0u"},
        plies=14,
    )
    assert moves(at(text)) == ["0.0d>6.0d", "0.0u>5.0d", "2.0d>5.0d", "3.0u>6.0d"]
