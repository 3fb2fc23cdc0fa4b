"""One Play stream.

It uses the synchronous calls of grpc, in threads. The asynchronous ones lose the status with which the referee ended a
stream if the bot was sending at that moment (grpc issue 36066), and a bot needs it to decide whether to reconnect.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import grpc
from referee_api.v1.play_pb2 import BotItem
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

WELCOME_TIMEOUT_S = 5.0
"""The heartbeat timeout until a Welcome says which one the referee uses."""


class Outbox:
    """Outgoing queue. Items that are queued together, or while a message is being sent, are sent in one message."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._new: list[BotItem] = []
        self._ready: list[BotItem] = []
        self._changed = threading.Condition()
        self._closed = False

    def put(self, item: BotItem) -> None:
        """Queue an item. Must be called on the event loop."""
        if not self._new:
            self._loop.call_soon(self._hand_over)
        self._new.append(item)

    def messages(self) -> Iterator[PlayRequest]:
        """Return messages with everything that is queued, until the queue is closed. For another thread."""
        while items := self._take():
            yield PlayRequest(items=items)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _hand_over(self) -> None:
        with self._changed:
            self._ready += self._new
            self._changed.notify_all()
        self._new = []

    def _take(self) -> list[BotItem]:
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self._closed)
            taken, self._ready = self._ready, []
            return [] if self._closed else taken


class HeartbeatTimeout(Exception):
    """Nothing was received for too long: the connection may be dead without either end having noticed."""


class Stream:
    """A Play stream. It must be created on an event loop, and the first item of the outbox must be a Hello."""

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...], outbox: Outbox) -> None:
        self._loop = asyncio.get_running_loop()
        self._received: asyncio.Queue[PlayResponse | grpc.RpcError | None] = asyncio.Queue()
        self._outbox = outbox
        self.heartbeat_timeout_s = WELCOME_TIMEOUT_S
        """How long to wait for a message."""
        self._call = PlayServiceStub(channel).Play(outbox.messages(), metadata=metadata)
        threading.Thread(target=self._read, name="stream", daemon=True).start()

    async def messages(self) -> AsyncIterator[PlayResponse]:
        """Return the messages of the referee until the stream ends.

        Raises HeartbeatTimeout, or grpc.RpcError if the stream ends with an error.
        """
        while isinstance(received := await self._next(), PlayResponse):
            yield received
        if received:
            raise received

    async def _next(self) -> PlayResponse | grpc.RpcError | None:
        try:
            async with asyncio.timeout(self.heartbeat_timeout_s):
                return await self._received.get()
        except TimeoutError:
            # The bot's own code may have blocked the loop while the message was already waiting.
            if self._received.empty():
                raise HeartbeatTimeout(f"nothing was received for {self.heartbeat_timeout_s:g} s") from None
            return self._received.get_nowait()

    def close(self) -> None:
        self._outbox.close()
        self._call.cancel()

    def _read(self) -> None:
        end: grpc.RpcError | None = None
        try:
            for message in self._call:
                self._deliver(message)
        except grpc.RpcError as error:
            end = error
        self._deliver(end)

    def _deliver(self, received: PlayResponse | grpc.RpcError | None) -> None:
        with suppress(RuntimeError):  # The loop is closed, so the message is no longer needed.
            self._loop.call_soon_threadsafe(self._received.put_nowait, received)
