"""Bots in one process that record everything that they are told and do, each in a file of its own (history.py).

    python -m tests.cluster.recording_bots FOLDER THINK_MS < INPUT

The first line of standard input is a JSON object with the secrets of the bots by name; each further line is a JSON list
of addresses, up to the end of the input. A bot connects to one of them, and after a failure to the next
one, also in the middle of its matches. It thinks for a fixed time, then plays a legal move that depends on nothing but
its name and the turn, so that a repeated turn gets the same answer. An answer that is rejected because the store is not
available is sent again. What other processes wait for is written to standard output, one line for each event.
"""

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import grpc
from referee_api.v1 import play_pb2
from referee_client.address import Address
from referee_client.stream import HeartbeatTimeout, Outbox, Stream

from tests.cluster.history import HistoryWriter, MoveSent, OwnLag, SessionOpened, StreamEnded
from tests.cluster.message_lines import match_end_received, turn_received, verdict_received
from tests.cluster.recorder_program import RETRY_S, Addresses, announce, now_us

MAX_MATCHES = 4
RETRIED = {"STORE_UNAVAILABLE", "MATCH_MOVING"}
LAG_STEP_S = 0.02
"""How often the process checks whether it was delayed itself, and the delay from which on it records that."""


class RecordingBot:
    def __init__(self, name: str, secret: str, think_s: float, addresses: Addresses, writer: HistoryWriter) -> None:
        self._name = name
        self._secret = secret
        self._think_s = think_s
        self._addresses = addresses
        self._writer = writer
        self._moves: dict[tuple[str, str], str] = {}
        """Answers by match and turn token."""
        self._outbox: Outbox | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(self, first: int) -> None:
        """Play until cancelled, beginning with the address at this place of the list."""
        place = first
        while True:
            address = await self._addresses.at(place)
            await self._hold_session(address)
            place += 1
            await asyncio.sleep(RETRY_S)

    async def _hold_session(self, target: str) -> None:
        """Play on one address until the stream ends."""
        address = Address(target, self._secret)
        with address.channel() as channel:
            outbox = self._outbox = Outbox()
            turn_options = play_pb2.TurnOptions(max_legal_moves=1000)
            hello = play_pb2.Hello(version="1", max_matches=MAX_MATCHES, turn_options=turn_options)
            outbox.put(play_pb2.BotItem(hello=hello))
            stream = Stream(channel, address.metadata, outbox)
            status, detail = "OK", ""
            try:
                async for message in stream.messages():
                    for item in message.items:
                        self._handle(item, stream, target)
            except grpc.RpcError as error:
                status, detail = error.code().name, str(error.details())
            except HeartbeatTimeout as timeout:
                status, detail = "HEARTBEAT_TIMEOUT", str(timeout)
            finally:
                for task in self._tasks:
                    task.cancel()
                self._outbox = None
                stream.close()
                self._writer.write(StreamEnded(target, status, detail, at_us=now_us()))

    def _handle(self, item: play_pb2.RefereeItem, stream: Stream, target: str) -> None:
        kind = item.WhichOneof("item") or ""
        content: Any = getattr(item, kind) if kind else None
        match kind:
            case "ping":
                self._send(play_pb2.BotItem(pong=play_pb2.Pong(id=content.id)))
            case "welcome":
                stream.heartbeat_timeout_s = content.heartbeat_timeout_ms / 1000
                self._writer.write(SessionOpened(target, content.session_id, at_us=now_us()))
                announce("session", self._name)
            case "turn":
                self._on_turn(content)
            case "verdict":
                self._on_verdict(content)
            case "match_ended":
                self._writer.write(match_end_received(content, now_us()))
                announce("over", content.match_id)
                announce("ended", f"{content.match_id} {self._name}")

    def _on_turn(self, turn: play_pb2.Turn) -> None:
        self._writer.write(turn_received(turn, now_us()))
        key = turn.match_id, turn.turn_token
        known = key in self._moves
        if not known:
            choose = random.Random(f"{self._name} {turn.match_id} {turn.turn_token}")
            self._moves[key] = choose.choice(turn.legal_moves)
        # A turn that it has answered before needs no more thinking.
        self._answer_after(0 if known else self._think_s, *key)

    def _on_verdict(self, verdict: play_pb2.Verdict) -> None:
        line = verdict_received(verdict, now_us())
        self._writer.write(line)
        if line.outcome == "accepted":
            announce("accepted", line.match_id)
        elif line.reason in RETRIED:
            self._answer_after(RETRY_S, line.match_id, line.token)

    def _answer_after(self, pause_s: float, match_id: str, token: str) -> None:
        task = asyncio.create_task(self._answer(pause_s, match_id, token))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, pause_s: float, match_id: str, token: str) -> None:
        await asyncio.sleep(pause_s)
        move = self._moves[match_id, token]
        self._writer.write(MoveSent(match_id, token, move, at_us=now_us()))
        self._send(play_pb2.BotItem(move=play_pb2.Move(match_id=match_id, turn_token=token, move=move)))

    def _send(self, item: play_pb2.BotItem) -> None:
        if self._outbox:
            self._outbox.put(item)


async def measure_own_lag(writers: list[HistoryWriter]) -> None:
    """Record in all files when this process did not run, so that nobody else is blamed for it."""
    while True:
        before = time.monotonic()
        await asyncio.sleep(LAG_STEP_S)
        lag_s = time.monotonic() - before - LAG_STEP_S
        if lag_s > LAG_STEP_S:
            for writer in writers:
                writer.write(OwnLag(round(lag_s * 1e6), at_us=now_us()))


async def main(folder: Path, think_ms: float) -> None:
    secrets, addresses = json.loads(sys.stdin.readline()), Addresses()
    writers = {name: HistoryWriter(folder / f"{name}.jsonl") for name in secrets}
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(measure_own_lag(list(writers.values())))]
        for place, (name, secret) in enumerate(secrets.items()):
            bot = RecordingBot(name, secret, think_ms / 1000, addresses, writers[name])
            tasks.append(group.create_task(bot.play(place)))
        await addresses.read(sys.stdin)
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
