"""Toc by its rules page, and the effect of each option."""

from typing import Any

import pytest

from engines.api import SPECTATOR, Outcome
from engines.chance import Chance
from engines.game_errors import MalformedMove
from engines.toc import GAME
from engines.toc.cards import DECK, NAMES, RANKS, cards_in
from engines.toc.position import TocPosition
from tests.engines.rule_cases import Case, case, check
from tests.engines.toc.positions import full_pawns, position_text, set_up, set_up_with

SETTINGS = GAME.settings()


def start(seed: bytes = b"toc") -> TocPosition:
    return GAME.start(SETTINGS, seed)


def exchanged(position: TocPosition) -> TocPosition:
    """Give the first card of each seat."""
    for seat in position.owing:
        position = position.play(seat, position.moves(seat)[0])
    return position


def deal_played(position: TocPosition) -> TocPosition:
    """Play first moves until the next exchange."""
    position = exchanged(position)
    while len(position.owing) == 1:
        position = position.play(position.owing[0], position.moves(position.owing[0])[0])
    return position


PASSED = "30/33/35/36,37"
"""Pawns that a seven passes, and one that it lands on."""


def on(pawns: str, card: str, line: str = "", /, mover: int = 0, **expected: Any) -> Case:
    """Return a case in which `mover` holds only this card, with or without a suit.

    Its moves are written without the card, `-` being the discard, and `after` as the pawns without the reserve.
    """
    card = card if len(card) == 2 else f"{card}S"
    for key in {"moves", "has", "lacks"} & expected.keys():
        expected[key] = _with_card(card, expected[key])
    if "after" in expected:
        expected["after"] = f"{full_pawns(expected['after'])} …"
    return case(position_text(pawns, card, mover), _with_card(card, line), **expected)


def _with_card(card: str, moves: str) -> str:
    return " ".join(f"-{card}" if move == "-" else f"{card}:{move}" for move in moves.split())


RULES: dict[str, list[Case]] = {
    "tc_5_a_started_pawn_is_fresh_until_it_leaves_by_any_means": [
        on("///", "A", "R>0", after="0*///"),
        on("0*///", "4", "0>68", after="68///"),
        on("0*/30//", "J", "0<>30", after="30/0//"),
        on("0*///", "3", "0>3", after="3///"),
    ],
    "tc_5_a_start_needs_a_pawn_in_reserve_and_no_own_pawn_on_the_cell": [
        on("0///", "K", moves="0>13"),
        on("1,2,3,5///", "K", moves="1>14 2>15 3>16 5>18"),
    ],
    "tc_6_and_8_a_passed_pawn_stays_and_one_landed_on_goes_to_its_reserve": [
        on("10/12,13//", "3", "10>13", after="13/12//")
    ],
    "tc_9_four_back_crosses_cell_0_but_no_corridor": [
        on("2,70,H4///", "4", moves="70>66"),
        on("2,H4///", "4", moves="2>70"),
        on("10/6/8/", "4", "10>6", after="6//8/"),
    ],
    "tc_10_a_fresh_pawn_may_not_enter_and_one_that_went_back_may": [
        on("0*///", "3", moves="0>3"),
        on("0///", "3", moves="0>3 0>H3"),
    ],
    "tc_10_no_pawn_is_passed_in_the_corridor": [
        on("70,H2///", "5", moves="70>3"),
        on("70,H2///", "3", moves="70>1 70>H1"),
        on("70,H2///", "4", moves="70>66"),
        on("70,H2///", "6", moves="70>4"),
    ],
    "tc_10_a_corridor_belongs_to_its_colour": [
        on("16//H1/", "5", moves="16>21"),
        on("/16//", "5", moves="16>21 16>H3", mover=1),
    ],
    "tc_11_no_pawn_is_passed_when_moving_deeper": [
        on("H1,H3///", "2", moves="-"),
        on("H1,H3///", "A", moves="H1>H2 H3>H4 R>0"),
    ],
    "tc_12_seven_steps_can_be_divided_in_every_way": [
        on("10,30///", "7", moves="10>11,30>36 10>12,30>35 10>13,30>34 10>14,30>33 10>15,30>32 10>16,30>31 10>17 30>37")
    ],
    "tc_12_the_parts_are_written_in_an_order_that_can_be_walked": [
        on("10,13///", "7", has="13>17,10>13"),
        on("10,13///", "7", lacks="10>13,13>17"),
    ],
    "tc_12_a_seven_that_cannot_be_used_up_is_not_usable": [on("H1///", "7", moves="-"), on("H1,H3///", "7", moves="-")],
    "tc_12_all_parts_kill_but_not_fresh_pawns": [
        on("10,30/12,18*//33", "7", "10>14,30>33", after="14,33/18*//"),
        on("15/18*//", "7", "15>22", after="22/18*//"),
    ],
    "tc_12_a_seven_kills_on_its_way_into_the_corridor": [on("68/0,70//1", "7", "68>H3", after="H3///1")],
    "tc_13_only_an_undivided_seven_enters_the_corridor": [
        on("68,H1///", "7", moves="68>0,H1>H4 68>1,H1>H3 68>2,H1>H2 68>3"),
        on("68///", "7", has="68>H3"),
    ],
    "tc_14_a_swap_kills_no_pawn_and_may_use_own_pawns_on_the_start_cell": [
        on("0*//20/", "J", "0<>20", after="20//0/"),
        on("5,H1/18*,H2//36", "J", moves="5>15"),
    ],
    "tc_15_is_decided_when_the_turn_begins": [
        # The seven could bring the last pawn home by one step; the other six may not move the partner's pawns.
        on("71,H2,H3,H4//36/", "7", moves="71>6", seven_split_home="allowed")
    ],
    "no_pawn_starts_while_an_own_fresh_pawn_is_on_the_start_cell": [on("0*///", "A", moves="0>1 0>11")],
    "a_start_kills_an_enemy_that_is_not_fresh_and_not_the_partner": [
        on("/0//", "K", moves="R>0"),
        on("/0//", "K", "R>0", after="0*///"),
        on("//0/", "K", moves="-"),
    ],
    "from_68_a_six_may_enter_or_pass_the_corridor_and_a_nine_must_pass_it": [
        on("68///", "6", moves="68>2 68>H2"),
        on("68///", "9", moves="68>5"),
    ],
    "in_the_corridor_counts_are_exact": [on("H2///", "2", moves="H2>H4"), on("H3///", "4", moves="-")],
    "a_seven_kills_the_enemies_it_passes_and_lands_on": [on("30/33/35/37", "7", "30>37", after="37//35/")],
    "a_pawn_does_not_land_on_its_own": [on("10,13///", "3", moves="13>16")],
    "a_jack_moves_ten_steps_or_swaps_but_not_with_a_pawn_on_a_start_cell": [
        on("5/18/40/60", "J", moves="5<>40 5<>60 5>15")
    ],
    "branch_offset_moves_the_branch_of_every_colour": [
        on("/17//", "2", moves="17>19 17>H2", mover=1, branch_offset=1),
        on("//34/", "2", moves="34>36 34>H2", mover=2, branch_offset=2),
        on("71///", "2", moves="71>1", branch_offset=2),
    ],
    "with_fresh_blocks_no_pawn_passes_a_fresh_one_back_or_into_the_corridor": [
        on("20/18*//", "4", moves="-", fresh_blocks=True),
        on("0*,2///", "4", moves="0>68", fresh_blocks=True),
        on("0*,70///", "3", moves="0>3", fresh_blocks=True),
        on("0*,70///", "3", moves="0>3 70>1 70>H1"),
    ],
    "land_on_own_allows_killing_own_pawns": [
        on("10,13///", "3", moves="10>13 13>16", land_on_own="kill"),
        on("10,13///", "3", "10>13", after="13///", land_on_own="kill"),
        on("0*,69///", "3", moves="0>3", land_on_own="kill"),
    ],
    "land_on_own_in_a_divided_seven_depends_on_the_order": [
        on("10,13///", "7", has="13>17,10>13 10>14,13>16", lacks="10>13,13>17", land_on_own="kill")
    ],
    "land_on_partner_decides_whether_partners_can_be_killed": [
        on("10//13/", "3", moves="-"),
        on("10//13/", "3", moves="10>13", land_on_partner="kill"),
        on("10//13/", "3", "10>13", after="13///", land_on_partner="kill"),
    ],
    "back_shortcut_lets_a_pawn_that_went_back_enter": [
        on("2///", "4", "2>70", after="70///"),
        on("70///", "5", moves="70>3 70>H3"),
        on("2///", "4", "2>70", after="70-///", back_shortcut=False),
        on("70-///", "5", moves="70>3", back_shortcut=False),
        on("70///", "5", moves="70>3 70>H3", back_shortcut=False),
    ],
    "without_back_shortcut_a_pawn_that_starts_beyond_its_branch_has_no_completed_lap": [
        on("0*///", "4", "0>68", after="68-///", back_shortcut=False, branch_offset=2),
        on("0*///", "3", "0>3", after="3///", back_shortcut=False, branch_offset=2),
    ],
    "home_entry_decides_whether_a_pawn_may_pass_its_corridor": [
        on("68///", "6", moves="68>H2", home_entry="forced"),
        on("68,H1///", "6", moves="68>2", home_entry="forced"),
        on("68///", "6", moves="68>2 68>H2", home_entry="optional"),
    ],
    "home_entry_applies_to_each_part_of_a_divided_seven": [
        on("30,68///", "7", has="30>31,68>2", home_entry="forced"),
        on("30,68///", "7", lacks="30>31,68>2", home_entry="forced", seven_split_home="allowed"),
        on("30,68///", "7", has="30>31,68>H2", home_entry="forced", seven_split_home="allowed"),
        on("30,68,H1///", "7", has="30>31,68>2", home_entry="forced", seven_split_home="allowed"),
    ],
    "home_inner_decides_whether_pawns_move_in_the_corridor": [
        on("H2///", "2", moves="-", home_inner=False),
        on("20,H1///", "7", moves="20>27", home_inner=False),
    ],
    "home_fill_requires_the_deepest_place": [
        on("70///", "4", moves="70>66", home_fill="deepest"),
        on("70///", "5", moves="70>3", home_fill="deepest"),
        on("70///", "6", moves="70>4 70>H4", home_fill="deepest"),
        on("70,H4///", "5", moves="70>3 70>H3", home_fill="deepest"),
        on("H1///", "2", moves="-", home_fill="deepest"),
        on("H1///", "3", moves="H1>H4", home_fill="deepest"),
    ],
    "home_fill_in_a_divided_seven_depends_on_the_places_filled_by_then": [
        on(
            "68,70,H4///",
            "7",
            has="70>H3,68>H2",
            lacks="68>H2,70>H3 68>H2,70>1",
            home_fill="deepest",
            seven_split_home="allowed",
            branch_offset=2,
        )
    ],
    "seven_kills_decides_which_passed_pawns_are_killed": [
        on("30/33/35/37", "7", "30>37", after="37///", seven_kills="all"),
        on("15,17/18*/20/", "7", "15>22", after="22/18*//", seven_kills="all"),
        on("15,17/18*/20/", "7", "15>22", after="17,22/18*/20/"),
    ],
    "seven_kills_all_lets_a_later_part_land_where_a_partner_was": [
        on("30,32//33/", "7", has="32>36,30>33", seven_kills="all"),
        on("30,32//33/", "7", lacks="30>33,32>36", seven_kills="all"),
    ],
    "two_orders_that_lead_to_different_positions_are_two_moves": [
        on("0*,70///", "7", has="0>3,70>2 70>2,0>3", seven_kills="all"),
        on("0*,70///", "7", "0>3,70>2", after="2,3///", seven_kills="all"),
        on("0*,70///", "7", "70>2,0>3", after="3///", seven_kills="all"),
        on("0*,70///", "7", lacks="70>2,0>3"),
    ],
    "two_orders_that_differ_only_in_laps_are_two_moves": [
        on("9-,10///", "7", has="10>13,9>13 9>13,10>13", land_on_own="kill", back_shortcut=False),
        on("9,10///", "7", lacks="9>13,10>13", land_on_own="kill", back_shortcut=False),
    ],
    "in_a_divided_seven_a_fresh_pawn_does_not_enter": [
        on("0,30///", "7", has="0>H3,30>34", seven_split_home="allowed"),
        on("0*,30///", "7", lacks="0>H3,30>34", seven_split_home="allowed"),
    ],
    "in_a_divided_seven_the_pawn_that_goes_deeper_moves_first": [
        on("69,71///", "7", has="71>H2,69>H1", lacks="69>H1,71>H2", seven_split_home="allowed")
    ],
    "tc_4_every_card_moves_a_pawn_by_its_value": [
        *(
            on("20,H4///", rank, moves=f"20>{to}")
            for rank, to in zip("23456789TJQ", (22, 23, 16, 25, 26, 27, 28, 29, 30, 30, 32), strict=True)
        ),
        on("20,H4///", "K", moves="20>33 R>0"),
        on("20,H4///", "A", moves="20>21 20>31 R>0"),
    ],
    "tc_5_every_seat_starts_on_its_own_cell": [
        on("///", "K", mover=mover, moves=f"R>{18 * mover}") for mover in range(4)
    ],
    "tc_15_a_seat_with_four_pawns_home_moves_its_partners_pawns": [
        on("H1,H2,H3,H4//10,H2/", "A", moves="10>11 10>21 H2>H3 R>36"),
        on("H1,H2,H3,H4//10,20/", "7", has="10>11,20>26 10>12,20>25"),
        on("H1,H2,H3,H4/15//", "K", "R>36", after="H1,H2,H3,H4/15/36*/"),
    ],
    "tc_16_the_other_team_can_win_by_a_move_of_the_partner": [
        on("35,H4/H1,H2,H3,H4//53,H2,H3,H4", "2", "53>H1", mover=1, over="home 0 1 0 1")
    ],
    "on_an_empty_track_an_ace_and_a_king_start_and_nothing_else_does": [
        on("///", rank, moves="R>0" if rank in "AK" else "-") for rank in RANKS
    ],
    "a_fresh_pawn_is_not_landed_on_and_passed_unless_it_blocks": [
        *(on("15/18*//", "3", moves="-", fresh_blocks=blocks) for blocks in (False, True)),
        on("15/18*//", "5", moves="15>20"),
        on("15/18*//", "5", moves="-", fresh_blocks=True),
        on("34//36*/", "5", moves="34>39"),
        on("34//36*/", "5", moves="-", fresh_blocks=True),
    ],
    "branch_offset_moves_the_branch_cell_back": [
        on("70///", "3", moves=f"70>1 70>H{offset + 1}", branch_offset=offset) for offset in (0, 1, 2)
    ],
    "fresh_blocks_ends_when_a_part_of_a_seven_moves_the_fresh_pawn": [
        on("0*,71///", "7", has="71>6"),
        on("0*,71///", "7", has="0>2,71>4", lacks="71>6", fresh_blocks=True),
        on("0*,10,70///", "7", lacks="10>14,70>1", fresh_blocks=True),
        on("/16,18*//", "7", mover=1, has="18>21,16>20", lacks="16>20,18>21", fresh_blocks=True),
    ],
    "without_back_shortcut_laps_are_counted": [
        on(before, card, line, after=after, back_shortcut=False)
        for before, card, line, after in (
            ("0*///", "4", "0>68", "68-///"),
            ("0*///", "3", "0>3", "3///"),
            ("70-///", "3", "70>1", "1///"),
            ("70-///", "2", "70>0", "0-///"),
            ("0-///", "2", "0>2", "2///"),
            ("70///", "3", "70>1", "1+///"),
            ("70+///", "3", "70>1", "1+///"),
            ("1+///", "4", "1>69", "69///"),
            ("1-///", "4", "1>69", "69-///"),
            ("4///", "4", "4>0", "0-///"),
            ("5///", "4", "5>1", "1///"),
            ("69+///", "5", "69>H2", "H2///"),
            ("5-/20+//", "J", "5<>20", "20/5//"),
            ("5/8-//", "3", "5>8", "8///"),
            ("5/8-//9+", "7", "5>12", "12///"),
        )
    ],
    "seven_split_home_decides_which_parts_may_go_home": [
        *(
            on("30,70///", "7", has="30>34,70>1", lacks="30>34,70>H1", seven_split_home=rule)
            for rule in ("no_entry", "no_home_move")
        ),
        on("30,70///", "7", has="30>34,70>1 30>34,70>H1", seven_split_home="allowed"),
        on("30,70,H1,H2///", "7", lacks="30>36,H2>H3", seven_split_home="no_home_move"),
        *(on("30,70,H1,H2///", "7", has="30>36,H2>H3", seven_split_home=rule) for rule in ("no_entry", "allowed")),
    ],
    "jack_excludes_protects_pawns_on_start_cells": [
        on("5/0,18,20/54/36", "J", moves=moves, jack_excludes=rule)
        for rule, moves in (
            ("any_start_cell", "5<>20 5>15"),
            ("own_start_cell", "5<>0 5<>20 5<>36 5<>54 5>15"),
            ("fresh_only", "5<>0 5<>18 5<>20 5<>36 5<>54 5>15"),
        )
    ],
    "no_jack_swaps_with_a_fresh_pawn": [
        on("5/18*//", "J", moves="5>15", jack_excludes=rule)
        for rule in ("any_start_cell", "own_start_cell", "fresh_only")
    ],
    "jack_from_start_can_also_protect_own_pawns_on_a_start_cell": [
        on("0*,5,36/40//", "J", moves="0<>40 0>10 36<>40 36>46 5<>40 5>15"),
        on("0*,5,36/40//", "J", moves="0>10 36>46 5<>40 5>15", jack_from_start=False),
        on(
            "0*,5,36/40//",
            "J",
            moves="0>10 36<>40 36>46 5<>40 5>15",
            jack_from_start=False,
            jack_excludes="own_start_cell",
        ),
        on("0,5,36/40//", "J", has="0<>40", jack_from_start=False, jack_excludes="fresh_only"),
        on("0*,5,36/40//", "J", lacks="0<>40", jack_from_start=False, jack_excludes="fresh_only"),
    ],
    "max_turns_ends_the_game": [
        on("///", "2", "-", over="max_turns 0.5 0.5 0.5 0.5", max_turns=1),
        on("///", "2", "-", over="", max_turns=2),
        on("H1,H2,H3,H4//35,H2,H3,H4/", "2", "35>H1", mover=2, over="home 1 0 1 0", max_turns=1),
    ],
    "an_overshoot_costs_a_whole_lap": [
        # Past the branch cell by a 3, back behind it by a 4: by default the pawn may enter, as if it had not passed.
        on("71///", "3", "71>2", after="2///"),
        on("2///", "4", "2>70", after="70///"),
        on("2+///", "4", "2>70", after="70///", back_shortcut=False),
        on("70///", "3", moves="70>1 70>H1", back_shortcut=False),
        on("2+///", "4", "2>70", after="70-///", overshoot="new_lap"),
        on("2///", "4", "2>70", after="70-///", overshoot="new_lap", back_shortcut=False),
        *(on("70-///", "3", moves="70>1", overshoot="new_lap", back_shortcut=shortcut) for shortcut in (True, False)),
    ],
    "after_an_overshoot_and_a_new_lap_a_pawn_may_enter": [
        on("71///", "3", "71>2", after="2+///", overshoot="new_lap"),
        on("70+///", "3", moves="70>1 70>H1", overshoot="new_lap"),
        on("70-///", "3", "70>1", after="1+///", overshoot="new_lap"),
        # A pawn that has only left its start cell has not overshot: it may use the short cut.
        on("0*///", "3", "0>3", after="3///", overshoot="new_lap"),
        on("3///", "4", "3>71", after="71///", overshoot="new_lap"),
        on("3-///", "4", "3>71", after="71-///", overshoot="new_lap"),
        on("71///", "3", "71>2", after="2///", overshoot="new_lap", back_shortcut=False),
    ],
    "with_optional_kills_a_seven_may_kill_the_pawns_it_passes": [
        on(PASSED, "7", moves="30>37"),
        on(PASSED, "7", moves="30>37 30>37x33 30>37x33x36 30>37x36", seven_kills="optional"),
        on(PASSED, "7", "30>37", after="37/33/35/36", seven_kills="optional"),
        on(PASSED, "7", "30>37x36", after="37/33/35/", seven_kills="optional"),
        # Fresh pawns and pawns that are landed on cannot be chosen, nor those that another part lands on.
        on("15/18*//", "7", moves="15>22", seven_kills="optional"),
        on("20,22/24//", "7", has="20>24,22>25", lacks="20>24,22>25x24", seven_kills="optional"),
        on("30,H1/33//", "7", has="30>35,H1>H3 30>35,H1>H3x33", seven_kills="optional"),
    ],
}


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_a_rule(cases: list[Case]) -> None:
    for expected in cases:
        check(GAME, expected)


def test_tc_1_cards_are_dealt_one_by_one_from_the_seat_after_the_dealer() -> None:
    deck, chance = Chance(b"toc").shuffled(DECK)
    at = start().round
    assert at.dealer == 3
    assert [cards_in(hand) for hand in at.hands] == [sorted(deck[seat:20:4]) for seat in range(4)]
    assert at.deck == deck[20:]
    assert at.chance == chance


def test_tc_1_deals_of_5_4_and_4_use_up_the_deck_then_the_next_dealer_shuffles() -> None:
    position = start()
    seen = []
    for _ in range(4):
        at = position.round
        seen.append((at.dealer, at.hands[0].bit_count(), len(at.deck), len(at.played)))
        position = deal_played(position)
    assert seen == [(3, 5, 32, 0), (3, 4, 16, 20), (3, 4, 0, 36), (0, 5, 32, 0)]


def leaders(**options: str) -> list[int]:
    """Return who leads each of the first five deals."""
    position = GAME.start(GAME.settings(options), b"leaders")
    found: list[int] = []
    for _ in range(5):
        found += exchanged(position).owing
        position = deal_played(position)
    return found


def test_tc_1_the_seat_after_the_dealer_leads_all_three_deals() -> None:
    assert leaders() == [0, 0, 0, 1, 1]


def test_tc_2_all_four_seats_choose_a_gift_which_is_hidden_until_all_have_chosen() -> None:
    position = start()
    hands = [cards_in(hand) for hand in position.round.hands]
    assert position.owing == (0, 1, 2, 3)
    assert position.moves(2) == sorted(f"={NAMES[card]}" for card in hands[2])
    for seat, still in ((2, (0, 1, 3)), (0, (1, 3)), (3, (1,))):
        position = position.play(seat, f"={NAMES[hands[seat][0]]}")
        assert position.owing == still
        assert position.round.hands == start().round.hands
    assert position.moves(0) == []
    assert position.text(1).split()[5] == "?/-/?/?"
    assert position.text(0).split()[5] == f"{NAMES[hands[0][0]]}/-/?/?"


def test_tc_2_a_gift_goes_to_the_partner_and_only_the_two_see_it() -> None:
    position = exchanged(start())
    hands = [cards_in(hand) for hand in start().round.hands]
    gifts = list(position.round.gifts)
    for seat, hand in enumerate(position.round.hands):
        assert set(cards_in(hand)) == {*hands[seat], gifts[(seat + 2) % 4]} - {gifts[seat]}
    assert position.text(2).split()[5] == f"{NAMES[gifts[0]]}/?/{NAMES[gifts[2]]}/?"
    assert position.text(SPECTATOR).split()[5] == "?/?/?/?"


def test_tc_2_a_gift_is_visible_only_to_its_giver_when_it_is_chosen() -> None:
    position = start()
    gift = position.moves(1)[0]
    shown = [position.visible_move(1, gift, viewer) for viewer in (-2, -1, 0, 1, 2, 3)]
    assert shown == [gift, "=?", "=?", gift, "=?", "=?"]
    assert position.visible_move(1, "-3C", 0) == "-3C"


def test_tc_2_a_gift_is_revealed_to_its_receiver_when_all_have_chosen() -> None:
    position = exchanged(start())
    gift = f"={NAMES[position.round.gifts[1]]}"
    revealed = [position.revealed_move(1, gift, viewer) for viewer in (-2, -1, 0, 1, 2, 3)]
    assert revealed == [gift, "=?", "=?", gift, "=?", gift]


def test_tc_3_a_card_that_can_be_used_must_be() -> None:
    assert set_up("5///", "KS 4H 2D").moves(0) == ["2D:5>7", "4H:5>1", "KS:5>18", "KS:R>0"]
    assert set_up("H1,H2,H3///", "9S KH 2C").moves(0) == ["KH:R>0"]


def test_tc_3_a_discard_passes_the_turn_and_is_visible_to_all() -> None:
    position = set_up("///", "2S 3S").play(0, "-3S")
    assert position.owing == (1,)
    assert NAMES[position.round.played[-1]] == "3S"
    assert str(position).split()[2] == "1"


def test_tc_16_eight_pawns_home_win_at_once_and_nothing_more_is_dealt() -> None:
    won = set_up("H1,H2,H3,H4//35,H2,H3,H4/H1", "2S", 2).play(2, "2S:35>H1")
    assert won.outcome == Outcome("home", (1, 0, 1, 0), (1, 0))
    assert won.owing == ()
    assert [won.moves(seat) for seat in range(4)] == [[], [], [], []]
    assert won.standing == (8, 1)


def test_tc_16_a_win_by_the_last_card_of_a_deal_leaves_all_hands_empty() -> None:
    position = set_up("60,H2,H3,H4//24,H2,H3,H4/", "3S", 3)
    for seat, move in ((3, "-3S"), (0, "KC:60>H1"), (1, "KD:R>18"), (2, "KH:24>H1")):
        position = position.play(seat, move)
    assert position.outcome == Outcome("home", (1, 0, 1, 0), (1, 0))
    assert str(position).split()[1:5] == ["3", "4", "2", "-/-/-/-"]
    assert GAME.read(str(position), SETTINGS).outcome == position.outcome


def test_a_hand_without_ace_and_king_can_only_discard_on_an_empty_track() -> None:
    assert set_up("///", "2S 7H QD").moves(0) == ["-2S", "-7H", "-QD"]


def test_the_option_leader_chooses_who_leads_each_deal() -> None:
    assert leaders(leader="rotate") == [0, 1, 2, 1, 2]


@pytest.mark.parametrize("mark", "+-")
def test_a_pawn_killed_by_a_start_leaves_no_lap_mark(mark: str) -> None:
    settings = GAME.settings({"back_shortcut": False, "branch_offset": 1})
    track = set_up_with(settings, f"/0{mark}//", "KS").play(0, "KS:R>0").round.track
    assert (track.short, track.far) == (0, 0)


@pytest.mark.parametrize("kills", ["x36x33", "x33x33", "x72", "x33x34x35x36x37x38x39"])
def test_the_pawns_that_a_seven_kills_are_written_in_order(kills: str) -> None:
    with pytest.raises(MalformedMove):
        set_up("30/33/35/36,37", "7S", seven_kills="optional").play(0, f"7S:30>37{kills}")
