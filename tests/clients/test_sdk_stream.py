"""How items are combined into the messages of a Play stream, and when a silent stream is abandoned."""

import asyncio
import queue
from collections.abc import Iterator
from typing import Any

import pytest
from referee_api.v1.play_pb2 import BotItem, Pong
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse
from referee_client.stream import HeartbeatTimeout, Outbox, Stream


def pong(number: int) -> BotItem:
    return BotItem(pong=Pong(id=number))


def ids(message: PlayRequest) -> list[int]:
    return [item.pong.id for item in message.items]


async def test_items_that_are_ready_together_are_sent_in_one_message_in_order() -> None:
    outbox = Outbox()
    messages: Iterator[PlayRequest] = outbox.messages()
    for number in (1, 2, 3):
        outbox.put(pong(number))
    assert ids(await asyncio.to_thread(next, messages)) == [1, 2, 3]
    outbox.put(pong(4))
    await asyncio.sleep(0)  # One message is being sent; items that are added meanwhile share the next one.
    outbox.put(pong(5))
    await asyncio.sleep(0)
    assert ids(await asyncio.to_thread(next, messages)) == [4, 5]


async def test_a_closed_outbox_sends_nothing() -> None:
    outbox = Outbox()
    outbox.put(pong(1))
    await asyncio.sleep(0)
    outbox.close()
    assert await asyncio.to_thread(list, outbox.messages()) == []


class FakeChannel:
    """Channel whose stream yields what is put into `responses`, and ends at None."""

    def __init__(self) -> None:
        self.responses: queue.SimpleQueue[PlayResponse | None] = queue.SimpleQueue()

    def stream_stream(self, *_: object, **__: object) -> Any:
        return lambda *_, **__: self

    def __iter__(self) -> Iterator[PlayResponse]:
        return iter(self.responses.get, None)

    def cancel(self) -> None:
        self.responses.put(None)


async def test_a_silent_stream_is_abandoned_after_the_limit() -> None:
    channel: Any = FakeChannel()
    stream = Stream(channel, (), Outbox())
    channel.responses.put(PlayResponse())
    messages = stream.messages()
    assert await anext(messages) == PlayResponse()
    stream.heartbeat_timeout_s = 0
    with pytest.raises(HeartbeatTimeout, match=r"^nothing was received for 0 s$"):
        await anext(messages)
    stream.close()
