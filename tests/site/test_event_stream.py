"""Events as they reach visitors through the HTTP server: complete, well framed, past it where that is possible."""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import h11
import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, StreamEnded
from hypercorn.asyncio import serve
from hypercorn.config import Config
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee.site import event_stream
from referee.site.event_stream import PING, WRITER, EventStream
from referee.site.site_server import with_writer
from referee.site.visitors import HEADERS, Protected, SiteAccess, Visitors

EVENTS = [b"data: 1\n\n", "data: é\n\n".encode(), b"data: " + b"x" * 300_000 + b"\n\n"]
BODY = PING + b"".join(EVENTS)

Events = Callable[[], AsyncGenerator[bytes, None]]


async def some_events() -> AsyncGenerator[bytes, None]:
    for event in EVENTS:
        await asyncio.sleep(0)
        yield event


class ServedStream:
    """A stream of events behind Hypercorn, as the site serves its own."""

    def __init__(self, events: Events = some_events) -> None:
        self._events = events
        self.port = 0
        self.visits: list[bool] = []
        """For each request whether its events are written past the HTTP server."""

    async def _answer(self, request: Request) -> Response:
        self.visits.append(request.scope[WRITER] is not None)
        return EventStream(self._events())

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        opened = socket.create_server(("127.0.0.1", 0))
        self.port = opened.getsockname()[1]
        config = Config()
        config.bind = [f"fd://{opened.detach()}"]
        config.errorlog = None
        stop = asyncio.Event()

        async def wait_for_stop() -> None:
            await stop.wait()

        app: Any = with_writer(Protected(Starlette(routes=[Route("/events", self._answer)]), Visitors(), SiteAccess()))
        serving = asyncio.create_task(serve(app, config, shutdown_trigger=wait_for_stop))
        try:
            yield
        finally:
            stop.set()
            await serving

    @asynccontextmanager
    async def connect(self, data: bytes) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


async def read_response(reader: asyncio.StreamReader, client: h11.Connection) -> tuple[h11.Response, bytes]:
    """Return the head and the body of a response, whose framing h11 checks."""
    heads: list[h11.Response] = []
    body = b""
    while True:
        event = client.next_event()
        if event is h11.NEED_DATA:
            client.receive_data(await reader.read(1 << 16))
        elif isinstance(event, h11.Response):
            heads.append(event)
        elif isinstance(event, h11.Data):
            body += event.data
        else:
            assert isinstance(event, h11.EndOfMessage)
            return heads[0], body


def test_events_are_written_past_the_server_as_chunks_that_it_can_end() -> None:
    async def test() -> None:
        stream, client = ServedStream(), h11.Connection(h11.CLIENT)
        async with stream.serve(), stream.connect(b"") as (reader, writer):
            for _ in range(2):  # The connection can be used again.
                writer.write(client.send(h11.Request(method="GET", target="/events", headers=[("Host", "localhost")])))
                client.send(h11.EndOfMessage())
                head, body = await read_response(reader, client)
                assert body == BODY
                assert {(b"content-type", b"text/event-stream"), *HEADERS} <= set(head.headers)
                client.start_next_cycle()
        assert stream.visits == [True, True]

    asyncio.run(test())


@pytest.mark.parametrize(
    ("request_line", "body"),
    [(b"GET /events HTTP/1.0", BODY), (b"HEAD /events HTTP/1.1", b"")],
    ids=["HTTP/1.0", "HEAD"],
)
def test_a_response_without_chunks_is_left_to_the_server(request_line: bytes, body: bytes) -> None:
    async def test() -> None:
        stream = ServedStream()
        request = request_line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        async with stream.serve(), stream.connect(request) as (reader, _):
            head, _, received = (await reader.read(-1)).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            assert received == body
        assert stream.visits == [False]

    asyncio.run(test())


def test_a_stream_of_http_2_is_left_to_the_server() -> None:
    async def test() -> None:
        stream, client = ServedStream(), H2Connection(H2Configuration(client_side=True))
        client.initiate_connection()
        headers = [(":method", "GET"), (":path", "/events"), (":scheme", "http"), (":authority", "localhost")]
        client.send_headers(1, headers, end_stream=True)
        async with stream.serve(), stream.connect(client.data_to_send()) as (reader, writer):
            body, ended = b"", False
            while not ended:
                for event in client.receive_data(await reader.read(1 << 16)):
                    if isinstance(event, DataReceived):
                        body += event.data or b""
                        client.acknowledge_received_data(event.flow_controlled_length or 0, 1)
                    ended = ended or isinstance(event, StreamEnded)
                writer.write(client.data_to_send())
        assert body == BODY
        assert stream.visits == [False]

    asyncio.run(test())


REQUEST = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_a_visitor_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "SEND_TIMEOUT_S", 0.01)

    async def test() -> None:
        over = asyncio.Event()

        async def endless() -> AsyncGenerator[bytes, None]:
            try:
                while True:
                    yield EVENTS[-1]
            finally:
                over.set()

        stream = ServedStream(endless)
        async with stream.serve(), stream.connect(REQUEST) as (reader, writer):
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # A socket reads, too.
            await over.wait()
            writer.transport.resume_reading()  # type: ignore[attr-defined]
            assert not (await reader.read(-1)).endswith(b"\r\n0\r\n\r\n"), "its stream must not look complete"
        assert stream.visits == [True]

    asyncio.run(test())


def test_a_stream_ends_when_its_visitor_leaves() -> None:
    async def test() -> None:
        over = asyncio.Event()

        async def silent() -> AsyncGenerator[bytes, None]:
            try:
                yield EVENTS[0]
                await asyncio.get_running_loop().create_future()
            finally:
                over.set()

        stream = ServedStream(silent)
        async with stream.serve():
            async with stream.connect(REQUEST) as (reader, _):
                await reader.readuntil(EVENTS[0])
                assert not over.is_set()
            await over.wait()

    asyncio.run(test())
