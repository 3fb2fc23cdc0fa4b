"""Games without a match, as they are served."""

import asyncio

from referee_api.v1 import game_pb2, game_service_pb2

from engines.registry import games
from referee.transport.games import Games


def test_a_position_is_read_without_a_pool_and_without_a_token() -> None:
    request = game_service_pb2.ReadPositionRequest(rules=game_pb2.Rules(game="alquerque"), legal_moves_at_most=9)
    read = asyncio.run(Games(games(), legal_moves_at_most=2).ReadPosition(request, None))
    assert read.position == "bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0"
    assert (len(read.owed[0].legal_moves), read.owed[0].legal_moves_truncated) == (2, True)
