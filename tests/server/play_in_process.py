"""Play streams inside this process: the whole server except gRPC itself, with bots that answer at once.

For deterministic measurements of the path of a move. Every bot replays a game that was recorded before, so that bots
cost next to nothing.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import uvloop
from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest

from engines.registry import find
from referee.accounts.tokens import BudgetOwner, Quota
from referee.live.match_request import MatchRequest
from referee.live.match_timing import LoopTime
from referee.live.sessions import Hello
from referee.match.clock import SECOND, Fischer
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player
from referee.match.state import MatchPhase
from referee.observability.metrics import Metrics
from referee.observability.tracing import UNTRACED
from referee.server.application import Application
from referee.server.settings import Settings
from referee.server.stores import open_stores
from referee.transport.play.pulled_stream import PulledStream
from referee.transport.play.reader import HeartbeatConfig, PlayStream, StreamHost
from referee.transport.services.bot_requests import RejectionRecorder
from referee.transport.wire.matches import MatchContext
from tests.match.setups import time_control
from tests.transport.rate_limiters import create_rate_limiter

PLIES = 60
ENOUGH = Quota(10**6, 10**6, 10**9, 10**6, 10**6)
HEARTBEAT = HeartbeatConfig(1000, 60_000, 600 * SECOND)


@cache
def recorded_moves(game_name: str) -> tuple[str, ...]:
    """Return the first moves of a game in which each seat plays its last legal move without a capture."""
    game = find(game_name)
    position, moves = game.start(game.settings(), bytes(32)), list[str]()
    for _ in range(PLIES):
        legal = position.moves(position.owing[0])
        quiet = [move for move in legal if "x" not in move] or legal
        moves.append(quiet[len(moves) % len(quiet)])
        position = position.play(position.owing[0], moves[-1])
        if position.outcome:
            return tuple(moves[:-1])
    return tuple(moves)


class BotStream:
    """Context of a Play stream whose bot answers every message with the recorded moves of all turns in it."""

    def __init__(self, moves: Sequence[str], on_answer: Callable[[int], None]) -> None:
        self._moves = moves
        self._on_answer = on_answer
        self._requests: list[PlayRequest] = []
        self._waiting: asyncio.Future[None] | None = None
        self.verdicts = 0

    async def read(self) -> PlayRequest:
        while not self._requests:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return self._requests.pop(0)

    async def write(self, response: Any) -> None:
        message = type(response).FromString(response.SerializeToString())
        request = PlayRequest()
        for item in message.items:
            if item.WhichOneof("item") == "turn" and item.turn.ply < len(self._moves):
                move = play_pb2.Move(
                    match_id=item.turn.match_id, turn_token=item.turn.turn_token, move=self._moves[item.turn.ply]
                )
                request.items.add(item_id=item.turn.ply + 1, move=move)
            elif item.WhichOneof("item") == "verdict":
                assert item.verdict.WhichOneof("outcome") == "accepted", item
                self.verdicts += 1
        if request.items:
            self._on_answer(len(request.items))
            self._requests.append(request)
            if self._waiting and not self._waiting.done():
                self._waiting.set_result(None)


@dataclass(slots=True)
class Progress:
    moves: int = 0


async def play_matches(
    folder: Path, game_name: str, pairs: int, matches_per_bot: int, around: AbstractContextManager[Any]
) -> int:
    """Play matches to the end of the recording and return the number of moves.

    `around` is active while moves are played.
    """
    moves, game = recorded_moves(game_name), find(game_name)
    time, metrics = LoopTime(), Metrics("test")
    stores = open_stores(Settings(data_dir=folder), time, metrics.committed)
    application = Application(Settings(), stores, metrics, time, UNTRACED, lambda _: None)
    await application.open()
    referee = application.referee
    progress, done, wanted = Progress(), asyncio.Event(), pairs * matches_per_bot * len(moves)

    def on_answer(count: int) -> None:
        progress.moves += count
        if progress.moves >= wanted:
            done.set()

    rate_limiter = create_rate_limiter(time, ENOUGH)
    rejections = RejectionRecorder(application.bot_log_recorder, time)
    context = MatchContext(referee.sessions.is_online, application.duplicate_secrecy)

    host = cast(StreamHost, SimpleNamespace(map_error=None, match_context=context))
    tasks = []
    players = [Player(f"bot{number}", "1") for number in range(2 * pairs)]
    seats = len(game.table(game.settings()).seats)
    sessions = [referee.sessions.open(player, Hello(max_matches=matches_per_bot), player.bot) for player in players]
    for pair in range(pairs):
        for _ in range(matches_per_bot):
            seated = tuple(players[2 * pair + seat % 2] for seat in range(seats))
            terms = MatchTerms(game_name, game.settings(), time_control((Fischer(3600 * SECOND, SECOND),)))
            request = MatchRequest(terms, players=seated, seed=bytes(32))
            await referee.create(request)
    while any(match.phase is not MatchPhase.PLAYING for match in referee.live_matches):
        await asyncio.sleep(0)
    for session in sessions:
        stream = BotStream(moves, on_answer)
        play = PlayStream(
            referee, session, BudgetOwner(session.player.bot), host, rate_limiter, rejections, time, HEARTBEAT
        )
        tasks.append(asyncio.create_task(play.run(PulledStream(stream, play), [])))
        await rate_limiter.quota(session.player.bot)  # It is read before what is measured begins.
    with around:
        await asyncio.wait([asyncio.create_task(done.wait()), *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    failures = [ended for ended in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(ended, Exception)]
    assert not failures, failures
    await referee.close()
    await application.close()
    await stores.close()
    return progress.moves


def run_matches(
    folder: Path, game_name: str, pairs: int, matches_per_bot: int, around: AbstractContextManager[Any]
) -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(play_matches(folder, game_name, pairs, matches_per_bot, around))
