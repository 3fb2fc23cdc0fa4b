"""The numbered rules, with an example of each; test_options tests the options."""

from engines.api import SPECTATOR, Outcome
from engines.chance import Chance
from engines.toc import GAME
from engines.toc.cards import DECK, NAMES, cards_in
from engines.toc.position import TocPosition
from tests.engines.toc.positions import moves_of, pawns_after, set_up, short_pawns

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
