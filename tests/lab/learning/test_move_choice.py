"""The choice of a move, action by action."""

import random
from itertools import islice

import pytest

from engines.api import Game
from engines.registry import find
from engines.testing.random_games import game_path
from referee.lab.learning.learning_game import IllegalAction, MoveChoice
from tests.engines.test_codec import codec_of, every_game
from tests.lab.learning.learning_games import action_of

ALQUERQUE = find("alquerque")
CODEC = codec_of(ALQUERQUE, ALQUERQUE.settings())


def choice_of(*moves: str) -> MoveChoice:
    return MoveChoice(CODEC, moves)


def moves_from(choice: MoveChoice) -> list[str]:
    """Return every move that can be chosen."""
    if choice.move is not None:
        return [choice.move]
    return [move for action in choice.legal for move in moves_from(choice.choose(action))]


@every_game
def test_the_moves_that_can_be_chosen_are_the_legal_moves(game: Game) -> None:
    codec = codec_of(game, game.settings())
    for position in islice(game_path(game, game.settings(), random.Random(1)), 20):
        for seat in position.owing:
            moves = position.moves(seat)
            chosen = moves_from(MoveChoice(codec, moves))
            assert sorted(chosen) == list(moves)


def test_a_single_possible_action_follows_by_itself_but_the_first() -> None:
    choice = choice_of("a1xc1xe1")
    assert choice.legal == [action_of(ALQUERQUE, "a1")]
    assert choice.move is None
    assert choice.choose(action_of(ALQUERQUE, "a1")).move == "a1xc1xe1"


def test_a_move_may_end_where_another_continues() -> None:
    choice = choice_of("a1xc1", "a1xc1xe1").choose(action_of(ALQUERQUE, "a1"))
    assert choice.text == "a1xc1"
    assert choice.legal == [0, action_of(ALQUERQUE, "xe1")]
    assert choice.choose(0).move == "a1xc1"
    assert choice.choose(action_of(ALQUERQUE, "xe1")).move == "a1xc1xe1"
    assert choice.move is None


@pytest.mark.parametrize("wrong", [action_of(ALQUERQUE, "a2"), -1, 0, 1000])
def test_an_action_that_leads_to_no_move_is_illegal_and_changes_nothing(wrong: int) -> None:
    choice = choice_of("a1-b1")
    with pytest.raises(IllegalAction, match="no legal move begins with"):
        choice.choose(wrong)
    assert choice.actions == ()
