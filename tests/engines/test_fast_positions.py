"""What a fast position says about one move agrees with its list of moves, so a caller needs only one of the two."""

import random
from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import pytest

from engines.api import Position
from engines.registry import find
from engines.testing.random_games import game_path, settings_of

# By game: the fast position, its moves, and whether it allows one, for the first seat that has a turn.
FAST: dict[str, tuple[Callable[[Any], Any], Callable[[Any], list[int]], Callable[[Any, int], bool]]] = {
    "alquerque": (lambda at: at.men, lambda men: men.moves(), lambda men, move: men.allows(move)),
    "go": (lambda at: at.stones, lambda stones: stones.moves(), lambda stones, move: stones.allows(move)),
    "toc": (
        lambda at: at.round,
        lambda at: at.moves(at.owing()[0]),
        lambda at, move: at.allows(at.owing()[0], move),
    ),
    "troke": (lambda at: at.pieces, lambda pieces: pieces.moves(), lambda pieces, turn: pieces.allows(turn)),
    "trox": (lambda at: at.pawns, lambda pawns: pawns.moves(), lambda pawns, move: pawns.allows(move)),
}
every_game = pytest.mark.parametrize("name", FAST)


@cache
def positions(name: str) -> list[Position]:
    """Return positions from random games under all options, with the last of each path."""
    game, rng = find(name), random.Random(name)
    paths = [list(islice(game_path(game, settings, rng), 200)) for settings in settings_of(game, 2, rng)]
    return [at for path in paths for at in (*rng.sample(path, min(6, len(path))), path[-1])]


@every_game
def test_a_move_is_allowed_exactly_if_it_is_listed(name: str) -> None:
    fast, moves, allows = FAST[name]
    going_on = [fast(at) for at in positions(name) if at.outcome is None]
    known = sorted({move for at in going_on for move in moves(at)})
    for at in going_on:
        listed = set(moves(at))
        # All listed moves, and moves that are listed in other positions.
        for move in (*listed, *random.Random(1).sample(known, min(60, len(known)))):
            assert allows(at, move) == (move in listed)


@pytest.mark.parametrize("name", ["alquerque", "troke"])
def test_can_move_is_true_exactly_if_there_is_a_move(name: str) -> None:
    for at in map(FAST[name][0], positions(name)):
        assert at.can_move() == bool(at.moves())
