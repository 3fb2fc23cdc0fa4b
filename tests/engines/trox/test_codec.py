"""The codec knows every cell that a game can reach."""

import pytest

from engines.api import Position
from engines.trox import GAME
from engines.trox.lattice import cell_named, place_of
from engines.trox.notation import Lay, Put, read_move

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
