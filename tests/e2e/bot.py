"""Bot process that plays a random legal move in every turn until all its matches are over.

    python -m tests.e2e.bot ADDRESS SECRET [--matches N] [--moves-at-most N]

It writes each item that it receives to standard output as one line of JSON.
"""

import argparse
import json
import queue
import random
import sys
from collections.abc import Iterator

import grpc
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub


def play(address: str, secret: str, matches: int, moves_at_most: int) -> None:
    said: queue.Queue[play_pb2.BotItem | None] = queue.Queue()
    wishes = play_pb2.TurnOptions(max_legal_moves=1000)
    said.put(play_pb2.BotItem(hello=play_pb2.Hello(version="1", max_matches=max(1, matches), turn_options=wishes)))
    ended, moves, choose = 0, 0, random.Random(secret)
    with grpc.insecure_channel(address) as channel:
        metadata = (("authorization", f"Bearer {secret}"),)
        for response in PlayServiceStub(channel).Play(_requests(said), metadata=metadata):
            for item in response.items:
                kind = item.WhichOneof("item") or ""
                told = getattr(item, kind)
                tell(kind, told)
                if kind == "ping":
                    said.put(play_pb2.BotItem(pong=play_pb2.Pong(id=told.id)))
                elif kind == "turn" and moves < moves_at_most:
                    moves += 1
                    move = choose.choice(told.legal_moves)
                    answer = play_pb2.Move(match_id=told.match_id, turn_token=told.turn_token, move=move)
                    said.put(play_pb2.BotItem(item_id=moves, move=answer))
                elif kind == "match_ended":
                    ended += 1
                    if ended == matches:
                        said.put(None)


def tell(kind: str, told: object) -> None:
    facts = {"kind": kind}
    for name in ("match_id", "seat", "turn_token", "ply", "repeated", "new_session_id", "session_id"):
        if hasattr(told, name):
            facts[name] = getattr(told, name)
    if isinstance(told, play_pb2.Verdict):
        facts["outcome"] = told.WhichOneof("outcome") or ""
    if isinstance(told, play_pb2.MatchEnded):
        facts["result"] = told.result.WhichOneof("kind") or ""
    print(json.dumps(facts), flush=True)  # noqa: T201  # The test reads the items from standard output.


def _requests(said: "queue.Queue[play_pb2.BotItem | None]") -> Iterator[play_service_pb2.PlayRequest]:
    while (item := said.get()) is not None:
        yield play_service_pb2.PlayRequest(items=[item])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("secret")
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--moves-at-most", type=int, default=1_000_000)
    given = parser.parse_args()
    try:
        play(given.address, given.secret, given.matches, given.moves_at_most)
    except grpc.RpcError as why:
        tell("stream_ended", why)
        sys.exit(f"{why.code()}: {why.details()}")
