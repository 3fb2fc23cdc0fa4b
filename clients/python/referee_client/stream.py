"""One Play stream.

It goes through grpc's synchronous calls, in threads: the asynchronous ones forget why the referee ended a
stream if the bot was just saying something (grpc issue 36066), and a bot must know whether to come back.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import grpc
from referee_api.v1.play_pb2 import FromBot
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

WELCOME_WITHIN_S = 15.0
"""As the `gone_after_ms` of a referee by default."""


class Outbox:
    """What waits to be said. What comes together goes together, and so does what comes while a message is going."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._coming: list[FromBot] = []
        self._ready: list[FromBot] = []
        self._changed = threading.Condition()
        self._closed = False

    def say(self, item: FromBot) -> None:
        """Only from the loop."""
        if not self._coming:
            self._loop.call_soon(self._hand_over)
        self._coming.append(item)

    def messages(self) -> Iterator[PlayRequest]:
        """All that is ready, again and again until the end. For another thread."""
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

    def _taken(self) -> list[FromBot]:
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self._closed)
            taken, self._ready = self._ready, []
            return [] if self._closed else taken


class Silence(Exception):
    """Nothing was received for too long: the connection may be dead without either end having been told."""


class Stream:
    """Made within a loop; the outbox's first item must be a Hello."""

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...], outbox: Outbox) -> None:
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[PlayResponse | grpc.RpcError | None] = asyncio.Queue()
        self._outbox = outbox
        self.max_silence_s = WELCOME_WITHIN_S
        """To be set to what the Welcome says."""
        self._call = PlayServiceStub(channel).Play(outbox.messages(), metadata=metadata)
        threading.Thread(target=self._listen, name="stream", daemon=True).start()

    async def messages(self) -> AsyncIterator[PlayResponse]:
        """What the referee says, until the stream ends. Raises Silence, or grpc.RpcError if it does not end well."""
        while isinstance(heard := await self._next(), PlayResponse):
            yield heard
        if heard:
            raise heard

    async def _next(self) -> PlayResponse | grpc.RpcError | None:
        try:
            async with asyncio.timeout(self.max_silence_s):
                return await self._heard.get()
        except TimeoutError:
            # The loop may have been held up by the bot's own code, with the message waiting all the while.
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
        with suppress(RuntimeError):  # The loop is closed: nobody wants to know any more.
            self._loop.call_soon_threadsafe(self._heard.put_nowait, heard)
