"""Bot that a test controls by hand, over a real connection: it sends given items and reads items one by one."""

import queue
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import grpc
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.e2e.server import TIMEOUT_S, bearer

STREAM_TIMEOUT_S = 5 * TIMEOUT_S


class BotConnection:
    """One Play stream, after Welcome has arrived. Pings are answered when they are read."""

    def __init__(
        self, channel: grpc.Channel, secret: str, version: str = "1", timeout_s: float = STREAM_TIMEOUT_S, **hello: Any
    ) -> None:
        """`hello` are other fields of its Hello."""
        self._outgoing: queue.Queue[Sequence[play_pb2.BotItem] | None] = queue.Queue()
        self._incoming: list[play_pb2.RefereeItem] = []
        turn_options = play_pb2.TurnOptions(max_legal_moves=1000)
        self.send(hello={"version": version, "max_matches": 8, "turn_options": turn_options} | hello)
        self._call: Any = PlayServiceStub(channel).Play(self._requests(), metadata=bearer(secret), timeout=timeout_s)
        self.session_id = self.receive("welcome").session_id

    def send(self, **item: Any) -> None:
        self.send_together(play_pb2.BotItem(**item))

    def send_move(self, turn: play_pb2.Turn, move: str = "", **more: bool) -> None:
        """Answer a turn, by its first legal move unless another is given."""
        answer = {"match_id": turn.match_id, "turn_token": turn.turn_token, "move": move or turn.legal_moves[0]}
        self.send(move=answer | more)

    def send_together(self, *items: play_pb2.BotItem) -> None:
        """Send these items in one message."""
        self._outgoing.put(items)

    def receive(self, *kinds: str) -> Any:
        """Read up to the next item of one of these kinds, and return it; other items are skipped."""
        while True:
            item = self._next()
            kind = item.WhichOneof("item") or ""
            if kind == "ping":
                self.send(pong=play_pb2.Pong(id=item.ping.id))
            if kind in kinds:
                return getattr(item, kind)

    def receive_until_ping(self, times: int = 1) -> Sequence[str]:
        """Read until `times` pings have arrived, and return the kinds of all items."""
        kinds: list[str] = []
        while kinds.count("ping") < times:
            item = self._next()
            kinds.append(item.WhichOneof("item") or "")
            if kinds[-1] == "ping":
                self.send(pong=play_pb2.Pong(id=item.ping.id))
        return kinds

    def read_to_end(self) -> None:
        """Read until the stream ends, without sending anything."""
        for _ in self._call:
            pass

    def close(self) -> None:
        """Close the stream in an orderly way, and wait until it has ended."""
        self._outgoing.put(None)
        self.read_to_end()

    def cancel(self) -> None:
        """Cancel the call, as if the connection were lost."""
        self._call.cancel()

    def _next(self) -> play_pb2.RefereeItem:
        while not self._incoming:
            self._incoming = list(next(self._call).items)
        return self._incoming.pop(0)

    def _requests(self) -> Iterator[play_service_pb2.PlayRequest]:
        while (items := self._outgoing.get()) is not None:
            yield play_service_pb2.PlayRequest(items=items)

    def abort(self) -> None:
        """Cancel the call, and end the thread that sends its requests."""
        self._outgoing.put(None)
        self._call.cancel()


@contextmanager
def connect_bot(
    channel: grpc.Channel, secret: str, version: str = "1", timeout_s: float = STREAM_TIMEOUT_S, **hello: Any
) -> Iterator[BotConnection]:
    connection = BotConnection(channel, secret, version, timeout_s, **hello)
    try:
        yield connection
    finally:
        connection.abort()
