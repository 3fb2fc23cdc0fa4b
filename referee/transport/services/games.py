"""GameService: rules of games, and positions that need no match."""

from collections.abc import Mapping
from typing import Any

import grpc.aio
from referee_api.v1 import game_service_pb2 as pb
from referee_api.v1.game_service_pb2_grpc import GameServiceServicer, add_GameServiceServicer_to_server
from referee_values import Opening

from engines.api import REFEREE, Game, Position, Seat, Viewer
from engines.options import Settings
from referee.accounts.account_errors import BadField
from referee.live.match_request import find_game
from referee.live.worker_pool import RunFunction, run_inline
from referee.match.result import result_by_rules
from referee.match.setup import SEED_BYTES
from referee.transport.guards.authentication import CALLER
from referee.transport.wire.basic_types import read_value
from referee.transport.wire.results import result_of
from referee.transport.wire.rules import game_of, json_text, read_rules, rules_of, seat_layout_of


class Games(GameServiceServicer):
    def __init__(self, games: Mapping[str, Game], max_legal_moves: int, run: RunFunction = run_inline) -> None:
        """`run` executes functions that may take long."""
        self._run = run
        self._games = games
        self._max_legal_moves = max_legal_moves
        self._games_by_name = {name: game_of(game) for name, game in sorted(games.items())}

    def add_to(self, server: grpc.aio.Server) -> None:
        add_GameServiceServicer_to_server(self, server)

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:
        return pb.ListGamesResponse(games=self._games_by_name.values())

    async def GetGame(self, request: pb.GetGameRequest, context: Any) -> pb.GetGameResponse:
        return pb.GetGameResponse(game=self._games_by_name[find_game(self._games, request.name).name])

    async def ReadPosition(self, request: pb.ReadPositionRequest, context: Any) -> pb.ReadPositionResponse:
        game = find_game(self._games, request.rules.game)
        request.max_legal_moves = min(request.max_legal_moves, self._max_legal_moves)
        caller = CALLER.get(None)  # The conformance kit serves games without authentication.
        holder = caller.holder if caller else ""
        read = await self._run(read_position, game, request.SerializeToString(), holder=holder)
        return pb.ReadPositionResponse.FromString(read)


def read_position(game: Game, encoded: bytes) -> bytes:
    """Return the encoded answer to an encoded ReadPositionRequest. Raises the error of the first invalid field."""
    request = pb.ReadPositionRequest.FromString(encoded)
    _, settings = read_rules({game.name: game}, request.rules)
    table = game.table(settings)
    viewer = _read_viewer(request, len(table.seats))
    position = _position_after(game, settings, read_value(request.opening, Opening), _read_seed(request.seed))
    return pb.ReadPositionResponse(
        rules=rules_of(game.name, game.version, settings),
        seat_layout=seat_layout_of(table),
        position=position.text(viewer),
        view_json=json_text(position.view(viewer)) if request.include_view else "",
        seats_to_move=[_seat_to_move(position, seat, viewer, request.max_legal_moves) for seat in position.owing],
        result=result_of(result_by_rules(position.outcome, table)) if position.outcome else None,
    ).SerializeToString()


def _read_viewer(request: pb.ReadPositionRequest, seats: int) -> Viewer:
    if not request.HasField("seat"):
        return REFEREE
    if request.seat >= seats:
        raise BadField("seat", f"it must be from 0 to {seats - 1}")
    return request.seat


def _read_seed(given: bytes) -> bytes:
    if given and len(given) != SEED_BYTES:
        raise BadField("seed", f"it has {len(given)} bytes, but must have {SEED_BYTES}")
    return given or bytes(SEED_BYTES)


def _position_after(game: Game, settings: Settings, opening: Opening, seed: bytes) -> Position:
    position = game.read(opening.position, settings) if opening.position else game.start(settings, seed)
    for made in opening.moves:
        position = position.play(made.seat, made.move)
    return position


def _seat_to_move(position: Position, seat: Seat, viewer: Viewer, max_moves: int) -> pb.SeatToMove:
    nothing_hidden = viewer in (seat, REFEREE) or position.text(viewer) == position.text(REFEREE)
    if not (max_moves and nothing_hidden):
        return pb.SeatToMove(seat=seat)
    moves = position.moves(seat)
    return pb.SeatToMove(
        seat=seat,
        legal_moves=moves[:max_moves],
        legal_moves_truncated=len(moves) > max_moves,
        legal_move_count=len(moves),
    )
