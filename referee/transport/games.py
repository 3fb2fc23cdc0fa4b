"""GameService: games without a match."""

from collections.abc import Mapping
from typing import Any

from referee_api.v1 import game_service_pb2 as pb
from referee_api.v1.game_service_pb2_grpc import GameServiceServicer

from engines.api import REFEREE, Game, Position, Seat, Viewer
from engines.options import Settings
from referee.app.refusals import BadField
from referee.app.wish import Opening, find_game
from referee.app.worker_pool import Run, run_here
from referee.core.result import by_rules
from referee.core.setup import SEED_BYTES
from referee.transport.auth import CALLER
from referee.transport.convert.results import result_of
from referee.transport.convert.rules import game_of, json_text, read_opening, read_rules, rules_of, table_of


class Games(GameServiceServicer):
    def __init__(self, games: Mapping[str, Game], legal_moves_at_most: int, run: Run = run_here) -> None:
        """`run` runs what may take long."""
        self._run = run
        self._games = games
        self._legal_moves_at_most = legal_moves_at_most
        self._told = {name: game_of(game) for name, game in sorted(games.items())}

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:
        return pb.ListGamesResponse(games=self._told.values())

    async def GetGame(self, request: pb.GetGameRequest, context: Any) -> pb.GetGameResponse:
        return pb.GetGameResponse(game=self._told[find_game(self._games, request.name).name])

    async def ReadPosition(self, request: pb.ReadPositionRequest, context: Any) -> pb.ReadPositionResponse:
        game = find_game(self._games, request.rules.game)
        request.legal_moves_at_most = min(request.legal_moves_at_most, self._legal_moves_at_most)
        caller = CALLER.get(None)  # The conformance kit serves games to whoever comes.
        holder = caller.holder if caller else ""
        read = await self._run(read_position, game, request.SerializeToString(), holder=holder)
        return pb.ReadPositionResponse.FromString(read)


def read_position(game: Game, asked: bytes) -> bytes:
    """The answer to an encoded ReadPositionRequest, encoded too. Raises a refusal of whatever cannot be read."""
    request = pb.ReadPositionRequest.FromString(asked)
    _, settings = read_rules({game.name: game}, request.rules)
    table = game.table(settings)
    viewer = _viewer(request, len(table.seats))
    position = _opened(game, settings, read_opening(request.opening), _seed(request.seed))
    return pb.ReadPositionResponse(
        rules=rules_of(game.name, game.version, settings),
        table=table_of(table),
        position=position.text(viewer),
        view_json=json_text(position.view(viewer)) if request.with_view else "",
        owed=[_owed(position, seat, viewer, request.legal_moves_at_most) for seat in position.owing],
        result=result_of(by_rules(position.outcome, table)) if position.outcome else None,
    ).SerializeToString()


def _viewer(request: pb.ReadPositionRequest, seats: int) -> Viewer:
    if not request.HasField("seat"):
        return REFEREE
    if request.seat >= seats:
        raise BadField("seat", f"seats are 0 to {seats - 1} here")
    return request.seat


def _seed(given: bytes) -> bytes:
    if given and len(given) != SEED_BYTES:
        raise BadField("seed", f"it has {len(given)} bytes; {SEED_BYTES} are right")
    return given or bytes(SEED_BYTES)


def _opened(game: Game, settings: Settings, opening: Opening, seed: bytes) -> Position:
    position = game.read(opening.position, settings) if opening.position else game.start(settings, seed)
    for seat, move in opening.moves:
        position = position.play(seat, move)
    return position


def _owed(position: Position, seat: Seat, viewer: Viewer, at_most: int) -> pb.OwedMove:
    nothing_hidden = viewer in (seat, REFEREE) or position.text(viewer) == position.text(REFEREE)
    if not (at_most and nothing_hidden):
        return pb.OwedMove(seat=seat)
    moves = position.moves(seat)
    return pb.OwedMove(
        seat=seat,
        legal_moves=moves[:at_most],
        legal_moves_truncated=len(moves) > at_most,
        legal_moves_count=len(moves),
    )
