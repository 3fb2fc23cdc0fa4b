"""The rules of the games, where the distribution that has them (`engines`) is installed.

Then a bot's own process lists its legal moves, and the referee need not. It must be the same version of
the same game; whether it is, the referee is asked.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import grpc
from referee_api.v1 import game_service_pb2
from referee_api.v1.game_service_pb2_grpc import GameServiceStub

try:
    from engines.registry import OURS, games
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

if TYPE_CHECKING:
    from engines.api import Game, Position, Table

WITHIN_S = 10.0


def same_as(channel: grpc.Channel, metadata: tuple[tuple[str, str], ...]) -> bool:
    """Are all games of the referee here too, by the same rules? False also if it does not say."""
    if not INSTALLED:
        return False
    ask = GameServiceStub(channel).ListGames
    try:
        told = ask(game_service_pb2.ListGamesRequest(), metadata=metadata, timeout=WITHIN_S)
    except grpc.RpcError:
        return False
    # A game from elsewhere may hide something, and only the referee lists what one may play without seeing it.
    here = {(name, known()[name].version) for name in OURS}
    return here.issuperset((game.name, game.version) for game in told.games)


@cache
def known() -> "dict[str, Game]":
    """The games that are here. Looked up once: others may have joined from their own distributions."""
    return games()


def position(game: str, options: Mapping[str, str], text: str) -> "Position":
    """The position that a seat sees as `text`. What it may not know is filled in somehow."""
    rules = known()[game]
    settings = rules.settings(options)
    if "?" not in text:
        return rules.read(text, settings)
    imagine = import_module(type(rules).__module__.rpartition(".")[0]).imagine
    imagined: Position = imagine(text, settings, b"")
    return imagined


def table(game: str, options: Mapping[str, str]) -> "Table":
    """The names of the seats, and which stand together."""
    rules = known()[game]
    return rules.table(rules.settings(options))
