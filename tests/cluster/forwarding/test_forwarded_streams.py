"""What happens to forwarded calls in time: deadlines, cancellation, slow readers, and nodes that disappear."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from referee_api.v1.ladder_pb2 import LadderEntry
from referee_api.v1.ladder_service_pb2 import WatchLadderItem, WatchLadderResponse

from referee.transport.server import MAX_STREAMS_PER_CONNECTION
from tests.cluster.forwarding.nodes import SETTINGS, Node, OtherEnd, error_of, run_other_end, start_call
from tests.e2e.server import TIMEOUT_S

WATCH, CALL = "LadderService/WatchLadder", "LadderService/ListLadders"
EMPTY = WatchLadderResponse().SerializeToString()
LARGE = WatchLadderResponse(items=[WatchLadderItem(entry=LadderEntry(number=1))] * 10_000).SerializeToString()


@dataclass
class Scene:
    other: OtherEnd
    node: Node
    token: str
    server: grpc.aio.Server

    def start(self, method: str) -> Any:
        return start_call(self.node.channel, method, self.token)


def play(folder: Path, behaviour: Any, check: Callable[[Scene], Awaitable[None]], **settings: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(TIMEOUT_S):
            async with run_other_end(folder, behaviour, replace(SETTINGS, **settings)) as scene:
                await check(Scene(*scene))

    asyncio.run(run())


async def answer_at_once(_request: bytes, _context: Any) -> bytes:
    return EMPTY


class Endless:
    """Answers with one message if it is a stream, and then nothing more; records its cancellation."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.deadline_s: float | None = None

    async def __call__(self, _request: bytes, context: Any) -> bytes:
        self.deadline_s = context.time_remaining()
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return EMPTY


async def watch_endlessly(_request: bytes, context: Any) -> None:
    await context.write(EMPTY)
    await asyncio.Event().wait()


@pytest.mark.parametrize("method", [CALL, WATCH])
def test_a_cancelled_call_is_cancelled_on_the_other_node(tmp_path: Path, method: str) -> None:
    endless = Endless()

    async def check(scene: Scene) -> None:
        call = scene.start(method)
        waiting = asyncio.ensure_future(call.read() if method == WATCH else call)
        await endless.started.wait()
        call.cancel()
        await endless.cancelled.wait()
        await asyncio.wait([waiting])

    play(tmp_path, endless, check)


def test_the_deadline_of_a_call_holds_on_the_other_node(tmp_path: Path) -> None:
    endless = Endless()

    async def check(scene: Scene) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await start_call(scene.node.channel, CALL, scene.token, timeout_s=0.5)
        assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        await endless.cancelled.wait()
        assert endless.deadline_s is not None
        assert endless.deadline_s <= 0.5

    play(tmp_path, endless, check)


def test_only_the_headers_that_nodes_read_are_passed_on(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        headers = (("traceparent", "00-1-2-01"), ("x-secret", "1"), ("grpc-accept-encoding", "gzip"))
        await start_call(scene.node.channel, CALL, scene.token, *headers)
        _, received = scene.other.calls[0]
        assert received["authorization"] == f"Bearer {scene.token}"
        assert received["traceparent"] == "00-1-2-01"
        assert "x-secret" not in received
        assert received["referee-forwarded"].startswith("b 1 unix ")

    play(tmp_path, answer_at_once, check)


def test_a_request_that_is_too_large_is_rejected_by_the_node_that_received_it(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        call = start_call(scene.node.channel, "LadderService/CreateLadder", scene.token, title="x" * 2_000)
        assert (await error_of(call)).reason == "MESSAGE_TOO_LARGE"
        assert not scene.other.calls

    play(tmp_path, answer_at_once, check, max_message_bytes=1_024)


def test_a_call_with_a_wrong_token_is_rejected_by_the_node_that_received_it(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        for secret, reason in ((None, "NO_TOKEN"), ("rf_wrong", "BAD_TOKEN")):
            assert (await error_of(start_call(scene.node.channel, CALL, secret))).reason == reason
        assert not scene.other.calls

    play(tmp_path, answer_at_once, check)


@pytest.mark.parametrize("method", [CALL, WATCH])
def test_a_node_that_cannot_be_reached_is_an_error_with_a_retry_delay(tmp_path: Path, method: str) -> None:
    async def check(scene: Scene) -> None:
        await scene.server.stop(None)
        call = scene.start(method)
        error = await error_of(call.read() if method == WATCH else call)
        assert error.reason == "NODE_UNAVAILABLE"
        assert "RetryInfo" in error.details

    play(tmp_path, answer_at_once, check)


@pytest.mark.parametrize("method", [CALL, WATCH])
@pytest.mark.parametrize("end", ["stop", "leave"])
def test_a_call_whose_node_disappears_ends_with_an_error(tmp_path: Path, method: str, end: str) -> None:
    endless = Endless()

    async def check(scene: Scene) -> None:
        call = scene.start(method)
        waiting = asyncio.ensure_future(call.read() if method == WATCH else call)
        await endless.started.wait()
        if end == "stop":
            await scene.server.stop(None)
        else:
            await scene.node.channels.keep_only([])
        assert (await error_of(waiting)).reason == "NODE_UNAVAILABLE"

    play(tmp_path, endless, check)


def test_a_stream_that_breaks_after_its_first_answers_ends_with_an_error(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        call = scene.start(WATCH)
        assert await call.read() == WatchLadderResponse()
        await scene.server.stop(None)
        assert (await error_of(call.read())).reason == "NODE_UNAVAILABLE"

    play(tmp_path, watch_endlessly, check)


def test_a_reader_that_is_slow_delays_the_other_node_and_gets_everything(tmp_path: Path) -> None:
    answers, written = 400, 0

    async def offer(context: Any) -> None:
        nonlocal written
        for _ in range(answers):
            await context.write(LARGE)
            written += 1

    async def behaviour(request: bytes, context: Any) -> bytes | None:
        if b"other" in request:
            return EMPTY
        await offer(context)
        return None

    async def check(scene: Scene) -> None:
        call = scene.start(WATCH)
        await call.read()
        before, same = -1, 0
        while same < 50:  # Other calls still pass, while this stream has come to a halt.
            same = same + 1 if written == before else 0
            before = written
            await start_call(scene.node.channel, "LadderService/GetLadder", scene.token, name="other")
        assert written * len(LARGE) < answers * len(LARGE) / 4
        read = 1
        while await call.read() is not grpc.aio.EOF:
            read += 1
        assert read == answers

    play(tmp_path, behaviour, check)


def test_more_streams_than_one_connection_holds_do_not_delay_other_calls(tmp_path: Path) -> None:
    async def behaviour(request: bytes, context: Any) -> bytes | None:
        if b"other" in request:
            return EMPTY
        await watch_endlessly(request, context)
        return None

    async def check(scene: Scene) -> None:
        async with more_channels(scene.node.address) as channels:
            streams = [start_call(channels[n % 4], WATCH, scene.token) for n in range(MAX_STREAMS_PER_CONNECTION + 1)]
            for stream in streams:
                await stream.read()
            await start_call(scene.node.channel, "LadderService/GetLadder", scene.token, name="other")

    play(tmp_path, behaviour, check)


@asynccontextmanager
async def more_channels(address: str) -> AsyncIterator[list[grpc.aio.Channel]]:
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options) for _ in range(4)]
    yield channels
    for channel in channels:
        await channel.close()
