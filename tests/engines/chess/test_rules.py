"""The rules of chess by example: how moves are refused, how a game ends, which draws must be claimed, chess960."""

from functools import partial

import pytest

from engines.api import Position
from engines.chess import GAME
from engines.game_errors import MalformedMove
from engines.options import Value
from engines.testing.svg_checks import NAMESPACE
from tests.engines.drawn_shapes import draw
from tests.engines.rule_cases import Case, case, check, check_malformed

TO_AND_FRO = "g1f3 g8f6 f3g1 f6g8"
ROOKS_MOVED = "a1b1 a8b8 b1a1 b8a8 "
ROOKS = "8/8/8/3k4/8/8/R7/K6r w - - {} 80"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTION = "8/4P3/8/8/8/8/k7/4K3 w - - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 1"


def start(**options: Value) -> Position:
    return GAME.start(GAME.settings(options), bytes(32))


def read(text: str, **options: Value) -> Position:
    return GAME.read(text, GAME.settings(options))


def played(position: Position, moves: str) -> Position:
    for move in moves.split():
        position = position.play(position.owing[0], move)
    return position


RULES: dict[str, list[Case]] = {
    "mate_wins": [
        case(line="f2f3 e7e5 g2g4 d8h4", moves="", over="checkmate 0 1"),
        case("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", over="checkmate 1 0"),
    ],
    "stalemate_is_a_draw": [case("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", moves="", over="stalemate 0.5 0.5")],
    "material_that_cannot_mate_is_a_draw": [
        case(f"{pieces} w - - 0 1", over="insufficient_material 0.5 0.5")
        for pieces in ("8/8/8/8/8/8/8/K6k", "8/8/8/8/8/8/7N/K6k", "8/8/8/8/2b5/1B6/8/K6k")
    ],
    "material_that_could_mate_with_help_is_no_draw": [
        case(f"{pieces} w - - 0 1", over="")
        for pieces in ("8/8/8/8/8/8/6NN/K6k", "8/8/8/8/2b5/2B5/8/K6k", "8/8/8/8/8/8/7P/K6k")
    ],
    "the_third_occurrence_of_a_position_is_a_draw": [
        case(line=TO_AND_FRO, over=""),
        case(line=f"{TO_AND_FRO} {TO_AND_FRO}", over="repetition 0.5 0.5"),
    ],
    "a_position_with_other_castling_rights_is_another_position": [
        case(CASTLING, ROOKS_MOVED * 2, over=""),
        case(CASTLING, ROOKS_MOVED * 2 + "a1b1 a8b8", over="repetition 0.5 0.5"),
    ],
    "a_pawn_move_makes_earlier_positions_impossible": [
        case(line=f"{TO_AND_FRO} e2e3 e7e6 {TO_AND_FRO}", over=""),
    ],
    "fifty_moves_without_progress_are_a_draw": [
        case(ROOKS.format(99), over=""),
        case(ROOKS.format(100), over="fifty_moves 0.5 0.5"),
    ],
    "a_mate_in_the_hundredth_ply_wins": [
        case("6k1/5ppp/8/8/8/8/8/KR6 w - - 99 90", "b1b8", over="checkmate 1 0"),
    ],
    "a_pawn_move_and_a_capture_are_progress": [
        case("4k3/8/8/8/8/7p/8/4K2R w - - 60 90", "h1h3", after="… 0 90"),
        case("4k3/8/8/8/8/8/7P/4K2R w - - 60 90", "h2h3", after="… 0 90"),
    ],
    "the_standing_is_the_material": [
        case(standing=(39, 39)),
        case("4k3/8/8/8/8/7p/8/4K2R w - - 0 1", standing=(5, 1)),
    ],
    "an_illegal_move_names_the_rule_that_it_breaks": [
        case("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", illegal=("d2d3", "CH-1", "")),
        case("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", illegal=("e8e7", "CH-1", "")),
        case("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", illegal=("e2d3", "CH-2", "")),
        case("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", illegal=("a1b2", "CH-3", "")),
        case("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", illegal=("e1e3", "CH-3", "")),
        case("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", illegal=("a1a8q", "CH-4", "")),
        case("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", illegal=("e2d3", "CH-4", "")),
        case("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", illegal=("e2e3q", "CH-4", "")),
        case("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", illegal=("e7e8", "CH-4", "")),
        case("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", illegal=("e1c1", "CH-5", "")),
        case("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", illegal=("e1c1", "CH-5", "")),
        case("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", illegal=("e1a1", "CH-5", "")),
    ],
    "a_pawn_can_be_taken_en_passant_only_at_once": [
        case(line="e2e4 a7a6 e4e5 d7d5", has="e5d6"),
        case(line="e2e4 a7a6 e4e5 d7d5 a2a3 a6a5", lacks="e5d6"),
    ],
    "a_pawn_is_promoted_to_any_of_four_pieces": [
        case(PROMOTION, begins="e7", moves="e7e8b e7e8n e7e8q e7e8r"),
        case(PROMOTION, "e7e8n", after="4N3/…"),
    ],
    "castling_moves_king_and_rook": [case(CASTLING, "e1g1 e8c8", after="2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2")],
    "a_rook_that_has_moved_does_not_castle": [
        case(CASTLING, "h1h2 a8a7 h2h1 a7a8", lacks="e1g1", has="e1c1"),
    ],
    "castling_in_chess960_is_written_as_king_takes_rook": [
        case(CASTLING, chess960=True, has="e1h1", illegal=("e1g1", "CH-5", "")),
        case(CASTLING, "e1h1 e8a8", chess960=True, after="2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"),
    ],
    "a_square_for_en_passant_where_no_pawn_can_be_taken_is_read_and_not_written": [
        case(AFTER_E4.format("e3"), after=AFTER_E4.format("-")),
        case(line="e2e4", after=AFTER_E4.format("-")),
        # The pawn that could take is pinned by the rook, and then free.
        case("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", lacks="d4e3", after="… b - - 0 1"),
        case("8/8/8/k7/3p3R/8/4P3/4K3 w - - 0 1", "e2e4", has="d4e3", after="… b - e3 0 1"),
    ],
}


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_a_rule(cases: list[Case]) -> None:
    for expected in cases:
        check(GAME, expected)


def claims(position: Position) -> tuple[str | None, str]:
    """Return the draw that can be claimed, and the reason for which the game is over."""
    return position.claimable, position.outcome.reason if position.outcome else ""


def test_with_claims_the_third_occurrence_can_be_claimed_and_the_fifth_ends_the_game() -> None:
    first = start(draws="claimed")
    told = [claims(played(first, " ".join([TO_AND_FRO] * times))) for times in (1, 2, 4)]
    assert told == [(None, ""), ("repetition", ""), (None, "fivefold_repetition")]


def test_with_claims_fifty_moves_can_be_claimed_and_seventy_five_end_the_game() -> None:
    told = [claims(read(ROOKS.format(plies), draws="claimed")) for plies in (99, 100, 149, 150)]
    assert told == [(None, ""), ("fifty_moves", ""), ("fifty_moves", ""), (None, "seventy_five_moves")]


def test_nothing_can_be_claimed_when_the_game_is_over() -> None:
    over = played(start(), f"{TO_AND_FRO} {TO_AND_FRO}")
    assert (claims(over), over.owing, over.moves(0), over.moves(1)) == ((None, "repetition"), (), [], [])


@pytest.mark.parametrize("text", ["e2-e4", "e2e4x", "e2", "0000", "e7e8k", "e7e8Q", "e2e2", "P@e4", "O-O", "Nf3"])
def test_what_is_not_uci_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMove, match="as in UCI"):
        start().play(0, text)


def test_the_first_positions_of_chess960_have_bishops_on_both_colours_and_the_king_between_its_rooks() -> None:
    settings = GAME.settings({"chess960": True})
    firsts = {str(GAME.start(settings, bytes([number]))) for number in range(100)}
    assert len(firsts) > 80
    for first in firsts:
        row = first.split("/")[0]
        assert row.index("r") < row.index("k") < row.rindex("r")
        assert row.index("b") % 2 != row.rindex("b") % 2


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("8/8/8/8/8/8/8/K6k w - -", "FEN with six fields"),
        ("9/8/8/8/8/8/8/K6kQ w - - 0 1", "FEN with six fields"),
        ("44/8/8/8/8/8/8/K6k w - - 0 1", "two subsequent digits"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "no_black_king"),
        ("8/8/8/8/8/8/8/K5Rk w - - 0 1", "opposite_check"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "bad_castling_rights"),
        ("4k2r/8/8/8/8/8/8/R3K2R w QK - 0 1", "its canonical form is '4k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1'"),
    ],
)
def test_what_is_wrong_with_a_position_is_said(text: str, wrong: str) -> None:
    check_malformed(GAME, text, wrong, {})


def test_the_view_says_what_is_in_check_who_may_castle_and_where_a_pawn_can_be_taken() -> None:
    checked = played(start(), "e2e4 f7f6 d1h5").view(0)
    assert isinstance(checked, dict)
    assert checked["check"] is True
    assert checked["squares"]["h5"] == "white queen"
    beside = played(start(), "e2e4 a7a6 e4e5 d7d5 e1e2 f7f5").view(0)
    assert isinstance(beside, dict)
    assert beside["en_passant"] == "f6"
    assert beside["castling"] == {"white": [], "black": ["a8", "h8"]}


drawn = partial(draw, "chess")


def test_the_triangle_is_on_the_side_of_the_side_to_move() -> None:
    for position, y in ((start(), "150"), (start().play(0, "e2e4"), "10")):
        (triangle,) = drawn(position).iter(f"{NAMESPACE}polygon")
        assert triangle.get("points", "").startswith(f"163,{y} ")
