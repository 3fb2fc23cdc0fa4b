"""A small bot that follows the protocol, or violates one clause of it: python -m tests.conformance.bot [FAULT]"""

import os
import queue
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
FILE = os.environ.get("BOT_TOKEN_FILE", "")
TOKEN = Path(FILE).read_text() if FILE and FAULT != "reads no file" else os.environ["BOT_TOKEN"]
EXIT_STATUS = {grpc.StatusCode.UNAUTHENTICATED: 4, grpc.StatusCode.ABORTED: 3}
MAX_MATCHES_TEXT = os.environ.get("BOT_MAX_MATCHES", "4")
if not MAX_MATCHES_TEXT.isdecimal():
    sys.exit("BOT_MAX_MATCHES is no number") if FAULT == "any status" else sys.stderr.write("BOT_MAX_MATCHES\n")
    sys.exit(2)
MAX_MATCHES = int(MAX_MATCHES_TEXT)
SMALL_BYTES = 10_000
FIRST_PAUSE_S = 0.5
STABLE_S = 10.0
WELCOME_TIMEOUT_S = 15.0

answers: dict[tuple[str, str], str] = {}
"""Answers by match and token."""
decided: set[tuple[str, str]] = set()
"""Answers that have a verdict, by match and token."""
nonces: dict[str, bytes] = {}
"""Nonces by match."""
sessions = 0


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(1 if FAULT == "ends badly" else 0))
    pause_s = FIRST_PAUSE_S
    while True:
        began_at = time.monotonic()
        reconnect_delay_s, welcomed = session()
        if FAULT == "stays away":
            sys.exit(0)
        if time.monotonic() - began_at > STABLE_S or (welcomed and FAULT == "a welcome is enough"):
            pause_s = FIRST_PAUSE_S
        time.sleep(pause_s if reconnect_delay_s is None else reconnect_delay_s)
        pause_s *= 2


def session() -> tuple[float | None, bool]:
    """Run one session. Return the requested delay before reconnecting, if any, and whether a Welcome arrived."""
    global sessions  # noqa: PLW0603  # A small program needs no class for one counter.
    sessions += 1
    outgoing: queue.Queue[play_pb2.BotItem] = queue.Queue()
    version = {"long version": "v" * 65, "new version": str(sessions)}.get(FAULT, "1")
    if FAULT != "ignores its settings":
        version = os.environ.get("BOT_VERSION") or version
    turn_options = play_pb2.TurnOptions(max_legal_moves=5_000)
    hello = play_pb2.Hello(version=version, max_matches=MAX_MATCHES, turn_options=turn_options)
    outgoing.put(play_pb2.BotItem(hello=hello))
    size = SMALL_BYTES if FAULT == "reads little" else -1
    reconnect_delay_s, welcomed = None, False
    options = [("grpc.max_receive_message_length", size), ("grpc.use_local_subchannel_pool", 1)]
    with open_channel(os.environ["BOT_REFEREE"], options) as channel:
        metadata = (("authorization", f"Bearer {TOKEN}"),)
        stream = PlayServiceStub(channel).Play(requests(outgoing), metadata=metadata)
        silence_s = WELCOME_TIMEOUT_S
        watch = start_timer(silence_s, stream)
        try:
            for message in stream:
                watch.cancel()
                watch = start_timer(silence_s, stream)
                for item in message.items[:1] if FAULT == "reads one item" else message.items:
                    kind = item.WhichOneof("item") or ""
                    welcomed = welcomed or kind == "welcome"
                    if kind == "draining" and FAULT != "hurries":
                        reconnect_delay_s = item.draining.reconnect_delay_ms / 1_000
                    if kind == "welcome":
                        watch.cancel()
                        silence_s = item.welcome.heartbeat_timeout_ms / 1_000
                        watch = start_timer(silence_s, stream)
                    handle(kind, item, outgoing)
                    if kind == "verdict" and FAULT == "a verdict is enough":
                        break
        except grpc.RpcError as error:
            if error.code() in EXIT_STATUS and FAULT != "comes back":
                sys.exit(1 if FAULT == "wrong status" else EXIT_STATUS[error.code()])
        finally:
            watch.cancel()
    return reconnect_delay_s, welcomed


def open_channel(address: str, options: list[tuple[str, int]]) -> grpc.Channel:
    if not (ca := os.environ.get("BOT_CA")):
        return grpc.insecure_channel(address, options)
    files = Path(ca).parent.glob("*.pem") if FAULT == "trusts others" else [Path(ca)]
    roots = b"".join(file.read_bytes() for file in files)
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options)


def start_timer(silence_s: float, stream: Any) -> threading.Timer:
    """Start a timer that cancels the stream if nothing arrives."""
    timer = threading.Timer(silence_s, stream.cancel)
    timer.daemon = True
    if FAULT != "waits for ever":
        timer.start()
    return timer


def handle(kind: str, item: Any, outgoing: "queue.Queue[play_pb2.BotItem]") -> None:
    if kind == "ping":
        if FAULT != "no pong" and not (FAULT == "deaf while it thinks" and answers):
            outgoing.put(play_pb2.BotItem(pong=play_pb2.Pong(id=item.ping.id)))
    elif kind == "turn":
        answer(item.turn, outgoing)
    elif kind == "nonce_request":
        outgoing.put(play_pb2.BotItem(nonce=nonce(item.nonce_request)))
    elif exits_on(kind, item):
        sys.exit(1)
    elif kind == "verdict":
        decided.add((item.verdict.match_id, item.verdict.turn_token))
        retry(item.verdict, outgoing)


def exits_on(kind: str, item: Any) -> bool:
    verdict = item.verdict
    return {
        "no stale": kind == "verdict" and verdict.WhichOneof("outcome") == "stale",
        "no repeats": kind == "verdict" and verdict.repeated,
        "no lapses": kind == "turn_expired",
        "no ends": kind == "match_ended",
        "only known matches": kind == "match_ended" and all(match != item.match_ended.match_id for match, _ in answers),
        "only known items": not kind,
        "only known values": kind == "verdict" and verdict.WhichOneof("outcome") is None,
    }.get(FAULT, False)


def answer(turn: play_pb2.Turn, outgoing: "queue.Queue[play_pb2.BotItem]") -> None:
    ignored = {
        "one seat": turn.seat != 0,
        "one game": turn.rules.game != "alquerque",
        "nothing sealed": turn.simultaneous,
        "no offers": bool(turn.draw_offer_seats),
        "one attempt": turn.attempts_left < 3,
        "only known fields": len(UnknownFieldSet(turn)) > 0,
        "waits for verdicts": not answers.keys() <= decided,
    }.get(FAULT, False)
    if ignored:
        return
    key = (turn.match_id, turn.turn_token)
    known = answers.get(key)
    if known is None or FAULT == "thinks anew" or (FAULT == "forgets" and turn.repeated):
        choice = turn.legal_moves[(len(turn.legal_moves) - 1) if known == turn.legal_moves[0] else 0]
        answers[key] = "nonsense" if FAULT == "illegal" else choice
    outgoing.put(
        play_pb2.BotItem(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=answers[key]))
    )


def retry(verdict: play_pb2.Verdict, outgoing: "queue.Queue[play_pb2.BotItem]") -> None:
    """Send the answer again later, if the rejection allows it."""
    wait = verdict.rejected.error.metadata.get("retry_after_ms", "")
    if not wait:
        return
    wait_s = int(wait) / 1_000 if wait.isdecimal() else 1.0
    move = play_pb2.Move(
        match_id=verdict.match_id,
        turn_token=verdict.turn_token,
        move=answers[verdict.match_id, verdict.turn_token],
    )
    if FAULT == "retries at once" or (FAULT == "retries at once if it is malformed" and not wait.isdecimal()):
        wait_s = 0
    timer = threading.Timer(wait_s, outgoing.put, (play_pb2.BotItem(move=move),))
    timer.daemon = True
    timer.start()


def nonce(request: play_pb2.NonceRequest) -> play_pb2.Nonce:
    match_id = request.match_id
    random = b"x" * 32 if FAULT == "is predictable" else nonces.setdefault(match_id, secrets.token_bytes(32))
    return play_pb2.Nonce(match_id=match_id, seat=request.seat, nonce=random)


def requests(outgoing: "queue.Queue[play_pb2.BotItem]") -> Iterator[play_service_pb2.PlayRequest]:
    while True:
        yield play_service_pb2.PlayRequest(items=[outgoing.get()])


if __name__ == "__main__":
    main()
