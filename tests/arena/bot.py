"""A bot process for an arena, honest or not. It finds its referee as every bot does, by BOT_REFEREE and BOT_TOKEN_FILE.

python -m tests.arena.bot honest | silent | illegal | dies | dies-at-once | deaf
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

Said = queue.Queue[play_pb2.FromBot]


def play(manner: str, said: Said) -> None:
    wishes = play_pb2.TurnWishes(legal_moves_at_most=1000)
    at_most = int(os.environ["BOT_MATCHES_AT_MOST"])
    said.put(play_pb2.FromBot(hello=play_pb2.Hello(version="1", matches_at_most=at_most, wishes=wishes)))
    with grpc.insecure_channel(os.environ["BOT_REFEREE"]) as channel:
        metadata = (("authorization", f"Bearer {Path(os.environ['BOT_TOKEN_FILE']).read_text()}"),)
        for response in PlayServiceStub(channel).Play(_requests(said), metadata=metadata):
            for item in response.items:
                if item.HasField("ping"):
                    said.put(play_pb2.FromBot(pong=play_pb2.Pong(id=item.ping.id)))
                elif item.HasField("turn"):
                    answer(manner, item.turn, said)


def answer(manner: str, turn: play_pb2.Turn, said: Said) -> None:
    if manner == "dies":
        sys.stderr.write("I have seen enough\n")
        os._exit(7)
    if manner != "silent":
        move = "nonsense" if manner == "illegal" else random.choice(turn.legal_moves)
        said.put(play_pb2.FromBot(move=play_pb2.Move(match_id=turn.match_id, token=turn.token, move=move)))


def _requests(said: Said) -> Iterator[play_service_pb2.PlayRequest]:
    while True:
        yield play_service_pb2.PlayRequest(items=[said.get()])


if __name__ == "__main__":
    if sys.argv[1] == "dies-at-once":
        sys.exit("I will not play")
    if sys.argv[1] == "parent":
        subprocess.Popen(["sleep", "3600"])  # It does not know when to go.
    play(sys.argv[1], queue.Queue())
