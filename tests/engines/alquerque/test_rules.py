"""Alquerque by its rules page: each rule, each variant, each line of "Must hold"."""

from typing import Any

import pytest

from engines.alquerque import GAME
from engines.alquerque.position import AlquerquePosition
from engines.game_errors import IllegalMove, MalformedMove, MalformedPosition, NotYourTurn

WHITE, BLACK = 0, 1
COLUMNS = "abcde"


def start(**options: Any) -> AlquerquePosition:
    return GAME.start(GAME.settings(options), b"")


def at(text: str, **options: Any) -> AlquerquePosition:
    return GAME.read(text, GAME.settings(options))


def placed(white: str, black: str, side: str = "w", **options: Any) -> AlquerquePosition:
    """Return a position, given the names of the points."""
    men = dict.fromkeys(white.split(), "w") | dict.fromkeys(black.split(), "b")
    rows = ["".join(men.get(f"{file}{rank}", ".") for file in COLUMNS) for rank in (5, 4, 3, 2, 1)]
    text = "/".join(rows)
    for empty in (5, 4, 3, 2, 1):
        text = text.replace("." * empty, str(empty))
    return at(f"{text} {side} 0", **options)


def played(position: AlquerquePosition, *moves: str) -> AlquerquePosition:
    for move in moves:
        position = position.play(position.owing[0], move)
    return position


def moves(position: AlquerquePosition) -> list[str]:
    return [move for seat in position.owing for move in position.moves(seat)]


def move_error(position: AlquerquePosition, move: str) -> IllegalMove:
    with pytest.raises(IllegalMove) as caught:
        position.play(position.owing[0], move)
    return caught.value


# --- Must hold


def test_white_begins_with_four_moves() -> None:
    assert start().owing == (WHITE,)
    assert moves(start()) == ["b2-c3", "c2-c3", "d2-c3", "d3-c3"]


@pytest.mark.parametrize(
    ("move", "replies"),
    [("b2-c3", ["d4xb2"]), ("c2-c3", ["c4xc2"]), ("d3-c3", ["b3xd3"]), ("d2-c3", ["b4xd2", "d4xd2"])],
)
def test_the_first_move_leaves_these_replies(move: str, replies: list[str]) -> None:
    assert moves(played(start(), move)) == replies


def test_the_longest_chain_must_be_taken_unless_any_capture_is_allowed() -> None:
    white, black = "e3 c5", "c2 d2 d5"
    assert moves(placed(white, black)) == ["e3xc1xc3"]
    assert moves(placed(white, black, capture_choice="any")) == ["c5xe5", "e3xc1xc3"]


def test_with_multi_pawn_another_man_must_capture_too() -> None:
    after = played(placed("c2 e3", "a2 c3 d3", multi_pawn=True), "c2xc4")
    assert after.owing == (WHITE,)
    assert moves(after) == ["e3xc3"]
    assert str(after).endswith(" w 0 again")
    assert played(placed("c2 e3", "a2 c3 d3"), "c2xc4").owing == (BLACK,)


def test_without_backward_moves_a_man_on_the_last_rank_moves_only_sideways() -> None:
    assert moves(placed("b5", "d1", no_backward="all")) == ["b5-a5", "b5-c5"]


def test_a_player_who_cannot_move_has_lost() -> None:
    shut_in = placed("a1", "a2 b1 b2 a3 c1 c3")
    assert shut_in.owing == ()
    assert shut_in.outcome is not None
    assert (shut_in.outcome.reason, shut_in.outcome.scores) == ("no_moves", (0.0, 1.0))


# --- The rules in order


def test_aq1_a_man_steps_only_along_lines() -> None:
    # b1 lies on no diagonal line.
    assert moves(placed("b1", "e5")) == ["b1-a1", "b1-b2", "b1-c1"]
    assert moves(placed("a1", "e5")) == ["a1-a2", "a1-b1", "a1-b2"]
    assert move_error(placed("b1", "e5"), "b1-a2").details["rule"] == "AQ-1"


def test_aq2_a_jump_needs_an_enemy_and_an_empty_point_on_a_straight_line() -> None:
    assert moves(placed("a1", "b2 e5")) == ["a1xc3"]
    assert "x" not in " ".join(moves(placed("a1", "b2 c3 e5")))
    assert "x" not in " ".join(moves(placed("a2", "b3 e5")))


def test_aq3_a_chain_continues_while_it_can_and_may_turn() -> None:
    assert moves(placed("a1", "b2 c4 e1")) == ["a1xc3xc5"]
    assert move_error(placed("a1", "b2 c4 e1"), "a1xc3").details["rule"] == "AQ-3"


def test_aq4_a_step_is_illegal_while_a_capture_is_possible_and_the_error_names_the_capture() -> None:
    error = move_error(played(start(), "b2-c3"), "b4-a4")
    assert error.details["rule"] == "AQ-1"
    error = move_error(placed("a1 e1", "b2 e5"), "e1-d1")
    assert error.details["rule"] == "AQ-4"
    assert "a1xc3" in str(error)


def test_aq4_a_shorter_chain_is_illegal_and_the_error_names_the_longest() -> None:
    error = move_error(placed("e3 c5", "c2 d2 d5"), "c5xe5")
    assert error.details["rule"] == "AQ-4"
    assert "e3xc1xc3" in str(error)


def test_aq4_a_long_list_of_captures_is_shortened() -> None:
    many = placed("c3 e1", "b2 b3 b4 c2 c4", capture_choice="any")
    assert len(moves(many)) > 4
    assert f"and {len(moves(many)) - 4} more" in str(move_error(many, "e1-d1"))


def test_aq5_jumped_men_leave_at_once_and_a_chain_may_end_where_it_began() -> None:
    round_trip = placed("c1", "b2 b4 d4 d2")
    assert moves(round_trip) == ["c1xa3xc5xe3xc1", "c1xe3xc5xa3xc1"]
    after = played(round_trip, "c1xa3xc5xe3xc1")
    assert str(after) == "5/5/5/5/2w2 b 0"


def test_aq6_a_player_without_men_has_lost() -> None:
    ended = played(placed("a1", "b2"), "a1xc3")
    assert ended.outcome is not None
    assert (ended.outcome.reason, ended.outcome.scores) == ("no_men", (1.0, 0.0))
    assert ended.outcome.ranks(GAME.table(GAME.settings())) == (1, 2)


def test_aq6_either_colour_can_be_the_one_without_men() -> None:
    outcome = at("5/5/2b2/5/5 b 0").outcome
    assert outcome is not None
    assert outcome.scores == (0.0, 1.0)
    outcome = at("5/5/2b2/5/5 w 0").outcome
    assert outcome is not None
    assert outcome.scores == (0.0, 1.0)


def test_aq6_stalemate_may_be_a_draw() -> None:
    outcome = placed("a1", "a2 b1 b2 a3 c1 c3", stalemate="draw").outcome
    assert outcome is not None
    assert (outcome.reason, outcome.scores) == ("no_moves", (0.5, 0.5))


def test_aq7_passing_is_not_allowed() -> None:
    with pytest.raises(MalformedMove):
        start().play(WHITE, "pass")


TO_AND_FRO = ["a1-b1", "e5-d5", "b1-a1", "d5-e5"]


def test_aq8_the_third_occurrence_of_a_position_is_a_draw() -> None:
    twice = played(placed("a1", "e5"), *TO_AND_FRO, *TO_AND_FRO[:3])
    assert twice.outcome is None
    thrice = played(twice, TO_AND_FRO[3])
    assert thrice.outcome is not None
    assert (thrice.outcome.reason, thrice.outcome.scores) == ("repetition", (0.5, 0.5))


def test_aq8_repetition_can_be_set_or_switched_off() -> None:
    assert played(placed("a1", "e5", repetition=2), *TO_AND_FRO).outcome is not None
    assert played(placed("a1", "e5", repetition=0), *TO_AND_FRO * 5).outcome is None


def test_aq8_positions_differ_if_the_side_to_move_or_the_barred_points_differ() -> None:
    # Two steps in one direction, one oblique step back: the same men, with the other side to move.
    assert played(placed("a1", "e5", repetition=2), "a1-a2", "e5-d5", "a2-b2", "d5-e5", "b2-a1").outcome is None
    # The men stand as at first, but now the points that they came from are barred.
    assert played(placed("a1", "e5", repetition=2, no_return="last"), *_triangle()).outcome is None


def _triangle() -> list[str]:
    return ["a1-b1", "e5-d5", "b1-b2", "d5-d4", "b2-a1", "d4-e5"]


def test_aq8_a_hundred_plies_without_a_capture_are_a_draw() -> None:
    nearly = at("4b/5/5/5/w4 w 99")
    assert nearly.outcome is None
    drawn = played(nearly, "a1-b1")
    assert drawn.outcome is not None
    assert drawn.outcome.reason == "no_capture"
    assert at("4b/5/5/5/w4 w 100").outcome is not None
    assert at("4b/5/5/5/w4 w 100", no_capture_plies=0).outcome is None
    assert at("4b/5/5/5/w4 w 7", no_capture_plies=7).outcome is not None


def test_aq8_a_capture_or_a_huff_resets_the_count() -> None:
    assert played(at("4b/5/5/1b3/w4 w 42"), "a1xc3").quiet == 0
    assert played(at("4b/5/5/1b3/w4 w 42 huff=b2", huff=True), "!b2").quiet == 0
    assert played(at("4b/5/5/5/w4 w 42"), "a1-b1").quiet == 43


def test_on_draw_count_gives_the_win_to_the_side_with_more_men() -> None:
    more = at("3bb/5/5/5/w4 w 100", on_draw="count").outcome
    assert more is not None
    assert (more.reason, more.scores) == ("no_capture", (0.0, 1.0))
    assert at("4b/5/5/5/ww3 w 100", on_draw="count").outcome == at("4b/5/5/5/ww3 b 100", on_draw="count").outcome
    even = at("4b/5/5/5/w4 w 100", on_draw="count").outcome
    assert even is not None
    assert even.scores == (0.5, 0.5)


def test_the_standing_is_the_number_of_men() -> None:
    assert at("3bb/5/5/5/w4 w 0").standing == (1, 2)
    assert at("3bb/5/5/5/w4 b 0").standing == (1, 2)


# --- The variants


def test_multi_pawn_ends_when_no_man_can_capture() -> None:
    after = played(placed("c2 e3", "a2 c3 d3", multi_pawn=True), "c2xc4", "e3xc3")
    assert after.owing == (BLACK,)


def test_huff_makes_capturing_optional_and_a_man_that_did_not_capture_can_be_removed() -> None:
    before = placed("a1 e1", "b2 e5", huff=True)
    assert "e1-d1" in moves(before)
    assert "a1xc3" in moves(before)
    after = played(before, "e1-d1")
    assert str(after).endswith("huff=a1")
    assert moves(after)[0] == "!a1"
    huffed = played(after, "!a1")
    assert huffed.owing == (BLACK,)
    assert "!" not in "".join(moves(huffed))
    assert huffed.men.enemy.bit_count() == 1


def test_huff_removes_the_man_from_the_point_where_it_is_now() -> None:
    assert str(played(placed("a1", "b2 e5", huff=True), "a1-b1")).endswith("huff=b1")


def test_a_huff_is_possible_only_in_the_next_move() -> None:
    after = played(placed("a1 e1", "b2 e5", huff=True), "e1-d1", "e5-d5")
    assert "huff" not in str(after)


def test_with_huff_and_max_only_men_with_the_longest_chains_are_huffable() -> None:
    assert str(played(placed("e3 c5 a1", "c2 d2 d5", huff=True), "a1-b1")).endswith("huff=e3")


def test_with_huff_and_any_capture_every_man_that_could_have_captured_is_huffable() -> None:
    free = placed("e3 c5 a1", "c2 d2 d5", huff=True, capture_choice="any")
    assert str(played(free, "a1-b1")).endswith(" huff=c5,e3")
    assert "huff" not in str(played(free, "c5xe5"))


def test_a_man_that_made_a_short_capture_and_had_no_longest_chain_is_not_huffable() -> None:
    before = placed("e3 c5 a1", "c2 d2 d5", huff=True, huff_short="huffable")
    assert str(played(before, "a1-b1")).endswith(" huff=e3")
    assert str(played(before, "c5xe5")).endswith(" huff=e3")


def test_huff_ends_the_game_with_the_last_man() -> None:
    ended = played(placed("a1", "b2 e5", huff=True), "a1-b1", "!b1")
    assert ended.outcome is not None
    assert (ended.outcome.reason, ended.outcome.scores) == ("no_men", (0.0, 1.0))


def test_with_huff_and_multi_pawn_the_second_capture_is_compulsory() -> None:
    after = played(placed("c2 e3", "a2 c3 d3", multi_pawn=True, huff=True), "c2xc4")
    assert moves(after) == ["e3xc3"]
    assert move_error(after, "e3-e2").details["rule"] == "AQ-4"


def test_a_chain_may_be_stopped_with_the_option_may_stop() -> None:
    white, black = "e3 c5", "c2 d2 d5"
    assert moves(placed(white, black, capture_choice="any", chain="may_stop")) == ["c5xe5", "e3xc1", "e3xc1xc3"]
    # Where the most men must be taken, a chain that stops early takes too few.
    most = placed(white, black, chain="may_stop")
    assert moves(most) == ["e3xc1xc3"]
    assert move_error(most, "e3xc1").details["rule"] == "AQ-4"
    assert move_error(placed(white, black), "e3xc1").details["rule"] == "AQ-3"
    stopped = played(placed(white, black, capture_choice="any", chain="may_stop"), "e3xc1")
    assert str(stopped) == "2wb1/5/5/2b2/2w2 b 0"


def test_with_multi_pawn_any_man_may_capture_after_a_stopped_chain() -> None:
    stopped = played(
        placed("e3 c5", "c2 d2 d5", capture_choice="any", chain="may_stop", multi_pawn=True),
        "e3xc1",
    )
    assert str(stopped).endswith(" w 0 again")
    assert moves(stopped) == ["c1xc3", "c5xe5"]


def test_a_shorter_capture_that_is_legal_may_be_huffed() -> None:
    white, black = "e3 c5", "c2 d2 d5"
    assert "c5xe5" not in moves(placed(white, black, huff=True))
    short = played(placed(white, black, huff=True, huff_short="huffable"), "c5xe5")
    assert str(short).endswith(" huff=e3")
    assert "!e3" in moves(short)
    assert "huff" not in str(played(placed(white, black, huff=True, huff_short="huffable"), "e3xc1xc3"))
    # A step refuses the same man, and a chain that stops too early can be huffed where it stands.
    assert str(played(placed(white, black, huff=True, huff_short="huffable"), "c5-b5")).endswith(" huff=e3")
    stopped = placed(white, black, huff=True, huff_short="huffable", chain="may_stop")
    assert str(played(stopped, "e3xc1")).endswith(" huff=c1")
    # Where any capture may be chosen there is nothing to huff; without the option huff the option has no effect.
    free = placed(white, black, huff=True, huff_short="huffable", capture_choice="any")
    assert "huff" not in str(played(free, "c5xe5"))
    assert moves(placed(white, black, huff_short="huffable")) == ["e3xc1xc3"]


def test_only_the_capture_that_ends_a_turn_can_be_huffed_for_being_short() -> None:
    options: dict[str, Any] = {"huff": True, "huff_short": "huffable", "multi_pawn": True}
    after = played(placed("e3 c5", "c2 d2 d5", **options), "c5xe5")
    assert str(after).endswith(" w 0 again")
    assert moves(after) == ["e3xc1xc3"]
    assert "huff" not in str(played(after, "e3xc1xc3"))


def test_huffing_needs_the_option() -> None:
    assert "needs the option huff" in str(move_error(start(), "!c3"))
    assert "could have captured and did not" in str(move_error(start(huff=True), "!c3"))


def test_no_backward_moves_allows_backward_captures() -> None:
    white, black = "c3", "c2 e5"
    assert moves(placed(white, black, no_backward="moves")) == ["c3xc1"]
    assert moves(placed(white, black, no_backward="all")) == ["c3-b3", "c3-b4", "c3-c4", "c3-d3", "c3-d4"]
    assert move_error(placed(white, black, no_backward="all"), "c3xc1").details["rule"] == "no_backward"
    assert move_error(placed("c3", "e5", no_backward="moves"), "c3-c2").details["rule"] == "no_backward"


def test_no_backward_applies_to_black_in_the_other_direction() -> None:
    assert moves(placed("e1", "c3", "b", no_backward="all")) == ["c3-b2", "c3-b3", "c3-c2", "c3-d2", "c3-d3"]


def test_no_return_last_bars_the_point_just_left_and_no_other() -> None:
    moved = played(placed("a1", "e5", no_return="last"), "a1-b1", "e5-e4")
    assert str(moved).endswith("left=b1:a1,e4:e5")
    assert "b1-a1" not in moves(moved)
    assert move_error(moved, "b1-a1").details["rule"] == "no_return"
    assert "c1-b1" not in moves(played(moved, "b1-c1", "e4-d4"))
    assert "b1-a1" in moves(played(placed("a1", "e5"), "a1-b1", "e5-e4"))


def test_no_return_ever_bars_every_former_point_of_the_man() -> None:
    round_the_corner = ["a1-b1", "e5-e4", "b1-b2", "e4-d4"]
    assert "b2-a1" in moves(played(placed("a1", "e5", no_return="last"), *round_the_corner))
    barred = played(placed("a1", "e5", no_return="ever"), *round_the_corner)
    assert "b2-a1" not in moves(barred)
    assert str(barred).endswith("left=b2:a1+b1,d4:e4+e5")


def test_no_return_allows_a_capture_to_a_former_point() -> None:
    text = "4b/5/1b3/1w3/5 w 0 left=b2:b4"
    assert moves(at(text, no_return="last")) == ["b2xb4"]
    assert moves(at(text, no_return="ever")) == ["b2xb4"]


def test_no_return_ever_remembers_the_points_of_a_chain() -> None:
    after = played(placed("a1", "b2 c4 e1", no_return="ever"), "a1xc3xc5")
    assert "c5:a1+c3" in str(after)
    assert "c5:a1," not in str(played(placed("a1", "b2 c4 e1", no_return="last"), "a1xc3xc5"))


# --- Bad input


@pytest.mark.parametrize(
    ("move", "rule", "words"),
    [
        ("c3-c4", "AQ-1", "no man on c3"),
        ("c4-c3", "AQ-1", "white has no man"),
        ("a1-a2", "AQ-1", "not empty"),
        ("a1-c3", "AQ-1", "adjacent point"),
        ("a1-a1", "AQ-1", "adjacent point"),
        ("a1xa2", "AQ-2", "no straight jump"),
        ("a1xc3", "AQ-2", "no enemy"),
        ("b2xb4", "AQ-2", "not empty"),
        ("b2-c3x", "", ""),
    ],
)
def test_the_error_for_an_illegal_move_has_its_rule(move: str, rule: str, words: str) -> None:
    position = at("bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0") if move != "b2xb4" else placed("b2", "b3 b4 e5")
    if not rule:
        with pytest.raises(MalformedMove, match="b2-c3"):
            position.play(WHITE, move)
    else:
        error = move_error(position, move)
        assert error.details["rule"] == rule
        assert words in str(error)


def test_a_jump_written_as_a_step_or_a_step_written_as_a_jump_is_illegal() -> None:
    position = placed("a1", "b2 e5")
    assert move_error(position, "a1-c3").details["rule"] == "AQ-1"
    assert move_error(position, "a1xa2").details["rule"] == "AQ-2"


def test_a_move_out_of_turn_names_the_seat_to_move() -> None:
    with pytest.raises(NotYourTurn, match="seat 0"):
        start().play(BLACK, "b4-c3")
    with pytest.raises(NotYourTurn, match="over"):
        at("5/5/2b2/5/5 w 0").play(WHITE, "a1-a2")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("bbbbb/bbbbb/bb1ww/wwwww w 0", {}, "five ranks"),
        ("bbbbb/bbbbb/bb1ww/wwwww/wwww w 0", {}, "five ranks of five"),
        ("bbbbb/bbbbb/bbbww/wwwww/wwwww w 0", {}, "twelve men"),
        ("5/5/5/5/5 w 0", {}, "at least one man"),
        ("5/5/1b3/5/w4 x 0", {}, "ranks, side to move and plies"),
        ("5/5/1b12/5/w4 w 0", {}, "canonical form"),
        ("5/5/1b3/5/w4 w 00", {}, "ranks, side to move and plies"),
        ("5/5/1b3/5/w4 w 0 again", {}, "multi_pawn"),
        ("5/5/1b3/5/w4 w 0 again", {"multi_pawn": True}, "a possible capture"),
        ("5/5/1b3/1w3/5 w 0 again huff=b3", {"multi_pawn": True, "huff": True}, "may not huff"),
        ("5/5/1b3/5/w4 w 0 huff=b3", {}, "needs the option huff"),
        ("5/5/1b3/5/w4 w 0 huff=a1", {"huff": True}, "just moved"),
        ("5/5/1b3/5/w4 w 0 left=a1:a2", {}, "no_return"),
        ("5/5/1b3/5/w4 w 0 left=a1:a2+a3", {"no_return": "last"}, "one point per man"),
        ("5/5/1b3/5/w4 w 0 left=a2:a3", {"no_return": "last"}, "'a2' is not a man on the board"),
        ("5/5/1b3/5/w4 w 0 left=a1:a1", {"no_return": "last"}, "not another point"),
        ("5/5/1b3/5/w4 w 0 left=b3:a1,a1:a2", {"no_return": "last"}, "canonical form"),
    ],
)
def test_the_error_for_an_invalid_position_says_what_is_wrong(text: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(MalformedPosition, match=words):
        at(text, **options)


def test_a_text_without_the_plies_can_be_parsed() -> None:
    assert at("bbbbb/bbbbb/bb1ww/wwwww/wwwww w") == start()


# --- The picture


def test_the_picture_shows_men_lines_and_whose_turn_it_is() -> None:
    drawn = start().picture(WHITE).splitlines()
    assert drawn[:3] == ["5 ●───●───●───●───●", "  │ ╲ │ ╱ │ ╲ │ ╱ │", "4 ●───●───●───●───●"]
    assert drawn[-1] == "○ white to move, 0 plies without a capture"
    huffing = played(placed("a1 e1", "b2 e5", huff=True), "e1-d1").picture(WHITE)
    assert "may huff a1" in huffing
    again = played(placed("c2 e3", "a2 c3 d3", multi_pawn=True), "c2xc4").picture(WHITE)
    assert "must capture once more" in again
    assert "to move" not in at("5/5/2b2/5/5 w 0").picture(WHITE)
