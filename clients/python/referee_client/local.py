"""The rules of the games, if the distribution that contains them (`engines`) is installed.

The bot's process can then list legal moves itself instead of receiving them. This requires the same games in the same
versions, so the referee is asked for its versions first.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import grpc
from referee_api.v1 import game_service_pb2
from referee_api.v1.game_service_pb2_grpc import GameServiceStub

try:
    from engines.registry import games, own_games
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

if TYPE_CHECKING:
    from engines.api import Game, Position, Table

TIMEOUT_S = 5.0


def has_same_games(channel: grpc.Channel, metadata: tuple[tuple[str, str], ...]) -> bool:
    """Return whether all games of the referee are installed here in the same versions; False if it does not answer."""
    if not INSTALLED:
        return False
    list_games = GameServiceStub(channel).ListGames
    try:
        response = list_games(game_service_pb2.ListGamesRequest(), metadata=metadata, timeout=TIMEOUT_S)
    except grpc.RpcError:
        return False
    # Games from other distributions may hide information; then only the referee can list legal moves.
    installed = {(name, installed_games()[name].version) for name in own_games()}
    return installed.issuperset((game.name, game.version) for game in response.games)


@cache
def installed_games() -> "dict[str, Game]":
    """Return the installed games. The result is cached, because other distributions may contribute games."""
    return games()


def position(game: str, options: Mapping[str, str], text: str) -> "Position":
    """Return the position that a seat sees as `text`. Unknown parts are filled in arbitrarily."""
    engine = installed_games()[game]
    settings = engine.settings(options)
    return engine.imagine(text, settings, b"") if "?" in text else engine.read(text, settings)


def table(game: str, options: Mapping[str, str]) -> "Table":
    """Return the seats and sides of a game."""
    engine = installed_games()[game]
    return engine.table(engine.settings(options))
