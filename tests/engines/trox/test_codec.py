"""Moves of Trox as actions and as a sequence."""

import random
from collections.abc import Iterator

import pytest

from engines.api import Position
from engines.trox import GAME
from engines.trox.lattice import cell_named, place_of
from engines.trox.move_sequence import NO_MOVES, MoveSequence, listed
from engines.trox.notation import Lay, Put, read_move
from engines.trox.pawns import PASS, Pawns
from tests.engines.rule_cases import check_sequence
from tests.engines.trox.positions import all_down, at, start

SETTINGS = GAME.settings({"tileset": "free"})
WAYS = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1), (-1, 1), (1, -2), (2, -1), (-1, 2), (-2, 1)]


def far(move: str, way: tuple[int, int]) -> int:
    """Return how far a move goes in a direction."""
    match read_move(move):
        case Lay(_, _, pawn) | Put(pawn):
            x, y, down = place_of(pawn)
            return 3 * (x * way[0] + y * way[1]) + down
    raise AssertionError(move)


@pytest.mark.parametrize("way", WAYS)
def test_moves_on_a_ground_that_grows_in_one_direction_have_actions(way: tuple[int, int]) -> None:
    codec = GAME.codec(SETTINGS)
    position: Position = GAME.start(SETTINGS, b"")
    for _ in range(12):
        moves = [move for move in position.moves(position.owing[0]) if move.startswith(("NBR", "+"))]
        for move in moves:
            assert codec.decode(codec.encode(move)) == move
        position = position.play(position.owing[0], max(moves, key=lambda move: far(move, way)))
        codec.observe(position.view(0), 0)


def test_the_ring_of_cells_ends_where_no_piece_can_be() -> None:
    codec = GAME.codec(SETTINGS)
    cells = {chunk for chunk in codec.chunks if chunk[-1:] in {"u", "d"}}
    assert len(cells) == 1 + 3 * 34 * 35 // 2
    assert all(abs(place_of(cell_named(cell))[0]) <= 34 for cell in cells)


OPTION_SETS = [
    {},
    {"suicide": "forbidden", "tileset": "3x4_flip"},
    {"suicide": "safe", "tileset": "free", "hole_rule": "vertex"},
    {"suicide": "forbidden", "neutral_triangle": "captures", "no_move": "loss", "hole_rule": "off"},
]


def game(options: dict[str, str], rng: random.Random) -> Iterator[Pawns]:
    """Yield the fast positions of at most 40 plies of a random game, with few pieces so that captures occur."""
    pawns = start(**options).pawns
    for _ in range(40):
        yield pawns
        puts = pawns.puts() if rng.random() < 0.6 else []
        moves = puts or list(pawns.moves())
        if not moves:
            return
        pawns = pawns.play(rng.choice(moves))


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: " ".join(options.values()) or "default")
def test_the_sequence_has_the_length_and_the_items_of_its_list(options: dict[str, str]) -> None:
    rng = random.Random(str(options))
    for pawns in [pawns for _ in range(3) for pawns in game(options, rng)]:
        check_sequence(pawns.moves(), list(pawns.moves()))


def test_a_sequence_may_have_up_to_three_groups() -> None:
    check_sequence(MoveSequence(4, (1, 2), (3, 4, 5)), [19, 20, 21, 35, 36, 37])
    check_sequence(MoveSequence(4, (1,), (3, 4), (), (9,), (5, 6), (7,)), [19, 20, 87, 103])
    check_sequence(MoveSequence(4, (), (3, 4), (2,), (9,), (5, 6), ()), [41])


def test_given_moves_and_none_are_sequences_too() -> None:
    check_sequence(listed([-1, 4096, 5]), [-1, 4096, 5])
    check_sequence(NO_MOVES, [])


@pytest.mark.parametrize("suicide", ["captured", "forbidden"])
def test_a_seat_that_cannot_move_has_only_the_pass(suicide: str) -> None:
    check_sequence(at(all_down(4), suicide=suicide).pawns.moves(), [PASS])
