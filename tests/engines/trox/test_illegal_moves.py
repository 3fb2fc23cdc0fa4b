"""What is refused in Trox, and why: moves, and positions as text."""

import pytest

from engines.game_errors import MalformedMove, MalformedPosition
from engines.trox import GAME
from tests.engines.rule_cases import check_malformed
from tests.engines.trox.positions import FIRST, TWO_PIECES, all_down, at, played, start, text_of
from tests.engines.trox.test_rules import CAPTURE_FIRST, FIGURE_5, OTHERS_TRIANGLE


@pytest.mark.parametrize(
    "move",
    [
        "",
        "Pass",
        "NBR",
        "NNB@0.0u/0.-1d:0.0d",
        "NBR@0.0u/0.-1d",
        "NBR@0.0u/0.-1d:0.0",
        "NBR@00.0u/0.-1d:0.0d",
        "NBR@-0.0u/0.-1d:0.0d",
        "NBR@100.0u/100.-1d:100.0d",
        "+0.0u\n",
        "+٣.0u",
        "0.0u>",
        "0.0u-0.0d",
        "+" + "9" * 5000 + ".0u",
    ],
)
def test_a_move_in_another_notation_is_malformed(move: str) -> None:
    with pytest.raises(MalformedMove, match=r"write a move as NBR@0\.0u/0\.-1d:0\.0d"):
        start().play(0, move)


def test_the_excluded_cell_is_a_neighbour_of_the_middle() -> None:
    with pytest.raises(MalformedMove, match="one of the three neighbours of the middle"):
        start().play(0, "NBR@0.0u/5.5d:0.0u")


FIGURE_5_TEXT = str(played(start(), *FIGURE_5))
THIRTEEN = ",".join([f"NBR@{3 * place}.0u/{3 * place}.-1d" for place in range(13)])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "eight fields"),
        ("- - - - NNBBRR/NNBBRR round 0", "eight fields"),
        ("- - - - NNBBRR/NNBBRR round 00 0", "eight fields"),
        ("- - - - NNBBRR/NNBBRR round 0 3", "eight fields"),
        ("- - - - NNBBRR/NNBBRR Round 0 0", "eight fields"),
        ("NBR@0.0u/7.7d 0.0u - - NNBBRR/NNBBRR square 1 0", "one of the three neighbours"),
        ("NBR@1.0u/1.-1d 1.0u - - NNBRR/NNBBRR square 1 0", "where the first one is laid"),
        (text_of(f"{FIRST} NBR@9.0u/9.-1d", {"round": "0.0d", "square": "9.0u"}), "are not connected by sides"),
        (text_of(f"{FIRST} NBR@0.0d/0.1u", {"round": "0.0d", "square": "0.0u"}), "the pieces overlap"),
        (
            text_of(f"{FIRST} NRB@-1.-1d/-1.-1u RBN@1.-1d/2.-1u", {"round": "0.0u 1.-1d", "square": "-1.-1d"}),
            "enclose an empty area",
        ),
        (f"{THIRTEEN} - - - NNBBRR/NNBBRR round 0 0", "at most twelve pieces"),
        (
            text_of(f"{TWO_PIECES} BRN@1.0d/1.1u", {"round": "0.0u 0.1u", "square": "1.0d"}),
            "more pieces of a kind than the tileset has",
        ),
        (f"{FIRST} 5.5u - - NNBRR/NNBBRR square 1 0", "no piece under the pawn on 5.5u"),
        (f"{FIRST} 0.0d 0.0d - NNBRR/NNBRR round 2 0", "only one pawn"),
        (f"{FIRST} 0.0d - 0.0d NNBRR/NNBRR round 2 0", "only one pawn"),
        (f"{FIRST} 0.0d - - NNBRR/NNNBRR square 1 0", "at most two pawns of a colour"),
        (f"{FIRST} 0.0d - - NNBBRR/NNBBRR square 1 0", "each seat must have two blue pawns"),
        (f"{FIRST} 0.0d - 0.0u NNBRR/NNBBRR square 1 0", "each seat must have two red pawns"),
        (f"{FIRST} 0.0d - - NNBRR/NNBBRR round 1 0", "after 1 plies it is square's turn"),
        (f"{FIRST} 0.0d - - NNBRR/NNBBRR square 3 0", "after 3 plies 3 pawns must have been placed"),
        (f"{FIRST} 0.0d,0.0u - - NNBR/NNBBRR round 2 0", "after 2 plies 2 pawns must have been placed"),
        (text_of(TWO_PIECES, {"round": "0.0d"}), "every piece is laid with a pawn on it"),
        (f"{FIRST} 0.0d - - NNBRR/NNBBRR square 1 1", "may not pass while pawns are being placed"),
        (all_down(4, plies=12, passes=1), "may not pass while pawns are being placed"),
        (all_down(5, passes=1), "square could not have passed"),
        (all_down(5, neutral="square", passes=2), "round could not have passed"),
        (text_of(TWO_PIECES, {"round": "0.0d 0.1d -1.1d", "square": "-1.0d 0.1u"}), "the pawn on 0.1u would have been"),
        (FIGURE_5_TEXT.replace("0.0d,0.1d", "0.1d,0.0d"), "its canonical form is"),
        (FIGURE_5_TEXT.replace("NRR", "RRN"), "its canonical form is"),
        (f"{FIRST} 0.0d,0.0d - - NNBRR/NNBBRR square 1 0", "its canonical form is"),
    ],
)
def test_a_text_that_describes_no_position_is_an_error(text: str, wrong: str) -> None:
    check_malformed(GAME, text, wrong, {})


def test_a_pass_cannot_be_parsed_where_it_is_a_loss() -> None:
    text = all_down(4, plies=13, passes=1)
    assert at(text).owing == (1,)
    with pytest.raises(MalformedPosition, match="could not have passed"):
        at(text, no_move="loss")


def test_the_order_of_laying_is_not_in_the_text_and_does_not_matter() -> None:
    pieces = ["NBR@0.0u/0.-1d:0.0u", "NRB@-1.-1d/-1.-1u:-1.-1d", "BNR@1.0d/1.1u:1.0d", "RBN@1.-1u/1.-2d:1.-1u"]
    position = played(start(hole_rule="off"), *pieces)
    other = GAME.read(str(position), position.settings)
    assert position == other
    assert position.moves(0) == other.moves(0)


@pytest.mark.parametrize("suicide", ["captured", "safe", "forbidden"])
def test_a_pawn_may_stand_in_a_capturing_triangle_only_where_suicide_is_safe(suicide: str) -> None:
    safe = played(at(OTHERS_TRIANGLE, suicide="safe"), "+0.1u")
    if suicide == "safe":
        assert GAME.read(str(safe), safe.settings) == safe
    else:
        with pytest.raises(MalformedPosition, match=r"the pawn on 0\.1u would have been captured"):
            at(str(safe), suicide=suicide)


def test_the_seat_that_has_just_acted_has_captured_even_where_suicide_is_safe() -> None:
    text = text_of(TWO_PIECES, {"round": "0.0d 0.1d -1.1d", "square": "-1.0d 0.1u"})
    with pytest.raises(MalformedPosition, match=r"the pawn on 0\.1u would have been captured"):
        at(text, suicide="safe")


@pytest.mark.parametrize(("before", "winner"), [(CAPTURE_FIRST, (1.0, 0.0)), (OTHERS_TRIANGLE, (0.0, 1.0))])
def test_a_won_position_parses_as_won(before: str, winner: tuple[float, float]) -> None:
    won = played(at(before), "+0.1u")
    again = at(str(won))
    assert again == won
    assert again.outcome == won.outcome
    assert again.outcome is not None
    assert again.outcome.scores == winner
    assert again.owing == ()
    assert not again.pawns.moves()
