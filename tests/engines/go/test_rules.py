"""Go by its rules page: each rule, each option, each text that is refused."""

import pickle
from functools import partial
from itertools import product
from typing import Any

import pytest

from engines.api import REFEREE, SPECTATOR, Position
from engines.game_errors import BadOption, MalformedMove, MalformedPosition
from engines.go import GAME
from engines.go.position import GoPosition
from engines.go.stones import PASS
from engines.testing.svg_checks import NAMESPACE
from tests.engines.drawn_shapes import draw
from tests.engines.rule_cases import Case, case, check, check_malformed

BLACK, WHITE = 0, 1
KO = "5/1bw2/bw1w1/1bw2/5 b 0 8"
"""Black takes the stone on B3 by C3, and White could take it back at once."""
ONE_STONE = "1w3/w4/5/5/5 b 0 2"
GROUP = "b1w2/bw3/w4/5/5 b 0 4"
"""Black would take its own stones from the board by A5 or B5."""
THREE_KOS = "1bw3bw1/bw1w1b1bw/1bw3bw1/9/9/9/1bw6/bw1w5/1bw6 b 0 20"
SENT_TWO_RETURN_ONE = "C2 B3 B2 A4 B1 A2 C4 A1 A3"
"""The last stone takes two white ones, and White's next one would be alone where the second was placed."""


def start(**options: Any) -> GoPosition:
    return GAME.start(GAME.settings({"size": 5, **options}), b"")


def at(text: str, line: str = "", /, **expected: Any) -> Case:
    return case(text, line, **{"size": text.count("/") + 1, **expected})


RULES: dict[str, list[Case]] = {
    "a_stone_is_placed_only_on_an_empty_point": [
        case(line="C3", illegal=("C3", "GO-1", "there is a stone on C3")),
    ],
    "groups_without_liberties_are_removed": [
        at("5/1b3/bwb2/5/5 b 0 2", "B2", after="5/1b3/b1b2/1b3/5 …"),
        at("5/5/5/b4/w4 b 0 2", "B1", after="5/5/5/b4/1b3 …"),
        at("5/b4/wb3/wb3/5 b 0 2", "A1", after="5/b4/1b3/1b3/b4 …"),
        at("bw1wb/1b1b1/5/5/5 b 0 6", "C5", after="b1b1b/1b1b1/5/5/5 …"),
    ],
    "capturing_comes_before_suicide": [at("1wb2/wb3/b4/5/5 b 0 6", "A5", after="b1b2/1b3/b4/5/5 …")],
    "suicide_is_forbidden_by_default": [
        at(ONE_STONE, lacks="A5", illegal=("A5", "GO-3", "no liberty")),
        at(GROUP, lacks="B5", illegal=("B5", "GO-3", "no liberty")),
    ],
    "suicide_of_a_group_removes_it_if_it_is_allowed": [at(GROUP, "B5", suicide="allowed", after="2w2/1w3/w4/5/5 …")],
    "suicide_of_one_stone_repeats_the_board": [
        at(f"{ONE_STONE} ko=A5", suicide="allowed", illegal=("A5", "GO-4", "")),
        at(ONE_STONE, "A5", suicide="allowed", ko="simple", after="1w3/w4/5/5/5 …"),
        at(ONE_STONE, "A5", suicide="allowed", ko="situational", after="1w3/w4/5/5/5 …"),
    ],
    "a_ko_cannot_be_taken_back_at_once": [
        expected
        for ko in ("positional", "situational", "simple")
        for expected in (
            at(KO, "C3", ko=ko, after="5/1bw2/b1bw1/1bw2/5 w 0 9 ko=B3", illegal=("B3", "GO-4", "")),
            at(KO, "C3 E5 E1 B3", ko=ko, after="4w/1bw2/bw1w1/1bw2/4b …"),
        )
    ],
    "superko_forbids_a_cycle_of_three_kos_that_simple_ko_allows": [
        *(
            at(THREE_KOS, "C8 G8 C2 B8 H8", ko=ko, illegal=("B2", "GO-4", ""), after="… ko=B2,G8")
            for ko in ("positional", "situational")
        ),
        at(THREE_KOS, "C8 G8 C2 B8 H8 B2", ko="simple", after=f"{THREE_KOS.split(maxsplit=1)[0]} …"),
    ],
    "a_board_may_come_back_with_the_other_side_to_move_with_situational_superko": [
        case(line=f"{SENT_TWO_RETURN_ONE} A2", size=4, ko="situational", after="w1b1/1w2/wbb1/1b2 …"),
        case(line=SENT_TWO_RETURN_ONE, size=4, ko="positional", illegal=("A2", "GO-4", "")),
    ],
    "passing_never_repeats_a_board": [at(KO, "C3 pass", has="pass", after="… b 1 10")],
    "two_passes_in_a_row_end_the_game": [
        case(line="pass pass", size=5, moves="", over="passes 0 7.5"),
        case(line="pass C3 pass", size=5, over=""),
    ],
    "the_limit_of_plies_ends_the_game": [
        case(line="C3 pass", size=5, max_plies=3, over=""),
        case(line="C3 pass B3", size=5, max_plies=3, over="max_plies 25 7.5"),
        at("2/2 b 0 12", over="max_plies 0 7.5"),
        at("2/2 b 0 11", over=""),
    ],
    "the_score_is_the_area": [
        at(f"{board} b 2 9", komi=komi, standing=scores, over=f"passes {scores[0]:g} {scores[1]:g}")
        for board, komi, scores in (
            ("5/5/5/5/5", "7.5", (0, 7.5)),
            ("5/5/2b2/5/5", "7.5", (25, 7.5)),
            ("5/bbbbb/5/wwwww/5", "0.5", (10, 10.5)),
            ("1b3/bbbbb/5/wwwww/3w1", "0", (10, 10)),
            ("1bw2/bbw2/wwww1/5/5", "-3", (4, 18)),
        )
    ],
}


@pytest.mark.parametrize("cases", RULES.values(), ids=RULES)
def test_a_rule(cases: list[Case]) -> None:
    for expected in cases:
        check(GAME, expected)


def test_black_begins_and_may_play_anywhere_or_pass() -> None:
    assert start(size=9).owing == (BLACK,)
    moves = start(size=9).moves(BLACK)
    assert len(moves) == 82
    assert (moves[0], moves[-1]) == ("A1", "pass")
    assert not any(move.startswith("I") for move in moves)
    assert start().play(BLACK, "C3").owing == (WHITE,)


@pytest.mark.parametrize("move", ["c3", "C 3", "PASS", "I3", "C6", "F1", "C03", "C0", "33", "resign", "", "C3\n"])
def test_a_move_has_one_spelling(move: str) -> None:
    with pytest.raises(MalformedMove, match="points are A1 to E5"):
        start().play(BLACK, move)


def test_a_missing_move_is_a_pass() -> None:
    assert start().default(BLACK) == "pass"


@pytest.mark.parametrize(
    ("size", "many", "names"),
    [
        (9, 2, "C3 G7"),
        (9, 5, "C3 C7 E5 G3 G7"),
        (9, 8, "C3 C5 C7 E3 E7 G3 G5 G7"),
        (19, 3, "D16 D4 Q16"),
        (19, 7, "D10 D16 D4 K10 Q10 Q16 Q4"),
        (19, 9, "D10 D16 D4 K10 K16 K4 Q10 Q16 Q4"),
        (13, 6, "D10 D4 D7 K10 K4 K7"),
        (8, 4, "C3 C6 F3 F6"),
        (12, 4, "C10 C3 K10 K3"),
        (7, 2, "C3 E5"),
    ],
)
def test_handicap_stones_are_placed_as_by_gtp_and_white_begins(size: int, many: int, names: str) -> None:
    position = start(size=size, handicap=many)
    view: Any = position.view(REFEREE)
    assert " ".join(sorted(view["black"])) == names
    assert (position.owing, view["white"]) == ((WHITE,), [])


@pytest.mark.parametrize(("size", "many", "known"), [(9, 1, "2 to 9"), (8, 5, "2 to 4"), (6, 2, "0 on a board of")])
def test_a_handicap_that_the_board_has_no_points_for_is_refused(size: int, many: int, known: str) -> None:
    with pytest.raises(BadOption, match=known):
        start(size=size, handicap=many)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("7.5", "7.5"),
        ("7.0", "7"),
        ("007", "7"),
        ("0", "0"),
        ("-0", "0"),
        ("-0.5", "-0.5"),
        ("0.5", "0.5"),
        ("10", "10"),
    ],
)
def test_a_komi_is_stored_in_its_shortest_form(given: str, stored: str) -> None:
    assert GAME.settings({"komi": given})["komi"] == stored


@pytest.mark.parametrize("komi", ["", "7.25", "1000", "x", "7,5", "+1", "nan", "1e3", "٣", "7.5\n", "9" * 5000])
def test_another_komi_is_refused(komi: str) -> None:
    with pytest.raises(BadOption):
        GAME.settings({"komi": komi})


@pytest.mark.parametrize("size", [1, 26, -9, "9x9"])
def test_a_board_of_another_size_is_refused(size: Any) -> None:
    with pytest.raises(BadOption, match="from 2 to 25"):
        GAME.settings({"size": size})


@pytest.mark.parametrize(
    ("text", "options", "wrong"),
    [
        ("5/5/5/5 b 0 0", {}, "there must be 5 rows of 5 points"),
        ("5/5/5/5/6 b 0 0", {}, "there must be 5 rows"),
        ("5/5/5/5/41 b 0 0", {}, "there must be 5 rows"),
        ("5/5/5/5/b13 b 0 0", {}, "there must be 5 rows"),
        ("5/5/5/5/b22 b 0 0", {}, "there must be 5 rows"),
        ("5/5/5/5/05 b 0 0", {}, "canonical form"),
        ("5/5/5/5/b1111 b 0 0", {}, "there must be 5 rows"),
        ("5/5/5/5/bb111 b 0 0", {}, "there must be 5 rows"),
        ("5/5/5/w4/bw3 b 0 0", {}, "a group of stones has no liberty"),
        ("wwwww/wwwww/wwwww/wwwww/wwwww b 0 0", {}, "a group of stones has no liberty"),
        ("5/5/5/5/5 b 3 0", {}, "side to move, passes and plies"),
        ("5/5/5/5/5 b 0 00", {}, "side to move, passes and plies"),
        ("5/5/5/5/5 x 0 0", {}, "side to move, passes and plies"),
        ("5/5/5/5/5 b 0 0 ko=", {}, "side to move, passes and plies"),
        ("5/5/5/5/4b b 0 0 ko=E1", {}, "on which a stone could be placed"),
        ("5/5/5/5/5 b 0 0 ko=F6", {}, "on which a stone could be placed"),
        ("5/5/5/5/5 b 0 0 ko=B1,A1", {}, "canonical form is '5/5/5/5/5 b 0 0 ko=A1,B1'"),
        ("5/5/5/5/5 b 2 2 ko=A1", {}, "canonical form is '5/5/5/5/5 b 2 2'"),
        ("5/5/5/5/5 b 0 0 ko=A1,B1", {"ko": "simple"}, "forbids only one"),
        (ONE_STONE, {"suicide": "allowed"}, "ko=A5"),
    ],
)
def test_a_broken_position_is_refused_with_what_is_wrong(text: str, options: dict[str, Any], wrong: str) -> None:
    check_malformed(GAME, text, wrong, {"size": 5, **options})


def test_stones_have_no_moves_after_two_passes() -> None:
    stones = GAME.read("5/5/5/5/5 b 2 9", GAME.settings({"size": 5})).stones
    assert (stones.moves(), stones.allows(PASS)) == ([], False)


def test_points_stay_the_same_object_in_another_process() -> None:
    points = start().stones.points
    assert pickle.loads(pickle.dumps(points)) is points


def test_a_picture_says_which_points_the_ko_rule_forbids() -> None:
    taken = GAME.read(KO, GAME.settings({"size": 5})).play(BLACK, "C3")
    assert "ko forbids B3" in taken.picture(REFEREE)


@pytest.mark.parametrize(("size", "legal"), [(2, 57), (3, 12_675)])
def test_as_many_positions_are_legal_as_tromp_and_farneback_have_counted(size: int, legal: int) -> None:
    settings = GAME.settings({"size": size})
    found = 0
    for signs in product("bw1", repeat=size * size):
        rows = "/".join("".join(signs[at : at + size]) for at in range(0, size * size, size))
        for ones in range(size, 1, -1):
            rows = rows.replace("1" * ones, str(ones))
        try:
            GAME.read(f"{rows} b 0 0", settings)
        except MalformedPosition:
            continue
        found += 1
    assert found == legal


drawn = partial(draw, "go")


def read(text: str) -> Position:
    return GAME.read(text, GAME.settings({"size": text.count("/") + 1}))


def test_the_triangle_has_the_colour_of_the_side_to_move() -> None:
    for side, y in (("b", "70"), ("w", "10")):
        (triangle,) = drawn(read(f"5/5/5/5/5 {side} 0 0")).iter(f"{NAMESPACE}polygon")
        assert triangle.get("points", "").startswith(f"94,{y} ")


def test_the_largest_full_board_is_drawn_within_the_limit() -> None:
    rows = "/".join(["b" * 25] * 12 + ["25"] + ["w" * 25] * 12)
    position = read(f"{rows} b 0 0")
    assert len(GAME.svg(position.settings, position.view(SPECTATOR), "A1")) < 40_000
