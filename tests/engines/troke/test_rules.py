"""Troke by its rules page: what must hold, the rules by number, and the effect of each option."""

from typing import Any

import pytest

from engines.options import Value
from engines.troke import GAME
from tests.engines.rule_cases import Case, case, check, check_malformed
from tests.engines.troke.positions import in_order, played, read, start

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
BARRED = "b1:Tw,d1:Tw,c2:Tw,b3:Tw,b9:Tr r 12/12 0/0 0 back=Tc2-e2,Tb3-d3"
CAUGHT_BACK = "c4:Mr,e4:Ww,g6:Tw r 12/12 0/0 5 back=We4-g4"
ALONG_THE_ROW = "Tc8-b9 Th7-h5 Tb9-d9 Th5-h3 Wb9-d9 Th3-h1"
"""Red completes a castle, and takes it apart again."""
LAST = "g8:Tr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:WrMr"
"""Red's fourth castle is complete after Tg8-h9."""
SHUFFLE = "Td5-f5 Mf3-d3 Tf5-d5 Md3-f3"
FIRST = "b1:TrWrMr,d1:TrWrMr,f1:TrWrMr,h1:TrWrMr,b9:TwWwMw,d9:TwWwMw,f9:TwWwMw,h9:TwWwMw r"
SHUT_IN = "d3:Mr,b5:Tr,c6:Tr,b7:Tw,d7:Tr"
"""Three red towers block the white one, and the red moat moves to and fro."""
DEMAND = "e4:Tw,g8:Mr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMw,h9:TrWr r"
FULL_BACK = "e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMr"
NOBODY_TO_CLEAR = "e4:Tw,g4:Mr,b9:TrWrMr,d9:TrWrMb,f9:TrWrMb,h9:TrWbMb r"
ON_DEMAND: dict[str, Any] = {"clear_goal": "on_demand"}
ENGLISH: dict[str, Value] = {
    "castle_award": "first_only",
    "end_bonus": False,
    "carry_home": "forbidden",
    "goal_pieces": "own_captures",
    "side_rows": "allowed",
    "lateral_rule": "free",
    "clear_goal": "off",
}


def on(text: str, line: str = "", /, **expected: Any) -> Case:
    """Return a case from a text whose circles may be in any order."""
    return case(in_order(text), line, **expected)


RULES: dict[str, list[Case]] = {
    # What must hold
    "a_step_into_a_dead_end_is_no_capture": [
        on("c2:Wr,b3:Ww,d3:Tr,f3:Tw,c4:Ww,e4:Tw,d5:Tw r", begins="W", moves="Wc2-e2"),
        on("c2:Wr,b3:Ww,d3:Tr,c4:Ww,e4:Tw,d5:Tw r", begins="W", moves="Wc2-e2 Wc2xd3-f3"),
    ],
    "a_castle_of_three_cannot_be_attacked": [
        on("d3:Tr,d5:TrWwMw r", begins="Td3", moves="Td3-b3 Td3-c4 Td3-e4 Td3-f3")
    ],
    "a_tower_moves_forward_obliquely_and_sideways_but_not_back_or_into_a_side_row": [
        on("b1:Tr r", moves="Tb1-b3 Tb1-c2 Tb1-d1"),
        on("d5:Tr r", moves="Td5-b5 Td5-c6 Td5-d7 Td5-e6 Td5-f5"),
    ],
    "an_arrival_with_two_captures_has_nine_ways": [
        on(
            "e8:Tr,d9:WwMw r",
            moves="Te8-c8 Te8-f9 Te8-g8 Te8xd9 Te8xd9-b9 Te8xd9-b9-d9 Te8xd9-f9 Te8xd9-f9-d9 Te8xd9-f9-h9",
        ),
        on("e8:Tr,d9:WwMw r", "Te8xd9", standing=(14, 10)),
    ],
    # The rules by number
    "tk_2_every_seat_begins_with_four_castles_and_twelve_chips": [case(after=f"{FIRST} 12/12 0/0 0")],
    "tk_3_a_piece_leaves_its_stack_alone": [on("d3:TrWrMw r", "Td3-e4", after="d3:WrMw,e4:Tr …")],
    "tk_4_no_two_towers_share_a_circle_whoever_owns_them": [
        on("d3:Tr,d5:Tw,c4:TrWr r", begins="Td3", moves="Td3-b3 Td3-e4 Td3-f3")
    ],
    "tk_5_on_an_empty_circle_the_turn_ends": [
        on("d3:Tr,e6:Wr r", begins="Td3", moves="Td3-b3 Td3-c4 Td3-d5 Td3-e4 Td3-f3")
    ],
    "tk_6_each_captured_piece_gives_one_more_step_own_ones_too": [
        on("d3:Tr,d5:Wr r", has="Td3xd5-d7"),
        on("d3:Tr,d5:WrMw r", has="Td3xd5-d7-e8"),
    ],
    "tk_7_an_assembly_moves_like_its_capturer_and_can_capture_again": [
        on(
            "b3:Tr,c4:Ww,c6:Mw r",
            begins="Tb3xc4xc6",
            moves="Tb3xc4xc6-b7 Tb3xc4xc6-c8 Tb3xc4xc6-d7 Tb3xc4xc6-e6",
        ),
        on("b3:Tr,c4:Ww,c6:Mw r", "Tb3xc4xc6-c8", after="c8:TrWwMw w 14/10 0/0 1"),
    ],
    "tk_7_a_circle_that_the_assembly_has_left_is_open_again": [
        on("b9:Tw,d9:WrMw w", has="Tb9xd9-b9"),  # d9 gives one step, and b9 is empty by now.
        on("d3:Tr,f3:Wr r", has="Td3xf3-d3"),
    ],
    "tk_8_all_steps_must_be_made": [
        on("d3:Tr,d5:Ww r", illegal=("Td3xd5", "TK-8", "one more step must be made from d5"))
    ],
    "tk_8_capturing_is_optional": [on("d3:Tr,d5:Ww r", has="Td3-e4")],
    "tk_9_after_the_turn_a_captured_piece_is_moved_by_its_owner": [on("b3:Tr,c4:Ww r", "Tb3xc4-c6", has="Wc6-c4")],
    "tk_10_side_rows_are_closed_to_assemblies_too": [
        on("c4:Tr,b5:Ww r", seats=seats, moves="Tc4-c6 Tc4-d5 Tc4-e4 Tc4xb5-b7 Tc4xb5-c6 Tc4xb5-d5")
        for seats in (2, 3, 4)
    ],
    "tk_10_a_piece_carried_into_a_side_row_may_leave_it": [
        on("i8:Wr,g8:Tr r", seats=4, begins="W", moves="Wi8-h9 Wi8xg8-e8 Wi8xg8-f9 Wi8xg8-h9")
    ],
    "tk_11_steps_that_are_left_may_lead_along_the_goal_row_only": [
        on("c6:Tr,c8:WwMw r", begins="Tc6xc8-d9", moves="Tc6xc8-d9 Tc6xc8-d9-b9 Tc6xc8-d9-f9")
    ],
    "tk_12_an_arrived_piece_never_moves_again_and_is_not_captured": [
        on("d1:Mr,e8:Mr,d9:TrWw r", begins="T", moves=""),
        on("d1:Mr,e8:Mr,d9:TrWw r", has="Me8xd9"),  # The white wall is still in its start row.
        on("d1:Mr,e8:Mr,d9:TrWw r", "Me8xd9-f9", after="d1:Mr,d9:Tr,f9:WwMr …"),
    ],
    "tk_12_joining_arrived_pieces_gives_no_step": [on("e8:Mr,d9:TrWr r", moves="Me8-c8 Me8-d9 Me8-f9 Me8-g8")],
    "tk_13_an_arrived_enemy_may_be_joined_on_the_own_start_row": [
        on("b9:Tw,d9:Wr w", begins="Tb9", moves="Tb9-b7 Tb9-c8 Tb9-d9"),
        # Of a mixed circle the own piece is captured.
        on("b9:Tw,d9:WrMw w", has="Tb9xd9-e8"),
        on("b9:Tw,d9:WrMw w", "Tb9xd9-e8", after="e8:TwMw,d9:Wr r 12/12 0/0 1"),
    ],
    "tk_14_enemies_in_their_start_row_are_captured_even_if_the_turn_stops": [
        on("e8:Tr,d9:WrMw r", "Te8xd9", after="d9:TrWrMw w 13/11 0/0 1")
    ],
    "tk_15_captured_pieces_may_be_carried_home": [on("e6:Tr,e8:Ww r", has="Te6xe8-d9")],
    "tk_16_a_full_goal_row_must_be_cleared_first": [on(f"e4:Tw,{FULL} w", moves="Wh9-g8 Wh9-h7")],
    "tk_16_does_not_apply_to_a_seat_that_cannot_clear": [on(f"e4:Tw,h7:Ww,g8:Ww,{FULL} w", has="Te4-e2")],
    "tk_16_does_not_apply_to_a_seat_without_a_piece_there": [
        on(f"e4:Tw,{FULL.replace('WwMr', 'WrMb')} w", seats=4, has="Te4-e2")
    ],
    "tk_16_does_not_apply_while_a_circle_has_room": [on(f"e4:Tw,{FULL.replace('WwMr', 'Ww')} w", has="Te4-e2")],
    "tk_16_does_not_apply_without_an_opposite_seat": [
        on("i2:TbWbMb,i4:TbWbMb,i6:TbWbMb,i8:TbWyMb,e4:Ty y", seats=4, moves="Wi8-g8 Wi8-h7"),
        on("i2:TrWrMr,i4:TrWrMr,i6:TrWrMr,i8:TrWyMr,e4:Ty y", seats=3, third="yellow", has="Te4-c4"),
    ],
    "tk_17_a_piece_that_stepped_sideways_may_not_step_back": [
        on("f3:Mw,d5:Tr r", "Td5-f5 Mf3-e2", moves="Tf5-e6 Tf5-f7 Tf5-g6 Tf5-h5"),
        on("f3:Mw,d5:Tr r", "Td5-f5 Mf3-e2 Tf5-h5 Me2-c2", lacks="Th5-f5"),
    ],
    "tk_17_does_not_apply_once_the_piece_has_been_carried": [
        on("d3:Wr,d5:Tr,h3:Mw r", "Td5-f5 Mh3-g2 Wd3-f3 Mg2-f1 Wf3xf5-f7", after="f1:Mw,f7:TrWr w 12/12 0/0 5")
    ],
    "tk_17_applies_to_a_piece_that_was_captured_but_not_moved": [
        on("c8:Tw,g8:Tr,f9:Ww r 12/12 0/0 5 back=Wf9-h9", "Tg8xf9", lacks="Wf9-h9", after="… back=Wf9-h9"),
        on(CAUGHT_BACK, "Mc4xe4", extra_steps="may", lacks="We4-g4", after="… back=We4-g4"),
    ],
    "tk_17_allows_a_step_back_that_captures": [on("f5:Tr,d5:Ww r 12/12 0/0 0 back=Tf5-d5", has="Tf5xd5-c6")],
    "tk_17_allows_a_step_back_if_it_is_the_only_move": [
        # The white tower has come from b9 to d9, and only the way back is open.
        on("c8:Tr,e8:Tr,d7:Tr,d9:TwWr,f9:Tr w 12/12 0/0 0 back=Td9-b9", lateral_rule=rule, moves=left)
        for rule, left in (("no_reversal_if_other", "Td9-b9"), ("strict", "pass"))
    ],
    "tk_18_only_a_seat_that_cannot_move_passes": [
        on("d1:Tw,d5:Tr w", moves="pass"),  # The white tower has arrived.
        on("d1:Tw,d5:Tr w", "pass", illegal=("pass", "TK-18", "a seat that can move may not pass: Td5-b5")),
    ],
    "tk_18_the_game_ends_when_no_seat_can_move": [on("d1:Tw,e8:Tr r 10/14 0/0 7", "Te8-d9", over="no_moves 10 14")],
    "tk_18_a_barred_step_back_does_not_keep_the_game_going": [
        on(BARRED, moves="pass"),
        on(BARRED, lateral_rule="strict", over="no_moves 12 12"),
    ],
    "tk_19_captured_pieces_cost_their_owners_one_chip_each": [
        on("d3:Tr,d5:WwMb r", "Td3xd5-d7-e8", seats=4, standing=(14, 11, 11, 12)),
        on("d3:Tr,d5:WrMr r", "Td3xd5-d7-e8", standing=(12, 12)),
    ],
    "tk_20_castles_earn_one_to_four_chips_from_every_other_seat": [
        on("c8:Tr,b9:WrMr r", "Tc8-b9", seats=4, standing=(15, 11, 11, 11)),
        on("e8:Tr,d9:WrMr,b9:TrWrMr r 15/11/11/11 1/0/0/0", "Te8-d9", seats=4, standing=(21, 9, 9, 9)),
        on("g8:Tr,f9:WrMr,b9:TrWrMr,d9:TrWrMr r 21/9/9/9 2/0/0/0", "Tg8-f9", seats=4, standing=(30, 6, 6, 6)),
    ],
    "tk_21_the_fourth_castle_ends_the_game_and_unfinished_pieces_cost_chips": [
        # 4 for the castle, 3 that wait, 2 times 2 on their way.
        on(f"b1:TwWwMw,d1:WwMw,f1:Tw,e4:Ww,f5:Mw,{LAST} r", "Tg8-h9", moves="", over="four_castles 23 1")
    ],
    "tk_21_a_position_with_four_castles_is_over": [
        on("b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWrMr,e4:Tw w 20/4 4/0 90", moves="", over="four_castles 20 4")
    ],
    "tk_22_the_seat_that_ends_the_game_need_not_win": [
        on(f"d1:TwWwMw,{LAST} r 2/22", "Tg8-h9", over="four_castles 6 18")
    ],
    "tk_22_the_chips_of_a_team_are_added": [
        on("e4:Tr r 1/20/3/4", seats=4, teams=True, standing=(4, 24)),
        on("e4:Tr r 1/20/3/4", seats=4, standing=(1, 20, 3, 4)),
    ],
    "tk_23_a_third_occurrence_ends_the_game": [
        on("f3:Mw,d5:Tr r", SHUFFLE, lateral_rule="free", over=""),
        on("f3:Mw,d5:Tr r", f"{SHUFFLE} {SHUFFLE}", lateral_rule="free", over="repetition 12 12"),
    ],
    "tk_23_the_two_thousandth_ply_ends_the_game": [
        on("f3:Mw,d5:Tr r 12/12 0/0 1999", "Td5-d7", over="max_plies 12 12")
    ],
    "tk_24_in_a_race_the_fourth_castle_wins": [
        on(f"d1:TwWwMw,{LAST} r", "Tg8-h9", scoring="race", over="four_castles 4 1", after="… w 0/0 4/1 1")
    ],
    # The options
    "start_chips_sets_the_chips_at_the_start": [case(start_chips=7, standing=(7, 7))],
    "max_plies_ends_the_game": [case(line="Tb1-c2", max_plies=1, over="max_plies 12 12")],
    "repetition_can_be_off": [
        on("f3:Mw,d5:Tr r", " ".join([SHUFFLE] * 5), lateral_rule="free", repetition=0, over=""),
        on("f3:Mw,d5:Tr r", SHUFFLE, lateral_rule="free", repetition=2, over="repetition 12 12"),
    ],
    "extra_steps_may_be_left_unmade": [on("d3:Tr,d5:WwMw r", extra_steps="may", has="Td3xd5 Td3xd5-d7 Td3xd5-d7-d9")],
    "side_rows_allowed_opens_the_start_rows_at_the_sides": [
        on("c4:Tr r", side_rows="allowed", has="Tc4-a4"),
        on("c4:Tr r", lacks="Tc4-a4"),
    ],
    "side_rows_allowed_let_others_carry_a_piece_to_its_goal_where_it_stays": [
        # The red wall has been brought to its goal row, and blue is alone.
        on("e8:Tb,g8:Wr b", "Te8xg8-h9 pass pass", seats=4, side_rows="allowed", moves="pass")
    ],
    "a_free_step_needs_an_arrival_without_a_capture": [
        on("e8:Tr,b9:Mw r", goal_sideways="free_step", begins="Te8-d9", moves="Te8-d9 Te8-d9-f9 Te8-d9xb9"),
        on("e8:Tr,b9:Mw r", "Te8-d9xb9", goal_sideways="free_step", standing=(13, 11)),
        on("e8:Tr,b9:Mw r", begins="Te8-d9", moves="Te8-d9"),
    ],
    "with_free_step_remaining_steps_are_lost_on_arrival": [
        on("e8:Tr,d9:WwMw r", goal_sideways="free_step", begins="Te8x", moves="Te8xd9"),
        on("c6:Tr,c8:WwMw r", goal_sideways="free_step", begins="Tc6xc8-d9", moves="Tc6xc8-d9"),
    ],
    "goal_pieces_may_move_sideways_and_still_not_be_captured": [
        on(
            "d9:TrWr,f9:Mw r",
            goal_pieces="sideways",
            moves="Td9-b9 Td9xf9 Td9xf9-d9 Td9xf9-h9 Wd9-b9 Wd9xf9 Wd9xf9-d9 Wd9xf9-h9",
        ),
        on("d9:Tr,e8:Wr r", goal_pieces="sideways", begins="We8-d9", moves="We8-d9"),
    ],
    "goal_pieces_that_move_within_the_row_make_all_steps_with_a_free_step_too": [
        on(
            "d9:Tr,f9:Mw r",
            goal_pieces="sideways",
            goal_sideways="free_step",
            moves="Td9-b9 Td9xf9 Td9xf9-d9 Td9xf9-h9",
        )
    ],
    "a_castle_is_paid_once_even_if_it_is_taken_apart": [
        on("h7:Tw,c8:Tr,b9:WrMr r", f"{ALONG_THE_ROW} {more}", goal_pieces="sideways", after=f"… {after}")
        for more, after in (
            ("", "r 13/11 1/0 6 back=Td9-b9,Wd9-b9"),
            ("Mb9-d9", "w 13/11 1/0 7 back=Td9-b9,Wd9-b9,Md9-b9"),
        )
    ],
    "with_both_an_arrival_allows_a_free_step_or_remaining_steps": [
        on("e8:Tr,b9:Mw r", goal_sideways="either", begins="Te8-d9", moves="Te8-d9 Te8-d9-f9 Te8-d9xb9"),
        on("e8:Tr,b9:Mw r", "Te8-d9xb9", goal_sideways="either", standing=(13, 11)),
        # After a capture the remaining steps may be used or not, according to leftover_steps.
        on(
            "e8:Tr,d9:WwMw r",
            goal_sideways="either",
            begins="Te8xd9",
            moves="Te8xd9 Te8xd9-b9 Te8xd9-b9-d9 Te8xd9-f9 Te8xd9-f9-d9 Te8xd9-f9-h9",
        ),
        on(
            "e8:Tr,b9:Mw r",
            goal_sideways="either",
            illegal=("Te8-d9xb9-d9", "goal_sideways", "a free step needs an arrival without a capture"),
        ),
        on(
            "e8:Tr,d9:WwMw r",
            goal_sideways="either",
            illegal=("Te8xd9-b9-h9", "TK-3", "no line connects b9 and h9"),
        ),
    ],
    "with_own_captures_only_the_owner_captures_its_arrived_pieces": [
        on(
            "d9:Tr,f9:Wr,h7:Mw r",
            goal_pieces="own_captures",
            moves="Td9-b9 Td9xf9 Td9xf9-d9 Td9xf9-h9 Wf9-h9 Wf9xd9 Wf9xd9-b9 Wf9xd9-f9",
        ),
        on("d9:Tr,f9:Wr,h7:Mw r", "Td9xf9-h9", goal_pieces="own_captures", after="h7:Mw,h9:TrWr w 12/12 0/0…"),
        # With sideways alone, the own piece is joined; with neither value can an enemy capture it.
        on("d9:Tr,f9:Wr,h7:Mw r", goal_pieces="sideways", has="Td9-f9"),
        on("f9:Wr,h9:Mw w", goal_pieces="own_captures", begins="Mh9", moves="Mh9-f9 Mh9-g8 Mh9-h7"),
        on("e8:Tr,d9:Wr r", goal_pieces="own_captures", begins="Te8xd9", moves="Te8xd9 Te8xd9-b9 Te8xd9-f9"),
    ],
    "the_english_preset_follows_its_rule_sheet": [
        on("d9:Tr,f9:Wr r", **ENGLISH, has="Td9xf9-h9"),
        on("c4:Tr r", **ENGLISH, has="Tc4-a4"),
    ],
    "a_seat_that_fills_its_goal_row_may_demand_clearance_at_once": [
        on(DEMAND, **ON_DEMAND, moves="Mg8-e8 Mg8-h9 Mg8-h9!"),
        on(DEMAND, "Mg8-h9!", **ON_DEMAND, moves="Mf9-e8 Mf9-f7 Mf9-g8", after="… w 15/9 3/0 1 clear=w"),
        on(DEMAND, "Mg8-h9", **ON_DEMAND, has="Te4-e2"),  # Without a demand nothing must be cleared.
        on(DEMAND, "Mg8-h9! Mf9-e8", **ON_DEMAND, after="… r 15/9 3/0 2"),
    ],
    "a_demand_needs_a_piece_of_the_opposite_colour_in_the_row": [
        on(NOBODY_TO_CLEAR, **ON_DEMAND, seats=4, begins="Mg4-", moves="Mg4-f5 Mg4-g6 Mg4-h5"),
        on(f"{FULL_BACK} r", clear_goal="auto", moves="pass"),
        on("e4:Mb,h3:Tr,e6:Tw b", **ON_DEMAND, seats=3, begins="Me4-", moves="Me4-e2 Me4-f3 Me4-f5 Me4-g4"),
    ],
    "a_seat_that_must_pass_may_demand": [
        on(FULL_BACK.replace("WwMr", "WwMw") + " r", **ON_DEMAND, moves="pass pass!"),
        on(FULL_BACK.replace("WwMr", "WwMw") + " r", "pass!", **ON_DEMAND, moves="Mh9-g8 Mh9-h7 Wh9-g8 Wh9-h7"),
        on("e4:Tw,f3:Mr r", illegal=("Mf3-f5!", "clear_goal", "needs clear_goal=on_demand")),
        on("e4:Tw,f3:Mr r", **ON_DEMAND, illegal=("Mf3-f5!", "clear_goal", "a full goal row after the move")),
        on("e4:Tw,f3:Mr r", **ON_DEMAND, illegal=("Mf3-f1!", "TK-3", "backward")),
    ],
    "a_step_back_that_leaves_a_rival_no_move_is_barred_if_another_lets_one_move": [
        on(f"{SHUT_IN} r", "Md3-f3 pass", lateral_rule="if_blocking", lacks="Mf3-d3", has="Mf3-h3"),
        on(
            f"{SHUT_IN} r",
            "Md3-f3 pass",
            lateral_rule="if_blocking",
            illegal=("Mf3-d3", "TK-17", "may not step back to d3"),
        ),
        # Where a rival can move, or no rival ever will, it is as free as any step.
        on(f"{SHUT_IN},g8:Mw r", "Md3-f3 Mg8-g6", lateral_rule="if_blocking", has="Mf3-d3"),
        on("d3:Mr,b1:Tw r", "Md3-f3 pass", lateral_rule="if_blocking", has="Mf3-d3"),
    ],
    "carry_home_forbidden_bars_the_start_row_of_captured_pieces": [
        on("e6:Tr,e8:Ww r", carry_home="forbidden", begins="Te6xe8", moves="Te6xe8-c8 Te6xe8-g8"),
        on("e6:Tr,e8:Ww r", has="Te6xe8-d9"),
    ],
    "carry_home_forbidden_does_not_apply_to_own_pieces_or_pieces_in_their_start_row": [
        on("e6:Tr,e8:Wr r", carry_home="forbidden", has="Te6xe8-d9"),
        on("e8:Tr,d9:Ww r", carry_home="forbidden", has="Te8xd9-f9"),
    ],
    "with_clear_goal_off_nothing_must_be_cleared": [
        on(f"{FULL_BACK} w", clear_goal="off", has="Te4-e2"),
        on(f"{FULL_BACK} w", lacks="Te4-e2"),
    ],
    "lateral_rule_decides_which_sideways_steps_back_are_barred": [
        on("f3:Mw,d5:Tr r", "Td5-f5 Mf3-e2", lateral_rule=rule, **expected)
        for rule, expected in (
            ("no_reversal_if_other", {"lacks": "Tf5-d5", "after": "… back=Tf5-d5"}),
            ("strict", {"lacks": "Tf5-d5", "after": "… back=Tf5-d5"}),
            ("free", {"has": "Tf5-d5", "after": "… 0/0 2"}),
        )
    ],
    "capture_value_graded_makes_captures_cost_more": [
        on("d3:Wr,d5:Tw r", "Wd3xd5-d7", capture_value="graded", standing=(13, 11)),
        on("d3:Tr,d5:Ww r", "Td3xd5-d7", capture_value="graded", standing=(14, 10)),
        on("d3:Tr,d5:Mw r", "Td3xd5-d7", capture_value="graded", standing=(15, 9)),
    ],
    "castle_award_first_only_pays_the_first_seat": [
        on("d1:TwWwMw,c8:Tr,b9:WrMr r", "Tc8-b9", castle_award="each_player", standing=(13, 11)),
        on("d1:TwWwMw,c8:Tr,b9:WrMr r", "Tc8-b9", castle_award="first_only", standing=(12, 12)),
        on("c8:Tr,b9:WrMr r", "Tc8-b9", castle_award="each_player", standing=(13, 11)),
        on("c8:Tr,b9:WrMr r", "Tc8-b9", castle_award="first_only", standing=(13, 11)),
    ],
    "end_bonus_can_be_off": [
        on(f"d1:WwMw,e4:Tw,{LAST} r", "Tg8-h9", standing=(20, 4)),
        on(f"d1:WwMw,e4:Tw,{LAST} r", "Tg8-h9", end_bonus=False, standing=(16, 8)),
    ],
    "debt_cap_stops_at_zero_chips": [
        on("d3:Tr,d5:WwMw r 11/1", "Td3xd5-d7-e8", debt="allow", standing=(13, -1)),
        on("d3:Tr,d5:WwMw r 11/1", "Td3xd5-d7-e8", debt="cap", standing=(12, 0)),
    ],
    "a_race_has_no_chips_and_is_led_by_the_foremost_seat": [
        on("d3:Tr,d5:WwMw r", "Td3xd5-d7-e8", scoring="race", after="… w 0/0 0/0 1"),
        *(
            on("b1:TwWwMw,d1:TwWwMw,e4:Tb,i4:TbWbMb,b9:TrWrMr r", scoring="race", seats=4, teams=teams, standing=led)
            for teams, led in ((True, (2, 1)), (False, (1, 1, 2, 0)))
        ),
    ],
    "teams_change_only_the_sides": [
        on("d3:Tr,d5:WwMb r", "Td3xd5-d7-e8", seats=4, teams=True, standing=(25, 23), after="… 14/11/11/12 0/0/0/0 1")
    ],
}


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_a_rule(cases: list[Case]) -> None:
    for expected in cases:
        check(GAME, expected)


def test_figures_one_to_six_are_one_game_and_seven_and_eight_can_follow_at_once() -> None:
    at = start()
    for move, many in FIGURES:
        assert len(at.moves(at.owing[0])) == many, move
        if move == "Td5-f5":
            assert at.pieces.chips == (12, 12), "capturing one's own pieces costs no chips"
        at = played(at, move)
    assert at.pieces.chips == (10, 14)
    at = played(at, "Tf5xe6-e8-d9")
    assert at.pieces.chips == (12, 12)
    assert "Wd9-c8" in at.moves(1)


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


def test_view_and_picture_show_a_demand() -> None:
    demanded = played(read(DEMAND, **ON_DEMAND), "Mg8-h9!")
    view = demanded.view(0)
    assert isinstance(view, dict)
    assert view["must_clear"] == ["white"]
    assert "white must clear the start row" in demanded.picture(0)


@pytest.mark.parametrize(
    ("text", "options", "wrong"),
    [
        ("f3:Mr,e4:Tw r 12/12 0/0 0 clear=r", {}, "clear= needs clear_goal=on_demand"),
        ("f3:Mr,e4:Tw r 12/12 0/0 0 clear=w", ON_DEMAND, "whose opponent opposite has moved"),
        ("f3:Mr,e4:Tw r 12/12/12 0/0/0 0 clear=b", {**ON_DEMAND, "seats": 3}, "whose opponent opposite has moved"),
        ("f3:Mr,e4:Tw r 12/12 0/0 0 clear=y", ON_DEMAND, "does not play"),
        ("f3:Mr,e4:Tw r 12/12 0/0 0 clear=r,r", ON_DEMAND, "canonical form"),
    ],
)
def test_an_impossible_demand_cannot_be_parsed(text: str, options: dict[str, Value], wrong: str) -> None:
    check_malformed(GAME, text, wrong, options)
