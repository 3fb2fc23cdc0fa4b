"""Each rejection names its rule, and says what is wrong in a sentence."""

import random

import pytest

from engines.game_errors import IllegalMove, MalformedMove
from engines.troke import GAME
from engines.troke.assembly import Filled
from tests.engines.second.crowded import some_settings
from tests.engines.troke.positions import read, start

WHITE_TO_CLEAR = "e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMr w"

CASES: list[tuple[str, dict[str, str | int | bool], str, str, str]] = [
    ("d5:Tr r", {}, "pass", "TK-18", "a seat that can move may not pass: Td5-b5 Td5-c6 Td5-d7 Td5-e6 and 1 more"),
    ("b1:Tr r", {}, "pass", "TK-18", "a seat that can move may not pass: Tb1-b3 Tb1-c2 Tb1-d1"),
    ("d5:Tr r", {}, "Wd5-d7", "TK-3", "there is no wall on d5"),
    ("d5:Tr,d7:Tw r", {}, "Td7-d5", "TK-3", "the tower on d7 belongs to white"),
    ("d5:Tr,d9:Mr r", {}, "Md9-b9", "TK-12", "the moat on d9 has arrived and may not move again"),
    ("d5:Tr r", {}, "Td5-d9", "TK-3", "no line connects d5 and d9"),
    ("d5:Tr r", {}, "Td5-d3", "TK-3", "the step from d5 to d3 is backward for red"),
    ("c4:Tr r", {}, "Tc4-a4", "TK-10", "a4 is in a start row at the side, which may not be entered"),
    ("d5:Tr,d7:Tw r", {}, "Td5-d7", "TK-4", "there is already a tower on d7"),
    ("d5:Tr,d7:Ww,d9:Ww r", {}, "Td5xd7-d9", "TK-4", "there is already a wall on d9"),
    ("d5:Tr r", {}, "Td5xd7", "TK-6", "this step must be written -d7, because it captures nothing"),
    ("d5:Tr,d7:Ww r", {}, "Td5-d7", "TK-6", "this step must be written xd7, because it captures"),
    ("d5:Tr r", {}, "Td5-d7-d9", "TK-5", "the turn ends on d7, because no step is left"),
    ("d3:Tr,d5:Ww r", {}, "Td3xd5-d7-d9", "TK-6", "the turn ends on d7, because no step is left"),
    ("d3:Tr,d5:Ww r", {}, "Td3xd5", "TK-8", "one more step must be made from d5 after the capture there"),
    ("d3:Tr,d5:WwMw r", {}, "Td3xd5", "TK-8", "2 more steps must be made from d5 after the capture there"),
    ("e8:Tr,d9:WwMw r", {}, "Te8xd9-c8", "TK-11", "steps on the goal row must lead along it, not to c8"),
    ("e8:Tr,d9:WwMw r", {"goal_sideways": "free_step"}, "Te8xd9-b9", "goal_sideways", "the turn ends on d9"),
    ("e8:Tr r", {"goal_sideways": "free_step"}, "Te8-d9-f9-h9", "goal_sideways", "the turn ends on f9"),
    ("e8:Tr r", {"goal_sideways": "free_step"}, "Te8-d9-c8", "TK-11", "steps on the goal row must lead along it"),
    (
        "e6:Tr,e8:Ww r",
        {"carry_home": "forbidden"},
        "Te6xe8-d9",
        "TK-15",
        "a captured piece of white may not be carried back",
    ),
    ("f5:Tr r 12/12 0/0 0 back=Tf5-d5", {}, "Tf5-d5", "TK-17", "the piece may not step back to d5, from which"),
    (WHITE_TO_CLEAR, {}, "Te4-e2", "TK-16", "the goal row of red (b9 d9 f9 h9) is full, and a piece must be moved out"),
]


@pytest.mark.parametrize(("text", "options", "move", "rule", "why"), CASES, ids=[f"{c[2]} {c[3]}" for c in CASES])
def test_the_error_for_an_illegal_move_says_why(
    text: str, options: dict[str, str | int | bool], move: str, rule: str, why: str
) -> None:
    at = read(text, **options)
    with pytest.raises(IllegalMove) as caught:
        at.play(at.owing[0], move)
    assert caught.value.details["rule"] == rule
    assert why in caught.value.details["why"]


@pytest.mark.parametrize(
    "move",
    [
        "",
        "Pass",
        "pass\n",
        "Tb1",
        "b1-b3",
        "Tb1b3",
        "Tb1-b3-c4-d5-e6",
        "tb1-b3",
        "Tb1-b٣",
        "Tb1-b3\n",
        "Tb01-b3",
        "T" * 9999,
    ],
)
def test_the_error_for_a_malformed_move_shows_the_notation(move: str) -> None:
    with pytest.raises(MalformedMove, match="Tb1-c2, Wb1xc2-d3 or Md1xd3-d5-d7"):
        start().play(0, move)


def test_a_circle_that_the_board_lacks_is_named() -> None:
    with pytest.raises(MalformedMove, match="no circle z99 on this board; its circles are b1 to h9"):
        start().play(0, "Tb1-z99")


@pytest.mark.parametrize("seed", range(10))
def test_every_unlisted_move_is_an_error_with_a_correct_reason(seed: int) -> None:
    chance = random.Random(seed)
    at = start(**dict(some_settings(GAME, chance).values))
    known: set[str] = set()
    while at.owing and at.plies < 60:
        legal = at.moves(at.owing[0])
        for text in chance.sample(sorted(known - set(legal)), min(len(known - set(legal)), 15)):
            with pytest.raises(IllegalMove) as caught:
                at.play(at.owing[0], text)
            if caught.value.details["rule"] == "TK-16":
                assert at.pieces.must_clear(at.pieces.mover, Filled(at.pieces.rules, at.pieces.sets, at.pieces.mover))
        known |= set(legal)
        at = at.play(at.owing[0], chance.choice(legal))
