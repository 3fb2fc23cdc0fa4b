"""The two kinds of fast positions do the same, and a list that makes its turns when they are asked for is complete."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from engines.api import Position
from engines.testing.random_games import game_path
from engines.troke import GAME
from engines.troke.pieces import Pieces
from engines.troke.placing import COMPILED
from engines.troke.position import TrokePosition
from tests.engines.rule_cases import check_sequence
from tests.engines.second.crowded import crowded_rows, some_settings
from tests.engines.troke.positions import read, start
from tests.engines.troke.test_boards import small

pytestmark = pytest.mark.skipif(COMPILED, reason="packed sets are for pure Python")
seeds = pytest.mark.parametrize("seed", range(8))


def positions(seed: int) -> Iterator[Any]:
    """Return fast positions with packed sets, from a random game under random options, or with crowded rows."""
    chance = random.Random(f"packed {seed}")
    path: Iterator[Position]
    if seed % 2:
        path = walk(crowded_rows(chance), chance)
    else:
        path = game_path(GAME, some_settings(GAME, chance), chance)
    for at in islice(path, 0, 80, 4):
        assert isinstance(at, TrokePosition)
        yield at.pieces


def walk(at: Position, chance: random.Random) -> Iterator[Position]:
    yield at
    while at.owing:
        at = at.play(at.owing[0], chance.choice(at.moves(at.owing[0])))
        yield at


def plain(at: Pieces) -> Pieces:
    return Pieces(at.rules, at.mover, at.sets, at.chips, at.castles, at.barred, at.demanded)


def state(at: Pieces) -> tuple[object, ...]:
    return at.mover, at.sets, at.chips, at.castles, at.barred, at.demanded


@seeds
def test_a_list_has_the_length_and_the_members_of_its_iteration(seed: int) -> None:
    for at in positions(seed):
        turns = at.moves()
        check_sequence(turns, list(turns))
        assert turns[1:4] == list(turns)[1:4]


@seeds
def test_both_kinds_have_the_same_turns(seed: int) -> None:
    for at in positions(seed):
        listed = sorted(plain(at).moves())
        assert sorted(at.moves()) == listed
        assert at.can_move() == plain(at).can_move() == bool(listed)
        # Every step that a piece could make somewhere.
        assert [turn for turn in at.table.bit if at.allows(turn)] == [turn for turn in at.table.bit if turn in listed]


@seeds
def test_both_kinds_are_the_same_after_each_turn(seed: int) -> None:
    for at in positions(seed):
        for turn in at.moves():
            after = at.play(turn)
            assert state(after) == state(plain(at).play(turn))
            assert after.packed == after.table.packed(after.sets)


def test_there_are_packed_sets_on_the_boards_of_the_game_only() -> None:
    assert hasattr(start(board="compact32").pieces, "packed")
    assert not hasattr(start(own_board=small()).pieces, "packed")


def test_both_kinds_know_demands_and_ends() -> None:
    at = read("e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWwMw r", clear_goal="on_demand").pieces
    assert sorted(plain(at).moves()) == sorted(at.moves())
    for turn in at.moves():
        assert plain(at).allows(turn)
        assert state(plain(at).play(turn)) == state(at.play(turn))
    over = read("e4:Tw,b9:TrWrMr,d9:TrWrMr,f9:TrWrMr,h9:TrWrMr w").pieces
    for kind in (over, plain(over)):
        assert (list(kind.moves()), kind.can_move(), kind.allows(0)) == ([], False, False)
    assert not Pieces(at.rules, 0, (0,) * len(at.sets), at.chips, at.castles).can_move()
