"""Metrics of calls through a real server and channel: their number, status and duration."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest
from prometheus_client import CollectorRegistry
from referee_api.v1 import entry_pb2, match_service_pb2

from referee.match.clock import MS
from referee.observability.metrics import Metrics
from referee.observability.rpc_metrics import ResponseMetrics
from tests.cluster.worlds import in_world
from tests.live.fake_time import FakeTime
from tests.observability.exposition import Page


class ExampleService:
    """Service in which each method ends in a different way."""

    def __init__(self, time: FakeTime) -> None:
        self.time = time
        self.blocked = asyncio.Event()

    async def think(self, request: bytes, _context: Any) -> bytes:
        self.time.us += 20 * MS
        return request

    async def refuse(self, _request: bytes, context: Any) -> bytes:
        await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not here")
        raise AssertionError

    async def fail(self, _request: bytes, _context: Any) -> bytes:
        raise ValueError("broken")

    async def block(self, request: bytes, _context: Any) -> bytes:
        self.blocked.set()
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
        unary = {"Think": self.think, "Refuse": self.refuse, "Break": self.fail, "Hang": self.block}
        return {
            **{name: grpc.unary_unary_rpc_method_handler(method) for name, method in unary.items()},
            "Echo": grpc.stream_stream_rpc_method_handler(self.echo),
            "Write": grpc.unary_stream_rpc_method_handler(self.write),
            "Join": grpc.stream_unary_rpc_method_handler(self.join),
        }


class ServiceClient:
    """Client of the service, and the metrics of its server."""

    def __init__(self, channel: Any, metrics: Metrics, service: ExampleService) -> None:
        self.channel = channel
        self.metrics = metrics
        self.service = service

    def call(self, method: str) -> Any:
        return self.channel.unary_unary(f"/of.test.Example/{method}")(b"x")

    async def status_of(self, call: Awaitable[bytes]) -> grpc.StatusCode:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call
        return error.value.code()

    @property
    def page(self) -> Page:
        return Page(self.metrics)

    def count(self, method: str, code: str) -> float:
        return self.page.value("referee_rpcs_total", method=f"Example/{method}", code=code)

    async def wait_for_count(self, method: str) -> None:
        """Wait until the server has counted a call of this method, with any status."""
        while not any(name == f"Example/{method}" for _, name in self.page.all("referee_rpcs_total")):
            await asyncio.sleep(0)


@in_world
@asynccontextmanager
async def with_client() -> AsyncIterator[ServiceClient]:
    metrics, time = Metrics("1.2.3"), FakeTime()
    service = ExampleService(time)
    handlers = service.handlers()
    methods = [f"/of.test.Example/{name}" for name in [*handlers, "Forgotten"]]
    server = grpc.aio.server(interceptors=[metrics.interceptor(time, methods)])
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("of.test.Example", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield ServiceClient(channel, metrics, service)
    await server.stop(None)


@with_client
async def test_a_call_is_counted_with_its_duration(client: ServiceClient) -> None:
    assert await client.call("Think") == b"x"
    assert await client.call("Think") == b"x"
    assert client.count("Think", "OK") == 2
    assert client.page.value("referee_rpc_seconds_count", method="Example/Think") == 2
    assert client.page.value("referee_rpc_seconds_sum", method="Example/Think") == pytest.approx(0.04)


@with_client
async def test_a_rejected_call_is_counted_under_its_code(client: ServiceClient) -> None:
    assert await client.status_of(client.call("Refuse")) is grpc.StatusCode.FAILED_PRECONDITION
    await client.wait_for_count("Refuse")
    assert client.count("Refuse", "FAILED_PRECONDITION") == 1
    assert client.page.value("referee_rpc_seconds_count", method="Example/Refuse") == 1


@with_client
async def test_a_call_with_an_exception_is_counted_as_unknown(client: ServiceClient) -> None:
    assert await client.status_of(client.call("Break")) is grpc.StatusCode.UNKNOWN
    await client.wait_for_count("Break")
    assert client.count("Break", "UNKNOWN") == 1


@with_client
async def test_a_call_cancelled_by_its_caller_is_counted(client: ServiceClient) -> None:
    call = client.call("Hang")
    await client.service.blocked.wait()
    call.cancel()
    await client.call("Think")
    await client.wait_for_count("Hang")
    assert client.count("Hang", "CANCELLED") == 1
    assert client.page.value("referee_rpc_seconds_count", method="Example/Hang") == 1


@with_client
async def test_a_stream_is_open_until_it_ends_and_has_no_duration(client: ServiceClient) -> None:
    call = client.channel.stream_stream("/of.test.Example/Echo")()
    await call.write(b"1")
    assert await call.read() == b"1"
    assert client.page.value("referee_streams_open", method="Example/Echo") == 1
    await call.done_writing()
    assert await call.read() is grpc.aio.EOF
    assert await call.code() is grpc.StatusCode.OK
    assert client.page.value("referee_streams_open", method="Example/Echo") == 0
    assert client.count("Echo", "OK") == 1
    assert client.page.all("referee_rpc_seconds_count") == {}


@with_client
async def test_a_stream_cancelled_by_its_caller_is_no_longer_open(client: ServiceClient) -> None:
    call = client.channel.stream_stream("/of.test.Example/Echo")()
    await call.write(b"1")
    await call.read()
    call.cancel()
    await client.wait_for_count("Echo")
    assert client.count("Echo", "CANCELLED") == 1
    assert client.page.value("referee_streams_open", method="Example/Echo") == 0


@with_client
async def test_streams_in_one_direction_are_measured(client: ServiceClient) -> None:
    messages = [answer async for answer in client.channel.unary_stream("/of.test.Example/Write")(b"x")]
    assert messages == [b"x", b"x"]
    assert await client.channel.stream_unary("/of.test.Example/Join")(iter([b"a", b"b"])) == b"ab"
    assert client.count("Write", "OK") == 1
    assert client.count("Join", "OK") == 1


@with_client
async def test_calls_of_unknown_methods_create_no_new_series(client: ServiceClient) -> None:
    for number in range(5):
        await client.status_of(client.channel.unary_unary(f"/of.test.Example/Try{number}")(b""))
    assert client.page.all("referee_rpcs_total") == {("UNIMPLEMENTED", "other"): 5}
    await client.status_of(client.call("Forgotten"))
    assert client.count("Forgotten", "UNIMPLEMENTED") == 1


RecordMessage = Callable[[Any], None]


class WatchHarness:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.metrics = ResponseMetrics(self.registry)

    def watch_recorder(self, after: int | None = None) -> RecordMessage:
        return self.metrics.recorder(match_service_pb2.WatchMatchRequest(after_number=after))

    @property
    def gaps(self) -> float | None:
        return self.registry.get_sample_value("referee_resume_gaps_total")

    def duplicates(self, method: str) -> float | None:
        return self.registry.get_sample_value("referee_duplicates_absorbed_total", {"method": method})


@pytest.fixture
def harness() -> WatchHarness:
    return WatchHarness()


def entries(*numbers: int) -> match_service_pb2.WatchMatchResponse:
    items = [match_service_pb2.WatchMatchItem(entry=entry_pb2.Entry(number=number)) for number in numbers]
    return match_service_pb2.WatchMatchResponse(items=items)


def snapshot() -> match_service_pb2.WatchMatchResponse:
    return match_service_pb2.WatchMatchResponse(
        items=[match_service_pb2.WatchMatchItem(snapshot=match_service_pb2.MatchSnapshot())]
    )


def test_a_watch_with_every_entry_has_no_gap(harness: WatchHarness) -> None:
    current, resumed = harness.watch_recorder(), harness.watch_recorder(after=3)
    for message in (snapshot(), entries(7, 8), entries(9)):
        current(message)
    for message in (snapshot(), entries(4), entries(5, 6)):
        resumed(message)
    assert harness.gaps == 0


@pytest.mark.parametrize("numbers", [(5,), (3,), (4, 6), (4, 4)], ids=str)
def test_an_entry_that_is_not_the_next_is_a_gap(harness: WatchHarness, numbers: tuple[int, ...]) -> None:
    resumed = harness.watch_recorder(after=3)
    resumed(snapshot())
    resumed(entries(*numbers))
    assert harness.gaps == 1
    resumed(entries(numbers[-1] + 1))
    assert harness.gaps == 1


def test_a_repeated_answer_counts_as_an_absorbed_duplicate(harness: WatchHarness) -> None:
    for repeated in (False, True, True):
        harness.metrics.record("MatchService/SubmitMove", match_service_pb2.SubmitMoveResponse(repeated=repeated))
    assert harness.duplicates("MatchService/SubmitMove") == 2


def test_a_repeated_item_of_a_play_stream_counts_as_a_duplicate() -> None:
    metrics = Metrics("1.2.3")
    metrics.repeated()
    assert Page(metrics).value("referee_duplicates_absorbed_total", method="PlayService/Play") == 1
