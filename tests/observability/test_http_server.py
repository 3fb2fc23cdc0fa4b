"""The HTTP port on a real socket: requests are answered, and malformed or slow ones delay nobody."""

import asyncio
import os
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from http import HTTPStatus

import pytest

from referee.match.clock import SECOND
from referee.observability.http_server import (
    MAX_HEAD_BYTES,
    MAX_SILENCE_US,
    HttpResponse,
    HttpServer,
    page_on_loop,
    server_pages,
)
from tests.cluster.worlds import in_world

LARGE_BODY = b"x" * 20_000_000
"""More than the socket buffers hold."""
LONG_TIMEOUT_S = 600.0


class ServerHarness:
    """A listening HTTP server, and the state of the referee that it reports."""

    def __init__(self, timeout_s: float = LONG_TIMEOUT_S) -> None:
        self.not_ready = ""
        self.unresponsive_us = 0
        self.large_body = LARGE_BODY
        loop = asyncio.get_running_loop()
        metrics = HttpResponse(HTTPStatus.OK, b"moves 7\n", "text/plain; version=0.0.4")
        pages = server_pages(page_on_loop(loop, lambda: metrics), lambda: self.not_ready, lambda: self.unresponsive_us)
        large_page = page_on_loop(loop, lambda: HttpResponse(HTTPStatus.OK, self.large_body))
        self.http = HttpServer({**pages, "/big": large_page}, timeout_s)
        self.port = self.http.open("127.0.0.1", 0)

    async def connect(self) -> "HttpClient":
        return HttpClient(*await asyncio.open_connection("127.0.0.1", self.port))

    async def request(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a request, and return the status, headers and body of the response."""
        client = await self.connect()
        client.send(request)
        return await client.read_response()

    async def get(self, path: str) -> tuple[int, bytes]:
        status, _, body = await self.request(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        return status, body


class HttpClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def read_response(self) -> tuple[int, dict[str, str], bytes]:
        try:
            answer = await self.reader.read(-1)
        finally:
            self.writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


@asynccontextmanager
async def run_server(timeout_s: float = LONG_TIMEOUT_S) -> AsyncIterator[ServerHarness]:
    harness = ServerHarness(timeout_s)
    try:
        yield harness
    finally:
        harness.http.close()


with_server = in_world(run_server)
with_short_timeouts = in_world(partial(run_server, 0.05))


@with_server
async def test_the_metrics_are_served(harness: ServerHarness) -> None:
    status, headers, body = await harness.request(b"GET /metrics HTTP/1.1\r\nHost: here\r\nAccept: */*\r\n\r\n")
    assert (status, body) == (200, b"moves 7\n")
    assert headers["Content-Type"] == "text/plain; version=0.0.4"
    assert headers["Content-Length"] == "8"
    assert headers["Connection"] == "close"


@with_server
async def test_health_and_readiness_are_reported(harness: ServerHarness) -> None:
    assert await harness.get("/healthz?verbose=1") == (200, b"alive\n")
    assert await harness.get("/readyz") == (200, b"ready\n")
    harness.not_ready = "draining"
    assert await harness.get("/readyz") == (503, b"draining\n")
    assert await harness.get("/healthz") == (200, b"alive\n")


@with_server
async def test_a_head_request_gets_headers_only_and_other_methods_and_paths_an_error(harness: ServerHarness) -> None:
    status, headers, body = await harness.request(b"HEAD /metrics HTTP/1.0\r\n\r\n")
    assert (status, headers["Content-Length"], body) == (200, "8", b"")
    assert (await harness.request(b"POST /metrics HTTP/1.1\r\n\r\n"))[0] == 405
    status, body = await harness.get("/admin")
    assert (status, b"/metrics, /healthz, /readyz" in body) == (404, True)


@pytest.mark.parametrize(
    "malformed",
    [
        b"\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET metrics HTTP/1.1\r\n\r\n",
        b"GET /metrics HTTP/2.0\r\n\r\n",
        b"GET /metrics extra HTTP/1.1\r\n\r\n",
        b"get /metrics HTTP/1.1\r\n\r\n",
        b"GET /\xff\x00 HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
@with_server
async def test_a_malformed_request_is_rejected_and_does_no_harm(harness: ServerHarness, *, malformed: bytes) -> None:
    assert (await harness.request(malformed))[0] == 400
    assert await harness.get("/healthz") == (200, b"alive\n")


@with_server
async def test_a_head_that_is_too_long_is_rejected(harness: ServerHarness) -> None:
    client = await harness.connect()
    client.send(b"GET /metrics HTTP/1.1\r\nX-Much: " + b"x" * MAX_HEAD_BYTES)
    status, _, _ = await client.read_response()
    assert status == 431
    assert await harness.get("/healthz") == (200, b"alive\n")


@with_short_timeouts
async def test_an_incomplete_request_times_out(harness: ServerHarness) -> None:
    idle, slow = await harness.connect(), await harness.connect()
    slow.send(b"GET /metrics HTTP/1.1\r\nHost: ")
    assert (await slow.read_response())[0] == 408
    assert (await idle.read_response())[0] == 408


@with_server
async def test_a_client_that_disconnects_early_does_no_harm(harness: ServerHarness) -> None:
    client = await harness.connect()
    client.send(b"GET /met")
    client.writer.close()
    assert await harness.get("/healthz") == (200, b"alive\n")


@in_world(partial(run_server, 1.0))
async def test_a_client_that_does_not_read_is_disconnected(harness: ServerHarness) -> None:
    client = await harness.connect()
    client.send(b"GET /big HTTP/1.1\r\n\r\n")
    await client.reader.readuntil(b"\r\n\r\n")
    while harness.http._open:
        await asyncio.sleep(0)
    assert len(await client.reader.read(-1)) < len(LARGE_BODY)
    client.writer.close()


@pytest.mark.slow
@with_server
async def test_a_large_response_is_sent_completely(harness: ServerHarness) -> None:
    for size in range(1_000_000, 9_000_000, 50_000):  # At some sizes only the end exceeds the socket buffers.
        harness.large_body = LARGE_BODY[:size]
        status, body = await harness.get("/big")
        assert (status, len(body)) == (200, size)


@with_server
async def test_many_slow_connections_block_no_other_and_the_oldest_are_closed(harness: ServerHarness) -> None:
    slow = []
    for _ in range(500):
        slow.append(await harness.connect())
        slow[-1].send(b"GET /healthz HTTP/1.1\r\nX: ")
    assert await harness.get("/healthz") == (200, b"alive\n")
    assert await slow[0].reader.read(-1) == b""
    slow[-1].send(b"y\r\n\r\n")
    assert (await slow[-1].read_response())[0] == 200
    for client in slow:
        client.writer.close()


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let no thread of this process open a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@with_server
async def test_a_connection_that_cannot_be_accepted_waits_and_costs_one_log_event(
    harness: ServerHarness, *, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as waiting:
        with no_more_files():
            waiting.connect(("127.0.0.1", harness.port))
            while not caplog.records:
                await asyncio.sleep(0)
        assert await harness.get("/healthz") == (200, b"alive\n")
    # Others may say that an earlier handler is closed.
    assert len([record for record in caplog.records if record.name == "asyncio"]) == 1


@with_server
async def test_a_server_whose_loop_is_blocked_for_long_is_not_healthy(harness: ServerHarness) -> None:
    harness.unresponsive_us = MAX_SILENCE_US
    assert await harness.get("/healthz") == (200, b"alive\n")
    harness.unresponsive_us = MAX_SILENCE_US + SECOND
    blocked = (503, b"the event loop has been blocked for 11 s\n")
    assert await harness.get("/healthz") == await harness.get("/readyz") == blocked


@with_server
async def test_a_health_probe_is_answered_while_the_event_loop_is_blocked(harness: ServerHarness) -> None:
    harness.unresponsive_us = MAX_SILENCE_US + SECOND
    assert get_while_the_loop_is_blocked(harness, "/healthz").startswith(b"HTTP/1.1 503")


def get_while_the_loop_is_blocked(harness: ServerHarness, path: str) -> bytes:
    """Send a request and read the answer, which blocks the event loop."""
    response = b""
    with socket.create_connection(("127.0.0.1", harness.port)) as probe:
        probe.sendall(f"GET {path} HTTP/1.1\r\n\r\n".encode())
        while chunk := probe.recv(65_536):
            response += chunk
    return response


@with_short_timeouts
async def test_a_request_for_metrics_times_out_while_the_event_loop_is_blocked(harness: ServerHarness) -> None:
    response = get_while_the_loop_is_blocked(harness, "/metrics")
    assert response.startswith(b"HTTP/1.1 503")
    assert response.endswith(b"the event loop does not respond\n")


@with_server
async def test_a_closed_server_accepts_no_connections(harness: ServerHarness) -> None:
    harness.http.close()
    with pytest.raises(OSError, match=str(harness.port)):
        await harness.connect()
    harness.http.close()


@with_server
async def test_opening_a_used_port_is_an_error(harness: ServerHarness) -> None:
    another = HttpServer({})
    with pytest.raises(OSError, match="in use"):
        another.open("127.0.0.1", harness.port)
    another.close()
