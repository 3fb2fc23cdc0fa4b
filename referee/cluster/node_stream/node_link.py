"""One stream between two nodes, on either side: what is sent, what is received, and when it ends.

Both sides write at least a ping every second, so a silent node, or a network that has lost the way to it, is noticed
after three to four seconds, long before gRPC would.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import structlog

from referee.cluster.node_stream.stream_queue import StreamBroken, StreamQueue, StreamReader
from referee.live.ports import Time, Timer
from referee.match.clock import SECOND, Micros

PING_INTERVAL_US: Micros = SECOND
MAX_SILENCE_US: Micros = 3 * SECOND
MESSAGES_PER_YIELD = 64
"""Messages of one write that are handled before the event loop may run other tasks."""

FAULT = "a message could not be handled"

log = structlog.get_logger("referee.cluster")

Receive = Callable[[bytes], None]


@dataclass(slots=True)
class NodeStreamCounts:
    """What the streams between this node and others have carried, for metrics."""

    opened: int = 0
    sent: int = 0
    received: int = 0


class NodeLink:
    def __init__(
        self,
        receive: Receive,
        time: Time,
        max_write_bytes: int,
        counts: NodeStreamCounts,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        """`receive` is called with each message, and `begin` before that, when the other side has written something.

        The stream ends if one of them raises an exception.
        """
        self._receive = receive
        self._begin = begin
        self._time = time
        self._counts = counts
        self._queue = StreamQueue(max_write_bytes)
        self._ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Why the stream has ended."""
        self._heard_us = time.monotonic_us()
        self._timer: Timer | None = None

    @property
    def silent_us(self) -> Micros:
        """How long the other side has written nothing."""
        return self._time.monotonic_us() - self._heard_us

    def send(self, message: bytes) -> None:
        """Queue a message. It is dropped if the stream has ended, or ends because too many wait."""
        if self._ended.done():
            return
        try:
            self._queue.put(message)
        except StreamBroken as why:
            self.end(str(why))

    def end(self, why: str) -> None:
        """Receive and write nothing more, and let `run` return. The first reason counts."""
        if not self._ended.done():
            self._ended.set_result(why)

    async def run(self, read: Callable[[], Awaitable[Any]], write: Callable[[bytes], Awaitable[None]]) -> str:
        """Serve until the stream ends; return why. `read` and `write` are those of the call, which it does not end.

        Nothing refers to the call afterwards, as `OpenCall.reset` needs.
        """
        tasks = [asyncio.create_task(self._read_all(read)), asyncio.create_task(self._write_all(write))]
        self._ping(self._time.monotonic_us())
        try:
            return await self._ended
        finally:
            if self._timer:
                self._timer.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read_all(self, read: Callable[[], Awaitable[Any]]) -> None:
        reader = StreamReader()
        try:
            while (written := await read()) is not grpc.aio.EOF:
                self._heard_us = self._time.monotonic_us()
                await self._receive_all(reader.read(written))
            self.end("the other node has closed it")
        except grpc.aio.AioRpcError as error:
            self.end(f"{error.code().name}: {error.details()}")
        except Exception as why:
            self.end(str(why) or type(why).__name__)
        finally:
            self.end("it was cancelled")

    async def _receive_all(self, messages: list[bytes]) -> None:
        self._handle(self._begin)
        self._begin = lambda: None
        self._counts.received += len(messages)
        for number, message in enumerate(messages, 1):
            self._handle(self._receive, message)
            if number % MESSAGES_PER_YIELD == 0:
                await asyncio.sleep(0)

    def _handle(self, function: Callable[..., None], *arguments: bytes) -> None:
        if self._ended.done():
            return
        try:
            function(*arguments)
        except Exception as fault:
            log.error(f"{FAULT}, so the stream to another node ends", exc_info=fault)
            self.end(FAULT)

    async def _write_all(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        try:
            while True:
                written, messages = await self._queue.take()
                if self._ended.done():
                    return
                await write(written)
                self._counts.sent += messages
        except Exception:
            return  # The stream is broken, and the reader knows why.

    def _ping(self, due_us: Micros) -> None:
        """Write something, and end the stream if the other side has written nothing."""
        now_us = self._time.monotonic_us()
        late_us = max(0, now_us - due_us)  # An event loop that is late reads late as well.
        self._heard_us = min(now_us, self._heard_us + late_us)
        silent_us = now_us - self._heard_us
        if silent_us >= MAX_SILENCE_US:
            self.end(f"nothing was received for {silent_us // SECOND} s")
            return
        self._queue.ping()
        next_us = now_us + PING_INTERVAL_US
        self._timer = self._time.call_at(next_us, lambda: self._ping(next_us))
