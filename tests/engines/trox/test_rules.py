"""Trox by its rules page: each line of "Must hold", each rule, the effect of each option, and refused moves."""

from typing import Any

import pytest

from engines.trox import GAME
from engines.trox.notation import move_text
from engines.trox.pawns import Pawns
from engines.trox.triangles import captured
from tests.engines.rule_cases import Case, case, check
from tests.engines.trox.positions import (
    FIRST,
    STRIP,
    TWO_PIECES,
    all_down,
    at,
    moves,
    pawns,
    played,
    start,
    text_of,
    won_by,
)

FIGURE_5 = ["BRN@0.0u/0.-1d:0.0d", "NRB@-2.0d/-2.1u:-2.0d", "BRN@0.1u/0.0d:0.1d", "+0.1u", "+-1.1d"]
BAY = ["NBR@0.0u/0.-1d:0.0u", "NRB@-1.-1d/-1.-1u:-1.-1d"]
DEEPER_BAY = [*BAY, "BNR@1.-2u/1.-3d:1.-2u"]
CLOSING = "RBN@1.-1d/2.-1u:1.-1d"
TO_AND_FRO = ["-1.0d>6.0u", "4.0d>6.0d", "6.0u>-1.0d", "6.0d>4.0d"]
"""Moves on a strip of five."""
ONE_PAWN = text_of(FIRST, {"round": "0.0d"})
TWO_PAWNS = text_of(TWO_PIECES, {"round": "0.0d", "square": "0.1u"})
NO_BLUE = text_of(TWO_PIECES, {"round": "0.0d 0.1d", "square": "0.0u 0.1u"})
NO_BLUE_THREE = text_of(f"{TWO_PIECES} NBR@1.0d/1.1u", {"round": "0.0d 0.1d", "square": "0.0u 1.0u"})
ONE_COLOUR_SHUT_IN = text_of(
    " ".join(STRIP[:5]),
    {"round": "0.0d 3.0u 0.0u 2.0d", "round_neutral": "-1.0d 3.0d", "square": "1.0u 5.0u 2.0u 4.0d 1.0d 4.0u"},
    plies=14,
)

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


BESIDE_A_GAP = text_of(
    f"{TWO_PIECES} NRB@1.0d/1.1u NBR@3.0u/3.-1d RNB@4.0d/4.1u",
    {"round": "-1.0d 1.0d 2.0u 3.0u 3.0d 2.0d", "square": "0.0d 0.1d -1.1d 0.0u 1.0u 4.0u"},
)
"""All pawns are down, and Round may move a red pawn to 0.1u, into Square's triangle."""


THREE_NEUTRAL = text_of(TWO_PIECES, {"round_neutral": "0.0d 0.1d -1.1d", "square": "-1.0d 0.0u"})
TWO_CORNERS = text_of(TWO_PIECES, {"round": "0.0d 0.1u", "square": "0.0u", "square_neutral": "0.1d"})
CAPTURES = {"neutral_triangle": "captures"}


RULES: dict[str, list[Case]] = {
    "figure_5_ends_with_a_neutral_pawn": [
        case(
            line=" ".join(FIGURE_5),
            after="BRN@0.0u/0.-1d,BRN@0.1u/0.0d,NRB@-2.0d/-2.1u -1.1d,0.0d,0.1d -2.0d 0.1u NRR/NNBB square 5 0",
        )
    ],
    # TX-1 to TX-3: the beginning
    "each_seat_begins_with_two_pawns_of_each_colour": [case(after="- - - - NNBBRR/NNBBRR round 0 0")],
    "the_first_piece_has_a_fixed_place": [
        case(begins=kind, moves=" ".join(f"{kind}@0.0u/0.-1d:{cell}" for cell in ("-1.0d", "0.0d", "0.0u")))
        for kind in ("NBR", "NRB", "BNR", "BRN", "RNB", "RBN")
    ],
    # TX-4 to TX-7: placing
    "a_pawn_goes_on_a_free_cell_of_its_colour": [case(ONE_PAWN, begins="+", moves="+-1.0d +0.0u")],
    "a_pawn_that_is_not_in_hand_is_not_placed": [
        case(NO_BLUE, begins="+", moves="+-1.0d +-1.1d"),
        case(NO_BLUE, begins="BRN", moves=""),  # Both have been laid.
        case(NO_BLUE, begins="NBR@1.0d/1.1u", moves="NBR@1.0d/1.1u:1.0u NBR@1.0d/1.1u:2.0u"),
    ],
    "a_piece_touches_the_ground_by_a_side": [
        case(ONE_PAWN, has="NBR@1.0d/1.1u:1.0d"),
        case(ONE_PAWN, begins="NBR@2.0u", moves=""),
        case(ONE_PAWN, begins="NBR@0.0u", moves=""),
    ],
    "no_empty_area_is_enclosed": [
        case(line=" ".join(bay), hole_rule=rule, has=CLOSING * allowed, lacks=CLOSING * (not allowed))
        for rule, closes_bay, closes_deeper_bay in (
            ("edge", False, False),
            ("vertex", True, False),
            ("off", True, True),
        )
        for bay, allowed in ((BAY, closes_bay), (DEEPER_BAY, closes_deeper_bay))
    ],
    # TX-8: moving
    "when_all_pawns_are_placed_a_pawn_moves_to_any_free_cell_of_its_colour": [
        case(all_down(5), moves="-1.0d>6.0u 0.0d>6.0d 0.0u>5.0d 2.0d>5.0d 3.0d>6.0u 3.0u>6.0d"),
        case(
            all_down(5),
            "-1.0d>6.0u",
            after="… 0.0d,0.0u,2.0d,3.0d,3.0u,6.0u 1.0d,1.0u,2.0u,4.0d,4.0u,5.0u - -/- square 15 0",
        ),
        case(ONE_COLOUR_SHUT_IN, moves="0.0d>6.0d 0.0u>5.0d 2.0d>5.0d 3.0u>6.0d"),
    ],
    # TX-9 to TX-12: triangles
    "suicide_can_be_forbidden": [
        case(OTHERS_TRIANGLE, has="+0.1u"),
        case(OTHERS_TRIANGLE, suicide="forbidden", lacks="+0.1u", illegal=("+0.1u", "TX-12", "captured on 0.1u")),
        case(THREE_NEUTRAL, neutral_triangle="captures", suicide="forbidden", lacks="+0.1u"),
    ],
    "a_pawn_may_or_may_not_move_into_a_capturing_triangle": [
        case(BESIDE_A_GAP, suicide="captured", has="1.0d>0.1u"),
        case(BESIDE_A_GAP, suicide="safe", has="1.0d>0.1u"),
        case(BESIDE_A_GAP, suicide="forbidden", lacks="1.0d>0.1u", illegal=("1.0d>0.1u", "TX-12", "captured on 0.1u")),
    ],
    "a_neutral_pawn_never_moves_again": [case(all_down(6, neutral="square", plies=15), moves="pass")],
    # TX-13 and TX-14: the end without a triangle
    "a_seat_that_cannot_move_passes_and_two_passes_are_a_draw": [
        case(all_down(4), moves="pass"),
        case(all_down(4), "pass", moves="pass", after="… square 15 1"),
        case(all_down(4), "pass pass", over="passes 0.5 0.5"),
        case(all_down(4, plies=16, passes=2), over="passes 0.5 0.5"),
    ],
    "having_no_move_can_be_a_loss": [
        case(all_down(4), no_move="loss", over="no_move 0 1"),
        case(all_down(5), no_move="loss", over=""),
    ],
    "having_neutral_pawns_only_can_be_a_loss": [
        case(all_down(6, neutral="round"), no_move="loss", moves="pass"),
        case(all_down(6, neutral="round"), all_neutral="loss", over="all_neutral 0 1"),
        case(all_down(4), all_neutral="loss", moves="pass"),
    ],
    "a_move_resets_the_count_of_passes": [
        case(all_down(6, neutral="round"), "pass", after="… square 15 1"),
        case(all_down(6, neutral="round"), "pass 1.0d>5.0d", moves="pass", after="… round 16 0"),
    ],
    "repetition_limits_how_often_a_position_may_occur": [
        case(all_down(5), " ".join((TO_AND_FRO * 3)[:plies]), repetition=limit, over=over)
        for limit, ends in ((1, 0), (2, 4), (3, 8), (4, 12))
        for plies, over in ((ends, "repetition 0.5 0.5"), (ends - 1, ""))
        if plies >= 0
    ],
    "without_repetition_the_maximum_length_still_ends_the_game": [
        case(all_down(5), " ".join(TO_AND_FRO * 7), repetition=0, max_plies=42, over="max_plies 0.5 0.5")
    ],
    "the_standing_counts_pawns_that_are_not_neutral": [
        case(standing=(6, 6)),
        case(line=" ".join(FIGURE_5), standing=(6, 5)),
        case(all_down(6, neutral="round"), standing=(0, 6)),
    ],
    # Moves that are refused
    "the_error_for_an_illegal_move_has_its_rule": [
        *(
            case(text, illegal=illegal)
            for text, illegal in (
                ("", ("NBR@1.0u/1.-1d:1.0u", "TX-3", "the first piece must be laid on 0.0u/0.-1d")),
                ("", ("+0.0u", "TX-4", "there is no piece on 0.0u")),
                ("", ("NBR@0.0u/0.-1d:0.-1d", "TX-4", "on one of 0.0d, 0.0u, -1.0d")),
                ("", ("pass", "TX-13", "round has another move")),
                (ONE_PAWN, ("+0.0d", "TX-4", "0.0d is not free")),
                (ONE_PAWN, ("+99.-99d", "TX-4", "there is no piece on 99.-99d")),  # The farthest cell that has a name.
                (ONE_PAWN, ("NBR@0.0d/1.0u:0.0d", "TX-5", "there is already a piece on 0.0d")),
                (ONE_PAWN, ("NBR@9.0d/10.0u:9.0d", "TX-5", "must touch the ground")),
                (TWO_PAWNS, ("0.0d>0.1d", "TX-8", "before all twelve are placed")),
                (NO_BLUE, ("NBR@1.0d/1.1u:1.0d", "TX-4", "round has no blue pawn left to place, only black and red")),
                (NO_BLUE_THREE, ("+1.0d", "TX-4", "round has no blue pawn left to place, only black and red")),
                (NO_BLUE, ("BRN@1.0d/1.1u:2.0u", "TX-2", "no piece BRN in the supply; it has BNR, NBR, NRB, RBN, RNB")),
                (all_down(), ("+7.0d", "TX-8", "all pawns are placed; write a move")),
                (all_down(), ("NBR@9.0u/9.-1d:9.0u", "TX-8", "no more pieces may be laid")),
                (all_down(), ("1.0d>7.0d", "TX-8", "round has no pawn on 1.0d")),
                (all_down(), ("9.9u>7.0d", "TX-8", "round has no pawn on 9.9u")),
                (all_down(), ("-1.0d>9.9u", "TX-8", "there is no piece on 9.9u")),
                (all_down(), ("-1.0d>0.0u", "TX-8", "0.0u is not free")),
                (all_down(), ("-1.0d>6.0d", "TX-8", "a black pawn may move only to black cells; 6.0d has another")),
                (all_down(neutral="square"), ("1.0d>7.0d", "TX-9", "the pawn on 1.0d is neutral")),
            )
        ),
        case(line=" ".join(BAY), illegal=(CLOSING, "TX-6", "the piece would enclose an empty area")),
    ],
    "a_move_to_the_same_cell_is_not_a_pass": [
        case(all_down(4), illegal=("0.0d>0.0d", "TX-8", "")),
        case(all_down(4), illegal=("1.0d>1.0d", "TX-8", "")),
        case(all_down(neutral="round"), illegal=("0.0d>0.0d", "TX-9", "")),
    ],
}


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_a_rule(cases: list[Case]) -> None:
    for expected in cases:
        check(GAME, expected)


@pytest.mark.parametrize("first", moves(start()))
def test_after_any_first_move_there_are_24_placements_and_434_moves(first: str) -> None:
    position = played(start(), first)
    assert len({move.split(":")[0][3:] for move in moves(position) if "@" in move}) == 24
    assert len(moves(position)) == 434


def test_round_begins_for_every_seed() -> None:
    assert GAME.start(GAME.settings(), b"a") == GAME.start(GAME.settings(), b"b")


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


@pytest.mark.parametrize("suicide", ["captured", "safe", "forbidden"])
def test_a_pawn_can_always_be_placed(suicide: str) -> None:
    position = start(tileset="identical", suicide=suicide)
    while position.pawns.hand:
        assert "pass" not in moves(position)
        position = played(position, moves(position)[0])


@pytest.mark.parametrize("too", [False, True])
def test_three_neutral_pawns_alone_capture_only_with_the_option(too: bool) -> None:
    centre, corners = 0b0001, 0b1110
    assert captured([(centre, corners)], centre, 0, too) == (centre if too else 0)
    assert captured([(centre, corners)], centre, 0b0010, too) == centre


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


def test_checking_one_move_does_not_list_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(_: Pawns) -> list[int]:
        raise AssertionError("all moves were listed")

    position = start()
    monkeypatch.setattr(Pawns, "moves", listed)
    monkeypatch.setattr(Pawns, "lay_ends", listed)
    monkeypatch.setattr(Pawns, "puts", listed)
    assert str(played(position, *FIGURE_5)).endswith("square 5 0")


@pytest.mark.parametrize("text", [str(start()), CAPTURE_FIRST, all_down(5), all_down(4), all_down(5, neutral="round")])
def test_the_fast_moves_are_the_listed_ones(text: str) -> None:
    position = at(text)
    assert sorted(move_text(position.pawns, move) for move in position.pawns.moves()) == moves(position)
