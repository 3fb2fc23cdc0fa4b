"""Metrics of calls through a real server and channel: their number, status and duration."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest

from referee.match.clock import MS
from referee.observability.metrics import Metrics
from tests.live.fake_time import StoppedTime
from tests.observability.exposition import Page


class Strange:
    """Service in which each method ends in a different way."""

    def __init__(self, time: StoppedTime) -> None:
        self.time = time
        self.reached = asyncio.Event()

    async def think(self, request: bytes, _context: Any) -> bytes:
        self.time.us += 20 * MS
        return request

    async def refuse(self, _request: bytes, context: Any) -> bytes:
        await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not here")
        raise AssertionError

    async def break_down(self, _request: bytes, _context: Any) -> bytes:
        raise ValueError("broken")

    async def hang(self, request: bytes, _context: Any) -> bytes:
        self.reached.set()
        await asyncio.Event().wait()
        return request

    async def echo(self, requests: AsyncIterator[bytes], context: Any) -> None:
        async for request in requests:
            await context.write(request)

    async def write(self, request: bytes, context: Any) -> None:
        await context.write(request)
        await context.write(request)

    async def join(self, requests: AsyncIterator[bytes], _context: Any) -> bytes:
        return b"".join([request async for request in requests])

    def handlers(self) -> dict[str, Any]:
        unary = {"Think": self.think, "Refuse": self.refuse, "Break": self.break_down, "Hang": self.hang}
        return {
            **{name: grpc.unary_unary_rpc_method_handler(method) for name, method in unary.items()},
            "Echo": grpc.stream_stream_rpc_method_handler(self.echo),
            "Write": grpc.unary_stream_rpc_method_handler(self.write),
            "Join": grpc.stream_unary_rpc_method_handler(self.join),
        }


class Line:
    """Client of the service, and the metrics of its server."""

    def __init__(self, channel: Any, metrics: Metrics, service: Strange) -> None:
        self.channel = channel
        self.metrics = metrics
        self.service = service

    def call(self, method: str) -> Any:
        return self.channel.unary_unary(f"/of.test.Strange/{method}")(b"x")

    async def ends_with(self, call: Awaitable[bytes]) -> grpc.StatusCode:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call
        return refused.value.code()

    @property
    def page(self) -> Page:
        return Page(self.metrics)

    def count(self, method: str, code: str) -> float:
        return self.page.value("referee_rpcs_total", method=f"Strange/{method}", code=code)

    async def hears_of(self, method: str) -> None:
        """Wait until the server has counted a call of this method, with any status."""
        while not any(name == f"Strange/{method}" for _, name in self.page.all("referee_rpcs_total")):
            await asyncio.sleep(0)


@asynccontextmanager
async def line() -> AsyncIterator[Line]:
    metrics, time = Metrics("1.2.3"), StoppedTime()
    service = Strange(time)
    handlers = service.handlers()
    methods = [f"/of.test.Strange/{name}" for name in [*handlers, "Forgotten"]]
    server = grpc.aio.server(interceptors=[metrics.interceptor(time, methods)])
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("of.test.Strange", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Line(channel, metrics, service)
    await server.stop(None)


def on_the_line(test: Callable[[Line], Awaitable[None]]) -> Callable[[], None]:
    def run() -> None:
        async def with_line() -> None:
            async with line() as there:
                await test(there)

        asyncio.run(with_line())

    run.__name__ = test.__name__
    return run


@on_the_line
async def test_a_call_is_counted_with_its_time(there: Line) -> None:
    assert await there.call("Think") == b"x"
    assert await there.call("Think") == b"x"
    assert there.count("Think", "OK") == 2
    assert there.page.value("referee_rpc_seconds_count", method="Strange/Think") == 2
    assert there.page.value("referee_rpc_seconds_sum", method="Strange/Think") == pytest.approx(0.04)


@on_the_line
async def test_a_refusal_is_counted_under_its_code(there: Line) -> None:
    assert await there.ends_with(there.call("Refuse")) is grpc.StatusCode.FAILED_PRECONDITION
    await there.hears_of("Refuse")
    assert there.count("Refuse", "FAILED_PRECONDITION") == 1
    assert there.page.value("referee_rpc_seconds_count", method="Strange/Refuse") == 1


@on_the_line
async def test_a_call_that_breaks_is_counted_as_what_the_caller_got(there: Line) -> None:
    assert await there.ends_with(there.call("Break")) is grpc.StatusCode.UNKNOWN
    await there.hears_of("Break")
    assert there.count("Break", "UNKNOWN") == 1


@on_the_line
async def test_a_caller_who_hangs_up_is_counted(there: Line) -> None:
    call = there.call("Hang")
    await there.service.reached.wait()
    call.cancel()
    await there.call("Think")
    await there.hears_of("Hang")
    assert there.count("Hang", "CANCELLED") == 1
    assert there.page.value("referee_rpc_seconds_count", method="Strange/Hang") == 1


@on_the_line
async def test_a_stream_is_open_until_it_ends_and_has_no_duration(there: Line) -> None:
    call = there.channel.stream_stream("/of.test.Strange/Echo")()
    await call.write(b"1")
    assert await call.read() == b"1"
    assert there.page.value("referee_streams_open", method="Strange/Echo") == 1
    await call.done_writing()
    assert await call.read() is grpc.aio.EOF
    assert await call.code() is grpc.StatusCode.OK
    assert there.page.value("referee_streams_open", method="Strange/Echo") == 0
    assert there.count("Echo", "OK") == 1
    assert there.page.all("referee_rpc_seconds_count") == {}


@on_the_line
async def test_a_stream_that_the_caller_drops_is_open_no_more(there: Line) -> None:
    call = there.channel.stream_stream("/of.test.Strange/Echo")()
    await call.write(b"1")
    await call.read()
    call.cancel()
    await there.hears_of("Echo")
    assert there.count("Echo", "CANCELLED") == 1
    assert there.page.value("referee_streams_open", method="Strange/Echo") == 0


@on_the_line
async def test_streams_of_one_direction_are_measured_too(there: Line) -> None:
    written = [answer async for answer in there.channel.unary_stream("/of.test.Strange/Write")(b"x")]
    assert written == [b"x", b"x"]
    assert await there.channel.stream_unary("/of.test.Strange/Join")(iter([b"a", b"b"])) == b"ab"
    assert there.count("Write", "OK") == 1
    assert there.count("Join", "OK") == 1


@on_the_line
async def test_what_strangers_call_makes_no_new_series(there: Line) -> None:
    for number in range(5):
        await there.ends_with(there.channel.unary_unary(f"/of.test.Strange/Try{number}")(b""))
    assert there.page.all("referee_rpcs_total") == {("UNIMPLEMENTED", "other"): 5}
    await there.ends_with(there.call("Forgotten"))
    assert there.count("Forgotten", "UNIMPLEMENTED") == 1
