"""A small bot that follows the client specification: python -m tests.conformance.bot

Each rule has a method or constant of its own, so that a wrong bot (`wrong_bots`) overrides only this.
"""

import os
import queue
import random
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import grpc
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

Items = list[play_pb2.BotItem]
Seat = tuple[str, int]
STABLE_S = 10.0
WELCOME_TIMEOUT_S = 5.0
MAX_RETRY_AFTER_MS = 60_000
REJECTIONS = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT)


@dataclass(eq=False)
class OpenTurn:
    """A turn and its answer, which is computed at once."""

    turn: play_pb2.Turn
    answer: play_pb2.BotItem
    session: int
    """Session in which it last arrived."""


class Bot:
    """Plays until the process is stopped."""

    max_message_bytes = 64 << 20
    invalid_setting_status = 2
    stopped_status = 0
    taken_over_status = 3
    rejected_status = 4
    timeout_s: float | None = None
    """Deadline of a stream."""

    def __init__(self) -> None:
        self.environment = os.environ
        self.item_ids = count(1)
        self.open: dict[Seat, OpenTurn] = {}
        self.nonces: dict[Seat, bytes] = {}
        self.version = self.environment.get("BOT_VERSION", "")
        self.session = 0
        self.pause_s = 0.75
        self.draining_s: float | None = None
        self.silence_s = WELCOME_TIMEOUT_S
        self.welcomed_s: float | None = None
        self.outgoing: queue.Queue[Items | None] = queue.Queue()
        self.items: Items = []
        """Items to be sent after the message that is being handled."""
        self.answers: list[OpenTurn] = []
        """The same for answers, unless their turn ends in this message."""
        self.lock = threading.Lock()
        self.token = self.read_token()
        self.max_matches = self.read_max_matches()

    # Settings

    def read_token(self) -> str:
        return self.environment.get("BOT_TOKEN") or Path(self.environment["BOT_TOKEN_FILE"]).read_text().strip()

    def read_max_matches(self) -> int:
        text = self.environment.get("BOT_MAX_MATCHES", "4")
        if not text.isdecimal():
            sys.stderr.write("BOT_MAX_MATCHES is no number\n")
            sys.exit(self.invalid_setting_status)
        return int(text)

    def roots(self) -> bytes:
        return Path(self.environment["BOT_CA"]).read_bytes()

    # Sessions

    def run(self) -> None:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(self.stopped_status))
        while True:
            self.run_session()
            time.sleep(self.next_pause_s())

    def next_pause_s(self) -> float:
        if self.draining_s is not None:
            return self.draining_s + random.random() / 2
        if self.is_stable():
            self.pause_s = 0.75
        pause_s, self.pause_s = self.pause_s, min(2 * self.pause_s, 3)
        return pause_s * random.uniform(1 / 3, 1)

    def is_stable(self) -> bool:
        return self.welcomed_s is not None and time.monotonic() - self.welcomed_s > STABLE_S

    def run_session(self) -> None:
        self.session += 1
        self.draining_s, self.silence_s, self.welcomed_s = None, WELCOME_TIMEOUT_S, None
        self.outgoing = queue.Queue()
        self.outgoing.put([play_pb2.BotItem(hello=self.hello())])
        channel = self.open_channel()
        stream: Any = PlayServiceStub(channel).Play(
            self.requests(self.outgoing), metadata=self.metadata(), timeout=self.timeout_s
        )
        watch = self.start_timer(stream)
        try:
            for message in stream:
                watch.cancel()
                with self.lock:
                    self.on_message(message)
                watch = self.start_timer(stream)
        except grpc.RpcError as error:
            self.on_status(error)
        else:
            self.on_status(stream)
        finally:
            watch.cancel()
            self.outgoing.put(None)
            self.close(channel)

    def hello(self) -> play_pb2.Hello:
        return play_pb2.Hello(
            version=self.version,
            max_matches=self.max_matches,
            turn_options=play_pb2.TurnOptions(max_legal_moves=5_000),
            verdicts_with_turns=self.environment.get("BOT_VERDICTS_WITH_TURNS") == "1",
            client="tests/1",
        )

    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)

    def open_channel(self) -> grpc.Channel:
        address = self.environment["BOT_REFEREE"]
        options = [("grpc.max_receive_message_length", self.max_message_bytes), ("grpc.use_local_subchannel_pool", 1)]
        if not self.environment.get("BOT_CA"):
            return grpc.insecure_channel(address, options)
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(self.roots()), options)

    def close(self, channel: grpc.Channel) -> None:
        channel.close()

    def start_timer(self, stream: Any) -> threading.Timer:
        """Start a timer that cancels the stream if nothing arrives."""
        return start(self.silence_s, stream.cancel)

    def requests(self, outgoing: "queue.Queue[Items | None]") -> Iterator[play_service_pb2.PlayRequest]:
        while (items := outgoing.get()) is not None:
            yield play_service_pb2.PlayRequest(items=items)

    def on_status(self, ended: Any) -> None:
        if ended.code() == grpc.StatusCode.ABORTED:
            sys.exit(self.taken_over_status)
        if ended.code() in REJECTIONS:
            self.report(ended.details())
            sys.exit(self.rejected_status)

    def report(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")

    # Items

    def on_message(self, message: Any) -> None:
        for item in message.items:
            self.on_item(item.WhichOneof("item"), item)
        self.flush()

    def on_item(self, kind: str | None, item: Any) -> None:
        if handle := getattr(self, f"on_{kind}", None):
            handle(getattr(item, kind or ""))

    def flush(self) -> None:
        """Send in one message what was ready at the end of a message."""
        items = [*self.items, *(asked.answer for asked in self.answers if self.is_open(asked))]
        self.items, self.answers = [], []
        if items:
            self.outgoing.put(items)

    def is_open(self, asked: OpenTurn) -> bool:
        seat = (asked.turn.match_id, asked.turn.seat)
        return self.open.get(seat) is asked and asked.session == self.session

    def on_welcome(self, welcome: play_pb2.Welcome) -> None:
        self.welcomed_s = time.monotonic()
        self.version = welcome.version
        self.silence_s = welcome.heartbeat_timeout_ms / 1_000

    def on_draining(self, draining: play_pb2.Draining) -> None:
        self.draining_s = draining.reconnect_delay_ms / 1_000

    def on_ping(self, ping: play_pb2.Ping) -> None:
        self.items.append(play_pb2.BotItem(pong=play_pb2.Pong(id=ping.id)))

    def on_nonce_request(self, request: play_pb2.NonceRequest) -> None:
        nonce = self.nonces.setdefault((request.match_id, request.seat), self.new_nonce())
        answer = play_pb2.Nonce(match_id=request.match_id, seat=request.seat, nonce=nonce)
        self.items.append(play_pb2.BotItem(nonce=answer))

    def new_nonce(self) -> bytes:
        return secrets.token_bytes(32)

    def on_turn(self, turn: play_pb2.Turn) -> None:
        seat = (turn.match_id, turn.seat)
        if seat not in self.open or self.open[seat].turn.turn_token != turn.turn_token:
            self.open[seat] = OpenTurn(turn, self.answer(turn), self.session)
        self.open[seat].session = self.session
        self.answers.append(self.open[seat])

    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        move = play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=self.choose(turn))
        return play_pb2.BotItem(item_id=next(self.item_ids), move=move)

    def choose(self, turn: play_pb2.Turn) -> str:
        return random.choice(turn.legal_moves)

    def on_verdict(self, verdict: play_pb2.Verdict) -> None:
        named = (verdict.match_id, verdict.turn_token)
        for asked in [asked for asked in self.open.values() if (asked.turn.match_id, asked.turn.turn_token) == named]:
            if verdict.HasField("stale"):
                self.end_turns([asked])
            elif verdict.HasField("rejected"):
                self.on_rejection(asked, verdict.rejected)

    def on_rejection(self, asked: OpenTurn, rejection: play_pb2.Rejection) -> None:
        if "retry_after_ms" in rejection.error.metadata:
            wait_s = self.retry_after_s(rejection.error.metadata["retry_after_ms"])
            start(wait_s, self.send_again, asked)

    def retry_after_s(self, text: str) -> float:
        is_number = text.isascii() and text.isdigit() and int(text) <= MAX_RETRY_AFTER_MS
        return int(text) / 1_000 if is_number else 1.0

    def send_again(self, asked: OpenTurn) -> None:
        with self.lock:
            if self.is_open(asked):
                self.outgoing.put([asked.answer])

    def on_turn_expired(self, expired: play_pb2.TurnExpired) -> None:
        named = (expired.match_id, expired.turn_token)
        self.end_turns([asked for asked in self.open.values() if (asked.turn.match_id, asked.turn.turn_token) == named])

    def on_match_ended(self, ended: play_pb2.MatchEnded) -> None:
        self.end_turns([asked for asked in self.open.values() if asked.turn.match_id == ended.match_id])

    def end_turns(self, ended: list[OpenTurn]) -> None:
        for asked in ended:
            del self.open[asked.turn.match_id, asked.turn.seat]


def start(after_s: float, function: Any, *arguments: Any) -> threading.Timer:
    timer = threading.Timer(after_s, function, arguments)
    timer.daemon = True
    timer.start()
    return timer


if __name__ == "__main__":
    Bot().run()
