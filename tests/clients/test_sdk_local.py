"""Legal moves and views that the Python SDK computes in the bot's own process from what its seat sees."""

import random

import pytest
from referee_api.v1 import game_pb2, play_pb2
from referee_client import local
from referee_client.turn import Turn, turn_in

from engines.api import Position
from engines.registry import find, games

PLIES = 40


def turn(position: Position, seat: int, game: str, view_json: str = "") -> Turn:
    """Return the turn as it looks if the referee lists no legal moves."""
    rules = game_pb2.Rules(game=game, options=position.settings.texts())
    message = play_pb2.Turn(seat=seat, turn_token="t", rules=rules, position=position.text(seat), view_json=view_json)
    return turn_in(message, listed=False)


@pytest.mark.parametrize("game", ["alquerque", "trox", "troke", "toc"])
def test_legal_moves_are_computed_from_what_the_seat_sees(game: str) -> None:
    rules, chance = find(game), random.Random(7)
    position = rules.start(rules.settings(), bytes(32))
    for _ in range(PLIES):
        if position.outcome:
            break
        for seat in position.owing:
            seen = turn(position, seat, game)
            assert seen.legal_moves == tuple(position.moves(seat))
            assert seen.legal_moves_count == len(seen.legal_moves)
            assert seen.view == position.view(seat)
        seat = position.owing[0]
        position = position.play(seat, chance.choice(position.moves(seat)))


def test_moves_listed_by_the_server_take_precedence_over_local_ones() -> None:
    rules = find("alquerque")
    position = rules.start(rules.settings(), bytes(32))
    message = play_pb2.Turn(rules=game_pb2.Rules(game="alquerque"), position=str(position), legal_moves=["b2-c3"])
    turn_with_moves = turn_in(message, listed=True)
    assert (turn_with_moves.legal_moves, turn_with_moves.legal_moves_count) == (("b2-c3",), 1)
    assert turn(position, 0, "alquerque", view_json='{"told": true}').view == {"told": True}


def test_the_table_lists_the_sides() -> None:
    settings = games()["toc"].settings().texts()
    assert local.table("toc", settings).sides == ((0, 2), (1, 3))
