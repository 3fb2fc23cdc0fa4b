"""The link to the front door, with a door that is played by the test."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from referee.live.door_lag import BEAT_US
from referee.live.loop_lag import LoopLag
from referee.live.match_timing import LoopTime
from referee.match.clock import SECOND
from referee.transport.door_link import (
    BEAT,
    CLOSE,
    COST_BYTES,
    COUNT,
    CREDIT,
    END,
    GONE,
    HEAD,
    MAX_FRAME_BYTES,
    MESSAGE,
    OPEN,
    OWN,
    STAMP,
    WINDOW,
    DoorLinks,
    LinkedMethod,
    cost_of,
)
from referee.transport.wire.error_mapping import STATUS_DETAILS
from tests.live.fake_time import FakeTime

Behaviour = Callable[[Any], Awaitable[None]]


@dataclass
class Door:
    """The other end of a link."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, number: int, kind: int, body: bytes = b"") -> None:
        self.writer.write(HEAD.pack(len(body), number, kind) + body)

    def open(self, number: int, **metadata: str) -> None:
        self.send(number, OPEN, json.dumps(list(metadata.items())).encode())

    def message(self, number: int, text: str, arrived_ns: int = 0) -> None:
        self.send(number, MESSAGE, STAMP.pack(arrived_ns) + text.encode())

    async def receive(self) -> tuple[int, int, bytes]:
        size, number, kind = HEAD.unpack(await self.reader.readexactly(HEAD.size))
        return number, kind, await self.reader.readexactly(size)

    async def messages(self, number: int, count: int) -> list[str]:
        """Return the next messages of that stream, without what else comes."""
        found = list[str]()
        while len(found) < count:
            of, kind, body = await self.receive()
            if (of, kind) == (number, MESSAGE):
                found.append(body.decode())
        return found

    async def ended(self, number: int) -> dict[str, Any]:
        """Return how that stream ends."""
        while True:
            of, kind, body = await self.receive()
            if (of, kind) == (number, END):
                end: dict[str, Any] = json.loads(body)
                return end


@asynccontextmanager
async def linked(folder: Path, behaviour: Behaviour) -> AsyncIterator[tuple[DoorLinks, Door]]:
    """Yield a server whose streams behave in that way, and a door that is connected to it."""

    async def handle(_: Any, context: Any) -> None:
        await behaviour(context)

    handler = grpc.stream_stream_rpc_method_handler(handle, bytes.decode, str.encode)
    links = DoorLinks(LinkedMethod("/service/method", handler, ()), LoopLag(LoopTime()).door)
    await links.open(folder / "link")
    reader, writer = await asyncio.open_unix_connection(folder / "link")
    try:
        yield links, Door(reader, writer)
    finally:
        await links.close(0)
        writer.close()
        await writer.wait_closed()


async def echo(context: Any) -> None:
    while (message := await context.read()) is not grpc.aio.EOF:
        await context.write(message)


async def test_streams_share_a_link_and_end_when_the_bot_has_closed_its_side(tmp_path: Path) -> None:
    async with linked(tmp_path, echo) as (_, door):
        door.open(1)
        door.open(2)
        door.message(1, "a")
        door.message(2, "b")
        assert {await door.receive(), await door.receive()} == {(1, MESSAGE, b"a"), (2, MESSAGE, b"b")}
        door.send(1, CLOSE)
        assert await door.ended(1) == {"code": 0, "sentence": "", "details": ""}
        door.message(1, "late")
        door.message(2, "c")
        assert await door.messages(2, 1) == ["c"]


async def test_frames_may_arrive_in_any_pieces(tmp_path: Path) -> None:
    async with linked(tmp_path, echo) as (_, door):
        text = b"".join(
            HEAD.pack(len(body), 7, kind) + body
            for kind, body in ((OPEN, b"[]"), (MESSAGE, STAMP.pack(0) + b"whole"), (CLOSE, b""))
        )
        for byte in text:
            door.writer.write(bytes([byte]))
            await door.writer.drain()
        assert await door.messages(7, 1) == ["whole"]
        assert (await door.ended(7))["code"] == 0


async def test_a_stream_has_its_metadata_and_the_time_at_which_the_door_has_read_a_message(tmp_path: Path) -> None:
    async def tell(context: Any) -> None:
        await context.read()
        await context.write(f"{context.peer()} {context.invocation_metadata()} {context.arrived_us} {context.code()}")

    async with linked(tmp_path, tell) as (_, door):
        door.open(1, authorization="Bearer x")
        door.message(1, "", arrived_ns=5_000_999)
        assert await door.messages(1, 1) == ["unix: [('authorization', 'Bearer x')] 5000 None"]


async def test_a_stream_ends_with_the_status_and_the_details_of_an_error(tmp_path: Path) -> None:
    codes = []

    async def fail(context: Any) -> None:
        try:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such thing", ((STATUS_DETAILS, b"\x01"),))
        finally:
            codes.append(context.code())

    async with linked(tmp_path, fail) as (_, door):
        door.open(1)
        assert await door.ended(1) == {"code": 5, "sentence": "no such thing", "details": "AQ=="}
    assert codes == [grpc.StatusCode.NOT_FOUND]


async def test_a_bot_that_does_not_read_stops_its_own_stream_only(tmp_path: Path) -> None:
    written = list[int]()

    async def flood(context: Any) -> None:
        if context.invocation_metadata():
            await echo(context)
        for number in range(WINDOW + 2):
            await context.write(str(number))
            written.append(number)

    async with linked(tmp_path, flood) as (_, door):
        door.open(1)
        assert await door.messages(1, WINDOW) == [str(number) for number in range(WINDOW)]
        door.open(2, echo="")
        door.message(2, "b")
        assert await door.messages(2, 1) == ["b"]
        assert len(written) == WINDOW
        door.send(1, CREDIT, COUNT.pack(2))
        assert await door.messages(1, 2) == [str(WINDOW), str(WINDOW + 1)]


async def test_the_door_gets_credit_for_messages_that_were_taken(tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def wait(context: Any) -> None:
        await go_on.wait()
        while await context.read() is not grpc.aio.EOF:
            pass

    async with linked(tmp_path, wait) as (_, door):
        door.open(1)
        for _ in range(WINDOW):
            door.message(1, "")
        go_on.set()
        half = COUNT.pack(WINDOW // 2)
        assert [await door.receive(), await door.receive()] == [(1, CREDIT, half)] * 2


async def test_one_long_message_is_on_its_way_at_a_time(tmp_path: Path) -> None:
    long, written = "x" * COST_BYTES * WINDOW, list[str]()

    async def write(context: Any) -> None:
        for text in ("short", long, "short", long):
            await context.write(text)
            written.append(text)
        assert await context.read() == long

    async with linked(tmp_path, write) as (_, door):
        door.open(1)
        assert await door.messages(1, 3) == ["short", long, "short"]
        assert written == ["short", long, "short"]
        door.send(1, CREDIT, COUNT.pack(2 + cost_of(long.encode())))
        assert await door.messages(1, 1) == [long]
        door.message(1, long)
        assert await door.receive() == (1, CREDIT, COUNT.pack(cost_of(long.encode())))
        assert (await door.ended(1))["code"] == 0


@pytest.mark.parametrize("ending", ["gone", "link lost", "a frame without end"])
async def test_a_stream_whose_bot_or_door_is_gone_is_cancelled(tmp_path: Path, ending: str) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(context: Any) -> None:
        started.set()
        try:
            await context.read()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async with linked(tmp_path, wait) as (_, door):
        door.open(1)
        await started.wait()
        if ending == "gone":
            door.send(1, GONE)
            assert (await door.ended(1))["code"] == grpc.StatusCode.CANCELLED.value[0]
        elif ending == "link lost":
            door.writer.close()
        else:
            door.writer.write(HEAD.pack(MAX_FRAME_BYTES + 1, 1, MESSAGE))
        await cancelled.wait()


async def test_a_server_that_closes_ends_streams_after_the_grace_period(tmp_path: Path) -> None:
    async with linked(tmp_path, echo) as (links, door):
        door.open(1)
        door.message(1, "a")
        await door.messages(1, 1)
        closing = asyncio.create_task(links.close(3600))
        door.message(1, "b")
        assert await door.messages(1, 1) == ["b"]
        door.send(1, CLOSE)
        assert (await door.ended(1))["code"] == 0
        await closing
        assert await door.reader.read() == b""


async def test_a_door_that_never_connects_is_late(tmp_path: Path) -> None:
    time = FakeTime()
    lag = LoopLag(time).door
    links = DoorLinks(LinkedMethod("/service/method", None, ()), lag)  # type: ignore[arg-type]  # No stream comes.
    await links.open(tmp_path / "link")
    await links.close(0)
    await time.advance(BEAT_US + 20 * SECOND)
    assert lag.late_us(lag.own, time.monotonic_us()) == 20 * SECOND


async def test_a_beat_carries_what_the_door_counts(tmp_path: Path) -> None:
    async with linked(tmp_path, echo) as (links, door):
        door.send(0, BEAT, STAMP.pack(0) + b'{"calls_total": 7}')
        door.open(1)
        door.message(1, "a")
        await door.messages(1, 1)
        assert links.counts() == {OWN: {"up": 1, "links_total": 1, "calls_total": 7}}
        await links.close(0)
        assert await door.reader.read() == b""
        assert links.counts() == {OWN: {"up": 0, "links_total": 1}}


async def test_a_door_of_another_release_is_disconnected(tmp_path: Path) -> None:
    async with linked(tmp_path, echo) as (links, door):
        door.send(0, BEAT, b'{"calls_total": 7}')
        assert await door.reader.read() == b""
        assert links.counts()[OWN]["up"] == 0


async def test_a_stream_that_is_gone_before_it_begins_leaves_nothing(tmp_path: Path) -> None:
    async with linked(tmp_path, echo) as (links, door):
        for number in range(1, 4):
            door.open(number)
            door.send(number, GONE)
        door.open(4)
        door.send(4, CLOSE)
        assert (await door.ended(4))["code"] == 0
        assert links.open_streams == 0
