"""The HTTP port: a few pages to be fetched, and nothing else.

It runs in a thread and an event loop of its own, so that it can say that the referee's event loop does not answer.
A connection asks one question, gets its answer and is closed. What it may send and how long it may take are bounded,
and where too many are open the oldest is closed: slow connections cannot keep a prober out.
"""

import asyncio
import re
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from referee.core.clock import SECOND, Micros

HEAD_AT_MOST_BYTES = 8_192
WITHIN_S = 5.0
"""How long a connection may take for all it has to say, then for its answer to be made, and again to take it."""
AT_ONCE = 256
"""When one more connection comes, the oldest is closed."""
BACKLOG = 1_024
"""Connections that wait to be accepted."""
ALIVE_WITHIN_US: Micros = 10 * SECOND
"""For how long the referee's event loop may be silent until it does not count as alive."""

PLAIN = "text/plain; charset=utf-8"
END_OF_HEAD = b"\r\n\r\n"
ASKED = re.compile(rb"(?P<method>[A-Z]{1,20}) (?P<path>/[!-~]*) HTTP/1\.[01]\r\n")


@dataclass(frozen=True, slots=True)
class Answer:
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


Page = Callable[[], Awaitable[Answer]]


def says(status: HTTPStatus, sentence: str) -> Answer:
    return Answer(status, f"{sentence}\n".encode())


def pages(metrics: Page, not_ready: Callable[[], str], silent_us: Callable[[], Micros]) -> dict[str, Page]:
    """What every referee serves. Both functions are called in the thread of the port.

    `not_ready` says why it does not serve now; empty: it does. `silent_us` is for how long its event loop has not
    come round.
    """

    def not_alive() -> str:
        silence_us = silent_us()
        return f"the event loop has been silent for {silence_us // SECOND} s" if silence_us > ALIVE_WITHIN_US else ""

    async def alive() -> Answer:
        return _unless(not_alive(), "alive")

    async def ready() -> Answer:
        return _unless(not_ready() or not_alive(), "ready")

    return {"/metrics": metrics, "/healthz": alive, "/readyz": ready}


def made_on(loop: asyncio.AbstractEventLoop, make: Callable[[], Answer]) -> Page:
    """A page of what another event loop knows, made there."""

    async def there() -> Answer:
        return make()

    async def page() -> Answer:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), loop))

    return page


def _unless(trouble: str, fine: str) -> Answer:
    return says(HTTPStatus.SERVICE_UNAVAILABLE, trouble) if trouble else says(HTTPStatus.OK, fine)


class HttpPort:
    """Serves pages by their path, from `open` to `close`, in a thread of its own."""

    def __init__(self, pages: Mapping[str, Page], within_s: float = WITHIN_S, at_once: int = AT_ONCE) -> None:
        self._pages = pages
        self._within_s = within_s
        self._at_once = at_once
        self._open: dict[StreamWriter, None] = {}
        """The oldest first."""
        self._server: asyncio.Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, host: str, port: int) -> int:
        """Listen. The port that it became; 0 takes any that is free. Raises OSError if it cannot be had."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="http", daemon=True)
        self._thread.start()
        return asyncio.run_coroutine_threadsafe(self._listen(host, port), self._loop).result()

    def close(self) -> None:
        """Listen no more, and close what is open. To close what is not open is no fault."""
        loop, self._loop = self._loop, None
        if loop:
            asyncio.run_coroutine_threadsafe(self._stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()

    async def _listen(self, host: str, port: int) -> int:
        limit = HEAD_AT_MOST_BYTES
        self._server = await asyncio.start_server(self._serve, host, port, limit=limit, backlog=BACKLOG)
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
        if len(self._open) >= self._at_once:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.transport.abort()
        self._open[writer] = None
        writer.transport.set_write_buffer_limits(0)  # To drain is to send all of it.
        try:
            with suppress(ConnectionError, TimeoutError):
                answer = await self._answer(reader)
                if answer:
                    await self._send(writer, answer)
        finally:
            self._open.pop(writer, None)
            writer.transport.abort()  # What was not taken by now never will be.

    async def _answer(self, reader: StreamReader) -> bytes:
        """Empty: none. Who hangs up in the middle of a word wants none."""
        try:
            async with asyncio.timeout(self._within_s):
                head = await reader.readuntil(END_OF_HEAD)
        except asyncio.IncompleteReadError:
            return b""
        except asyncio.LimitOverrunError:
            return says(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "that is too much").bytes(True)
        except TimeoutError:
            return says(HTTPStatus.REQUEST_TIMEOUT, "that took too long").bytes(True)
        return await self._page(head)

    async def _page(self, head: bytes) -> bytes:
        asked = ASKED.match(head)
        if not asked:
            return says(HTTPStatus.BAD_REQUEST, "that is no request").bytes(True)
        page = self._pages.get(asked["path"].partition(b"?")[0].decode("ascii"))
        if not page:
            return says(HTTPStatus.NOT_FOUND, f"there is {', '.join(self._pages)}").bytes(True)
        if asked["method"] not in (b"GET", b"HEAD"):
            return says(HTTPStatus.METHOD_NOT_ALLOWED, "pages are fetched (GET)").bytes(True)
        try:
            async with asyncio.timeout(self._within_s):
                answer = await page()
        except TimeoutError:
            answer = says(HTTPStatus.SERVICE_UNAVAILABLE, "the event loop does not answer")
        return answer.bytes(asked["method"] == b"GET")

    async def _send(self, writer: StreamWriter, answer: bytes) -> None:
        async with asyncio.timeout(self._within_s):
            writer.write(answer)
            await writer.drain()
