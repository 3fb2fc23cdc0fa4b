"""Bot process that plays a random legal move in every turn until all its matches are over.

    python -m tests.e2e.bot ADDRESS SECRET [--matches N] [--max-moves N]

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


def play(address: str, secret: str, matches: int, max_moves: int) -> None:
    outgoing: queue.Queue[play_pb2.BotItem | None] = queue.Queue()
    turn_options = play_pb2.TurnOptions(max_legal_moves=1000)
    outgoing.put(
        play_pb2.BotItem(hello=play_pb2.Hello(version="1", max_matches=max(1, matches), turn_options=turn_options))
    )
    ended, moves, choose = 0, 0, random.Random(secret)
    with grpc.insecure_channel(address) as channel:
        metadata = (("authorization", f"Bearer {secret}"),)
        for response in PlayServiceStub(channel).Play(_requests(outgoing), metadata=metadata):
            for item in response.items:
                kind = item.WhichOneof("item") or ""
                content = getattr(item, kind)
                write_item(kind, content)
                if kind == "ping":
                    outgoing.put(play_pb2.BotItem(pong=play_pb2.Pong(id=content.id)))
                elif kind == "turn" and moves < max_moves:
                    moves += 1
                    move = choose.choice(content.legal_moves)
                    answer = play_pb2.Move(match_id=content.match_id, turn_token=content.turn_token, move=move)
                    outgoing.put(play_pb2.BotItem(item_id=moves, move=answer))
                elif kind == "match_ended":
                    ended += 1
                    if ended == matches:
                        outgoing.put(None)


def write_item(kind: str, content: object) -> None:
    entry = {"kind": kind}
    for name in ("match_id", "seat", "turn_token", "ply", "repeated", "new_session_id", "session_id"):
        if hasattr(content, name):
            entry[name] = getattr(content, name)
    if isinstance(content, play_pb2.Verdict):
        entry["outcome"] = content.WhichOneof("outcome") or ""
    if isinstance(content, play_pb2.MatchEnded):
        entry["result"] = content.result.WhichOneof("kind") or ""
    print(json.dumps(entry), flush=True)  # noqa: T201  # The test reads the items from standard output.


def _requests(outgoing: "queue.Queue[play_pb2.BotItem | None]") -> Iterator[play_service_pb2.PlayRequest]:
    while (item := outgoing.get()) is not None:
        yield play_service_pb2.PlayRequest(items=[item])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("secret")
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--max-moves", type=int, default=1_000_000)
    arguments = parser.parse_args()
    try:
        play(arguments.address, arguments.secret, arguments.matches, arguments.max_moves)
    except grpc.RpcError as error:
        write_item("stream_ended", error)
        sys.exit(f"{error.code()}: {error.details()}")
