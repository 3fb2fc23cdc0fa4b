"""Alquerque by its rules page: each rule, each variant, each line of "Must hold"."""

import random
from functools import partial
from itertools import islice
from typing import Any

import pytest

from engines.alquerque import GAME
from engines.alquerque.drawing import LINES, PAINTS
from engines.alquerque.geometry import BOARD, NAMES
from engines.alquerque.paths import (
    jumps_by_direction,
    jumps_in_lanes,
    paths_of,
    squares_of,
    steps_by_men,
    steps_by_square,
)
from engines.api import SPECTATOR, Position
from engines.drawing import INK
from engines.game_errors import IllegalMove, MalformedMove
from engines.options import Value
from engines.testing.random_games import game_path, settings_of
from engines.testing.svg_checks import NAMESPACE, places_of
from tests.engines.drawn_shapes import draw, shapes_in
from tests.engines.rule_cases import Case, case, check, check_malformed
from tests.engines.second.alquerque_reference import POINTS, beyond, directions, name

WHITE, BLACK = 0, 1
COLUMNS = "abcde"
TO_AND_FRO = "a1-b1 e5-d5 b1-a1 d5-e5"
AROUND = "a1-b1 e5-e4 b1-b2 e4-d4"
CHAINS = ("e3 c5", "c2 d2 d5")
"""White can take two men by e3xc1xc3, or one by c5xe5."""
TWO_MEN = ("c2 e3", "a2 c3 d3")
"""White can capture with one man after the other."""
STOPPABLE: dict[str, Any] = {"capture_choice": "any", "chain": "may_stop", "multi_pawn": True}
SHUT_IN = ("a1", "a2 b1 b2 a3 c1 c3")
"""White cannot move."""


def text_of(white: str, black: str, side: str = "w") -> str:
    """Return a position, given the names of the points."""
    men = dict.fromkeys(white.split(), "w") | dict.fromkeys(black.split(), "b")
    text = "/".join("".join(men.get(f"{file}{rank}", ".") for file in COLUMNS) for rank in (5, 4, 3, 2, 1))
    for empty in (5, 4, 3, 2, 1):
        text = text.replace("." * empty, str(empty))
    return f"{text} {side} 0"


def placed(white: str, black: str, line: str = "", side: str = "w", **expected: Any) -> Case:
    return case(text_of(white, black, side), line, **expected)


RULES: dict[str, list[Case]] = {
    # Must hold
    "white_begins_with_four_moves": [case(moves="b2-c3 c2-c3 d2-c3 d3-c3")],
    "the_first_move_leaves_these_replies": [
        case(line="b2-c3", moves="d4xb2"),
        case(line="c2-c3", moves="c4xc2"),
        case(line="d3-c3", moves="b3xd3"),
        case(line="d2-c3", moves="b4xd2 d4xd2"),
    ],
    "the_longest_chain_must_be_taken_unless_any_capture_is_allowed": [
        placed(*CHAINS, moves="e3xc1xc3"),
        placed(*CHAINS, moves="c5xe5 e3xc1xc3", capture_choice="any"),
    ],
    "with_multi_pawn_another_man_must_capture_too": [
        placed(*TWO_MEN, "c2xc4", multi_pawn=True, moves="e3xc3", after="… w 0 again"),
        placed(*TWO_MEN, "c2xc4", after="… b 0"),
    ],
    "without_backward_moves_a_man_on_the_last_rank_moves_only_sideways": [
        placed("b5", "d1", no_backward="all", moves="b5-a5 b5-c5")
    ],
    "a_player_who_cannot_move_has_lost": [placed(*SHUT_IN, moves="", over="no_moves 0 1")],
    # The rules in order
    "aq1_a_man_steps_only_along_lines": [
        # b1 lies on no diagonal line.
        placed("b1", "e5", moves="b1-a1 b1-b2 b1-c1", illegal=("b1-a2", "AQ-1", "")),
        placed("a1", "e5", moves="a1-a2 a1-b1 a1-b2"),
    ],
    "aq2_a_jump_needs_an_enemy_and_an_empty_point_on_a_straight_line": [
        placed("a1", "b2 e5", moves="a1xc3"),
        placed("a1", "b2 c3 e5", moves="a1-a2 a1-b1"),
        placed("a2", "b3 e5", moves="a2-a1 a2-a3 a2-b2"),
    ],
    "aq3_a_chain_continues_while_it_can_and_may_turn": [
        placed("a1", "b2 c4 e1", moves="a1xc3xc5", illegal=("a1xc3", "AQ-3", ""))
    ],
    "aq4_a_step_is_illegal_while_a_capture_is_possible_and_the_error_names_the_capture": [
        case(line="b2-c3", illegal=("b4-a4", "AQ-1", "")),
        placed("a1 e1", "b2 e5", illegal=("e1-d1", "AQ-4", "a1xc3")),
    ],
    "aq4_a_shorter_chain_is_illegal_and_the_error_names_the_longest": [
        placed(*CHAINS, illegal=("c5xe5", "AQ-4", "e3xc1xc3"))
    ],
    "aq5_jumped_men_leave_at_once_and_a_chain_may_end_where_it_began": [
        placed("c1", "b2 b4 d4 d2", moves="c1xa3xc5xe3xc1 c1xe3xc5xa3xc1"),
        placed("c1", "b2 b4 d4 d2", "c1xa3xc5xe3xc1", after="5/5/5/5/2w2 b 0"),
    ],
    "aq6_a_player_without_men_has_lost": [placed("a1", "b2", "a1xc3", over="no_men 1 0")],
    "aq6_either_colour_can_be_the_one_without_men": [
        case("5/5/2b2/5/5 b 0", over="no_men 0 1"),
        case("5/5/2b2/5/5 w 0", over="no_men 0 1"),
    ],
    "aq6_stalemate_may_be_a_draw": [placed(*SHUT_IN, stalemate="draw", over="no_moves 0.5 0.5")],
    "aq8_the_third_occurrence_of_a_position_is_a_draw": [
        placed("a1", "e5", f"{TO_AND_FRO} a1-b1 e5-d5 b1-a1", over=""),
        placed("a1", "e5", f"{TO_AND_FRO} {TO_AND_FRO}", over="repetition 0.5 0.5"),
    ],
    "aq8_repetition_can_be_set_or_switched_off": [
        placed("a1", "e5", TO_AND_FRO, repetition=2, over="repetition 0.5 0.5"),
        placed("a1", "e5", " ".join([TO_AND_FRO] * 5), repetition=0, over=""),
    ],
    "aq8_positions_differ_if_the_side_to_move_or_the_barred_points_differ": [
        # Two steps in one direction, one oblique step back: the same men, with the other side to move.
        placed("a1", "e5", "a1-a2 e5-d5 a2-b2 d5-e5 b2-a1", repetition=2, over=""),
        # The men stand as at first, but now the points that they came from are barred.
        placed("a1", "e5", "a1-b1 e5-d5 b1-b2 d5-d4 b2-a1 d4-e5", repetition=2, no_return="last", over=""),
    ],
    "aq8_a_hundred_plies_without_a_capture_are_a_draw": [
        case("4b/5/5/5/w4 w 99", over=""),
        case("4b/5/5/5/w4 w 99", "a1-b1", over="no_capture 0.5 0.5"),
        case("4b/5/5/5/w4 w 100", over="no_capture 0.5 0.5"),
        case("4b/5/5/5/w4 w 100", no_capture_plies=0, over=""),
        case("4b/5/5/5/w4 w 7", no_capture_plies=7, over="no_capture 0.5 0.5"),
    ],
    "aq8_a_capture_or_a_huff_resets_the_count": [
        case("4b/5/5/1b3/w4 w 42", "a1xc3", after="… b 0"),
        case("4b/5/5/1b3/w4 w 42 huff=b2", "!b2", huff=True, after="… w 0"),
        case("4b/5/5/5/w4 w 42", "a1-b1", after="… b 43"),
    ],
    "on_draw_count_gives_the_win_to_the_side_with_more_men": [
        case("3bb/5/5/5/w4 w 100", on_draw="count", over="no_capture 0 1"),
        case("4b/5/5/5/ww3 w 100", on_draw="count", over="no_capture 1 0"),
        case("4b/5/5/5/ww3 b 100", on_draw="count", over="no_capture 1 0"),
        case("4b/5/5/5/w4 w 100", on_draw="count", over="no_capture 0.5 0.5"),
    ],
    "the_standing_is_the_number_of_men": [
        case("3bb/5/5/5/w4 w 0", standing=(1, 2)),
        case("3bb/5/5/5/w4 b 0", standing=(1, 2)),
    ],
    # The variants
    "multi_pawn_ends_when_no_man_can_capture": [placed(*TWO_MEN, "c2xc4 e3xc3", multi_pawn=True, after="… b 0")],
    "huff_makes_capturing_optional_and_a_man_that_did_not_capture_can_be_removed": [
        placed("a1 e1", "b2 e5", huff=True, has="e1-d1 a1xc3"),
        placed("a1 e1", "b2 e5", "e1-d1", huff=True, has="!a1", after="… huff=a1"),
        placed("a1 e1", "b2 e5", "e1-d1 !a1", huff=True, lacks="!a1 !d1", after="4b/5/5/1b3/3w1 b 0"),
    ],
    "huff_removes_the_man_from_the_point_where_it_is_now": [
        placed("a1", "b2 e5", "a1-b1", huff=True, after="… huff=b1")
    ],
    "a_huff_is_possible_only_in_the_next_move": [
        placed("a1 e1", "b2 e5", "e1-d1 e5-d5", huff=True, after="3b1/5/5/1b3/w2w1 w 2")
    ],
    "with_huff_and_max_only_men_with_the_longest_chains_are_huffable": [
        placed("e3 c5 a1", CHAINS[1], "a1-b1", huff=True, after="… huff=e3")
    ],
    "with_huff_and_any_capture_every_man_that_could_have_captured_is_huffable": [
        placed("e3 c5 a1", CHAINS[1], "a1-b1", huff=True, capture_choice="any", after="… huff=c5,e3"),
        placed("e3 c5 a1", CHAINS[1], "c5xe5", huff=True, capture_choice="any", after="… b 0"),
    ],
    "a_man_that_made_a_short_capture_and_had_no_longest_chain_is_not_huffable": [
        placed("e3 c5 a1", CHAINS[1], "a1-b1", huff=True, huff_short="huffable", after="… huff=e3"),
        placed("e3 c5 a1", CHAINS[1], "c5xe5", huff=True, huff_short="huffable", after="… huff=e3"),
    ],
    "huff_ends_the_game_with_the_last_man": [placed("a1", "b2 e5", "a1-b1 !b1", huff=True, over="no_men 0 1")],
    "with_huff_and_multi_pawn_the_second_capture_is_compulsory": [
        placed(*TWO_MEN, "c2xc4", multi_pawn=True, huff=True, moves="e3xc3", illegal=("e3-e2", "AQ-4", ""))
    ],
    "a_chain_may_be_stopped_with_the_option_may_stop": [
        placed(*CHAINS, capture_choice="any", chain="may_stop", moves="c5xe5 e3xc1 e3xc1xc3"),
        # Where the most men must be taken, a chain that stops early takes too few.
        placed(*CHAINS, chain="may_stop", moves="e3xc1xc3", illegal=("e3xc1", "AQ-4", "")),
        placed(*CHAINS, illegal=("e3xc1", "AQ-3", "")),
        placed(*CHAINS, "e3xc1", capture_choice="any", chain="may_stop", after="2wb1/5/5/2b2/2w2 b 0"),
    ],
    "with_multi_pawn_any_man_may_capture_after_a_stopped_chain": [
        placed(*CHAINS, "e3xc1", **STOPPABLE, moves="c1xc3 c5xe5", after="… w 0 again"),
    ],
    "a_shorter_capture_that_is_legal_may_be_huffed": [
        placed(*CHAINS, huff=True, lacks="c5xe5"),
        placed(*CHAINS, "c5xe5", huff=True, huff_short="huffable", has="!e3", after="… huff=e3"),
        placed(*CHAINS, "e3xc1xc3", huff=True, huff_short="huffable", after="… b 0"),
        # A step refuses the same man, and a chain that stops too early can be huffed where it stands.
        placed(*CHAINS, "c5-b5", huff=True, huff_short="huffable", after="… huff=e3"),
        placed(*CHAINS, "e3xc1", huff=True, huff_short="huffable", chain="may_stop", after="… huff=c1"),
        # Where any capture may be chosen there is nothing to huff; without the option huff the option has no effect.
        placed(*CHAINS, "c5xe5", huff=True, huff_short="huffable", capture_choice="any", after="… b 0"),
        placed(*CHAINS, huff_short="huffable", moves="e3xc1xc3"),
    ],
    "only_the_capture_that_ends_a_turn_can_be_huffed_for_being_short": [
        placed(*CHAINS, line, huff=True, huff_short="huffable", multi_pawn=True, after=after)
        for line, after in (("c5xe5", "… w 0 again"), ("c5xe5 e3xc1xc3", "… b 0"))
    ],
    "huffing_needs_the_option": [
        case(illegal=("!c3", "huff", "needs the option huff")),
        case(huff=True, illegal=("!c3", "huff", "could have captured and did not")),
    ],
    "no_backward_moves_allows_backward_captures": [
        placed("c3", "c2 e5", no_backward="moves", moves="c3xc1"),
        placed("c3", "c2 e5", no_backward="all", moves="c3-b3 c3-b4 c3-c4 c3-d3 c3-d4"),
        placed("c3", "c2 e5", no_backward="all", illegal=("c3xc1", "no_backward", "")),
        placed("c3", "e5", no_backward="moves", illegal=("c3-c2", "no_backward", "")),
    ],
    "no_backward_applies_to_black_in_the_other_direction": [
        placed("e1", "c3", side="b", no_backward="all", moves="c3-b2 c3-b3 c3-c2 c3-d2 c3-d3")
    ],
    "no_return_last_bars_the_point_just_left_and_no_other": [
        placed("a1", "e5", "a1-b1 e5-e4", no_return="last", lacks="b1-a1", after="… left=b1:a1,e4:e5"),
        placed("a1", "e5", "a1-b1 e5-e4", no_return="last", illegal=("b1-a1", "no_return", "")),
        placed("a1", "e5", "a1-b1 e5-e4 b1-c1 e4-d4", no_return="last", lacks="c1-b1"),
        placed("a1", "e5", "a1-b1 e5-e4", has="b1-a1"),
    ],
    "no_return_ever_bars_every_former_point_of_the_man": [
        placed("a1", "e5", AROUND, no_return="last", has="b2-a1"),
        placed("a1", "e5", AROUND, no_return="ever", lacks="b2-a1", after="… left=b2:a1+b1,d4:e4+e5"),
    ],
    "no_return_allows_a_capture_to_a_former_point": [
        case("4b/5/1b3/1w3/5 w 0 left=b2:b4", no_return=which, moves="b2xb4") for which in ("last", "ever")
    ],
    "no_return_ever_remembers_the_points_of_a_chain": [
        placed("a1", "b2 c4 e1", "a1xc3xc5", no_return="ever", after="… left=c5:a1+c3"),
        placed("a1", "b2 c4 e1", "a1xc3xc5", no_return="last", after="… left=c5:a1"),
    ],
    # Moves that are refused
    "the_error_for_an_illegal_move_has_its_rule": [
        *(
            case("bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0", illegal=illegal)
            for illegal in (
                ("c3-c4", "AQ-1", "no man on c3"),
                ("c4-c3", "AQ-1", "white has no man"),
                ("a1-a2", "AQ-1", "not empty"),
                ("a1-c3", "AQ-1", "adjacent point"),
                ("a1-a1", "AQ-1", "adjacent point"),
                ("a1xa2", "AQ-2", "no straight jump"),
                ("a1xc3", "AQ-2", "no enemy"),
            )
        ),
        placed("b2", "b3 b4 e5", illegal=("b2xb4", "AQ-2", "not empty")),
    ],
    "a_jump_written_as_a_step_or_a_step_written_as_a_jump_is_illegal": [
        placed("a1", "b2 e5", illegal=("a1-c3", "AQ-1", "")),
        placed("a1", "b2 e5", illegal=("a1xa2", "AQ-2", "")),
    ],
}


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_a_rule(cases: list[Case]) -> None:
    for expected in cases:
        check(GAME, expected)


def test_aq4_a_long_list_of_captures_is_shortened() -> None:
    text = text_of("c3 e1", "b2 b3 b4 c2 c4")
    many = GAME.read(text, GAME.settings({"capture_choice": "any"}))
    assert len(many.moves(WHITE)) > 4
    with pytest.raises(IllegalMove, match=f"and {len(many.moves(WHITE)) - 4} more"):
        many.play(WHITE, "e1-d1")


def test_aq6_the_winner_is_first() -> None:
    ended = GAME.read(text_of("a1", "b2"), GAME.settings()).play(WHITE, "a1xc3")
    assert ended.outcome
    assert ended.outcome.ranks(GAME.table(GAME.settings())) == (1, 2)


@pytest.mark.parametrize("move", ["pass", "b2-c3x"])
def test_aq7_passing_is_not_allowed_nor_any_other_notation(move: str) -> None:
    with pytest.raises(MalformedMove, match="b2-c3"):
        GAME.start(GAME.settings(), b"").play(WHITE, move)


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
    check_malformed(GAME, text, words, options)


def test_a_text_without_the_plies_can_be_parsed() -> None:
    first = GAME.start(GAME.settings(), b"")
    assert GAME.read("bbbbb/bbbbb/bb1ww/wwwww/wwwww w", GAME.settings()) == first


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0", {}, "○ white to move, 0 plies without a capture"),
        ("4b/5/5/1b3/w2w1 b 1 huff=a1", {"huff": True}, "may huff a1"),
        ("5/2w2/3bw/b4/5 w 0 again", {"multi_pawn": True}, "must capture once more"),
    ],
)
def test_the_picture_shows_men_lines_and_whose_turn_it_is(text: str, options: dict[str, Any], words: str) -> None:
    drawn = GAME.read(text, GAME.settings(options)).picture(WHITE)
    assert words in drawn.splitlines()[-1]
    assert "to move" in drawn
    assert "to move" not in GAME.read("5/5/2b2/5/5 w 0", GAME.settings(options)).picture(WHITE)


def test_the_picture_begins_with_the_last_rank() -> None:
    drawn = GAME.start(GAME.settings(), b"").picture(WHITE).splitlines()
    assert drawn[:3] == ["5 ●───●───●───●───●", "  │ ╲ │ ╱ │ ╲ │ ╱ │", "4 ●───●───●───●───●"]


@pytest.mark.parametrize("no_backward", ["off", "all", "moves"])
def test_both_ways_to_find_jumps_find_the_same(no_backward: str) -> None:
    rng = random.Random(no_backward)
    for paths in paths_of(no_backward):
        for _ in range(100):
            own = rng.getrandbits(30) & BOARD
            enemy = rng.getrandbits(30) & BOARD & ~own
            empty = BOARD & ~(own | enemy)
            assert jumps_in_lanes(paths, own, enemy, empty) == jumps_by_direction(paths, own, enemy, empty)


@pytest.mark.parametrize("no_backward", ["off", "all", "moves"])
def test_both_ways_to_find_steps_find_the_same(no_backward: str) -> None:
    rng = random.Random(no_backward)
    for paths, squares in zip(paths_of(no_backward), squares_of(no_backward), strict=True):
        for _ in range(100):
            own = rng.getrandbits(30) & BOARD
            empty = rng.getrandbits(30) & BOARD & ~own
            assert steps_by_men(paths, own, empty) == steps_by_square(squares, own, empty)


drawn = partial(draw, "alquerque")


def start(**options: Value) -> Position:
    return GAME.start(GAME.settings(options), b"")


def test_the_lines_are_those_of_the_rules() -> None:
    steps = [(at, beyond(at, way, 1)) for at in POINTS for way in directions(at)]
    on_board = {frozenset(map(name, step)) for step in steps if step[1] in POINTS}
    assert {frozenset(NAMES[number] for number in line) for line in LINES} == on_board
    board = next(inner.get("d", "") for inner in drawn(start()).iter(f"{NAMESPACE}path"))
    assert board.count("M") == len(on_board) == 56


def test_every_man_and_every_empty_point_is_drawn() -> None:
    rng = random.Random("alquerque")
    for settings in settings_of(GAME, 2, rng):
        for position in islice(game_path(GAME, settings, rng), 0, 60, 7):
            view: Any = position.view(SPECTATOR)
            owners = list(view["points"].values())
            root = drawn(position)
            men = {colour: len(shapes_in(root, fill)) for colour, (fill, _) in PAINTS.items()}
            assert men == {colour: owners.count(colour) for colour in PAINTS}
            assert sum(circle.get("r") == "1.8" for circle in root.iter(f"{NAMESPACE}circle")) == owners.count(None)
            assert f"{men['white']} white and {men['black']} black men" in root.get("aria-label", "")


def test_a_triangle_names_the_side_to_move() -> None:
    for position, colour in ((start(), "white"), (start().play(0, "b2-c3"), "black")):
        (triangle,) = drawn(position).findall(f"{NAMESPACE}polygon")
        assert triangle.get("fill") == PAINTS[colour][0]
        assert (places_of(triangle)[0][1] > 40) == (colour == "white")


def test_men_that_may_be_huffed_are_marked() -> None:
    text = "bbbbb/bbbbb/bbw1w/1wwww/wwwww b 0 huff=c3,d2"
    position = GAME.read(text, GAME.settings({"huff": True}))
    dashed = [inner for inner in drawn(position).iter(f"{NAMESPACE}g") if inner.get("stroke-dasharray")]
    assert [(inner.get("stroke"), len(inner)) for inner in dashed] == [(INK, 2)]
