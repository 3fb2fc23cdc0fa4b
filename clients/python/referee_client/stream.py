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

WELCOME_WITHIN_S = 15.0
"""The default `heartbeat_timeout_ms` of a referee."""


class Outbox:
    """Outgoing queue. Items that are queued together, or while a message is being sent, are sent in one message."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._coming: list[BotItem] = []
        self._ready: list[BotItem] = []
        self._changed = threading.Condition()
        self._closed = False

    def say(self, item: BotItem) -> None:
        """Queue an item. Must be called on the event loop."""
        if not self._coming:
            self._loop.call_soon(self._hand_over)
        self._coming.append(item)

    def messages(self) -> Iterator[PlayRequest]:
        """Return messages with everything that is queued, until the queue is closed. For another thread."""
        while items := self._taken():
            yield PlayRequest(items=items)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _hand_over(self) -> None:
        with self._changed:
            self._ready += self._coming
            self._changed.notify_all()
        self._coming = []

    def _taken(self) -> list[BotItem]:
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self._closed)
            taken, self._ready = self._ready, []
            return [] if self._closed else taken


class Silence(Exception):
    """Nothing was received for too long: the connection may be dead without either end having noticed."""


class Stream:
    """A Play stream. It must be created on an event loop, and the first item of the outbox must be a Hello."""

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...], outbox: Outbox) -> None:
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[PlayResponse | grpc.RpcError | None] = asyncio.Queue()
        self._outbox = outbox
        self.max_silence_s = WELCOME_WITHIN_S
        """How long to wait for a message; set to the value of the Welcome once it has arrived."""
        self._call = PlayServiceStub(channel).Play(outbox.messages(), metadata=metadata)
        threading.Thread(target=self._listen, name="stream", daemon=True).start()

    async def messages(self) -> AsyncIterator[PlayResponse]:
        """Return the messages of the referee until the stream ends.

        Raises Silence, or grpc.RpcError if the stream ends with an error.
        """
        while isinstance(heard := await self._next(), PlayResponse):
            yield heard
        if heard:
            raise heard

    async def _next(self) -> PlayResponse | grpc.RpcError | None:
        try:
            async with asyncio.timeout(self.max_silence_s):
                return await self._heard.get()
        except TimeoutError:
            # The bot's own code may have blocked the loop while the message was already waiting.
            if self._heard.empty():
                raise Silence(f"nothing was received for {self.max_silence_s:g} s") from None
            return self._heard.get_nowait()

    def close(self) -> None:
        self._outbox.close()
        self._call.cancel()

    def _listen(self) -> None:
        end: grpc.RpcError | None = None
        try:
            for message in self._call:
                self._tell(message)
        except grpc.RpcError as why:
            end = why
        self._tell(end)

    def _tell(self, heard: PlayResponse | grpc.RpcError | None) -> None:
        with suppress(RuntimeError):  # The loop is closed, so the message is not needed any more.
            self._loop.call_soon_threadsafe(self._heard.put_nowait, heard)
