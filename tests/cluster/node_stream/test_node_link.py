"""One node stream in memory, with a clock that stands still: messages, pings, silence, and limits."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc.aio
import pytest

from referee.cluster.node_stream.node_link import FAULT, MAX_SILENCE_US, MESSAGES_PER_YIELD, NodeLink
from referee.cluster.node_stream.stream_queue import (
    MAX_QUEUED_BYTES,
    MAX_QUEUED_MESSAGES,
    StreamBroken,
    StreamQueue,
    StreamReader,
)
from referee.match.clock import SECOND
from tests.cluster.node_stream.stream_ends import Counts
from tests.live.fake_time import FakeTime, settle

WRITE_BYTES = 100


class Side:
    """One side of a stream."""

    def __init__(self, time: FakeTime, receive: Callable[[bytes], None] | None = None) -> None:
        self.received: list[bytes] = []
        self.written: asyncio.Queue[Any] = asyncio.Queue()
        self.counts = Counts()
        self.begun = 0
        self.link = NodeLink(receive or self.received.append, time, WRITE_BYTES, self.counts, self._begin)

    def _begin(self) -> None:
        self.begun += 1

    def run(self, other: "Side") -> asyncio.Task[str]:
        return asyncio.create_task(self.link.run(other.written.get, self.written.put))


def run_pair(
    check: Callable[[FakeTime, Side, Side, asyncio.Task[str], asyncio.Task[str]], Awaitable[None]],
    receive: Callable[[bytes], None] | None = None,
) -> None:
    """Run two sides of one stream; `receive` is that of the first."""

    async def run() -> None:
        time = FakeTime()
        left, right = Side(time, receive), Side(time)
        tasks = left.run(right), right.run(left)
        await settle()
        await check(time, left, right, *tasks)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    asyncio.run(run())


def test_messages_of_any_size_arrive_in_order() -> None:
    sizes = (0, 1, 94, 95, 96, 100, 101, 1_000, 0, 7)
    messages = [bytes([number]) * size for number, size in enumerate(sizes)]

    async def check(_time: FakeTime, left: Side, right: Side, *_: Any) -> None:
        for message in messages:
            left.link.send(message)
            right.link.send(message)
        await settle()
        assert left.received == right.received == messages
        assert left.begun == right.begun == 1
        assert left.counts.sent == right.counts.received == len(messages)

    run_pair(check)


def test_all_messages_that_wait_are_written_at_once() -> None:
    async def run() -> None:
        queue = StreamQueue(WRITE_BYTES)
        for message in (b"a", b"b", b"c" * 300, b"d"):
            queue.put(message)
        reader = StreamReader()
        writes = [await queue.take() for _ in range(4)]
        assert [reader.read(written) for written, _ in writes] == [[b"a", b"b"], [], [], [b"c" * 300, b"d"]]
        assert [completed for _, completed in writes] == [2, 0, 0, 2]
        assert all(len(written) < WRITE_BYTES + 20 for written, _ in writes)

    asyncio.run(run())


def test_a_quiet_stream_stays_open_while_both_sides_live() -> None:
    async def check(time: FakeTime, left: Side, right: Side, *tasks: asyncio.Task[str]) -> None:
        for _ in range(20):
            await time.advance(SECOND)
        assert not any(task.done() for task in tasks)
        assert left.received == right.received == []

    run_pair(check)


def test_a_silent_stream_ends_after_three_seconds() -> None:
    async def check(time: FakeTime, left: Side, _right: Side, left_task: asyncio.Task[str], right_task: Any) -> None:
        right_task.cancel()
        await time.advance(MAX_SILENCE_US - 1)
        assert not left_task.done()
        assert left.link.silent_us == MAX_SILENCE_US - 1
        await time.advance(1)
        assert await left_task == "nothing was received for 3 s"

    run_pair(check)


def test_silence_is_excused_while_the_own_event_loop_is_late() -> None:
    async def check(time: FakeTime, _left: Side, _right: Side, left_task: asyncio.Task[str], right_task: Any) -> None:
        right_task.cancel()
        await settle()
        time.us += 60 * SECOND
        await time.advance(0)
        assert not left_task.done()
        await time.advance(MAX_SILENCE_US)
        assert left_task.done()

    run_pair(check)


def test_nothing_is_received_after_the_end() -> None:
    async def check(_time: FakeTime, left: Side, right: Side, left_task: asyncio.Task[str], _right_task: Any) -> None:
        for number in range(200):
            right.link.send(bytes([number]))
        left.link.end("enough")
        left.link.send(b"late")
        await settle()
        assert await left_task == "enough"
        assert left.received == right.received == []

    run_pair(check)


@pytest.mark.parametrize("failing", [0, MESSAGES_PER_YIELD])
def test_a_message_that_cannot_be_handled_ends_the_stream(failing: int) -> None:
    received = []

    def receive(message: bytes) -> None:
        if message[0] == failing:
            raise ValueError("this one")
        received.append(message[0])

    async def check(_time: FakeTime, _one: Side, two: Side, one_task: asyncio.Task[str], _two_task: Any) -> None:
        for number in range(100):
            two.link.send(bytes([number]))
        await settle()
        assert await one_task == FAULT
        assert received == list(range(failing))

    run_pair(check, receive)


@pytest.mark.parametrize("message", [b"", b"x" * (MAX_QUEUED_BYTES // 4)])
def test_a_limited_number_and_size_of_messages_wait(message: bytes) -> None:
    queue = StreamQueue(WRITE_BYTES)
    for _ in range(4 if message else MAX_QUEUED_MESSAGES):
        queue.put(message)
    with pytest.raises(StreamBroken, match="too many messages wait"):
        queue.put(b"x")


def test_what_was_written_makes_room_for_other_messages() -> None:
    async def run() -> None:
        queue = StreamQueue(MAX_QUEUED_BYTES)
        half = bytes(MAX_QUEUED_BYTES // 2)
        for _ in range(5):
            queue.put(half)
            queue.put(half)
            completed = 0
            while completed < 2:
                completed += (await queue.take())[1]

    asyncio.run(run())


def test_a_stream_on_which_too_much_waits_ends() -> None:
    async def check(_time: FakeTime, left: Side, right: Side, left_task: asyncio.Task[str], _right_task: Any) -> None:
        for number in range(MAX_QUEUED_MESSAGES + 1):
            left.link.send(number.to_bytes(4, "big"))
        assert "too many messages wait" in await left_task
        assert not right.received

    run_pair(check)


@pytest.mark.parametrize("written", [b"", b"no messages", b"\x92\x91\x01\xc2"])
def test_anything_but_messages_ends_the_stream(written: bytes) -> None:
    async def check(_time: FakeTime, left: Side, right: Side, left_task: asyncio.Task[str], _right_task: Any) -> None:
        right.written.put_nowait(written)
        assert "something else than messages" in await left_task
        assert not left.received

    run_pair(check)


def test_a_message_without_an_end_is_refused() -> None:
    async def run() -> None:
        queue, reader = StreamQueue(MAX_QUEUED_BYTES), StreamReader()
        part = b"\x92\x91\xc6" + (MAX_QUEUED_BYTES // 2).to_bytes(4, "big") + bytes(MAX_QUEUED_BYTES // 2) + b"\xc3"
        assert reader.read(part) == reader.read(part) == []
        with pytest.raises(StreamBroken, match="too large"):
            reader.read(part)
        queue.ping()
        assert StreamReader().read((await queue.take())[0]) == []

    asyncio.run(run())


def test_the_end_of_the_other_side_ends_the_stream() -> None:
    async def check(_time: FakeTime, _one: Side, two: Side, one_task: asyncio.Task[str], _two_task: Any) -> None:
        two.written.put_nowait(grpc.aio.EOF)
        assert await one_task == "the other node has closed it"

    run_pair(check)
