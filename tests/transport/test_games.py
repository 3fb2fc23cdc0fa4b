"""GameService without a server."""

import asyncio

from referee_api.v1 import game_pb2, game_service_pb2

from engines.registry import games
from referee.transport.services.games import Games


def test_a_position_is_read_without_a_pool_and_without_a_token() -> None:
    request = game_service_pb2.ReadPositionRequest(rules=game_pb2.Rules(game="alquerque"), max_legal_moves=9)
    read = asyncio.run(Games(games(), max_legal_moves=2).ReadPosition(request, None))
    assert read.position == "bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0"
    assert (len(read.seats_to_move[0].legal_moves), read.seats_to_move[0].legal_moves_truncated) == (2, True)
