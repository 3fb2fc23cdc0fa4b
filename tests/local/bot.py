"""A bot process for arena tests, correct or faulty. It reads BOT_REFEREE and BOT_TOKEN_FILE as every bot does.

python -m tests.local.bot honest | silent | illegal | dies | dies-at-once | deaf | plays-toc
"""

import os
import queue
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

OutgoingItems = queue.Queue[play_pb2.BotItem]


def play(behaviour: str, outgoing: OutgoingItems) -> None:
    turn_options = play_pb2.TurnOptions(max_legal_moves=1000)
    max_matches = int(os.environ["BOT_MAX_MATCHES"])
    hello = play_pb2.Hello(version="1", max_matches=max_matches, turn_options=turn_options)
    if behaviour == "plays-toc":
        hello.games.append("toc")
    outgoing.put(play_pb2.BotItem(hello=hello))
    with grpc.insecure_channel(os.environ["BOT_REFEREE"]) as channel:
        metadata = (("authorization", f"Bearer {Path(os.environ['BOT_TOKEN_FILE']).read_text()}"),)
        for response in PlayServiceStub(channel).Play(_requests(outgoing), metadata=metadata):
            for item in response.items:
                if item.HasField("ping"):
                    outgoing.put(play_pb2.BotItem(pong=play_pb2.Pong(id=item.ping.id)))
                elif item.HasField("turn"):
                    answer(behaviour, item.turn, outgoing)


def answer(behaviour: str, turn: play_pb2.Turn, outgoing: OutgoingItems) -> None:
    if behaviour == "dies":
        sys.stderr.write("I have seen enough\n")
        os._exit(7)
    if behaviour != "silent":
        move = "nonsense" if behaviour == "illegal" else random.choice(turn.legal_moves)
        outgoing.put(
            play_pb2.BotItem(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move))
        )


def _requests(outgoing: OutgoingItems) -> Iterator[play_service_pb2.PlayRequest]:
    while True:
        yield play_service_pb2.PlayRequest(items=[outgoing.get()])


if __name__ == "__main__":
    if sys.argv[1] == "dies-at-once":
        sys.exit("I will not play")
    if sys.argv[1] == "parent":
        subprocess.Popen(["sleep", "3600"])  # It does not end by itself.
    play(sys.argv[1], queue.Queue())
