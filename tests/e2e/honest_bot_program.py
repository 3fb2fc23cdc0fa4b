"""Well-behaved bots in one process: each thinks for a fixed time, plays a random legal move, and measures its own time.

    python -m tests.e2e.honest_bot_program ADDRESS [--think-ms N] [--max-matches N] [--ca FILE] SECRET...

At SIGTERM they write how long they thought to standard output, one line of JSON for each move: the time from
receiving the turn to submitting the answer.
"""

import argparse
import asyncio
import json
import random
import signal
import time
from pathlib import Path
from typing import Any

import grpc
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

MAX_MATCHES = 1_000_000


class HonestBot:
    def __init__(self, secret: str, think_s: float, max_matches: int) -> None:
        self.thinking_times: list[dict[str, Any]] = []
        self._secret = secret
        self._think_s = think_s
        self._max_matches = max_matches
        self._choose = random.Random(secret)
        self._outgoing: asyncio.Queue[play_pb2.BotItem] = asyncio.Queue()
        self._received: dict[tuple[str, str], tuple[play_pb2.Turn, int]] = {}
        """Turns that are being thought about, each with the time of its receipt, by match and turn token."""
        self._thinking: set[asyncio.Task[None]] = set()

    async def play(self, channel: grpc.aio.Channel) -> None:
        """Play until cancelled. Raises grpc.RpcError if the stream breaks, which must not happen to an honest bot."""
        stream = PlayServiceStub(channel).Play(metadata=[("authorization", f"Bearer {self._secret}")])
        turn_options = play_pb2.TurnOptions(max_legal_moves=1000)
        hello = play_pb2.Hello(version="1", max_matches=self._max_matches, turn_options=turn_options)
        self._outgoing.put_nowait(play_pb2.BotItem(hello=hello))
        sending = asyncio.create_task(self._send(stream))
        async for response in stream:
            received_ns = time.monotonic_ns()
            for item in response.items:
                self._handle(item, received_ns)
        sending.cancel()

    def _handle(self, item: play_pb2.RefereeItem, received_ns: int) -> None:
        if item.HasField("ping"):
            self._outgoing.put_nowait(play_pb2.BotItem(pong=play_pb2.Pong(id=item.ping.id)))
        elif item.HasField("turn"):
            self._received[item.turn.match_id, item.turn.turn_token] = item.turn, received_ns
            task = asyncio.create_task(self._think(item.turn))
            self._thinking.add(task)
            task.add_done_callback(self._thinking.discard)

    async def _think(self, turn: play_pb2.Turn) -> None:
        await asyncio.sleep(self._think_s)
        move = self._choose.choice(turn.legal_moves)
        self._outgoing.put_nowait(
            play_pb2.BotItem(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move))
        )

    async def _send(
        self, stream: "grpc.aio.StreamStreamCall[play_service_pb2.PlayRequest, play_service_pb2.PlayResponse]"
    ) -> None:
        while True:
            items = [await self._outgoing.get()]
            while not self._outgoing.empty():
                items.append(self._outgoing.get_nowait())
            for item in items:
                self._record_answer(item.move)
            await stream.write(play_service_pb2.PlayRequest(items=items))

    def _record_answer(self, move: play_pb2.Move) -> None:
        key = move.match_id, move.turn_token
        if key in self._received:
            turn, received_ns = self._received.pop(key)
            thought_us = (time.monotonic_ns() - received_ns) // 1000
            # Written at the end, because output would add to the bot's own time.
            self.thinking_times.append(
                {"match_id": turn.match_id, "seat": turn.seat, "ply": turn.ply, "thought_us": thought_us}
            )


async def run_bots(address: str, bots: list[HonestBot], ca: Path | None) -> None:
    """Run all bots until SIGTERM."""
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_connect_and_play(address, bot, ca)) for bot in bots]
        await stopping.wait()
        for task in tasks:
            task.cancel()


async def _connect_and_play(address: str, bot: HonestBot, ca: Path | None) -> None:
    # A separate connection for each bot, since bots of different authors share none.
    options = [("grpc.use_local_subchannel_pool", 1)]
    if ca:
        trusted = grpc.ssl_channel_credentials(ca.read_bytes())
        channel = grpc.aio.secure_channel(address, trusted, options=options)
    else:
        channel = grpc.aio.insecure_channel(address, options=options)
    async with channel:
        await bot.play(channel)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("secrets", nargs="+")
    parser.add_argument("--think-ms", type=float, default=0)
    parser.add_argument("--max-matches", type=int, default=MAX_MATCHES)
    parser.add_argument("--ca", type=Path)
    arguments = parser.parse_args()
    bots = [HonestBot(secret, arguments.think_ms / 1000, arguments.max_matches) for secret in arguments.secrets]
    asyncio.run(run_bots(arguments.address, bots, arguments.ca))
    for entry in (entry for bot in bots for entry in bot.thinking_times):
        print(json.dumps(entry))  # noqa: T201  # The test reads the times from standard output.
