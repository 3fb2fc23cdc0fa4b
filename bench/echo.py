"""Lower bound for a referee in Python: the same loop, library and messages, without any logic.

`python -m bench.echo` serves Play and SubmitMove. Each Hello is answered with a turn for every match that the bot has
room for, and each move with the next turn; nothing is parsed, checked or stored.

`python -m bench.echo pairs` sends as many messages as a referee: a move is answered with its verdict, and the turn goes
to the other bot of a pair. Bots are paired in the order in which they connect, and each pair has one match.
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
from referee.transport.server import ServerLimits

GAME = find("alquerque")
RULES = game_pb2.Rules(game=GAME.name, options=GAME.settings().texts())
POSITION = GAME.start(GAME.settings(), bytes(32)).text(0)
LIMITS = ServerLimits(1 << 20, 60_000, 20_000, 5_000)


def turn(match_id: str, token: str) -> play_pb2.RefereeItem:
    """Return a turn of the size of a turn of Alquerque."""
    return play_pb2.RefereeItem(
        turn=play_pb2.Turn(
            match_id=match_id,
            seat=1,
            turn_token=token,
            rules=RULES,
            ply=17,
            position=POSITION,
            move_history=[game_pb2.SeatMove(seat=0, move="c2-c3")],
            clocks=[
                clock_pb2.Clock(seat=0, time_left_us=3_599_000_001, main_us=3_599_000_001),
                clock_pb2.Clock(seat=1, time_left_us=3_598_000_001, main_us=3_598_000_001),
            ],
            time_left_ms=3_598_000,
            attempts_left=3,
        )
    )


class Play(PlayServiceServicer):
    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802  # It writes to the context.
        message = await context.read()
        room = message.items[0].hello.max_matches
        first = [turn(f"0123456789abcd{number:02}", "17.1.3f9a52c07b1d") for number in range(room)]
        welcome = play_pb2.RefereeItem(welcome=play_pb2.Welcome(bot="bot"))
        await context.write(play_service_pb2.PlayResponse(items=[welcome, *first]))
        while (message := await context.read()) is not grpc.aio.EOF:
            items = [_answer(item.move) for item in message.items]
            await context.write(play_service_pb2.PlayResponse(items=items))


class Pen:
    """Writes to one stream, one message at a time; items that arrive during a write are sent together."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._items: list[play_pb2.RefereeItem] = []
        self._writes = False

    async def write(self, item: play_pb2.RefereeItem) -> None:
        self._items.append(item)
        if self._writes:
            return
        self._writes = True
        while self._items:
            items, self._items = self._items, []
            await self._context.write(play_service_pb2.PlayResponse(items=items))
        self._writes = False


class Pairs(PlayServiceServicer):
    def __init__(self) -> None:
        self._alone: list[Pen] = []
        self._others: dict[Pen, Pen] = {}
        self._formed = 0

    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802  # It writes to the context.
        await context.read()
        pen = Pen(context)
        await pen.write(play_pb2.RefereeItem(welcome=play_pb2.Welcome(bot="bot")))
        await self._pair_up(pen)
        while (message := await context.read()) is not grpc.aio.EOF:
            for item in message.items:
                await pen.write(_verdict(item.move))
                await self._others[pen].write(_answer(item.move))

    async def _pair_up(self, pen: Pen) -> None:
        if not self._alone:
            self._alone.append(pen)
            return
        other = self._alone.pop()
        self._others |= {pen: other, other: pen}
        self._formed += 1
        await other.write(turn(f"{self._formed:016}", "17.1.3f9a52c07b1d"))


def _verdict(move: play_pb2.Move) -> play_pb2.RefereeItem:
    """Return a verdict of the size of a verdict on a move of Alquerque."""
    return play_pb2.RefereeItem(
        verdict=play_pb2.Verdict(
            match_id=move.match_id,
            turn_token=move.turn_token,
            accepted=play_pb2.Acceptance(entry_number=19, ply=17),
            clock_charge=clock_pb2.ClockCharge(
                asked_us=3_000_000_001,
                arrived_us=3_000_300_001,
                stall_us=200_001,
                charged_us=100_000,
                before=clock_pb2.Clock(seat=0, time_left_us=3_599_000_001, main_us=3_599_000_001),
                after=clock_pb2.Clock(seat=0, time_left_us=3_598_900_001, main_us=3_598_900_001),
            ),
        )
    )


def _answer(move: play_pb2.Move) -> play_pb2.RefereeItem:
    return turn(move.match_id, move.turn_token)


class Matches(MatchServiceServicer):
    async def SubmitMove(self, request: Any, context: Any) -> Any:  # noqa: N802
        return match_service_pb2.SubmitMoveResponse(entry_number=19, ply=17)


async def serve() -> None:
    server = grpc.aio.server(options=LIMITS.options())
    add_PlayServiceServicer_to_server(Pairs() if "pairs" in sys.argv else Play(), server)
    add_MatchServiceServicer_to_server(Matches(), server)  # type: ignore[abstract]  # Only SubmitMove is implemented.
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(json.dumps({"grpc": f"127.0.0.1:{port}"}) + "\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())
