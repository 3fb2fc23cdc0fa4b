"""Go by its rules page: each rule, each option, each text that is refused."""

import pickle
from typing import Any

import pytest

from engines.api import REFEREE, Position
from engines.game_errors import BadOption, IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.go import GAME
from engines.go.position import GoPosition
from engines.go.stones import PASS

BLACK, WHITE = 0, 1
KO = "5/1bw2/bw1w1/1bw2/5 b 0 8"
"""Black takes the stone on B3 by C3, and White could take it back at once."""


def start(**options: Any) -> GoPosition:
    return GAME.start(GAME.settings({"size": 5, **options}), b"")


def at(text: str, **options: Any) -> GoPosition:
    return GAME.read(text, GAME.settings({"size": text.count("/") + 1, **options}))


def played(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.play(position.owing[0], move)
    return position


def rows(position: Position) -> str:
    return str(position).split(" ", maxsplit=1)[0]


def move_error(position: Position, move: str) -> IllegalMove:
    with pytest.raises(IllegalMove) as caught:
        position.play(position.owing[0], move)
    return caught.value


def test_black_begins_and_may_play_anywhere_or_pass() -> None:
    assert start(size=9).owing == (BLACK,)
    moves = start(size=9).moves(BLACK)
    assert len(moves) == 82
    assert (moves[0], moves[-1]) == ("A1", "pass")
    assert not any(move.startswith("I") for move in moves)
    assert start().play(BLACK, "C3").owing == (WHITE,)


def test_a_stone_is_placed_only_on_an_empty_point() -> None:
    error = move_error(played(start(), "C3"), "C3")
    assert error.details["rule"] == "GO-1"
    assert "there is a stone on C3" in str(error)


def test_a_seat_that_is_not_to_move_cannot_move() -> None:
    with pytest.raises(NotYourTurn):
        start().play(WHITE, "C3")
    with pytest.raises(NotYourTurn):
        played(start(), "pass", "pass").play(BLACK, "C3")


@pytest.mark.parametrize("move", ["c3", "C 3", "PASS", "I3", "C6", "F1", "C03", "C0", "33", "resign", "", "C3\n"])
def test_a_move_has_one_spelling(move: str) -> None:
    with pytest.raises(MalformedMove, match="points are A1 to E5"):
        start().play(BLACK, move)


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        ("5/1b3/bwb2/5/5 b 0 2", "B2", "5/1b3/b1b2/1b3/5"),
        ("5/5/5/b4/w4 b 0 2", "B1", "5/5/5/b4/1b3"),
        ("5/b4/wb3/wb3/5 b 0 2", "A1", "5/b4/1b3/1b3/b4"),
        ("bw1wb/1b1b1/5/5/5 b 0 6", "C5", "b1b1b/1b1b1/5/5/5"),
    ],
)
def test_groups_without_liberties_are_removed(before: str, move: str, after: str) -> None:
    assert rows(played(at(before), move)) == after


def test_capturing_comes_before_suicide() -> None:
    assert rows(played(at("1wb2/wb3/b4/5/5 b 0 6"), "A5")) == "b1b2/1b3/b4/5/5"


def test_suicide_is_forbidden_by_default() -> None:
    single, group = at("1w3/w4/5/5/5 b 0 2"), at("b1w2/bw3/w4/5/5 b 0 4")
    for position, move in ((single, "A5"), (group, "B5")):
        assert move not in position.moves(BLACK)
        error = move_error(position, move)
        assert error.details["rule"] == "GO-3"
        assert "no liberty" in str(error)


def test_suicide_of_a_group_removes_it_if_it_is_allowed() -> None:
    group = at("b1w2/bw3/w4/5/5 b 0 4", suicide="allowed")
    assert rows(played(group, "B5")) == "2w2/1w3/w4/5/5"


def test_suicide_of_one_stone_repeats_the_board() -> None:
    text = "1w3/w4/5/5/5 b 0 2"
    assert move_error(at(f"{text} ko=A5", suicide="allowed"), "A5").details["rule"] == "GO-4"
    with pytest.raises(MalformedPosition, match="ko=A5"):
        at(text, suicide="allowed")
    assert rows(played(at(text, suicide="allowed", ko="simple"), "A5")) == "1w3/w4/5/5/5"
    assert rows(played(at(text, suicide="allowed", ko="situational"), "A5")) == "1w3/w4/5/5/5"


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_a_ko_cannot_be_taken_back_at_once(ko: str) -> None:
    taken = played(at(KO, ko=ko), "C3")
    assert str(taken) == "5/1bw2/b1bw1/1bw2/5 w 0 9 ko=B3"
    error = move_error(taken, "B3")
    assert error.details["rule"] == "GO-4"
    later = played(taken, "E5", "E1")
    assert rows(played(later, "B3")) == "4w/1bw2/bw1w1/1bw2/4b"


@pytest.mark.parametrize(("ko", "rule"), [("positional", "GO-4"), ("situational", "GO-4"), ("simple", "")])
def test_superko_forbids_a_cycle_of_three_kos_that_simple_ko_allows(ko: str, rule: str) -> None:
    begun = at("1bw3bw1/bw1w1b1bw/1bw3bw1/9/9/9/1bw6/bw1w5/1bw6 b 0 20", ko=ko)
    position = played(begun, "C8", "G8", "C2", "B8", "H8")
    if rule:
        assert move_error(position, "B2").details["rule"] == rule
        assert str(position).endswith(" ko=B2,G8")
    else:
        assert rows(played(position, "B2")) == rows(begun)


def test_a_board_may_come_back_with_the_other_side_to_move_with_situational_superko() -> None:
    # The last stone takes two white ones, and White's next one would be alone where the second was placed.
    line = ["C2", "B3", "B2", "A4", "B1", "A2", "C4", "A1", "A3"]
    allowed, forbidden = (played(start(size=4, ko=ko), *line) for ko in ("situational", "positional"))
    assert rows(played(allowed, "A2")) == "w1b1/1w2/wbb1/1b2"
    assert move_error(forbidden, "A2").details["rule"] == "GO-4"


def test_passing_never_repeats_a_board() -> None:
    position = played(at(KO), "C3", "pass")
    assert position.owing == (BLACK,)
    assert "pass" in position.moves(BLACK)


def test_two_passes_in_a_row_end_the_game() -> None:
    over = played(start(), "pass", "pass")
    assert over.owing == ()
    assert over.outcome
    assert over.outcome.reason == "passes"
    assert played(start(), "pass", "C3", "pass").outcome is None


def test_the_limit_of_plies_ends_the_game() -> None:
    assert played(start(max_plies=3), "C3", "pass").outcome is None
    over = played(start(max_plies=3), "C3", "pass", "B3")
    assert over.outcome
    assert over.outcome.reason == "max_plies"
    assert at("2/2 b 0 12").outcome
    assert at("2/2 b 0 11").outcome is None


@pytest.mark.parametrize(
    ("board", "komi", "scores"),
    [
        ("5/5/5/5/5", "7.5", (0, 7.5)),
        ("5/5/2b2/5/5", "7.5", (25, 7.5)),
        ("5/bbbbb/5/wwwww/5", "0.5", (10, 10.5)),
        ("1b3/bbbbb/5/wwwww/3w1", "0", (10, 10)),
        ("1bw2/bbw2/wwww1/5/5", "-3", (4, 18)),
    ],
)
def test_the_score_is_the_area(board: str, komi: str, scores: tuple[float, float]) -> None:
    position = at(f"{board} b 2 9", komi=komi)
    assert position.outcome
    assert position.outcome.side_scores == scores
    assert position.standing == scores


def test_equal_areas_are_a_draw() -> None:
    outcome = at("1b3/bbbbb/5/wwwww/3w1 b 2 9", komi="0").outcome
    assert outcome
    assert outcome.side_ranks == (1, 1)


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
    ("text", "wrong"),
    [
        ("5/5/5/5 b 0 0", "there must be 5 rows of 5 points"),
        ("5/5/5/5/6 b 0 0", "there must be 5 rows"),
        ("5/5/5/5/41 b 0 0", "there must be 5 rows"),
        ("5/5/5/5/b13 b 0 0", "there must be 5 rows"),
        ("5/5/5/5/b22 b 0 0", "there must be 5 rows"),
        ("5/5/5/5/05 b 0 0", "canonical form"),
        ("5/5/5/5/b1111 b 0 0", "there must be 5 rows"),
        ("5/5/5/5/bb111 b 0 0", "there must be 5 rows"),
        ("5/5/5/w4/bw3 b 0 0", "a group of stones has no liberty"),
        ("wwwww/wwwww/wwwww/wwwww/wwwww b 0 0", "a group of stones has no liberty"),
        ("5/5/5/5/5 b 3 0", "side to move, passes and plies"),
        ("5/5/5/5/5 b 0 00", "side to move, passes and plies"),
        ("5/5/5/5/5 x 0 0", "side to move, passes and plies"),
        ("5/5/5/5/5 b 0 0 ko=", "side to move, passes and plies"),
        ("5/5/5/5/4b b 0 0 ko=E1", "on which a stone could be placed"),
        ("5/5/5/5/5 b 0 0 ko=F6", "on which a stone could be placed"),
        ("5/5/5/5/5 b 0 0 ko=B1,A1", "canonical form is '5/5/5/5/5 b 0 0 ko=A1,B1'"),
        ("5/5/5/5/5 b 2 2 ko=A1", "canonical form is '5/5/5/5/5 b 2 2'"),
    ],
)
def test_a_broken_position_is_refused_with_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(MalformedPosition, match=wrong):
        at(text, size=5)


def test_the_points_of_simple_ko_repeat_one_board() -> None:
    with pytest.raises(MalformedPosition, match="forbids only one"):
        at("5/5/5/5/5 b 0 0 ko=A1,B1", ko="simple")


def test_presets_set_the_size() -> None:
    assert [GAME.settings({}, name)["size"] for name in ("9x9", "13x13")] == [9, 13]


def test_stones_have_no_moves_after_two_passes() -> None:
    stones = at("5/5/5/5/5 b 2 9").stones
    assert (stones.moves(), stones.allows(PASS)) == ([], False)


def test_points_stay_the_same_object_in_another_process() -> None:
    points = start().stones.points
    assert pickle.loads(pickle.dumps(points)) is points


def test_a_picture_says_which_points_the_ko_rule_forbids() -> None:
    assert "ko forbids B3" in played(at(KO), "C3").picture(REFEREE)
