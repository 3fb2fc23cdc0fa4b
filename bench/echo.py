"""What no referee in Python can beat: the same loop, the same library, the same messages, and nothing decided.

`python -m bench.echo` serves Play and SubmitMove. Each Hello is answered with a turn for every match that the bot
has room for, each move with the next turn; nothing is read, checked or kept.
"""

import asyncio
import json
import sys
from typing import Any

import grpc
import uvloop
from referee_api.v1 import clock_pb2, game_pb2, match_service_pb2, play_pb2, play_service_pb2
from referee_api.v1.match_service_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server

from engines.registry import find
from referee.transport.server import Limits

GAME = find("alquerque")
RULES = game_pb2.Rules(game=GAME.name, options=GAME.settings().texts())
POSITION = GAME.start(GAME.settings(), bytes(32)).text(0)
LIMITS = Limits(1 << 20, 60_000, 20_000, 5_000, 20_000)


def turn(match_id: str, token: str) -> play_pb2.FromReferee:
    """As large as a turn of Alquerque."""
    return play_pb2.FromReferee(
        turn=play_pb2.Turn(
            match_id=match_id,
            seat=1,
            token=token,
            rules=RULES,
            ply=17,
            position=POSITION,
            moves_since=[game_pb2.SeatMove(seat=0, move="c2-c3")],
            clocks=[
                clock_pb2.Clock(seat=0, left_us=3_599_000_001, main_us=3_599_000_001),
                clock_pb2.Clock(seat=1, left_us=3_598_000_001, main_us=3_598_000_001),
            ],
            left_ms=3_598_000,
            attempts_left=3,
        )
    )


class Play(PlayServiceServicer):
    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802  # It writes by itself.
        message = await context.read()
        room = message.items[0].hello.matches_at_most
        first = [turn(f"0123456789abcd{number:02}", "17.1.3f9a52c07b1d") for number in range(room)]
        welcome = play_pb2.FromReferee(welcome=play_pb2.Welcome(bot="bot"))
        await context.write(play_service_pb2.PlayResponse(items=[welcome, *first]))
        while (message := await context.read()) is not grpc.aio.EOF:
            items = [_answer(item.move) for item in message.items]
            await context.write(play_service_pb2.PlayResponse(items=items))


def _answer(move: play_pb2.Move) -> play_pb2.FromReferee:
    return turn(move.match_id, move.token)


class Matches(MatchServiceServicer):
    async def SubmitMove(self, request: Any, context: Any) -> Any:  # noqa: N802
        return match_service_pb2.SubmitMoveResponse(number=19, ply=17)


async def serve() -> None:
    server = grpc.aio.server(options=LIMITS.options())
    add_PlayServiceServicer_to_server(Play(), server)
    add_MatchServiceServicer_to_server(Matches(), server)  # type: ignore[abstract]  # It takes moves, and no more.
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(json.dumps({"grpc": f"127.0.0.1:{port}"}) + "\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())
