"""Messages of a node stream that wait to be written, and their written form.

All that wait are written together, up to a size. A message that does not fit is continued in the next write.
"""

import asyncio
from collections import deque

import msgspec
from msgspec import Struct

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
