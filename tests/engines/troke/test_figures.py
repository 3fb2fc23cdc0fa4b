"""The captions of the French sheet's figures, replayed on the boards: what the page says about the default board."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from engines.troke import GAME
from engines.troke.boards import BOARDS
from engines.troke.pieces import Pieces
from engines.troke.turns import DIGIT, DIGIT_BITS, SHAPES, start_of, steps_of
from tests.engines.troke.positions import played, start

RED, WHITE = 0, 1
Piece = tuple[int, str]
"""Seat and shape."""


class Way:
    """One turn, as captions describe it."""

    def __init__(self, pieces: Pieces, turn: int) -> None:
        place = start_of(turn)
        self.shape = SHAPES[(place >> DIGIT_BITS) - 1]
        self.start = place & DIGIT
        self.ends = [circle for circle, _ in steps_of(turn)]
        self.taken = [standing(pieces, circle) if captures else set() for circle, captures in steps_of(turn)]
        self.opens_a_castle = len(standing(pieces, self.start)) == 3
        path = [self.start, *self.ends]
        board, colour = pieces.rules.board, pieces.rules.colours[pieces.mover]
        self.forward = all(board.advance(colour, *step) > 0 for step in pairwise(path))
        self.arrives = bool(1 << self.ends[-1] & pieces.rules.ways[pieces.mover].goal)

    def stops_at_once(self, shape: str) -> bool:
        return self.shape == shape and self.taken == [set()]

    def takes(self, shape: str, *taken: set[Piece]) -> bool:
        """Return whether it takes these pieces, one set in each step, and makes all steps that they give."""
        steps = [*taken, *[set[Piece]()] * (sum(map(len, taken)) + 1 - len(taken))]
        return self.shape == shape and self.taken == steps


def standing(pieces: Pieces, circle: int) -> set[Piece]:
    return {(index // 3, SHAPES[index % 3]) for index, there in enumerate(pieces.sets) if there >> circle & 1}


CAPTIONS: list[Callable[[Way], bool]] = [
    lambda way: way.stops_at_once("tower"),
    lambda way: way.stops_at_once("moat"),
    lambda way: way.takes("wall", {(RED, "tower")}),
    lambda way: way.stops_at_once("wall"),
    lambda way: way.takes("moat", {(RED, "tower"), (RED, "wall")}),
    lambda way: way.takes("tower", {(WHITE, "moat")}, {(WHITE, "wall")}),
    lambda way: way.shape == "moat" and [len(taken) for taken in way.taken] == [2, 0, 0],
    lambda way: way.shape == "wall" and [len(taken) for taken in way.taken] == [2, 0, 0],
    lambda way: way.stops_at_once("tower") and way.opens_a_castle,
    lambda way: way.takes("tower", {(RED, "wall"), (RED, "moat")}) and way.forward,
    lambda way: len(way.taken[0]) == 2 and {seat for seat, _ in way.taken[0]} == {WHITE} and way.arrives,
    lambda way: way.stops_at_once("wall"),
]
"""Turns of figures I to VIII, alternately Red's and White's: two in each of I to IV, one in each of V to VIII."""

FIGURES_I_TO_III = (("tower", 1), ("moat", 1), ("wall", 2), ("wall", 1), ("moat", 3), ("tower", 3))
"""Shape and number of steps of each turn, which exclude most turns quickly."""
COMPACT32 = (
    "Tb1-b2 Mb6-b5 Wb1xb2-c2 Wc6-c5 Mc1xc2-b2-c2 Tb6xb5xc5-b4 Mb1xc1-b2-b3 Wb6xc6-b5-c4 Tb3-c3 Tb4xb3-b2-b1 "
    "Tc3xb4-b5-b6 Wb6-b5"
)


def forward_to_figure_iii(pieces: Pieces, turns: int = 0) -> bool:
    """Return whether figures I to III can be played with all steps forward."""
    if turns == len(FIGURES_I_TO_III):
        return True
    for turn in pieces.moves():
        if (SHAPES[(start_of(turn) >> DIGIT_BITS) - 1], len(steps_of(turn))) != FIGURES_I_TO_III[turns]:
            continue
        way = Way(pieces, turn)
        if way.forward and CAPTIONS[turns](way) and forward_to_figure_iii(pieces.play(turn), turns + 1):
            return True
    return False


def test_all_captions_can_be_replayed_on_compact32_too() -> None:
    at = start(board="compact32")
    for move, caption in zip(COMPACT32.split(), CAPTIONS, strict=True):
        turn = next(turn for turn in at.pieces.moves() if played(at, move).pieces.key() == at.pieces.play(turn).key())
        assert caption(Way(at.pieces, turn)), move
        at = played(at, move)


def test_on_the_default_board_figures_one_to_three_can_follow_each_other() -> None:
    assert forward_to_figure_iii(start().pieces)


@pytest.mark.slow
@pytest.mark.parametrize("board", sorted(set(BOARDS) - {"diamond40"}))
def test_on_no_other_board_can_figures_one_to_three_follow_each_other(board: str) -> None:
    assert not forward_to_figure_iii(GAME.start(GAME.settings({"board": board}), b"").pieces)
