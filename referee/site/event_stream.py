"""Streams of server-sent events. Sending an event costs little, since each may go to a thousand visitors."""

import asyncio
from collections.abc import AsyncGenerator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from referee.site.visitors import SEND_TIMEOUT_S

WRITER = "writer"
"""Key of the scope with the writer of the connection, to which chunks of HTTP/1.1 may be written; None: none may."""
PING_S = 15.0
PING = b": still here\n\n"
HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]


class EventStream(Response):
    """Sends events until there are no more, or the visitor is gone."""

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__()
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        # At once, so that the browser knows that it is connected.
        await send({"type": "http.response.body", "body": PING, "more_body": True})
        tasks = {
            asyncio.create_task(self._send_all(send, scope.get(WRITER))),
            asyncio.create_task(_attend(receive, send)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._events.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_all(self, send: Send, writer: asyncio.StreamWriter | None) -> None:
        async for event in self._events:
            if writer:
                await _write(writer, event)
            else:
                await send({"type": "http.response.body", "body": event, "more_body": True})


async def _write(writer: asyncio.StreamWriter, event: bytes) -> None:
    """Write an event as a chunk past the HTTP server, which would cost more than twice as much. Raises TimeoutError."""
    writer.write(b"%x\r\n%b\r\n" % (len(event), event))
    if writer.transport.get_write_buffer_size():
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await writer.drain()
        except TimeoutError:
            writer.transport.abort()
            raise


async def _attend(receive: Receive, send: Send) -> None:
    """Send comments, so that both ends notice a connection that is gone, and return when the visitor is."""
    while True:
        try:
            async with asyncio.timeout(PING_S):
                message = await receive()
        except TimeoutError:
            await send({"type": "http.response.body", "body": PING, "more_body": True})
            continue
        if message["type"] == "http.disconnect":
            return
