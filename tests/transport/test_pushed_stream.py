"""A Play stream that is driven by the callbacks of a link to a front door."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from referee.match.clock import MS
from referee.transport.door_link import MESSAGE, WINDOW, LinkedStream
from referee.transport.play.pulled_stream import PulledStream
from referee.transport.play.pushed_stream import PushedStream
from referee.transport.play.reader import ITEMS_PER_YIELD, PlayStream, StreamClosed
from referee.transport.wire.wire_errors import HeartbeatLost
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, RefereeHarness
from tests.transport.test_reader import HEARTBEAT, play_stream

HANDLER = SimpleNamespace(
    request_deserializer=PlayRequest.FromString, response_serializer=PlayResponse.SerializeToString
)


class Pushed:
    """A stream of a bot whose frames the test sends and receives."""

    def __init__(self, harness: RefereeHarness, stream: PlayStream) -> None:
        self.sent: list[PlayResponse] = []
        self.link = LinkedStream([], HANDLER, self._receive)
        self.stream = stream
        self.harness = harness
        self.running = asyncio.create_task(PushedStream(self.link, stream).run(None))

    def _receive(self, kind: int, body: bytes) -> None:
        if kind == MESSAGE:
            self.sent.append(PlayResponse.FromString(body))

    def send(self, *items: play_pb2.BotItem) -> None:
        self.link.receive(self.harness.time.us, PlayRequest(items=items).SerializeToString())

    def verdicts(self) -> list[int]:
        items = [item for message in self.sent for item in message.items]
        return [item.verdict.item_id for item in items if item.HasField("verdict")]


@asynccontextmanager
async def pushed() -> AsyncIterator[tuple[Pushed, play_pb2.Move]]:
    """Serve a stream whose bot owes a move; yield it and that move."""
    harness = RefereeHarness()
    match_id, (session, _) = await harness.start_match()
    pushed = Pushed(harness, play_stream(harness, session))
    await settle()
    token = harness.turn_due(match_id, 0).turn.token
    yield pushed, play_pb2.Move(match_id=match_id, turn_token=token, move="1")
    pushed.running.cancel()


async def test_a_move_is_answered_without_a_task() -> None:
    async with pushed() as (pushed_stream, move):
        before = asyncio.all_tasks()
        pushed_stream.send(play_pb2.BotItem(item_id=7, move=move))
        begun = [getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks() - before]
        assert begun == ["GatedLog.append"]  # That of the log of tests.
        await settle()
        assert pushed_stream.verdicts() == [7]


async def test_messages_wait_for_the_rest_of_a_long_one() -> None:
    async with pushed() as (pushed_stream, move):
        first = [play_pb2.BotItem(item_id=number, move=move) for number in range(1, 3 * ITEMS_PER_YIELD)]
        pushed_stream.send(*first)
        pushed_stream.send(play_pb2.BotItem(item_id=100, move=move))
        assert pushed_stream.stream._undecided < len(first)
        await settle()
        assert pushed_stream.verdicts()[:1] == [1]
        assert sorted(pushed_stream.verdicts()) == [*range(1, 3 * ITEMS_PER_YIELD), 100]


async def test_a_bot_that_does_not_read_gets_what_is_queued_when_it_reads_again() -> None:
    async with pushed() as (pushed_stream, move):
        pushed_stream.link.add_credit(-WINDOW)
        pushed_stream.send(play_pb2.BotItem(item_id=7, move=move))
        await settle()
        before = pushed_stream.verdicts()
        pushed_stream.link.add_credit(WINDOW)
        await settle()
        assert (before, pushed_stream.verdicts()) == ([], [7])


async def test_what_is_queued_is_sent_before_a_closed_stream_ends() -> None:
    async with pushed() as (pushed_stream, move):
        pushed_stream.link.add_credit(-WINDOW)
        pushed_stream.send(play_pb2.BotItem(item_id=7, move=move))
        await settle()
        pushed_stream.link.close()
        pushed_stream.link.add_credit(WINDOW)
        with pytest.raises(StreamClosed):
            await pushed_stream.running
        assert pushed_stream.verdicts() == [7]


async def test_a_message_that_cannot_be_handled_ends_the_stream_with_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with pushed() as (pushed_stream, move):

        def fail(*_: object) -> None:
            raise ValueError("broken")

        monkeypatch.setattr(pushed_stream.stream, "receive", fail)
        pushed_stream.send(play_pb2.BotItem(item_id=7, move=move))
        with pytest.raises(ValueError, match="broken"):
            await pushed_stream.running


async def test_a_stream_that_is_cancelled_leaves_no_task() -> None:
    harness = RefereeHarness()
    (session,) = harness.connect(BOTS[0])
    await settle()
    before = len(asyncio.all_tasks())
    pushed_stream = Pushed(harness, play_stream(harness, session))
    await settle()
    pushed_stream.running.cancel()
    await settle()
    assert len(asyncio.all_tasks()) == before


class UnreadContext:
    """Context of a stream whose bot neither sends nor reads anything."""

    async def read(self) -> Any:
        await asyncio.Event().wait()

    async def write(self, _: Any) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("through_door", [True, False])
async def test_a_bot_that_answers_no_ping_loses_its_stream_although_it_does_not_read(through_door: bool) -> None:
    harness = RefereeHarness()
    (session,) = harness.connect(BOTS[0])
    stream = play_stream(harness, session)
    link = LinkedStream([], HANDLER, lambda *_: None)
    link.add_credit(-WINDOW)
    driver = PushedStream(link, stream) if through_door else PulledStream(UnreadContext(), stream)
    running = asyncio.create_task(stream.run(driver, []))
    await harness.time.advance(HEARTBEAT.timeout_us)
    assert not running.done()
    await harness.time.advance(HEARTBEAT.ping_interval_ms * MS)
    assert isinstance(running.exception(), HeartbeatLost)
    assert harness.time.alarms_us == []


async def test_an_idle_stream_of_a_door_has_one_task() -> None:
    harness = RefereeHarness()
    (session,) = harness.connect(BOTS[0])
    stream = play_stream(harness, session)
    await settle()
    before = asyncio.all_tasks()
    running = asyncio.create_task(stream.run(PushedStream(LinkedStream([], HANDLER, lambda *_: None), stream), []))
    await settle()
    assert asyncio.all_tasks() - before == {running}
    running.cancel()
