"""What must hold: the rules by number, one fact at a time."""

import pytest

from engines.game_errors import IllegalMove, NotYourTurn
from engines.troke import GAME
from tests.engines.troke.positions import ended, moves, played, read, start

FIGURES = [
    ("Tb1-c2", 30),
    ("Md9-e8", 30),
    ("Wb1xc2-d3", 46),
    ("Wf9-f7", 63),
    ("Md1xd3-d5-d7", 59),
    ("Td9xe8xf7-g6", 60),
    ("Mb1xd1-d3-d5", 80),
    ("Wd9xf9-f7-e6", 71),
    ("Td5-f5", 42),
    ("Te6xd5-e4-d3", 63),
]
FULL = "b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMr"
"""Red's goal row with three pieces on each circle, one of them White's."""


def test_figures_one_to_six_are_one_game() -> None:
    at = start()
    for move, many in FIGURES:
        assert len(at.moves(at.owing[0])) == many, move
        if move == "Td5-f5":
            assert at.pieces.chips == (12, 12), "capturing one's own pieces costs no chips"
        at = played(at, move)
    assert at.pieces.chips == (10, 14)


def test_figures_seven_and_eight_can_follow_at_once() -> None:
    at = played(start(), " ".join(move for move, _ in FIGURES))
    at = played(at, "Tf5xe6-e8-d9")
    assert at.pieces.chips == (12, 12)
    assert "Wd9-c8" in at.moves(1)


def test_a_step_into_a_dead_end_is_no_capture() -> None:
    with_f3 = read("c2:Wr,b3:Ww,d3:Tr,f3:Tw,c4:Ww,e4:Tw,d5:Tw r")
    assert moves(with_f3, "W") == "Wc2-e2"
    without = read("c2:Wr,b3:Ww,d3:Tr,c4:Ww,e4:Tw,d5:Tw r")
    assert moves(without, "W") == "Wc2-e2 Wc2xd3-f3"


def test_a_castle_of_three_cannot_be_attacked() -> None:
    assert "d5" not in moves(read("d3:Tr,d5:TrWwMw r"), "Td3")


def test_a_tower_moves_forward_obliquely_and_sideways_but_not_back_or_into_a_side_row() -> None:
    assert moves(read("b1:Tr r")) == "Tb1-b3 Tb1-c2 Tb1-d1"
    assert moves(read("d5:Tr r")) == "Td5-b5 Td5-c6 Td5-d7 Td5-e6 Td5-f5"


def test_an_arrival_with_two_captures_has_nine_ways() -> None:
    at = read("e8:Tr,d9:WwMw r")
    assert moves(at) == ("Te8-c8 Te8-f9 Te8-g8 Te8xd9 Te8xd9-b9 Te8xd9-b9-d9 Te8xd9-f9 Te8xd9-f9-d9 Te8xd9-f9-h9")
    assert played(at, "Te8xd9").pieces.chips == (14, 10)


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        ({}, ("red", "white")),
        ({"seats": 3}, ("red", "blue", "white")),
        ({"seats": 3, "third": "yellow"}, ("red", "white", "yellow")),
        ({"seats": 4}, ("red", "blue", "white", "yellow")),
    ],
)
def test_tk_1_the_seats_move_in_clockwise_order(options: dict[str, int | str], seats: tuple[str, ...]) -> None:
    assert GAME.table(GAME.settings(options)).seats == seats
    assert start(**options).owing == (0,)


def test_tk_1_teams_sit_across() -> None:
    assert GAME.table(GAME.settings({"seats": 4, "teams": True})).sides == ((0, 2), (1, 3))


def test_tk_2_every_seat_begins_with_four_castles_and_twelve_chips() -> None:
    assert str(start()) == (
        "b1:TrWrMr,d1:TrWrMr,f1:TrWrMr,h1:TrWrMr,b9:TwWwMw,d9:TwWwMw,f9:TwWwMw,h9:TwWwMw r 12/12 0/0 0"
    )


def test_tk_3_a_piece_leaves_its_stack_alone() -> None:
    assert str(played(read("d3:TrWrMw r"), "Td3-e4")).startswith("d3:WrMw,e4:Tr ")


def test_tk_4_no_two_towers_share_a_circle_whoever_owns_them() -> None:
    assert moves(read("d3:Tr,d5:Tw,c4:TrWr r"), "Td3").split() == ["Td3-b3", "Td3-e4", "Td3-f3"]


def test_tk_5_on_an_empty_circle_the_turn_ends() -> None:
    assert all(len(move) == 6 for move in moves(read("d3:Tr,e6:Wr r"), "Td3").split())


def test_tk_6_each_captured_piece_gives_one_more_step_own_ones_too() -> None:
    assert "Td3xd5-d7" in moves(read("d3:Tr,d5:Wr r"))
    assert "Td3xd5-d7-e8" in moves(read("d3:Tr,d5:WrMw r"))


def test_tk_7_an_assembly_moves_like_its_capturer_and_can_capture_again() -> None:
    at = read("b3:Tr,c4:Ww,c6:Mw r")
    assert moves(at, "Tb3xc4xc6").split() == ["Tb3xc4xc6-b7", "Tb3xc4xc6-c8", "Tb3xc4xc6-d7", "Tb3xc4xc6-e6"]
    assert str(played(at, "Tb3xc4xc6-c8")) == "c8:TrWwMw w 14/10 0/0 1"


def test_tk_7_a_circle_that_the_assembly_has_left_is_open_again() -> None:
    assert "Tb9xd9-b9" in moves(read("b9:Tw,d9:WrMw w")), "d9 gives one step, and b9 is empty by now"
    assert "Td3xf3-d3" in moves(read("d3:Tr,f3:Wr r"))


def test_tk_8_all_steps_must_be_made() -> None:
    at = read("d3:Tr,d5:Ww r")
    with pytest.raises(IllegalMove, match="one more step must be made from d5"):
        at.play(0, "Td3xd5")


def test_tk_8_capturing_is_optional() -> None:
    assert "Td3-e4" in moves(read("d3:Tr,d5:Ww r"))


def test_tk_9_after_the_turn_a_captured_piece_is_moved_by_its_owner() -> None:
    assert "Wc6-c4" in moves(played(read("b3:Tr,c4:Ww r"), "Tb3xc4-c6"))


def test_tk_10_side_rows_are_closed_to_assemblies_too() -> None:
    for seats in (2, 3, 4):
        at = read("c4:Tr,b5:Ww r", seats=seats)
        assert moves(at) == "Tc4-c6 Tc4-d5 Tc4-e4 Tc4xb5-b7 Tc4xb5-c6 Tc4xb5-d5"


def test_tk_10_a_piece_carried_into_a_side_row_may_leave_it() -> None:
    at = read("i8:Wr,g8:Tr r", seats=4)
    assert moves(at, "W") == "Wi8-h9 Wi8xg8-e8 Wi8xg8-f9 Wi8xg8-h9"


def test_tk_11_steps_that_are_left_may_lead_along_the_goal_row_only() -> None:
    at = read("c6:Tr,c8:WwMw r")
    assert moves(at, "Tc6xc8-d9").split() == ["Tc6xc8-d9", "Tc6xc8-d9-b9", "Tc6xc8-d9-f9"]


def test_tk_12_an_arrived_piece_never_moves_again_and_is_not_captured() -> None:
    at = read("d1:Mr,e8:Mr,d9:TrWw r")
    assert moves(at, "T") == ""
    assert "Me8xd9" in moves(at).split(), "the white wall is still in its start row"
    assert str(played(at, "Me8xd9-f9")).startswith("d1:Mr,d9:Tr,f9:WwMr ")


def test_tk_12_joining_arrived_pieces_gives_no_step() -> None:
    assert moves(read("e8:Mr,d9:TrWr r")).split() == ["Me8-c8", "Me8-d9", "Me8-f9", "Me8-g8"]


def test_tk_13_an_arrived_enemy_may_be_joined_on_the_own_start_row() -> None:
    assert moves(read("b9:Tw,d9:Wr w"), "Tb9") == "Tb9-b7 Tb9-c8 Tb9-d9"
    at = read("b9:Tw,d9:WrMw w")
    assert "Tb9xd9-e8" in moves(at), "of a mixed circle the own piece is captured"
    assert str(played(at, "Tb9xd9-e8")) == "e8:TwMw,d9:Wr r 12/12 0/0 1"


def test_tk_14_enemies_in_their_start_row_are_captured_even_if_the_turn_stops() -> None:
    at = read("e8:Tr,d9:WrMw r")
    assert str(played(at, "Te8xd9")) == "d9:TrWrMw w 13/11 0/0 1"


def test_tk_15_captured_pieces_may_be_carried_home() -> None:
    assert "Te6xe8-d9" in moves(read("e6:Tr,e8:Ww r"))


def test_tk_16_a_full_goal_row_must_be_cleared_first() -> None:
    assert moves(read(f"e4:Tw,{FULL} w")) == "Wh9-g8 Wh9-h7"


def test_tk_16_does_not_apply_to_a_seat_that_cannot_clear() -> None:
    assert "Te4-e2" in moves(read(f"e4:Tw,h7:Ww,g8:Ww,{FULL} w"))


def test_tk_16_does_not_apply_to_a_seat_without_a_piece_there() -> None:
    assert "Te4-e2" in moves(read(f"e4:Tw,{FULL.replace('WwMr', 'WrMb')} w", seats=4))


def test_tk_16_does_not_apply_while_a_circle_has_room() -> None:
    assert "Te4-e2" in moves(read(f"e4:Tw,{FULL.replace('WwMr', 'Ww')} w"))


def test_tk_16_does_not_apply_without_an_opposite_seat() -> None:
    full = "i2:TbWbMb,i4:TbWbMb,i6:TbWbMb,i8:TbWyMb,e4:Ty y"
    assert moves(read(full, seats=4)) == "Wi8-g8 Wi8-h7"
    assert "Te4-c4" in moves(read(full.replace("b", "r"), seats=3, third="yellow"))


def test_tk_17_a_piece_that_stepped_sideways_may_not_step_back() -> None:
    at = played(read("f3:Mw,d5:Tr r"), "Td5-f5 Mf3-e2")
    assert moves(at) == "Tf5-e6 Tf5-f7 Tf5-g6 Tf5-h5"
    assert "Th5-f5" not in moves(played(at, "Tf5-h5 Me2-c2"))


def test_tk_17_does_not_apply_once_the_piece_has_been_carried() -> None:
    at = played(read("d3:Wr,d5:Tr,h3:Mw r"), "Td5-f5 Mh3-g2 Wd3-f3 Mg2-f1 Wf3xf5-f7")
    assert " back=" not in str(at)


@pytest.mark.parametrize(
    ("text", "move", "options"),
    [
        ("c8:Tw,g8:Tr,f9:Ww r 12/12 0/0 5 back=Wf9-h9", "Tg8xf9", {}),
        ("c4:Mr,e4:Ww,g6:Tw r 12/12 0/0 5 back=We4-g4", "Mc4xe4", {"extra_steps": "may"}),
    ],
)
def test_tk_17_applies_to_a_piece_that_was_captured_but_not_moved(
    text: str, move: str, options: dict[str, str]
) -> None:
    at = played(read(text, **options), move)
    back = text.rpartition("back=")[2]
    assert str(at).endswith(f" back={back}")
    assert back not in moves(at)


def test_tk_17_allows_a_step_back_that_captures() -> None:
    at = read("f5:Tr,d5:Ww r 12/12 0/0 0 back=Tf5-d5")
    assert "Tf5xd5-c6" in moves(at)


def test_tk_17_allows_a_step_back_if_it_is_the_only_move() -> None:
    # The white tower has come from b9 to d9, and only the way back is open.
    text = "c8:Tr,e8:Tr,d7:Tr,d9:TwWr,f9:Tr w 12/12 0/0 0 back=Td9-b9"
    assert moves(read(text)) == "Td9-b9"
    assert moves(read(text, lateral_rule="strict")) == "pass"


def test_tk_18_only_a_seat_that_cannot_move_passes() -> None:
    at = read("d1:Tw,d5:Tr w")
    assert moves(at) == "pass", "the white tower has arrived"
    after = played(at, "pass")
    assert after.owing == (0,)
    with pytest.raises(IllegalMove, match="a seat that can move may not pass: Td5-b5"):
        after.play(0, "pass")


def test_tk_18_the_game_ends_when_no_seat_can_move() -> None:
    assert ended(played(read("d1:Tw,e8:Tr r 10/14 0/0 7"), "Te8-d9")) == "no_moves 10 14"


def test_tk_18_a_barred_step_back_does_not_keep_the_game_going() -> None:
    text = "b1:Tw,d1:Tw,c2:Tw,b3:Tw,b9:Tr r 12/12 0/0 0 back=Tc2-e2,Tb3-d3"
    assert moves(read(text)) == "pass"
    assert ended(read(text, lateral_rule="strict")) == "no_moves 12 12"


def test_tk_19_captured_pieces_cost_their_owners_one_chip_each() -> None:
    at = read("d3:Tr,d5:WwMb r", seats=4)
    assert played(at, "Td3xd5-d7-e8").pieces.chips == (14, 11, 11, 12)
    assert played(read("d3:Tr,d5:WrMr r"), "Td3xd5-d7-e8").pieces.chips == (12, 12)


def test_tk_20_castles_earn_one_to_four_chips_from_every_other_seat() -> None:
    at = read("e4:Tw,c8:Tr,e8:Tr,g8:Tr,b9:WrMr,d9:WrMr,f9:WrMr r", seats=4)
    chips = []
    for move in ("Tc8-b9", "Te8-d9", "Tg8-f9"):
        while at.owing != (0,):
            at = at.play(at.owing[0], at.moves(at.owing[0])[-1])
        at = played(at, move)
        chips.append(at.pieces.chips)
    assert chips == [(15, 11, 11, 11), (21, 9, 9, 9), (30, 6, 6, 6)]


def test_tk_21_the_fourth_castle_ends_the_game_and_unfinished_pieces_cost_chips() -> None:
    at = read("b1:TwWwMw,d1:WwMw,f1:Tw,e4:Ww,f5:Mw,g8:Tr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:WrMr r")
    over = played(at, "Tg8-h9")
    assert ended(over) == "four_castles 23 1", "4 for the castle, 3 that wait, 2 times 2 on their way"
    assert not over.owing
    assert not over.moves(1)
    with pytest.raises(NotYourTurn, match="the game is over"):
        over.play(1, "We4-e2")


def test_tk_22_the_seat_that_ends_the_game_need_not_win() -> None:
    at = read("d1:TwWwMw,g8:Tr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:WrMr r 2/22")
    over = played(at, "Tg8-h9")
    assert ended(over) == "four_castles 6 18"
    assert over.outcome is not None
    assert over.outcome.side_ranks == (2, 1)


def test_tk_22_the_chips_of_a_team_are_added() -> None:
    at = read("e4:Tr r 1/20/3/4", seats=4, teams=True)
    assert list(at.standing) == [4, 24]
    assert list(read("e4:Tr r 1/20/3/4", seats=4).standing) == [1, 20, 3, 4]


def test_tk_23_a_third_occurrence_ends_the_game() -> None:
    at = read("f3:Mw,d5:Tr r", lateral_rule="free")
    shuffle = "Td5-f5 Mf3-d3 Tf5-d5 Md3-f3"
    twice = played(at, shuffle)
    assert not ended(twice)
    assert ended(played(twice, shuffle)) == "repetition 12 12"


def test_tk_23_the_two_thousandth_ply_ends_the_game() -> None:
    at = read("f3:Mw,d5:Tr r 12/12 0/0 1999")
    assert ended(played(at, "Td5-d7")) == "max_plies 12 12"


def test_tk_24_in_a_race_the_fourth_castle_wins() -> None:
    at = read("d1:TwWwMw,g8:Tr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:WrMr r", scoring="race")
    assert ended(played(at, "Tg8-h9")) == "four_castles 4 1"
    assert str(played(at, "Tg8-h9")).endswith(" w 0/0 4/1 1")
