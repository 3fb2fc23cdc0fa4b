"""The effect of each option."""

import pytest

from engines.game_errors import IllegalMove, MalformedPosition
from engines.options import Value
from engines.troke import GAME
from engines.troke.position import TrokePosition
from tests.engines.troke.positions import ended, moves, played, read, start


def test_start_chips_sets_the_chips_at_the_start() -> None:
    assert start(start_chips=7).pieces.chips == (7, 7)


def test_max_plies_ends_the_game() -> None:
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


def test_side_rows_allowed_opens_the_start_rows_at_the_sides() -> None:
    assert "Tc4-a4" in moves(read("c4:Tr r", side_rows="allowed"))
    assert "Tc4-a4" not in moves(read("c4:Tr r"))


def test_side_rows_allowed_let_others_carry_a_piece_to_its_goal_where_it_stays() -> None:
    at = played(read("e8:Tb,g8:Wr b", seats=4, side_rows="allowed"), "Te8xg8-h9 pass pass")
    assert moves(at) == "pass", "the red wall has been brought to its goal row, and blue is alone"


def test_a_free_step_needs_an_arrival_without_a_capture() -> None:
    at = read("e8:Tr,b9:Mw r", goal_sideways="free_step")
    assert moves(at, "Te8-d9") == "Te8-d9 Te8-d9-f9 Te8-d9xb9"
    assert played(at, "Te8-d9xb9").pieces.chips == (13, 11)
    assert moves(read("e8:Tr,b9:Mw r"), "Te8-d9") == "Te8-d9"


def test_with_free_step_remaining_steps_are_lost_on_arrival() -> None:
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


def test_with_both_an_arrival_allows_a_free_step_or_remaining_steps() -> None:
    at = read("e8:Tr,b9:Mw r", goal_sideways="either")
    assert moves(at, "Te8-d9") == "Te8-d9 Te8-d9-f9 Te8-d9xb9"
    assert played(at, "Te8-d9xb9").pieces.chips == (13, 11)
    # After a capture the remaining steps may be used or not, according to leftover_steps.
    text = "e8:Tr,d9:WwMw r"
    assert moves(read(text, goal_sideways="either"), "Te8xd9") == moves(read(text), "Te8xd9")
    assert "Te8xd9-b9-d9" in moves(read(text, goal_sideways="either"))
    with pytest.raises(IllegalMove, match="a free step needs an arrival without a capture"):
        read("e8:Tr,b9:Mw r", goal_sideways="either").play(0, "Te8-d9xb9-d9")
    with pytest.raises(IllegalMove, match="no line connects b9 and h9"):
        read(text, goal_sideways="either").play(0, "Te8xd9-b9-h9")


def test_with_own_captures_only_the_owner_captures_its_arrived_pieces() -> None:
    at = read("d9:Tr,f9:Wr,h7:Mw r", goal_pieces="own_captures")
    assert moves(at) == "Td9-b9 Td9xf9 Td9xf9-d9 Td9xf9-h9 Wf9-h9 Wf9xd9 Wf9xd9-b9 Wf9xd9-f9"
    after = played(at, "Td9xf9-h9")
    assert str(after).startswith("h7:Mw,h9:TrWr w 12/12 0/0")
    # With sideways alone, the own piece is joined; with neither value can an enemy capture it.
    assert "Td9-f9" in moves(read("d9:Tr,f9:Wr,h7:Mw r", goal_pieces="sideways"))
    enemy = read("f9:Wr,h9:Mw w", goal_pieces="own_captures")
    assert moves(enemy, "Mh9") == "Mh9-f9 Mh9-g8 Mh9-h7"
    arriving = read("e8:Tr,d9:Wr r", goal_pieces="own_captures")
    assert moves(arriving, "Te8xd9") == "Te8xd9 Te8xd9-b9 Te8xd9-f9"


def test_the_english_preset_follows_its_rule_sheet() -> None:
    def english(text: str) -> TrokePosition:
        return GAME.read(text, GAME.settings({}, "troke_english"))

    assert "Td9xf9-h9" in moves(english("d9:Tr,f9:Wr r"))
    assert "Tc4-a4" in moves(english("c4:Tr r"))


FULL = "e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMr"
"""Red's goal row is full, with a white wall in it."""


def test_a_seat_that_fills_its_goal_row_may_demand_clearance_at_once() -> None:
    at = read("e4:Tw,g8:Mr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMw,h9:TrWr r", clear_goal="on_demand")
    assert moves(at) == "Mg8-e8 Mg8-h9 Mg8-h9!"
    demanded = played(at, "Mg8-h9!")
    assert str(demanded).endswith(" w 15/9 3/0 1 clear=w")
    view = demanded.view(0)
    assert isinstance(view, dict)
    assert view["must_clear"] == ["white"]
    assert "white must clear the start row" in demanded.picture(0)
    assert moves(demanded) == "Mf9-e8 Mf9-f7 Mf9-g8"
    assert "Te4-e2" in moves(played(at, "Mg8-h9")), "without a demand nothing must be cleared"
    assert str(played(demanded, "Mf9-e8")).endswith(" r 15/9 3/0 2")


def test_a_demand_needs_a_piece_of_the_opposite_colour_in_the_row() -> None:
    text = "e4:Tw,g4:Mr,b9:TrWrMr,d9:TrWrMb,f9:TrWrMb,h9:TrWbMb r"
    assert "!" not in moves(read(text, clear_goal="on_demand", seats=4))
    assert "!" not in moves(read(f"{FULL} r", clear_goal="auto"))
    nobody_across = read("e4:Mb,h3:Tr,e6:Tw b", clear_goal="on_demand", seats=3)
    assert moves(nobody_across)
    assert "!" not in moves(nobody_across)


def test_a_seat_that_must_pass_may_demand() -> None:
    at = read("e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMw r", clear_goal="on_demand")
    assert moves(at) == "pass pass!"
    assert moves(played(at, "pass!")) == "Mh9-g8 Mh9-h7 Wh9-g8 Wh9-h7"
    with pytest.raises(IllegalMove, match="needs clear_goal=on_demand"):
        read("e4:Tw,f3:Mr r").play(0, "Mf3-f5!")
    with pytest.raises(IllegalMove, match="a full goal row after the move"):
        read("e4:Tw,f3:Mr r", clear_goal="on_demand").play(0, "Mf3-f5!")
    with pytest.raises(IllegalMove, match="backward"):
        read("e4:Tw,f3:Mr r", clear_goal="on_demand").play(0, "Mf3-f1!")


@pytest.mark.parametrize(
    ("text", "options", "wrong"),
    [
        ("e4:Tw,f3:Mr r 12/12 0/0 0 clear=r", {}, "clear= needs clear_goal=on_demand"),
        ("e4:Tw,f3:Mr r 12/12 0/0 0 clear=w", {"clear_goal": "on_demand"}, "whose opponent opposite has moved"),
        (
            "e4:Tw,f3:Mr r 12/12/12 0/0/0 0 clear=b",
            {"clear_goal": "on_demand", "seats": 3},
            "whose opponent opposite has moved",
        ),
        ("e4:Tw,f3:Mr r 12/12 0/0 0 clear=y", {"clear_goal": "on_demand"}, "does not play"),
        ("e4:Tw,f3:Mr r 12/12 0/0 0 clear=r,r", {"clear_goal": "on_demand"}, "canonical form"),
    ],
)
def test_an_impossible_demand_cannot_be_parsed(text: str, options: dict[str, Value], wrong: str) -> None:
    with pytest.raises(MalformedPosition, match=wrong):
        read(text, **options)


def test_a_step_back_that_leaves_a_rival_no_move_is_barred_if_another_lets_one_move() -> None:
    # Three red towers block the white one, and the red moat moves to and fro.
    shut_in = "d3:Mr,b5:Tr,c6:Tr,b7:Tw,d7:Tr r"
    at = played(read(shut_in, lateral_rule="if_blocking"), "Md3-f3 pass")
    assert "Mf3-d3" not in moves(at)
    assert "Mf3-h3" in moves(at)
    with pytest.raises(IllegalMove, match="may not step back to d3"):
        at.play(0, "Mf3-d3")
    # Where a rival can move, or no rival ever will, it is as free as any step.
    free = played(read(f"{shut_in[:-2]},g8:Mw r", lateral_rule="if_blocking"), "Md3-f3 Mg8-g6")
    assert "Mf3-d3" in moves(free)
    never = played(read("d3:Mr,b1:Tw r", lateral_rule="if_blocking"), "Md3-f3 pass")
    assert "Mf3-d3" in moves(never)


def test_carry_home_forbidden_bars_the_start_row_of_captured_pieces() -> None:
    at = read("e6:Tr,e8:Ww r", carry_home="forbidden")
    assert moves(at, "Te6xe8") == "Te6xe8-c8 Te6xe8-g8"
    assert "Te6xe8-d9" in moves(read("e6:Tr,e8:Ww r"))


def test_carry_home_forbidden_does_not_apply_to_own_pieces_or_pieces_in_their_start_row() -> None:
    assert "Te6xe8-d9" in moves(read("e6:Tr,e8:Wr r", carry_home="forbidden"))
    assert "Te8xd9-f9" in moves(read("e8:Tr,d9:Ww r", carry_home="forbidden"))


def test_with_clear_goal_off_nothing_must_be_cleared() -> None:
    text = "e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMr w"
    assert "Te4-e2" in moves(read(text, clear_goal="off"))
    assert "Te4-e2" not in moves(read(text))


@pytest.mark.parametrize(("rule", "back"), [("no_reversal_if_other", False), ("strict", False), ("free", True)])
def test_lateral_rule_decides_which_sideways_steps_back_are_barred(rule: str, back: bool) -> None:
    at = played(read("f3:Mw,d5:Tr r", lateral_rule=rule), "Td5-f5 Mf3-e2")
    assert ("Tf5-d5" in moves(at)) == back
    assert ("back=" in str(at)) != back


def test_capture_value_graded_makes_captures_cost_more() -> None:
    for shape, chips in (("T", (13, 11)), ("W", (14, 10)), ("M", (15, 9))):
        mover = "W" if shape == "T" else "T"
        at = read(f"d3:{mover}r,d5:{shape}w r", capture_value="graded")
        assert played(at, f"{mover}d3xd5-d7").pieces.chips == chips


@pytest.mark.parametrize(("award", "chips"), [("each_player", (13, 11)), ("first_only", (12, 12))])
def test_castle_award_first_only_pays_the_first_seat(award: str, chips: tuple[int, int]) -> None:
    at = read("d1:TwWwMw,c8:Tr,b9:WrMr r", castle_award=award)
    assert played(at, "Tc8-b9").pieces.chips == chips
    first = read("c8:Tr,b9:WrMr r", castle_award=award)
    assert played(first, "Tc8-b9").pieces.chips == (13, 11)


def test_end_bonus_can_be_off() -> None:
    text = "d1:WwMw,e4:Tw,g8:Tr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:WrMr r"
    assert played(read(text), "Tg8-h9").pieces.chips == (20, 4)
    assert played(read(text, end_bonus=False), "Tg8-h9").pieces.chips == (16, 8)


@pytest.mark.parametrize(("debt", "chips"), [("allow", (13, -1)), ("cap", (12, 0))])
def test_debt_cap_stops_at_zero_chips(debt: str, chips: tuple[int, int]) -> None:
    at = read("d3:Tr,d5:WwMw r 11/1", debt=debt)
    assert played(at, "Td3xd5-d7-e8").pieces.chips == chips


def test_a_race_has_no_chips_and_is_led_by_the_foremost_seat() -> None:
    at = read("d3:Tr,d5:WwMw r", scoring="race")
    assert played(at, "Td3xd5-d7-e8").pieces.chips == (0, 0)
    text = "b1:TwWwMw,d1:TwWwMw,e4:Tb,i4:TbWbMb,b9:TrWrMr r"
    assert read(text, scoring="race", seats=4, teams=True).standing == (2, 1)
    assert read(text, scoring="race", seats=4).standing == (1, 1, 2, 0)


@pytest.mark.parametrize("board", ["diamond40", "compact32", "cross48", "octagon52"])
def test_the_option_board_chooses_the_board(board: str) -> None:
    view = start(board=board).view(0)
    assert isinstance(view, dict)
    assert len(view["circles"]) == int(board[-2:])


def test_the_first_preset_equals_the_defaults() -> None:
    assert GAME.settings({}, "troque_1956") == GAME.settings({})


def test_the_english_preset_has_the_listed_options() -> None:
    chosen: dict[str, Value] = {
        "castle_award": "first_only",
        "end_bonus": False,
        "carry_home": "forbidden",
        "goal_pieces": "own_captures",
        "side_rows": "allowed",
        "lateral_rule": "free",
        "clear_goal": "off",
    }
    assert GAME.settings({}, "troke_english") == GAME.settings(chosen)


def test_teams_change_only_the_sides() -> None:
    at = read("d3:Tr,d5:WwMb r", seats=4, teams=True)
    after = played(at, "Td3xd5-d7-e8")
    assert after.pieces.chips == (14, 11, 11, 12)
    assert after.standing == (25, 23)
