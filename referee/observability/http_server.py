"""HTTP server for health checks and metrics.

It runs in a thread with an event loop of its own, so that it can report that the main event loop is blocked. A
connection serves one request and is closed. The size and duration of a request are limited, and if too many connections
are open the oldest is closed, so that slow clients cannot block probes.
"""

import asyncio
import re
import socket
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from referee.match.clock import SECOND, Micros

MAX_HEAD_BYTES = 8_192
TIMEOUT_S = 5.0
"""Timeout for a client to send its request, for the response to be created, and for the client to read it."""
MAX_CONNECTIONS = 128
"""If one more is opened, the oldest is closed. `referee/server/open_files.py` reserves files for them."""
BACKLOG = 1_024
"""Connections that wait to be accepted by the kernel."""
MAX_SILENCE_US: Micros = 10 * SECOND
"""Time for which the main event loop may be blocked before `/healthz` fails."""

PLAIN = "text/plain; charset=utf-8"
END_OF_HEAD = b"\r\n\r\n"
REQUEST_LINE = re.compile(rb"(?P<method>[A-Z]{1,20}) (?P<path>/[!-~]*) HTTP/1\.[01]\r\n")


@dataclass(frozen=True, slots=True)
class HttpResponse:
    status: HTTPStatus
    body: bytes
    content_type: str = PLAIN

    def bytes(self, with_body: bool) -> bytes:
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\n"
            f"Content-Type: {self.content_type}\r\n"
            f"Content-Length: {len(self.body)}\r\n"
            "Cache-Control: no-store\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Connection: close\r\n\r\n"
        )
        return head.encode("ascii") + (self.body if with_body else b"")


Page = Callable[[], Awaitable[HttpResponse]]


def text_response(status: HTTPStatus, sentence: str) -> HttpResponse:
    return HttpResponse(status, f"{sentence}\n".encode())


def server_pages(metrics: Page, not_ready: Callable[[], str], silent_us: Callable[[], Micros]) -> dict[str, Page]:
    """Return the pages of a server. Both functions are called in the thread of the HTTP server.

    `not_ready` returns why the server is not ready, or an empty text. `silent_us` returns for how long the main event
    loop has been blocked.
    """

    def not_alive() -> str:
        silence_us = silent_us()
        return f"the event loop has been blocked for {silence_us // SECOND} s" if silence_us > MAX_SILENCE_US else ""

    async def alive() -> HttpResponse:
        return _status(not_alive(), "alive")

    async def ready() -> HttpResponse:
        return _status(not_ready() or not_alive(), "ready")

    return {"/metrics": metrics, "/healthz": alive, "/readyz": ready}


def page_on_loop(loop: asyncio.AbstractEventLoop, make: Callable[[], HttpResponse]) -> Page:
    """Return a page whose content is created on another event loop."""

    async def create() -> HttpResponse:
        return make()

    async def page() -> HttpResponse:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(create(), loop))

    return page


def _status(problem: str, success: str) -> HttpResponse:
    return text_response(HTTPStatus.SERVICE_UNAVAILABLE, problem) if problem else text_response(HTTPStatus.OK, success)


class HttpServer:
    """Serves pages by their path, in a thread of its own, from `open` to `close`."""

    def __init__(
        self, pages: Mapping[str, Page], timeout_s: float = TIMEOUT_S, max_connections: int = MAX_CONNECTIONS
    ) -> None:
        self._pages = pages
        self._timeout_s = timeout_s
        self._max_connections = max_connections
        self._open: dict[StreamWriter, None] = {}
        """The oldest first; a dict for its order."""
        self._server: asyncio.Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, host: str, port: int) -> int:
        """Listen, and return the port; 0 is any free port. Raises OSError."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="http", daemon=True)
        self._thread.start()
        return asyncio.run_coroutine_threadsafe(self._listen(host, port), self._loop).result()

    def close(self) -> None:
        """Stop listening, and close all connections. Closing twice is allowed."""
        loop, self._loop = self._loop, None
        if loop:
            asyncio.run_coroutine_threadsafe(self._stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()

    async def _listen(self, host: str, port: int) -> int:
        # If no file can be opened, asyncio fails once for each connection of the backlog, with a log line for each, and
        # does so every second. So asyncio accepts one at a time, and only the kernel knows the real backlog.
        self._server = await asyncio.start_server(self._serve, host, port, limit=MAX_HEAD_BYTES, backlog=1)
        for listening in self._server.sockets:
            same = socket.socket(fileno=listening.fileno())
            same.listen(BACKLOG)
            same.detach()
        chosen: int = self._server.sockets[0].getsockname()[1]
        return chosen

    async def _stop(self) -> None:
        if self._server:
            self._server.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        if len(self._open) >= self._max_connections:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.transport.abort()
        self._open[writer] = None
        writer.transport.set_write_buffer_limits(0)  # So that `drain` waits until everything is sent.
        try:
            with suppress(ConnectionError, TimeoutError):
                answer = await self._answer(reader)
                if answer:
                    await self._send(writer, answer)
        finally:
            self._open.pop(writer, None)
            writer.transport.abort()  # Do not wait for a client that has not read everything.

    async def _answer(self, reader: StreamReader) -> bytes:
        """Return the response; empty if the client has closed the connection."""
        try:
            async with asyncio.timeout(self._timeout_s):
                head = await reader.readuntil(END_OF_HEAD)
        except asyncio.IncompleteReadError:
            return b""
        except asyncio.LimitOverrunError:
            return text_response(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "request too large").bytes(True)
        except TimeoutError:
            return text_response(HTTPStatus.REQUEST_TIMEOUT, "request timed out").bytes(True)
        return await self._page(head)

    async def _page(self, head: bytes) -> bytes:
        request = REQUEST_LINE.match(head)
        if not request:
            return text_response(HTTPStatus.BAD_REQUEST, "malformed request").bytes(True)
        page = self._pages.get(request["path"].partition(b"?")[0].decode("ascii"))
        if not page:
            return text_response(HTTPStatus.NOT_FOUND, f"not found; known: {', '.join(self._pages)}").bytes(True)
        if request["method"] not in (b"GET", b"HEAD"):
            return text_response(HTTPStatus.METHOD_NOT_ALLOWED, "method not allowed; use GET").bytes(True)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await page()
        except TimeoutError:
            answer = text_response(HTTPStatus.SERVICE_UNAVAILABLE, "the event loop does not respond")
        return answer.bytes(request["method"] == b"GET")

    async def _send(self, writer: StreamWriter, answer: bytes) -> None:
        async with asyncio.timeout(self._timeout_s):
            writer.write(answer)
            await writer.drain()
