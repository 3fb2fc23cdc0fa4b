"""The HTTP port: a few pages to be fetched, and nothing else.

A connection asks one question, gets its answer and is closed; what it may send and how long it may take
are bounded, so that who speaks slowly, or nonsense, or not at all, holds up nobody but itself.
"""

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

HEAD_AT_MOST_BYTES = 8_192
WITHIN_S = 5.0
"""How long a connection may take for all it has to say, and again to take its answer."""
AT_ONCE = 64
"""More connections than that are closed unheard."""

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


Page = Callable[[], Answer]


def says(status: HTTPStatus, sentence: str) -> Answer:
    return Answer(status, f"{sentence}\n".encode())


def pages(metrics: Page, not_ready: Callable[[], str]) -> dict[str, Page]:
    """What every referee serves. `not_ready` says why it does not serve now; empty: it does."""

    def ready() -> Answer:
        why = not_ready()
        return says(HTTPStatus.SERVICE_UNAVAILABLE, why) if why else says(HTTPStatus.OK, "ready")

    return {"/metrics": metrics, "/healthz": lambda: says(HTTPStatus.OK, "alive"), "/readyz": ready}


class HttpPort:
    """Serves pages by their path, from `open` to `close`."""

    def __init__(self, pages: Mapping[str, Page], within_s: float = WITHIN_S, at_once: int = AT_ONCE) -> None:
        self._pages = pages
        self._within_s = within_s
        self._at_once = at_once
        self._open = 0
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen. The port that it became; 0 takes any that is free. Raises OSError if it cannot be had."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=HEAD_AT_MOST_BYTES)
        chosen: int = self._server.sockets[0].getsockname()[1]
        return chosen

    def close(self) -> None:
        """Listen no more. Who is being served has its time."""
        if self._server:
            self._server.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._open += 1
        writer.transport.set_write_buffer_limits(0)  # To drain is to send all of it.
        try:
            with suppress(ConnectionError, TimeoutError):
                answer = await self._answer(reader)
                if answer:
                    await self._send(writer, answer)
        finally:
            self._open -= 1
            writer.transport.abort()  # What was not taken by now never will be.

    async def _answer(self, reader: StreamReader) -> bytes:
        """Empty: none. Who hangs up in the middle of a word wants none."""
        if self._open > self._at_once:
            return b""
        try:
            async with asyncio.timeout(self._within_s):
                head = await reader.readuntil(END_OF_HEAD)
        except asyncio.IncompleteReadError:
            return b""
        except asyncio.LimitOverrunError:
            return says(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "that is too much").bytes(True)
        except TimeoutError:
            return says(HTTPStatus.REQUEST_TIMEOUT, "that took too long").bytes(True)
        return self._page(head)

    def _page(self, head: bytes) -> bytes:
        asked = ASKED.match(head)
        if not asked:
            return says(HTTPStatus.BAD_REQUEST, "that is no request").bytes(True)
        page = self._pages.get(asked["path"].partition(b"?")[0].decode("ascii"))
        if not page:
            return says(HTTPStatus.NOT_FOUND, f"there is {', '.join(self._pages)}").bytes(True)
        if asked["method"] not in (b"GET", b"HEAD"):
            return says(HTTPStatus.METHOD_NOT_ALLOWED, "pages are fetched (GET)").bytes(True)
        return page().bytes(asked["method"] == b"GET")

    async def _send(self, writer: StreamWriter, answer: bytes) -> None:
        async with asyncio.timeout(self._within_s):
            writer.write(answer)
            await writer.drain()
