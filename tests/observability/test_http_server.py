"""The HTTP port on a real socket: requests are answered, and malformed or slow ones delay nobody."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
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

BIG = b"x" * 20_000_000
"""More than the socket buffers hold."""
FOR_EVER_S = 600.0


class Door:
    """A listening HTTP server, and the state of the referee that it reports."""

    def __init__(self, within_s: float = FOR_EVER_S) -> None:
        self.not_ready = ""
        self.silent_us = 0
        self.big = BIG
        loop = asyncio.get_running_loop()
        metrics = HttpResponse(HTTPStatus.OK, b"moves 7\n", "text/plain; version=0.0.4")
        own = server_pages(page_on_loop(loop, lambda: metrics), lambda: self.not_ready, lambda: self.silent_us)
        big = page_on_loop(loop, lambda: HttpResponse(HTTPStatus.OK, self.big))
        self.http = HttpServer({**own, "/big": big}, within_s)
        self.port = self.http.open("127.0.0.1", 0)

    async def comes_in(self) -> "Caller":
        return Caller(*await asyncio.open_connection("127.0.0.1", self.port))

    async def asks(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a request, and return the status, headers and body of the response."""
        caller = await self.comes_in()
        caller.says(request)
        return await caller.hears()

    async def gets(self, path: str) -> tuple[int, bytes]:
        status, _, body = await self.asks(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        return status, body


class Caller:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def says(self, words: bytes) -> None:
        self.writer.write(words)

    async def hears(self) -> tuple[int, dict[str, str], bytes]:
        try:
            answer = await self.reader.read(-1)
        finally:
            self.writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


Test = Callable[[Door], Awaitable[None]]


def at_the_door(test: Test, within_s: float = FOR_EVER_S) -> Callable[[], None]:
    def run() -> None:
        async def with_door() -> None:
            door = Door(within_s)
            try:
                await test(door)
            finally:
                door.http.close()

        asyncio.run(with_door())

    run.__name__ = test.__name__
    return run


def in_a_hurry(test: Test) -> Callable[[], None]:
    """Run a test with a server whose timeouts are very short."""
    return at_the_door(test, within_s=0.05)


@at_the_door
async def test_the_metrics_are_served(door: Door) -> None:
    status, headers, body = await door.asks(b"GET /metrics HTTP/1.1\r\nHost: here\r\nAccept: */*\r\n\r\n")
    assert (status, body) == (200, b"moves 7\n")
    assert headers["Content-Type"] == "text/plain; version=0.0.4"
    assert headers["Content-Length"] == "8"
    assert headers["Connection"] == "close"


@at_the_door
async def test_it_lives_and_is_ready_or_says_why_not(door: Door) -> None:
    assert await door.gets("/healthz") == (200, b"alive\n")
    assert await door.gets("/readyz") == (200, b"ready\n")
    door.not_ready = "draining"
    assert await door.gets("/readyz") == (503, b"draining\n")
    assert await door.gets("/healthz") == (200, b"alive\n")


@at_the_door
async def test_a_question_behind_the_path_changes_nothing(door: Door) -> None:
    assert await door.gets("/healthz?verbose=1") == (200, b"alive\n")


@at_the_door
async def test_head_gets_the_head_alone(door: Door) -> None:
    status, headers, body = await door.asks(b"HEAD /metrics HTTP/1.0\r\n\r\n")
    assert (status, headers["Content-Length"], body) == (200, "8", b"")


@at_the_door
async def test_what_is_not_there_is_answered_with_what_is(door: Door) -> None:
    status, body = await door.gets("/admin")
    assert status == 404
    assert b"/metrics, /healthz, /readyz" in body


@at_the_door
async def test_pages_cannot_be_changed(door: Door) -> None:
    assert (await door.asks(b"POST /metrics HTTP/1.1\r\n\r\n"))[0] == 405


@pytest.mark.parametrize(
    "nonsense",
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
def test_nonsense_is_answered_and_does_no_harm(nonsense: bytes) -> None:
    @at_the_door
    async def asked(door: Door) -> None:
        assert (await door.asks(nonsense))[0] == 400
        assert await door.gets("/healthz") == (200, b"alive\n")

    asked()


@at_the_door
async def test_a_head_without_end_is_cut_off(door: Door) -> None:
    caller = await door.comes_in()
    caller.says(b"GET /metrics HTTP/1.1\r\nX-Much: " + b"x" * MAX_HEAD_BYTES)
    status, _, _ = await caller.hears()
    assert status == 431
    assert await door.gets("/healthz") == (200, b"alive\n")


@in_a_hurry
async def test_who_does_not_finish_in_time_is_sent_away(door: Door) -> None:
    silent, slow = await door.comes_in(), await door.comes_in()
    slow.says(b"GET /metrics HTTP/1.1\r\nHost: ")
    assert (await slow.hears())[0] == 408
    assert (await silent.hears())[0] == 408


@at_the_door
async def test_who_hangs_up_in_the_middle_does_no_harm(door: Door) -> None:
    caller = await door.comes_in()
    caller.says(b"GET /met")
    caller.writer.close()
    assert await door.gets("/healthz") == (200, b"alive\n")


def test_who_does_not_take_its_answer_is_cut_off() -> None:
    async def cut_off(door: Door) -> None:
        caller = await door.comes_in()
        caller.says(b"GET /big HTTP/1.1\r\n\r\n")
        await caller.reader.readuntil(b"\r\n\r\n")
        while door.http._open:
            await asyncio.sleep(0)
        assert len(await caller.reader.read(-1)) < len(BIG)
        caller.writer.close()

    at_the_door(cut_off, within_s=1.0)()


@pytest.mark.slow
@at_the_door
async def test_who_takes_a_big_answer_gets_all_of_it(door: Door) -> None:
    for size in range(1_000_000, 9_000_000, 50_000):  # At some sizes only the end exceeds the socket buffers.
        door.big = BIG[:size]
        status, body = await door.gets("/big")
        assert (status, len(body)) == (200, size)


@at_the_door
async def test_many_slow_connections_keep_nobody_out_and_the_oldest_are_closed(door: Door) -> None:
    slow = []
    for _ in range(500):
        slow.append(await door.comes_in())
        slow[-1].says(b"GET /healthz HTTP/1.1\r\nX: ")
    assert await door.gets("/healthz") == (200, b"alive\n")
    assert await slow[0].reader.read(-1) == b""
    slow[-1].says(b"y\r\n\r\n")
    assert (await slow[-1].hears())[0] == 200
    for caller in slow:
        caller.writer.close()


@at_the_door
async def test_a_loop_that_is_silent_for_long_is_not_alive(door: Door) -> None:
    door.silent_us = MAX_SILENCE_US
    assert await door.gets("/healthz") == (200, b"alive\n")
    door.silent_us = MAX_SILENCE_US + SECOND
    silent = (503, b"the event loop has been blocked for 11 s\n")
    assert await door.gets("/healthz") == await door.gets("/readyz") == silent


@at_the_door
async def test_who_probes_is_answered_while_the_loop_of_the_referee_does_not_turn(door: Door) -> None:
    door.silent_us = MAX_SILENCE_US + SECOND
    answered = b""
    with socket.create_connection(("127.0.0.1", door.port)) as prober:  # Blocks the event loop.
        prober.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        while said := prober.recv(65_536):
            answered += said
    assert answered.startswith(b"HTTP/1.1 503")


@in_a_hurry
async def test_metrics_of_a_loop_that_does_not_turn_are_not_waited_for_for_ever(door: Door) -> None:
    answered = b""
    with socket.create_connection(("127.0.0.1", door.port)) as scraper:
        scraper.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        while said := scraper.recv(65_536):
            answered += said
    assert answered.startswith(b"HTTP/1.1 503")
    assert answered.endswith(b"the event loop does not respond\n")


@at_the_door
async def test_a_closed_port_takes_nobody(door: Door) -> None:
    door.http.close()
    with pytest.raises(OSError, match=str(door.port)):
        await door.comes_in()
    door.http.close()


def test_a_port_that_is_taken_is_an_error() -> None:
    async def taken(door: Door) -> None:
        another = HttpServer({})
        with pytest.raises(OSError, match="in use"):
            another.open("127.0.0.1", door.port)
        another.close()

    at_the_door(taken)()
