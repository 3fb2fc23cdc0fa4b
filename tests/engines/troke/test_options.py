"""Each option does what it says."""

import pytest

from engines.options import Value
from engines.troke import GAME
from tests.engines.troke.table import ended, moves, played, read, start


def test_start_chips() -> None:
    assert start(start_chips=7).pieces.chips == (7, 7)


def test_max_plies() -> None:
    assert ended(played(start(max_plies=1), "Tb1-c2")) == "max_plies 12 12"


def test_repetition_can_be_off() -> None:
    at = read("f3:Mw,d5:Tr r", lateral_rule="free", repetition=0)
    assert not ended(played(at, " ".join(["Td5-f5 Mf3-d3 Tf5-d5 Md3-f3"] * 5)))
    once = read("f3:Mw,d5:Tr r", lateral_rule="free", repetition=2)
    assert ended(played(once, "Td5-f5 Mf3-d3 Tf5-d5 Md3-f3"))


def test_extra_steps_may_be_left_unmade() -> None:
    at = read("d3:Tr,d5:WwMw r", extra_steps="may")
    assert {"Td3xd5", "Td3xd5-d7", "Td3xd5-d7-d9"} <= set(moves(at).split())
    assert len(set(moves(at).split())) == len(moves(at).split())


def test_side_rows_allowed() -> None:
    assert "Tc4-a4" in moves(read("c4:Tr r", side_rows="allowed"))
    assert "Tc4-a4" not in moves(read("c4:Tr r"))


def test_side_rows_allowed_let_others_carry_a_piece_to_its_goal_where_it_stays() -> None:
    at = played(read("e8:Tb,g8:Wr b", seats=4, side_rows="allowed"), "Te8xg8-h9 pass pass")
    assert moves(at) == "pass", "the red wall has been brought to its goal row, and blue is alone"


def test_a_free_step_takes_an_arrival_without_capture() -> None:
    at = read("e8:Tr,b9:Mw r", goal_sideways="free_step")
    assert moves(at, "Te8-d9") == "Te8-d9 Te8-d9-f9 Te8-d9xb9"
    assert played(at, "Te8-d9xb9").pieces.chips == (13, 11)
    assert moves(read("e8:Tr,b9:Mw r"), "Te8-d9") == "Te8-d9"


def test_with_a_free_step_left_steps_lapse() -> None:
    assert moves(read("e8:Tr,d9:WwMw r", goal_sideways="free_step"), "Te8x") == "Te8xd9"
    assert moves(read("c6:Tr,c8:WwMw r", goal_sideways="free_step"), "Tc6xc8-d9") == "Tc6xc8-d9"


def test_goal_pieces_may_move_sideways_and_still_not_be_captured() -> None:
    at = read("d9:TrWr,f9:Mw r", goal_pieces="sideways")
    assert moves(at) == "Td9-b9 Td9xf9 Td9xf9-d9 Td9xf9-h9 Wd9-b9 Wd9xf9 Wd9xf9-d9 Wd9xf9-h9"
    assert moves(read("d9:Tr,e8:Wr r", goal_pieces="sideways"), "We8-d9") == "We8-d9"


def test_goal_pieces_that_move_within_the_row_make_all_steps_with_a_free_step_too() -> None:
    at = read("d9:Tr,f9:Mw r", goal_pieces="sideways", goal_sideways="free_step")
    assert moves(at) == "Td9-b9 Td9xf9 Td9xf9-d9 Td9xf9-h9"


def test_a_castle_is_paid_once_even_if_it_is_taken_apart() -> None:
    at = read("h7:Tw,c8:Tr,b9:WrMr r", goal_pieces="sideways")
    at = played(at, "Tc8-b9 Th7-h5 Tb9-d9 Th5-h3 Wb9-d9 Th3-h1")
    assert at.pieces.castles == (1, 0)
    assert at.pieces.chips == (13, 11)
    again = played(at, "Mb9-d9")
    assert (again.pieces.castles, again.pieces.chips) == ((1, 0), (13, 11))


def test_carry_home_forbidden() -> None:
    at = read("e6:Tr,e8:Ww r", carry_home="forbidden")
    assert moves(at, "Te6xe8") == "Te6xe8-c8 Te6xe8-g8"
    assert "Te6xe8-d9" in moves(read("e6:Tr,e8:Ww r"))


def test_carry_home_forbidden_does_not_hold_for_own_pieces_or_those_that_never_left() -> None:
    assert "Te6xe8-d9" in moves(read("e6:Tr,e8:Wr r", carry_home="forbidden"))
    assert "Te8xd9-f9" in moves(read("e8:Tr,d9:Ww r", carry_home="forbidden"))


def test_clear_goal_off() -> None:
    text = "e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMr w"
    assert "Te4-e2" in moves(read(text, clear_goal="off"))
    assert "Te4-e2" not in moves(read(text))


@pytest.mark.parametrize(("rule", "back"), [("no_reversal_if_other", False), ("strict", False), ("free", True)])
def test_lateral_rule(rule: str, back: bool) -> None:
    at = played(read("f3:Mw,d5:Tr r", lateral_rule=rule), "Td5-f5 Mf3-e2")
    assert ("Tf5-d5" in moves(at)) == back
    assert ("back=" in str(at)) != back


def test_capture_value_graded() -> None:
    for shape, chips in (("T", (13, 11)), ("W", (14, 10)), ("M", (15, 9))):
        mover = "W" if shape == "T" else "T"
        at = read(f"d3:{mover}r,d5:{shape}w r", capture_value="graded")
        assert played(at, f"{mover}d3xd5-d7").pieces.chips == chips


@pytest.mark.parametrize(("award", "chips"), [("each_player", (13, 11)), ("first_only", (12, 12))])
def test_castle_award(award: str, chips: tuple[int, int]) -> None:
    at = read("d1:TwWwMw,c8:Tr,b9:WrMr r", castle_award=award)
    assert played(at, "Tc8-b9").pieces.chips == chips
    first = read("c8:Tr,b9:WrMr r", castle_award=award)
    assert played(first, "Tc8-b9").pieces.chips == (13, 11)


def test_end_bonus_can_be_off() -> None:
    text = "d1:WwMw,e4:Tw,g8:Tr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:WrMr r"
    assert played(read(text), "Tg8-h9").pieces.chips == (20, 4)
    assert played(read(text, end_bonus=False), "Tg8-h9").pieces.chips == (16, 8)


@pytest.mark.parametrize(("debt", "chips"), [("allow", (13, -1)), ("cap", (12, 0))])
def test_debt(debt: str, chips: tuple[int, int]) -> None:
    at = read("d3:Tr,d5:WwMw r 11/1", debt=debt)
    assert played(at, "Td3xd5-d7-e8").pieces.chips == chips


def test_a_race_has_no_chips_and_is_led_by_the_foremost_seat() -> None:
    at = read("d3:Tr,d5:WwMw r", scoring="race")
    assert played(at, "Td3xd5-d7-e8").pieces.chips == (0, 0)
    text = "b1:TwWwMw,d1:TwWwMw,e4:Tb,i4:TbWbMb,b9:TrWrMr r"
    assert read(text, scoring="race", seats=4, teams=True).standing == (2, 1)
    assert read(text, scoring="race", seats=4).standing == (1, 1, 2, 0)


@pytest.mark.parametrize("board", ["diamond40", "compact32", "cross48", "octagon52"])
def test_board(board: str) -> None:
    view = start(board=board).view(0)
    assert isinstance(view, dict)
    assert len(view["circles"]) == int(board[-2:])


def test_the_first_preset_is_the_defaults() -> None:
    assert GAME.settings({}, "troque_1956") == GAME.settings({})


def test_the_english_preset() -> None:
    chosen: dict[str, Value] = {
        "castle_award": "first_only",
        "end_bonus": False,
        "carry_home": "forbidden",
        "goal_pieces": "sideways",
        "lateral_rule": "free",
        "clear_goal": "off",
    }
    assert GAME.settings({}, "troke_english") == GAME.settings(chosen)


def test_teams_change_only_who_adds_up() -> None:
    at = read("d3:Tr,d5:WwMb r", seats=4, teams=True)
    after = played(at, "Td3xd5-d7-e8")
    assert after.pieces.chips == (14, 11, 11, 12)
    assert after.standing == (25, 23)
