"""One connection to a NATS server: the client's part of its text protocol.

A message costs one call in each direction: there is no queue and no task for each subscription. Everything that is sent
in one iteration of the event loop is one write. docs/decisions/nats.md says why it is not a client library.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from msgspec import Struct, json

MAX_MESSAGE_BYTES = 1024 * 1024
"""Larger messages, which NATS allows only where it is configured so, break the connection."""
MAX_LINE_BYTES = 64 * 1024
"""Limit of a line from the server. The longest, INFO, lists the addresses of all servers."""
MAX_REASON_CHARS = 200
CLOSE_TIMEOUT_S = 1
"""Time for the server to take what was sent before the end."""


class ConnectionFailed(Exception):
    """The connection could not be made, or broke. `str()` says why, in a few words."""


class NatsInfo(Struct, frozen=True):
    """What matters here of what a server says of itself."""

    max_payload: int
    tls_required: bool = False
    tls_available: bool = False


class NatsConnection(asyncio.Protocol):
    """Reads and writes the protocol. It lasts until the connection breaks, and is not used again."""

    def __init__(
        self, on_message: Callable[[bytes, bytes], None], on_error: Callable[[str], None], on_lost: Callable[[], None]
    ) -> None:
        """Call `on_message` with the id of the subscription and the payload.

        `on_error` gets the server's errors, after which the connection may last; `on_lost` is called at its end.
        """
        loop = asyncio.get_running_loop()
        self.info: asyncio.Future[NatsInfo] = loop.create_future()
        """What the server says of itself, first of all. Raises ConnectionFailed."""
        self.reason = ""
        """Why the connection broke, or the last error of the server."""
        self._loop = loop
        self._on_message = on_message
        self._on_error = on_error
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._rest = b""
        self._outgoing: list[bytes] = []
        self._outgoing_bytes = 0
        self._pings: deque[asyncio.Future[bool]] = deque()
        self.lost = asyncio.Event()
        """Set when the connection can no longer be used."""
        self._closed = asyncio.Event()

    @property
    def waiting_bytes(self) -> int:
        """How much was sent and has not left this process."""
        return self._outgoing_bytes + (self._transport.get_write_buffer_size() if self._transport else 0)

    def send(self, data: bytes) -> None:
        """Send whole lines, at the end of this iteration of the event loop."""
        if not self._outgoing:
            self._loop.call_soon(self._write)
        self._outgoing.append(data)
        self._outgoing_bytes += len(data)

    def ping(self) -> "asyncio.Future[bool]":
        """Return True once the server has handled all that was sent before, and False if the connection broke."""
        pong: asyncio.Future[bool] = self._loop.create_future()
        if self.lost.is_set():
            pong.set_result(False)
        else:
            self._pings.append(pong)
            self.send(b"PING\r\n")
        return pong

    async def start_tls(self, context: Any, server_name: str) -> None:
        """Encrypt the connection. The server must wait for it."""
        assert self._transport
        plain, self._transport = self._transport, None  # It closes itself if this fails, and calls nothing here.
        encrypted = await self._loop.start_tls(plain, self, context, server_hostname=server_name)
        if encrypted is None:
            raise ConnectionFailed("the connection broke during the TLS handshake")
        self._transport = encrypted

    async def close(self) -> None:
        """Write what was sent, and end the connection. Nothing is received afterwards."""
        self._write()
        self._end()
        if self._transport:
            self._transport.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self._closed.wait()
            self._transport.abort()
        await asyncio.sleep(0)  # The transport closes its socket in the next iteration.

    def abort(self, reason: str) -> None:
        """Break the connection, unless it is broken."""
        if self.lost.is_set():
            return
        self.reason = reason
        if self._transport:
            self._transport.abort()
        self._end()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # Those of uvloop do not inherit from it.

    def data_received(self, data: bytes) -> None:
        unread = self._rest + data if self._rest else data
        try:
            self._rest = unread[self._read(unread) :]
        except ValueError as wrong:
            self.abort(f"the server does not speak the protocol of NATS: {wrong}"[:MAX_REASON_CHARS])

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed.set()
        self.reason = self.reason or (str(exc) if exc else "the server closed the connection")
        self._end()

    def _write(self) -> None:
        if self._outgoing and self._transport and not self.lost.is_set():
            self._transport.write(b"".join(self._outgoing))
        self._outgoing.clear()
        self._outgoing_bytes = 0

    def _read(self, data: bytes) -> int:
        """Handle what is complete, and return where the rest begins. Raises ValueError."""
        start, end = 0, len(data)
        while not self.lost.is_set():
            line_end = data.find(b"\r\n", start, start + MAX_LINE_BYTES)
            if line_end < 0:
                if end - start >= MAX_LINE_BYTES:
                    raise ValueError("a line is too long")
                break
            if data.startswith(b"MSG ", start):
                fields = data[start + 4 : line_end].split(b" ")
                size = int(fields[-1])
                if not 0 <= size <= MAX_MESSAGE_BYTES or len(fields) < 3:
                    raise ValueError("a message is too large, or is not described")
                payload_start = line_end + 2
                payload_end = payload_start + size
                if payload_end + 2 > end:
                    break
                start = payload_end + 2
                self._on_message(fields[1], data[payload_start:payload_end])
            else:
                self._handle_line(data[start:line_end])
                start = line_end + 2
        return start

    def _handle_line(self, line: bytes) -> None:
        verb, _, text = line.partition(b" ")
        match verb:
            case b"PING":
                self.send(b"PONG\r\n")
            case b"PONG":
                if self._pings and not (pong := self._pings.popleft()).done():
                    pong.set_result(True)
            case b"INFO":
                if not self.info.done():
                    self.info.set_result(json.decode(text, type=NatsInfo))
            case b"-ERR":
                self.reason = text.decode(errors="replace").strip("' ")[:MAX_REASON_CHARS]
                self._on_error(self.reason)
            case b"+OK":
                pass
            case _:
                raise ValueError("a line has an unknown verb")

    def _end(self) -> None:
        if self.lost.is_set():
            return
        self.lost.set()
        if not self.info.done():
            self.info.set_exception(ConnectionFailed(self.reason))
            self.info.exception()  # Nobody may be waiting for it.
        for pong in self._pings:
            if not pong.done():
                pong.set_result(False)
        self._pings.clear()
        self._on_lost()
