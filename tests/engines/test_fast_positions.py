"""What a fast position says about one move agrees with its list of moves, so a caller needs only one of the two."""

import random
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from engines.api import Position
from engines.form import is_compiled
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


@every_game
def test_playing_in_integers_writes_nothing(name: str) -> None:
    game, rng = find(name), random.Random(1)
    at = FAST[name][0](game.start(game.settings(), rng.randbytes(32)))
    module = import_module(type(at).__module__)
    if is_compiled(str(module.__file__)):
        pytest.skip("calls of compiled functions cannot be recorded")
    called: set[tuple[str, str]] = set()

    def record(frame: FrameType, _event: str, _argument: object) -> None:
        called.add((Path(frame.f_code.co_filename).stem, frame.f_code.co_name))

    sys.setprofile(record)
    try:
        for _ in range(60):
            moves = FAST[name][1](at)
            move = moves[rng.randrange(len(moves))]
            at = at.play(at.owing()[0], move) if name == "toc" else at.play(move)
            if name == "alquerque" and not at.can_move():
                break
    finally:
        sys.setprofile(None)
    assert (module.__name__.rpartition(".")[2], "play") in called
    assert not {module for module, _ in called} & {"notation", "position_writer", "move_list", "position"}
    assert not {function for _, function in called if "name" in function or "text" in function}


def test_a_compiled_module_is_told_by_its_file() -> None:
    assert is_compiled("engines/trox/pawns.cpython-311-x86_64-linux-gnu.so")
    assert not is_compiled("engines/trox/pawns.py")
