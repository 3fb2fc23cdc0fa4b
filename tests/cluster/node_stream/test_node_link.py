"""One node stream in memory, with a clock that stands still: messages, pings, silence, and limits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc.aio
import pytest

from referee.cluster.node_stream.node_link import (
    FAULT,
    MAX_QUEUED_BYTES,
    MAX_QUEUED_MESSAGES,
    MAX_SILENCE_US,
    MESSAGES_PER_YIELD,
    NodeLink,
    NodeStreamCounts,
    StreamBroken,
    StreamQueue,
    StreamReader,
)
from referee.match.clock import SECOND
from tests.cluster.worlds import in_world
from tests.live.fake_time import FakeTime, settle

WRITE_BYTES = 100


class Side:
    """One side of a stream."""

    def __init__(self, time: FakeTime) -> None:
        self.time = time
        self.received: list[bytes] = []
        self.failing: bytes | None = None
        """A message that it cannot handle."""
        self.written: asyncio.Queue[Any] = asyncio.Queue()
        self.counts = NodeStreamCounts()
        self.begun = 0
        self.link = NodeLink(self.receive, time, WRITE_BYTES, self.counts, self._begin)
        self.task: asyncio.Task[str]

    def receive(self, message: bytes) -> None:
        if message == self.failing:
            raise ValueError("this one")
        self.received.append(message)

    def _begin(self) -> None:
        self.begun += 1


@in_world
@asynccontextmanager
async def with_pair() -> AsyncIterator[tuple[Side, Side]]:
    """Run two sides of one stream."""
    time = FakeTime()
    left, right = Side(time), Side(time)
    for side, other in ((left, right), (right, left)):
        side.task = asyncio.create_task(side.link.run(other.written.get, side.written.put))
    await settle()
    yield left, right
    for side in (left, right):
        side.task.cancel()
    await asyncio.wait([left.task, right.task])


@with_pair
async def test_messages_of_any_size_arrive_in_order(left: Side, right: Side) -> None:
    sizes = (0, 1, 94, 95, 96, 100, 101, 1_000, 0, 7)
    messages = [bytes([number]) * size for number, size in enumerate(sizes)]
    for message in messages:
        left.link.send(message)
        right.link.send(message)
    await settle()
    assert left.received == right.received == messages
    assert left.begun == right.begun == 1
    assert left.counts.sent == right.counts.received == len(messages)


async def test_all_messages_that_wait_are_written_at_once() -> None:
    queue = StreamQueue(WRITE_BYTES)
    for message in (b"a", b"b", b"c" * 300, b"d"):
        queue.put(message)
    reader = StreamReader()
    writes = [await queue.take() for _ in range(4)]
    assert [reader.read(written) for written, _ in writes] == [[b"a", b"b"], [], [], [b"c" * 300, b"d"]]
    assert [completed for _, completed in writes] == [2, 0, 0, 2]
    assert all(len(written) < WRITE_BYTES + 20 for written, _ in writes)


@with_pair
async def test_a_quiet_stream_stays_open_while_both_sides_live(left: Side, right: Side) -> None:
    for _ in range(20):
        await left.time.advance(SECOND)
    assert not any(side.task.done() for side in (left, right))
    assert left.received == right.received == []


@with_pair
async def test_a_silent_stream_ends_after_three_seconds(left: Side, right: Side) -> None:
    right.task.cancel()
    await left.time.advance(MAX_SILENCE_US - 1)
    assert not left.task.done()
    assert left.link.silent_us == MAX_SILENCE_US - 1
    await left.time.advance(1)
    assert await left.task == "nothing was received for 3 s"


@with_pair
async def test_silence_is_excused_while_the_own_event_loop_is_late(left: Side, right: Side) -> None:
    right.task.cancel()
    await settle()
    left.time.us += 60 * SECOND
    await left.time.advance(0)
    assert not left.task.done()
    await left.time.advance(MAX_SILENCE_US)
    assert left.task.done()


@with_pair
async def test_nothing_is_received_after_the_end(left: Side, right: Side) -> None:
    for number in range(200):
        right.link.send(bytes([number]))
    left.link.end("enough")
    left.link.send(b"late")
    await settle()
    assert await left.task == "enough"
    assert left.received == right.received == []


@pytest.mark.parametrize("failing", [0, MESSAGES_PER_YIELD])
@with_pair
async def test_a_message_that_cannot_be_handled_ends_the_stream(left: Side, right: Side, *, failing: int) -> None:
    messages = [bytes([number]) for number in range(100)]
    left.failing = messages[failing]
    for message in messages:
        right.link.send(message)
    assert await left.task == FAULT
    assert left.received == messages[:failing]


@pytest.mark.parametrize("message", [b"", b"x" * (MAX_QUEUED_BYTES // 4)])
def test_a_limited_number_and_size_of_messages_wait(message: bytes) -> None:
    queue = StreamQueue(WRITE_BYTES)
    for _ in range(4 if message else MAX_QUEUED_MESSAGES):
        queue.put(message)
    with pytest.raises(StreamBroken, match="too many messages wait"):
        queue.put(b"x")


async def test_what_was_written_makes_room_for_other_messages() -> None:
    queue = StreamQueue(MAX_QUEUED_BYTES)
    half = bytes(MAX_QUEUED_BYTES // 2)
    for _ in range(5):
        queue.put(half)
        queue.put(half)
        completed = 0
        while completed < 2:
            completed += (await queue.take())[1]


@with_pair
async def test_a_stream_on_which_too_much_waits_ends(left: Side, right: Side) -> None:
    for number in range(MAX_QUEUED_MESSAGES + 1):
        left.link.send(number.to_bytes(4, "big"))
    assert "too many messages wait" in await left.task
    assert not right.received


@pytest.mark.parametrize("written", [b"", b"no messages", b"\x92\x91\x01\xc2"])
@with_pair
async def test_anything_but_messages_ends_the_stream(left: Side, right: Side, *, written: bytes) -> None:
    right.written.put_nowait(written)
    assert "something else than messages" in await left.task
    assert not left.received


async def test_a_message_without_an_end_is_refused() -> None:
    queue, reader = StreamQueue(MAX_QUEUED_BYTES), StreamReader()
    part = b"\x92\x91\xc6" + (MAX_QUEUED_BYTES // 2).to_bytes(4, "big") + bytes(MAX_QUEUED_BYTES // 2) + b"\xc3"
    assert reader.read(part) == reader.read(part) == []
    with pytest.raises(StreamBroken, match="too large"):
        reader.read(part)
    queue.ping()
    assert StreamReader().read((await queue.take())[0]) == []


@with_pair
async def test_the_end_of_the_other_side_ends_the_stream(left: Side, right: Side) -> None:
    right.written.put_nowait(grpc.aio.EOF)
    assert await left.task == "the other node has closed it"
