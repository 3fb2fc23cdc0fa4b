"""The nine lines of the rules page that must hold, for seat 0 and the default options."""

import pytest

from engines.toc.cards import RANKS
from tests.engines.toc.positions import moves_of, pawns_after, set_up


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
