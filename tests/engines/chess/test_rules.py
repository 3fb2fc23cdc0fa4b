"""The rules of chess by example: how moves are refused, how a game ends, which draws must be claimed, chess960."""

import pytest
from chess import Board

from engines.api import Outcome, Position
from engines.chess import GAME
from engines.game_errors import IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Value

DRAWN = (0.5, 0.5)


def start(**options: Value) -> Position:
    return GAME.start(GAME.settings(options), bytes(32))


def read(text: str, **options: Value) -> Position:
    return GAME.read(text, GAME.settings(options))


def played(position: Position, moves: str) -> Position:
    for move in moves.split():
        position = position.play(position.owing[0], move)
    return position


def outcome_of(position: Position) -> Outcome:
    assert position.outcome
    assert not any((position.owing, position.moves(0), position.moves(1)))
    assert position.claimable is None
    return position.outcome


def rule_broken(position: Position, move: str) -> str:
    with pytest.raises(IllegalMove) as caught:
        position.play(position.owing[0], move)
    return caught.value.details["rule"]


def test_mate_wins() -> None:
    assert outcome_of(played(start(), "f2f3 e7e5 g2g4 d8h4")) == Outcome("checkmate", (0.0, 1.0), (0.0, 1.0))
    assert outcome_of(read("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")).scores == (1.0, 0.0)


def test_stalemate_is_a_draw() -> None:
    assert outcome_of(read("7k/5Q2/8/8/8/8/8/K7 b - - 0 1")) == Outcome("stalemate", DRAWN, DRAWN)


@pytest.mark.parametrize("pieces", ["8/8/8/8/8/8/8/K6k", "8/8/8/8/8/8/7N/K6k", "8/8/8/8/2b5/1B6/8/K6k"])
def test_material_that_cannot_mate_is_a_draw(pieces: str) -> None:
    assert outcome_of(read(f"{pieces} w - - 0 1")).reason == "insufficient_material"


@pytest.mark.parametrize("pieces", ["8/8/8/8/8/8/6NN/K6k", "8/8/8/8/2b5/2B5/8/K6k", "8/8/8/8/8/8/7P/K6k"])
def test_material_that_could_mate_with_help_is_no_draw(pieces: str) -> None:
    assert read(f"{pieces} w - - 0 1").outcome is None


TO_AND_FRO = "g1f3 g8f6 f3g1 f6g8"


def test_the_third_occurrence_of_a_position_is_a_draw() -> None:
    twice = played(start(), TO_AND_FRO)
    assert twice.outcome is None
    assert outcome_of(played(twice, TO_AND_FRO)).reason == "repetition"


def test_a_position_with_other_castling_rights_is_another_position() -> None:
    open_rooks = read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    rooks = "a1b1 a8b8 b1a1 b8a8 "
    assert played(open_rooks, rooks * 2).outcome is None
    assert outcome_of(played(open_rooks, rooks * 2 + "a1b1 a8b8")).reason == "repetition"


def test_a_pawn_move_makes_earlier_positions_impossible() -> None:
    assert played(start(), f"{TO_AND_FRO} e2e3 e7e6 {TO_AND_FRO}").outcome is None


def test_with_claims_the_third_occurrence_can_be_claimed_and_the_fifth_ends_the_game() -> None:
    twice = played(start(draws="claimed"), TO_AND_FRO)
    assert twice.claimable is None
    third = played(twice, TO_AND_FRO)
    assert (third.outcome, third.claimable) == (None, "repetition")
    assert outcome_of(played(third, f"{TO_AND_FRO} {TO_AND_FRO}")).reason == "fivefold_repetition"


ROOKS = "8/8/8/3k4/8/8/R7/K6r w - - {} 80"


def test_fifty_moves_without_progress_are_a_draw() -> None:
    assert read(ROOKS.format(99)).outcome is None
    assert outcome_of(read(ROOKS.format(100))).reason == "fifty_moves"


def test_with_claims_fifty_moves_can_be_claimed_and_seventy_five_end_the_game() -> None:
    assert read(ROOKS.format(99), draws="claimed").claimable is None
    assert read(ROOKS.format(100), draws="claimed").claimable == "fifty_moves"
    assert read(ROOKS.format(149), draws="claimed").claimable == "fifty_moves"
    assert outcome_of(read(ROOKS.format(150), draws="claimed")).reason == "seventy_five_moves"


def test_a_mate_in_the_hundredth_ply_wins() -> None:
    assert outcome_of(played(read("6k1/5ppp/8/8/8/8/8/KR6 w - - 99 90"), "b1b8")).reason == "checkmate"


def test_a_pawn_move_and_a_capture_are_progress() -> None:
    assert str(played(read("4k3/8/8/8/8/7p/8/4K2R w - - 60 90"), "h1h3")).endswith(" 0 90")
    assert str(played(read("4k3/8/8/8/8/8/7P/4K2R w - - 60 90"), "h2h3")).endswith(" 0 90")


def test_the_standing_is_the_material() -> None:
    assert start().standing == (39.0, 39.0)
    assert read("4k3/8/8/8/8/7p/8/4K2R w - - 0 1").standing == (5.0, 1.0)


@pytest.mark.parametrize("text", ["e2-e4", "e2e4x", "e2", "0000", "e7e8k", "e7e8Q", "e2e2", "P@e4", "O-O", "Nf3"])
def test_what_is_not_uci_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMove, match="as in UCI"):
        start().play(0, text)


@pytest.mark.parametrize(
    ("position", "move", "rule"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "d2d3", "CH-1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e8e7", "CH-1"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "e2d3", "CH-2"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1b2", "CH-3"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1e3", "CH-3"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8q", "CH-4"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2d3", "CH-4"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e3q", "CH-4"),
        ("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8", "CH-4"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1c1", "CH-5"),
        ("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "CH-5"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", "CH-5"),
    ],
)
def test_an_illegal_move_names_the_rule_that_it_breaks(position: str, move: str, rule: str) -> None:
    assert rule_broken(read(position), move) == rule


def test_a_pawn_can_be_taken_en_passant_only_at_once() -> None:
    beside = played(start(), "e2e4 a7a6 e4e5 d7d5")
    assert "e5d6" in beside.moves(0)
    assert "e5d6" not in played(beside, "a2a3 a6a5").moves(0)


def test_a_pawn_is_promoted_to_any_of_four_pieces() -> None:
    ready = read("8/4P3/8/8/8/8/k7/4K3 w - - 0 1")
    assert [move for move in ready.moves(0) if move.startswith("e7")] == ["e7e8b", "e7e8n", "e7e8q", "e7e8r"]
    assert str(played(ready, "e7e8n")).startswith("4N3/")


def test_castling_moves_king_and_rook() -> None:
    ready = read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert str(played(ready, "e1g1 e8c8")) == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"


def test_a_rook_that_has_moved_does_not_castle() -> None:
    back = played(read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), "h1h2 a8a7 h2h1 a7a8")
    assert "e1g1" not in back.moves(0)
    assert "e1c1" in back.moves(0)


def test_the_first_positions_of_chess960_have_bishops_on_both_colours_and_the_king_between_its_rooks() -> None:
    settings = GAME.settings({"chess960": True})
    firsts = {str(GAME.start(settings, bytes([number]))) for number in range(100)}
    assert len(firsts) > 80
    for first in firsts:
        row = first.split("/")[0]
        assert row.index("r") < row.index("k") < row.rindex("r")
        assert row.index("b") % 2 != row.rindex("b") % 2


def test_castling_in_chess960_is_written_as_king_takes_rook() -> None:
    ready = read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", chess960=True)
    assert "e1h1" in ready.moves(0)
    assert str(played(ready, "e1h1 e8a8")) == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"
    assert rule_broken(ready, "e1g1") == "CH-5"


def test_a_seat_that_is_not_to_move_is_refused() -> None:
    with pytest.raises(NotYourTurn):
        start().play(1, "e7e5")
    with pytest.raises(NotYourTurn):
        read("7k/5Q2/8/8/8/8/8/K7 b - - 0 1").play(1, "h8g8")


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
    with pytest.raises(MalformedPosition, match=wrong):
        read(text)


def test_a_square_for_en_passant_where_no_pawn_can_be_taken_is_read_and_not_written() -> None:
    text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 1"
    assert str(read(text.format("e3"))) == text.format("-")
    assert str(played(start(), "e2e4")) == text.format("-")


def test_a_position_is_not_changed_by_playing_from_it() -> None:
    first = start()
    played(first, TO_AND_FRO)
    assert str(first) == Board().fen()
    assert played(first, TO_AND_FRO).outcome is None


def test_the_view_says_what_is_in_check_who_may_castle_and_where_a_pawn_can_be_taken() -> None:
    checked = played(start(), "e2e4 f7f6 d1h5").view(0)
    assert isinstance(checked, dict)
    assert checked["check"] is True
    assert checked["squares"]["h5"] == "white queen"
    beside = played(start(), "e2e4 a7a6 e4e5 d7d5 e1e2 f7f5").view(0)
    assert isinstance(beside, dict)
    assert beside["en_passant"] == "f6"
    assert beside["castling"] == {"white": [], "black": ["a8", "h8"]}
