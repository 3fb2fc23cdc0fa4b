"""What is said, message by message."""

import asyncio
from collections.abc import Iterator

from referee_api.v1.play_pb2 import FromBot, Pong
from referee_api.v1.play_service_pb2 import PlayRequest
from referee_client.stream import Outbox


def pong(number: int) -> FromBot:
    return FromBot(pong=Pong(id=number))


def ids(message: PlayRequest) -> list[int]:
    return [item.pong.id for item in message.items]


def test_what_is_ready_together_is_said_together_and_in_order() -> None:
    async def story() -> None:
        outbox = Outbox()
        messages: Iterator[PlayRequest] = outbox.messages()
        for number in (1, 2, 3):
            outbox.say(pong(number))
        assert ids(await asyncio.to_thread(next, messages)) == [1, 2, 3]
        outbox.say(pong(4))
        await asyncio.sleep(0)  # One message is on its way; what comes meanwhile goes with the next.
        outbox.say(pong(5))
        await asyncio.sleep(0)
        assert ids(await asyncio.to_thread(next, messages)) == [4, 5]

    asyncio.run(story())


def test_when_it_is_closed_nothing_more_is_said() -> None:
    async def story() -> None:
        outbox = Outbox()
        outbox.say(pong(1))
        await asyncio.sleep(0)
        outbox.close()
        assert await asyncio.to_thread(list, outbox.messages()) == []

    asyncio.run(story())
