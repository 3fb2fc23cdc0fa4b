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


class Talk:
    """One Play stream, after Welcome has arrived. Pings are answered when they are read."""

    def __init__(
        self, channel: grpc.Channel, secret: str, version: str = "1", timeout_s: float = 5 * TIMEOUT_S
    ) -> None:
        self._said: queue.Queue[Sequence[play_pb2.BotItem] | None] = queue.Queue()
        self._waiting: list[play_pb2.RefereeItem] = []
        wishes = play_pb2.TurnOptions(max_legal_moves=1000)
        self.say(hello=play_pb2.Hello(version=version, max_matches=8, turn_options=wishes))
        self._call: Any = PlayServiceStub(channel).Play(self._requests(), metadata=bearer(secret), timeout=timeout_s)
        self.session_id = self.hear("welcome").session_id

    def say(self, **item: Any) -> None:
        self.say_together(play_pb2.BotItem(**item))

    def say_together(self, *items: play_pb2.BotItem) -> None:
        """Send these items in one message."""
        self._said.put(items)

    def hear(self, *kinds: str) -> Any:
        """Read up to the next item of one of these kinds, and return it; other items are skipped."""
        while True:
            item = self._next()
            kind = item.WhichOneof("item") or ""
            if kind == "ping":
                self.say(pong=play_pb2.Pong(id=item.ping.id))
            if kind in kinds:
                return getattr(item, kind)

    def until_a_ping(self, times: int = 1) -> Sequence[str]:
        """Read until `times` pings have arrived, and return the kinds of all items."""
        heard: list[str] = []
        while heard.count("ping") < times:
            item = self._next()
            heard.append(item.WhichOneof("item") or "")
            if heard[-1] == "ping":
                self.say(pong=play_pb2.Pong(id=item.ping.id))
        return heard

    def listen(self) -> None:
        """Read until the stream ends, without sending anything."""
        for _ in self._call:
            pass

    def hang_up(self) -> None:
        """Close the stream in an orderly way, and wait until it has ended."""
        self._said.put(None)
        self.listen()

    def break_off(self) -> None:
        """Cancel the call, as if the connection were lost."""
        self._call.cancel()

    def _next(self) -> play_pb2.RefereeItem:
        while not self._waiting:
            self._waiting = list(next(self._call).items)
        return self._waiting.pop(0)

    def _requests(self) -> Iterator[play_service_pb2.PlayRequest]:
        while (items := self._said.get()) is not None:
            yield play_service_pb2.PlayRequest(items=items)

    def end(self) -> None:
        self._said.put(None)
        self._call.cancel()


@contextmanager
def talk(channel: grpc.Channel, secret: str, version: str = "1", timeout_s: float = STREAM_TIMEOUT_S) -> Iterator[Talk]:
    talking = Talk(channel, secret, version, timeout_s)
    try:
        yield talking
    finally:
        talking.end()
