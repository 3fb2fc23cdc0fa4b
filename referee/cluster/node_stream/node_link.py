"""One stream between two nodes, on either side: what is sent, what is received, and when it ends.

Both sides write at least a ping every second, so a silent node, or a network that has lost the way to it, is noticed
after three to four seconds, long before gRPC would.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import msgspec
import structlog
from msgspec import Struct

from referee.live.ports import Time, Timer
from referee.match.clock import SECOND, Micros

MAX_QUEUED_MESSAGES = 10_000
MAX_QUEUED_BYTES = 16 << 20
"""Also the maximum size of one message."""
PART_BYTES = 5
"""Length of the header of one part in its written form."""


class Write(Struct, frozen=True, array_like=True, gc=False):
    """One message of gRPC."""

    parts: list[bytes]
    """Messages, or parts of them. Without any, it is a ping."""
    continued: bool = False
    """Whether the last one goes on in the next write."""


class StreamBroken(Exception):
    """The stream must end. `str()` is one sentence."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Write).decode


class StreamQueue:
    def __init__(self, max_write_bytes: int) -> None:
        """`max_write_bytes` must be a little less than the other side accepts."""
        self._max_write_bytes = max_write_bytes
        self._messages: deque[bytes] = deque()
        self._bytes = 0
        """Size of all messages, except what was written of the first one."""
        self._written_of_first = 0
        self._ready = asyncio.Event()

    def put(self, message: bytes) -> None:
        """Add a message. Raises StreamBroken if too many wait."""
        if len(self._messages) >= MAX_QUEUED_MESSAGES or self._bytes + len(message) > MAX_QUEUED_BYTES:
            raise StreamBroken("the other node reads too slowly, and too many messages wait for it")
        self._messages.append(message)
        self._bytes += len(message)
        self._ready.set()

    def ping(self) -> None:
        """Let something be written, even if no message waits."""
        self._ready.set()

    async def take(self) -> tuple[bytes, int]:
        """Wait until something has to be written; return it, and the number of messages that it completes."""
        await self._ready.wait()
        self._ready.clear()
        parts: list[bytes] = []
        room, completed = self._max_write_bytes, 0
        while self._messages and room > 0:
            parts.append(self._take_part(room))
            room -= len(parts[-1]) + PART_BYTES
            completed += not self._written_of_first
        if self._messages:
            self._ready.set()
        return _encode(Write(parts, self._written_of_first > 0)), completed

    def _take_part(self, room: int) -> bytes:
        first, begin = self._messages[0], self._written_of_first
        part = first[begin : begin + room]
        self._bytes -= len(part)
        if begin + len(part) < len(first):
            self._written_of_first += len(part)
        else:
            self._written_of_first = 0
            self._messages.popleft()
        return part


class StreamReader:
    """Makes messages of what was written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        """Parts of a message that goes on in the next write."""
        self._bytes = 0

    def read(self, written: bytes) -> list[bytes]:
        """Return the messages that this write completes. Raises StreamBroken if it is not one."""
        try:
            write = _decode(written)
        except msgspec.MsgspecError as why:
            raise StreamBroken(f"the other node has sent something else than messages: {why}") from None
        messages = write.parts
        if self._parts and messages:
            self._parts.append(messages[0])
            self._bytes += len(messages[0])
            if len(messages) == 1 and write.continued:
                self._check_size()
                return []
            messages[0] = b"".join(self._parts)
            self._parts, self._bytes = [], 0
        if messages and write.continued:
            self._parts = [messages.pop()]
            self._bytes = len(self._parts[0])
        return messages

    def _check_size(self) -> None:
        if self._bytes > MAX_QUEUED_BYTES:
            raise StreamBroken("the other node has sent a message that is too large")


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
