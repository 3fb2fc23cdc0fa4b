"""Toc by its rules page, and the effect of each option."""

from typing import Any

import pytest

from engines.api import SPECTATOR, Outcome
from engines.chance import Chance
from engines.game_errors import MalformedMove, MalformedPosition
from engines.toc import GAME
from engines.toc.cards import DECK, NAMES, RANKS, cards_in
from engines.toc.position import TocPosition
from tests.engines.toc.positions import moves_of, pawns_after, set_up, set_up_with, short_pawns

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


def test_tc_1_the_seat_after_the_dealer_leads_all_three_deals() -> None:
    position = start()
    leaders = []
    for _ in range(4):
        leaders.append(exchanged(position).owing)
        position = deal_played(position)
    assert leaders == [(0,), (0,), (0,), (1,)]


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


def test_tc_4_every_card_moves_a_pawn_by_its_value() -> None:
    worth = {"2": 22, "3": 23, "5": 25, "6": 26, "7": 27, "8": 28, "9": 29, "T": 30, "J": 30, "Q": 32, "K": 33}
    for rank, to in worth.items():
        assert moves_of("20,H4///", rank) == [f"20>{to}"] + (["R>0"] if rank == "K" else [])
    assert moves_of("20,H4///", "A") == ["20>21", "20>31", "R>0"]
    assert moves_of("20,H4///", "4") == ["20>16"]


def test_tc_5_a_started_pawn_is_fresh_until_it_leaves_by_any_means() -> None:
    assert pawns_after("///", "AS:R>0") == "0*///"
    assert pawns_after("0*///", "4S:0>68") == "68///"
    assert pawns_after("0*/30//", "JS:0<>30") == "30/0//"
    assert pawns_after("0*///", "3S:0>3") == "3///"


def test_tc_5_a_start_needs_a_pawn_in_reserve_and_no_own_pawn_on_the_cell() -> None:
    assert moves_of("0///", "K") == ["0>13"]
    assert moves_of("1,2,3,5///", "K") == ["1>14", "2>15", "3>16", "5>18"]


def test_tc_5_every_seat_starts_on_its_own_cell() -> None:
    assert [moves_of("///", "K", mover) for mover in range(4)] == [["R>0"], ["R>18"], ["R>36"], ["R>54"]]


def test_tc_6_and_8_a_passed_pawn_stays_and_one_landed_on_goes_to_its_reserve() -> None:
    assert pawns_after("10/12,13//", "3S:10>13") == "13/12//"


def test_tc_9_four_back_crosses_cell_0_but_no_corridor() -> None:
    assert moves_of("2,70,H4///", "4") == ["70>66"]
    assert moves_of("2,H4///", "4") == ["2>70"]
    assert pawns_after("10/6/8/", "4S:10>6") == "6//8/"


def test_tc_10_a_fresh_pawn_may_not_enter_and_one_that_went_back_may() -> None:
    assert moves_of("0*///", "3") == ["0>3"]
    assert moves_of("0///", "3") == ["0>3", "0>H3"]


def test_tc_10_no_pawn_is_passed_in_the_corridor() -> None:
    assert moves_of("70,H2///", "5") == ["70>3"]
    assert moves_of("70,H2///", "3") == ["70>1", "70>H1"]
    assert moves_of("70,H2///", "4") == ["70>66"]
    assert moves_of("70,H2///", "6") == ["70>4"]


def test_tc_10_a_corridor_belongs_to_its_colour() -> None:
    assert moves_of("16//H1/", "5") == ["16>21"]
    assert moves_of("/16//", "5", 1) == ["16>21", "16>H3"]


def test_tc_11_no_pawn_is_passed_when_moving_deeper() -> None:
    assert moves_of("H1,H3///", "2") == ["-"]
    assert moves_of("H1,H3///", "A") == ["H1>H2", "H3>H4", "R>0"]


def test_tc_12_seven_steps_can_be_divided_in_every_way() -> None:
    assert moves_of("10,30///", "7") == [
        "10>11,30>36",
        "10>12,30>35",
        "10>13,30>34",
        "10>14,30>33",
        "10>15,30>32",
        "10>16,30>31",
        "10>17",
        "30>37",
    ]


def test_tc_12_the_parts_are_written_in_an_order_that_can_be_walked() -> None:
    assert "13>17,10>13" in moves_of("10,13///", "7")
    assert "10>13,13>17" not in moves_of("10,13///", "7")


def test_tc_12_a_seven_that_cannot_be_used_up_is_not_usable() -> None:
    assert moves_of("H1///", "7") == ["-"]
    assert moves_of("H1,H3///", "7") == ["-"]


def test_tc_12_all_parts_kill_but_not_fresh_pawns() -> None:
    assert pawns_after("10,30/12,18*//33", "7S:10>14,30>33") == "14,33/18*//"
    assert pawns_after("15/18*//", "7S:15>22") == "22/18*//"


def test_tc_12_a_seven_kills_on_its_way_into_the_corridor() -> None:
    assert pawns_after("68/0,70//1", "7S:68>H3") == "H3///1"


def test_tc_13_only_an_undivided_seven_enters_the_corridor() -> None:
    assert moves_of("68,H1///", "7") == ["68>0,H1>H4", "68>1,H1>H3", "68>2,H1>H2", "68>3"]
    assert "68>H3" in moves_of("68///", "7")


def test_tc_14_a_swap_kills_no_pawn_and_may_use_own_pawns_on_the_start_cell() -> None:
    assert pawns_after("0*//20/", "JS:0<>20") == "20//0/"
    assert moves_of("5,H1/18*,H2//36", "J") == ["5>15"]


def test_tc_15_a_seat_with_four_pawns_home_moves_its_partners_pawns() -> None:
    assert moves_of("H1,H2,H3,H4//10,H2/", "A") == ["10>11", "10>21", "H2>H3", "R>36"]
    assert moves_of("H1,H2,H3,H4//10,20/", "7")[:2] == ["10>11,20>26", "10>12,20>25"]
    assert pawns_after("H1,H2,H3,H4/15//", "KS:R>36") == "H1,H2,H3,H4/15/36*/"


def test_tc_15_is_decided_when_the_turn_begins() -> None:
    # The seven could bring the last pawn home by one step; the other six may not move the partner's pawns.
    assert moves_of("71,H2,H3,H4//36/", "7", seven_split_home="allowed") == ["71>6"]


def test_tc_16_eight_pawns_home_win_at_once_and_nothing_more_is_dealt() -> None:
    won = set_up("H1,H2,H3,H4//35,H2,H3,H4/H1", "2S", 2).play(2, "2S:35>H1")
    assert won.outcome == Outcome("home", (1, 0, 1, 0), (1, 0))
    assert won.owing == ()
    assert [won.moves(seat) for seat in range(4)] == [[], [], [], []]
    assert won.standing == (8, 1)


def test_tc_16_the_other_team_can_win_by_a_move_of_the_partner() -> None:
    before = "35,H4/H1,H2,H3,H4//53,H2,H3,H4"
    won = set_up(before, "2S", 1).play(1, "2S:53>H1")
    assert won.outcome == Outcome("home", (0, 1, 0, 1), (0, 1))


def test_tc_16_a_win_by_the_last_card_of_a_deal_leaves_all_hands_empty() -> None:
    position = set_up("60,H2,H3,H4//24,H2,H3,H4/", "3S", 3)
    for seat, move in ((3, "-3S"), (0, "KC:60>H1"), (1, "KD:R>18"), (2, "KH:24>H1")):
        position = position.play(seat, move)
    assert position.outcome == Outcome("home", (1, 0, 1, 0), (1, 0))
    assert str(position).split()[1:5] == ["3", "4", "2", "-/-/-/-"]
    assert GAME.read(str(position), SETTINGS).outcome == position.outcome


def test_a_position_is_a_value() -> None:
    position = set_up("10/12//", "3S 7H")
    before = str(position)
    position.play(0, "3S:10>13")
    position.moves(0)
    assert str(position) == before
    assert short_pawns(position) == "10/12//"


def test_on_an_empty_track_an_ace_and_a_king_start_and_nothing_else_does() -> None:
    assert moves_of("///", "A") == ["R>0"]
    assert moves_of("///", "K") == ["R>0"]
    assert {rank: moves_of("///", rank) for rank in RANKS if rank not in "AK"} == {r: ["-"] for r in "23456789TJQ"}


def test_a_hand_without_ace_and_king_can_only_discard_on_an_empty_track() -> None:
    assert set_up("///", "2S 7H QD").moves(0) == ["-2S", "-7H", "-QD"]


def test_no_pawn_starts_while_an_own_fresh_pawn_is_on_the_start_cell() -> None:
    assert moves_of("0*///", "A") == ["0>1", "0>11"]


def test_a_start_kills_an_enemy_that_is_not_fresh_and_not_the_partner() -> None:
    assert moves_of("/0//", "K") == ["R>0"]
    assert pawns_after("/0//", "KS:R>0") == "0*///"
    assert moves_of("//0/", "K") == ["-"]


def test_from_68_a_six_may_enter_or_pass_the_corridor_and_a_nine_must_pass_it() -> None:
    assert moves_of("68///", "6") == ["68>2", "68>H2"]
    assert moves_of("68///", "9") == ["68>5"]


def test_in_the_corridor_counts_are_exact() -> None:
    assert moves_of("H2///", "2") == ["H2>H4"]
    assert moves_of("H3///", "4") == ["-"]


@pytest.mark.parametrize(("blocks", "five"), [(False, ["15>20"]), (True, ["-"])])
def test_a_fresh_pawn_is_not_landed_on_and_passed_unless_it_blocks(blocks: bool, five: list[str]) -> None:
    assert moves_of("15/18*//", "3", fresh_blocks=blocks) == ["-"]
    assert moves_of("15/18*//", "5", fresh_blocks=blocks) == five


def test_a_seven_kills_the_enemies_it_passes_and_lands_on() -> None:
    assert pawns_after("30/33/35/37", "7S:30>37") == "37//35/"


def test_a_pawn_does_not_land_on_its_own() -> None:
    assert moves_of("10,13///", "3") == ["13>16"]


def test_a_jack_moves_ten_steps_or_swaps_but_not_with_a_pawn_on_a_start_cell() -> None:
    assert moves_of("5/18/40/60", "J") == ["5<>40", "5<>60", "5>15"]


def leaders(**options: str) -> list[int]:
    position = GAME.start(GAME.settings(options), b"leaders")
    found: list[int] = []
    while len(found) < 5:
        for seat in position.owing:
            position = position.play(seat, position.moves(seat)[0])
        found.append(position.owing[0])
        while len(position.owing) == 1:
            position = position.play(position.owing[0], position.moves(position.owing[0])[0])
    return found


def test_the_option_leader_chooses_who_leads_each_deal() -> None:
    assert leaders() == [0, 0, 0, 1, 1]
    assert leaders(leader="rotate") == [0, 1, 2, 1, 2]


@pytest.mark.parametrize(("offset", "home"), [(0, "70>H1"), (1, "70>H2"), (2, "70>H3")])
def test_branch_offset_moves_the_branch_cell_back(offset: int, home: str) -> None:
    assert moves_of("70///", "3", branch_offset=offset) == ["70>1", home]


def test_branch_offset_moves_the_branch_of_every_colour() -> None:
    assert moves_of("/17//", "2", 1, branch_offset=1) == ["17>19", "17>H2"]
    assert moves_of("//34/", "2", 2, branch_offset=2) == ["34>36", "34>H2"]
    assert moves_of("71///", "2", branch_offset=2) == ["71>1"]


@pytest.mark.parametrize("pawns", ["15/18*//", "34//36*/"])
def test_with_fresh_blocks_no_pawn_passes_a_fresh_one(pawns: str) -> None:
    assert moves_of(pawns, "5") != ["-"]
    assert moves_of(pawns, "5", fresh_blocks=True) == ["-"]


def test_with_fresh_blocks_no_pawn_passes_a_fresh_one_back_or_into_the_corridor() -> None:
    assert moves_of("20/18*//", "4", fresh_blocks=True) == ["-"]
    assert moves_of("0*,2///", "4", fresh_blocks=True) == ["0>68"]
    assert moves_of("0*,70///", "3", fresh_blocks=True) == ["0>3"]
    assert moves_of("0*,70///", "3") == ["0>3", "70>1", "70>H1"]


def test_fresh_blocks_ends_when_a_part_of_a_seven_moves_the_fresh_pawn() -> None:
    assert moves_of("0*,71///", "7") != moves_of("0*,71///", "7", fresh_blocks=True)
    assert "0>2,71>4" in moves_of("0*,71///", "7", fresh_blocks=True)
    assert "71>6" not in moves_of("0*,71///", "7", fresh_blocks=True)
    assert "10>14,70>1" not in moves_of("0*,10,70///", "7", fresh_blocks=True)
    seat_1 = moves_of("/16,18*//", "7", 1, fresh_blocks=True)
    assert "18>21,16>20" in seat_1
    assert "16>20,18>21" not in seat_1


def test_land_on_own_allows_killing_own_pawns() -> None:
    assert moves_of("10,13///", "3", land_on_own="kill") == ["10>13", "13>16"]
    assert pawns_after("10,13///", "3S:10>13", land_on_own="kill") == "13///"
    assert moves_of("0*,69///", "3", land_on_own="kill") == ["0>3"]


def test_land_on_own_in_a_divided_seven_depends_on_the_order() -> None:
    listed = moves_of("10,13///", "7", land_on_own="kill")
    assert "13>17,10>13" in listed
    assert "10>13,13>17" not in listed
    assert "10>14,13>16" in listed


def test_land_on_partner_decides_whether_partners_can_be_killed() -> None:
    assert moves_of("10//13/", "3") == ["-"]
    assert moves_of("10//13/", "3", land_on_partner="kill") == ["10>13"]
    assert pawns_after("10//13/", "3S:10>13", land_on_partner="kill") == "13///"


def test_back_shortcut_lets_a_pawn_that_went_back_enter() -> None:
    assert pawns_after("2///", "4S:2>70") == "70///"
    assert moves_of("70///", "5") == ["70>3", "70>H3"]
    assert pawns_after("2///", "4S:2>70", back_shortcut=False) == "70-///"
    assert moves_of("70-///", "5", back_shortcut=False) == ["70>3"]
    assert moves_of("70///", "5", back_shortcut=False) == ["70>3", "70>H3"]


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        ("0*///", "4S:0>68", "68-///"),
        ("0*///", "3S:0>3", "3///"),
        ("70-///", "3S:70>1", "1///"),
        ("70-///", "2S:70>0", "0-///"),
        ("0-///", "2S:0>2", "2///"),
        ("70///", "3S:70>1", "1+///"),
        ("70+///", "3S:70>1", "1+///"),
        ("1+///", "4S:1>69", "69///"),
        ("1-///", "4S:1>69", "69-///"),
        ("4///", "4S:4>0", "0-///"),
        ("5///", "4S:5>1", "1///"),
        ("69+///", "5S:69>H2", "H2///"),
        ("5-/20+//", "JS:5<>20", "20/5//"),
        ("5/8-//", "3S:5>8", "8///"),
        ("5/8-//9+", "7S:5>12", "12///"),
    ],
)
def test_without_back_shortcut_laps_are_counted(before: str, move: str, after: str) -> None:
    assert pawns_after(before, move, back_shortcut=False) == after


@pytest.mark.parametrize("mark", "+-")
def test_a_pawn_killed_by_a_start_leaves_no_lap_mark(mark: str) -> None:
    settings = GAME.settings({"back_shortcut": False, "branch_offset": 1})
    track = set_up_with(settings, f"/0{mark}//", "KS").play(0, "KS:R>0").round.track
    assert (track.short, track.far) == (0, 0)


def test_without_back_shortcut_a_pawn_that_starts_beyond_its_branch_has_no_completed_lap() -> None:
    assert pawns_after("0*///", "4S:0>68", back_shortcut=False, branch_offset=2) == "68-///"
    assert pawns_after("0*///", "3S:0>3", back_shortcut=False, branch_offset=2) == "3///"


def test_home_entry_decides_whether_a_pawn_may_pass_its_corridor() -> None:
    assert moves_of("68///", "6", home_entry="forced") == ["68>H2"]
    assert moves_of("68,H1///", "6", home_entry="forced") == ["68>2"]
    assert moves_of("68///", "6", home_entry="optional") == ["68>2", "68>H2"]


def test_home_entry_applies_to_each_part_of_a_divided_seven() -> None:
    assert "30>31,68>2" in moves_of("30,68///", "7", home_entry="forced")
    assert "30>31,68>2" not in moves_of("30,68///", "7", home_entry="forced", seven_split_home="allowed")
    assert "30>31,68>H2" in moves_of("30,68///", "7", home_entry="forced", seven_split_home="allowed")
    assert "30>31,68>2" in moves_of("30,68,H1///", "7", home_entry="forced", seven_split_home="allowed")


def test_home_inner_decides_whether_pawns_move_in_the_corridor() -> None:
    assert moves_of("H2///", "2", home_inner=False) == ["-"]
    assert moves_of("20,H1///", "7", home_inner=False) == ["20>27"]


def test_home_fill_requires_the_deepest_place() -> None:
    assert moves_of("70///", "4", home_fill="deepest") == ["70>66"]
    assert moves_of("70///", "5", home_fill="deepest") == ["70>3"]
    assert moves_of("70///", "6", home_fill="deepest") == ["70>4", "70>H4"]
    assert moves_of("70,H4///", "5", home_fill="deepest") == ["70>3", "70>H3"]
    assert moves_of("H1///", "2", home_fill="deepest") == ["-"]
    assert moves_of("H1///", "3", home_fill="deepest") == ["H1>H4"]


def test_home_fill_in_a_divided_seven_depends_on_the_places_filled_by_then() -> None:
    listed = moves_of("68,70,H4///", "7", home_fill="deepest", seven_split_home="allowed", branch_offset=2)
    assert "70>H3,68>H2" in listed
    assert "68>H2,70>H3" not in listed
    assert "68>H2,70>1" not in listed


def test_seven_kills_decides_which_passed_pawns_are_killed() -> None:
    assert pawns_after("30/33/35/37", "7S:30>37", seven_kills="all") == "37///"
    assert pawns_after("15,17/18*/20/", "7S:15>22", seven_kills="all") == "22/18*//"
    assert pawns_after("15,17/18*/20/", "7S:15>22") == "17,22/18*/20/"


def test_seven_kills_all_lets_a_later_part_land_where_a_partner_was() -> None:
    assert "32>36,30>33" in moves_of("30,32//33/", "7", seven_kills="all")
    assert "30>33,32>36" not in moves_of("30,32//33/", "7", seven_kills="all")


def test_two_orders_that_lead_to_different_positions_are_two_moves() -> None:
    listed = moves_of("0*,70///", "7", seven_kills="all")
    assert {"0>3,70>2", "70>2,0>3"} <= set(listed)
    assert pawns_after("0*,70///", "7S:0>3,70>2", seven_kills="all") == "2,3///"
    assert pawns_after("0*,70///", "7S:70>2,0>3", seven_kills="all") == "3///"
    assert "70>2,0>3" not in moves_of("0*,70///", "7")


def test_two_orders_that_differ_only_in_laps_are_two_moves() -> None:
    listed = moves_of("9-,10///", "7", land_on_own="kill", back_shortcut=False)
    assert {"10>13,9>13", "9>13,10>13"} <= set(listed)
    assert "9>13,10>13" not in moves_of("9,10///", "7", land_on_own="kill", back_shortcut=False)


@pytest.mark.parametrize(
    ("rule", "enters", "moves_deeper"),
    [("no_entry", False, True), ("no_home_move", False, False), ("allowed", True, True)],
)
def test_seven_split_home_decides_which_parts_may_go_home(rule: str, enters: bool, moves_deeper: bool) -> None:
    listed = moves_of("30,70,H1,H2///", "7", seven_split_home=rule) + moves_of("30,70///", "7", seven_split_home=rule)
    assert ("30>34,70>H1" in listed) == enters
    assert ("30>36,H2>H3" in listed) == moves_deeper
    assert "30>34,70>1" in listed


def test_in_a_divided_seven_a_fresh_pawn_does_not_enter() -> None:
    assert "0>H3,30>34" in moves_of("0,30///", "7", seven_split_home="allowed")
    assert "0>H3,30>34" not in moves_of("0*,30///", "7", seven_split_home="allowed")


def test_in_a_divided_seven_the_pawn_that_goes_deeper_moves_first() -> None:
    listed = moves_of("69,71///", "7", seven_split_home="allowed")
    assert "71>H2,69>H1" in listed
    assert "69>H1,71>H2" not in listed


@pytest.mark.parametrize(
    ("rule", "swapped"),
    [("any_start_cell", [20]), ("own_start_cell", [0, 20, 36, 54]), ("fresh_only", [0, 18, 20, 36, 54])],
)
def test_jack_excludes_protects_pawns_on_start_cells(rule: str, swapped: list[int]) -> None:
    listed = moves_of("5/0,18,20/54/36", "J", jack_excludes=rule)
    assert sorted(int(move.split("<>")[1]) for move in listed if "<>" in move) == swapped


@pytest.mark.parametrize("rule", ["any_start_cell", "own_start_cell", "fresh_only"])
def test_no_jack_swaps_with_a_fresh_pawn(rule: str) -> None:
    assert moves_of("5/18*//", "J", jack_excludes=rule) == ["5>15"]


def test_max_turns() -> None:
    position = set_up("///", "2S 3S", max_turns=2)
    position = position.play(0, "-2S")
    assert position.outcome is None
    position = position.play(1, position.moves(1)[0])
    assert position.outcome == Outcome("max_turns", (0.5, 0.5, 0.5, 0.5), (0.5, 0.5))
    assert position.owing == ()
    assert position.moves(2) == []


def test_a_win_on_the_last_turn_is_a_win() -> None:
    won = set_up("H1,H2,H3,H4//35,H2,H3,H4/", "2S", 2, max_turns=1).play(2, "2S:35>H1")
    assert won.outcome == Outcome("home", (1, 0, 1, 0), (1, 0))


def test_the_preset_tock_common_has_the_listed_options() -> None:
    settings = GAME.settings({}, "tock_common")
    changed = {name: value for name, value in settings.texts().items() if value != GAME.settings().texts()[name]}
    assert changed == {
        "branch_offset": "2",
        "fresh_blocks": "true",
        "land_on_own": "kill",
        "land_on_partner": "kill",
        "seven_kills": "all",
        "seven_split_home": "allowed",
        "jack_excludes": "fresh_only",
    }
    assert moves_of("68///", "6", preset="tock_common") == ["68>2", "68>H4"]


def test_every_rank_has_its_own_moves_under_every_option_of_landing() -> None:
    for rank in RANKS:
        assert moves_of("10,20/12//", rank, land_on_own="kill", land_on_partner="kill")


def test_an_overshoot_costs_a_whole_lap() -> None:
    # Past the branch cell by a 3, back behind it by a 4: by default the pawn may enter, as if it had not passed.
    assert "2>70" in moves_of("2///", "4")
    assert _overshot_and_back() == ["70>1", "70>H1"]
    assert _overshot_and_back(back_shortcut=False) == ["70>1", "70>H1"]
    assert _overshot_and_back(overshoot="new_lap") == ["70>1"]
    assert _overshot_and_back(back_shortcut=False, overshoot="new_lap") == ["70>1"]


def _overshot_and_back(**options: Any) -> list[str]:
    past = pawns_after("71///", "3S:71>2", **options).replace("/", "").strip()
    back = pawns_after(f"{past}///", f"4S:{past.rstrip('+')}>70", **options).replace("/", "").strip()
    return moves_of(f"{back}///", "3", **options)


def test_after_an_overshoot_and_a_new_lap_a_pawn_may_enter() -> None:
    assert pawns_after("71///", "3S:71>2", overshoot="new_lap") == "2+///"
    assert moves_of("70+///", "3", overshoot="new_lap") == ["70>1", "70>H1"]
    assert pawns_after("70-///", "3S:70>1", overshoot="new_lap") == "1+///"
    # A pawn that has only left its start cell has not overshot: it may use the short cut.
    assert pawns_after("0*///", "3S:0>3", overshoot="new_lap") == "3///"
    assert pawns_after("3///", "4S:3>71", overshoot="new_lap") == "71///"
    assert pawns_after("3-///", "4S:3>71", overshoot="new_lap") == "71-///"
    assert pawns_after("71///", "3S:71>2", overshoot="new_lap", back_shortcut=False) == "2///"
    with pytest.raises(MalformedPosition, match="no pawn can be marked"):
        moves_of("5+///", "3", overshoot="new_lap", back_shortcut=False)


def test_with_optional_kills_a_seven_may_kill_the_pawns_it_passes() -> None:
    pawns = "30/33/35/36,37"
    assert moves_of(pawns, "7") == ["30>37"]
    optional = moves_of(pawns, "7", seven_kills="optional")
    assert optional == ["30>37", "30>37x33", "30>37x33x36", "30>37x36"]
    assert pawns_after(pawns, "7S:30>37", seven_kills="optional") == "37/33/35/36"
    assert pawns_after(pawns, "7S:30>37x36", seven_kills="optional") == "37/33/35/"
    # Fresh pawns and pawns that are landed on cannot be chosen, nor those that another part lands on.
    assert moves_of("15/18*//", "7", seven_kills="optional") == ["15>22"]
    assert "20>24,22>25" in moves_of("20,22/24//", "7", seven_kills="optional")
    assert "20>24,22>25x24" not in moves_of("20,22/24//", "7", seven_kills="optional")
    assert {"30>35,H1>H3", "30>35,H1>H3x33"} <= set(moves_of("30,H1/33//", "7", seven_kills="optional"))


@pytest.mark.parametrize("kills", ["x36x33", "x33x33", "x72", "x33x34x35x36x37x38x39"])
def test_the_pawns_that_a_seven_kills_are_written_in_order(kills: str) -> None:
    with pytest.raises(MalformedMove):
        set_up("30/33/35/36,37", "7S", seven_kills="optional").play(0, f"7S:30>37{kills}")


def test_jack_from_start_can_also_protect_own_pawns_on_a_start_cell() -> None:
    pawns = "0*,5,36/40//"
    assert moves_of(pawns, "J") == ["0<>40", "0>10", "36<>40", "36>46", "5<>40", "5>15"]
    spared = moves_of(pawns, "J", jack_from_start=False)
    assert spared == ["0>10", "36>46", "5<>40", "5>15"]
    own = moves_of(pawns, "J", jack_from_start=False, jack_excludes="own_start_cell")
    assert own == ["0>10", "36<>40", "36>46", "5<>40", "5>15"]
    not_fresh = moves_of("0,5,36/40//", "J", jack_from_start=False, jack_excludes="fresh_only")
    assert "0<>40" in not_fresh
    assert "0<>40" not in moves_of(pawns, "J", jack_from_start=False, jack_excludes="fresh_only")
