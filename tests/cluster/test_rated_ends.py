"""Ends of rated matches wait for a coordinator, for a limited time, and are asked for again by the next one."""

import asyncio

import pytest

from referee.cluster.messages import CONFLICT, STORED, UNAVAILABLE, EndRated, EndStored
from referee.cluster.rated_ends import RETRY_US, STORE_TIMEOUT_US, RemoteRatedEnds
from referee.live.ports import Append, Conflict, Entry, LogUnavailable
from tests.live.fake_time import FakeTime, settle
from tests.live.runner_harness import in_loop
from tests.storage.memory_log import MemoryEventLog

END = Append("m1", 4, ())


class Node:
    """One node that stores the end of a match."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.ends = RemoteRatedEnds(MemoryEventLog(self.time.wall_ms), self.time)
        self.asked: list[EndRated] = []
        self.storing: asyncio.Task[list[Entry]]

    async def begin(self, *, connected: bool) -> None:
        if connected:
            self.ends.connect(self.asked.append)
        self.storing = asyncio.create_task(self.ends.store(END))
        await settle()

    def answer(self, outcome: str, last: int = 0) -> None:
        self.ends.handle(EndStored(self.asked[-1].request_no, outcome, last, "no space"))


@in_loop
async def test_an_end_waits_until_there_is_a_coordinator() -> None:
    node = Node()
    await node.begin(connected=False)
    await node.time.advance(STORE_TIMEOUT_US - 1)
    assert not node.storing.done()
    node.ends.connect(node.asked.append)
    assert [(asked.match_id, asked.after) for asked in node.asked] == [("m1", 4)]
    node.answer(STORED)
    assert await node.storing == []


@in_loop
async def test_the_next_coordinator_is_asked_as_well() -> None:
    node = Node()
    await node.begin(connected=True)
    node.ends.disconnect()
    node.ends.connect(node.asked.append)
    assert len(node.asked) == 2
    assert node.asked[0] == node.asked[1]
    node.answer(CONFLICT, last=6)  # The first one had stored it.
    node.answer(STORED)
    with pytest.raises(Conflict) as raised:
        await node.storing
    assert raised.value.last == 6


@in_loop
async def test_a_coordinator_that_cannot_store_an_end_is_asked_again_later() -> None:
    node = Node()
    await node.begin(connected=True)
    node.answer(UNAVAILABLE)
    await node.time.advance(RETRY_US - 1)
    assert len(node.asked) == 1
    await node.time.advance(1)
    assert len(node.asked) == 2
    node.answer(STORED)
    await node.storing


@in_loop
async def test_an_end_does_not_wait_for_ever() -> None:
    node = Node()
    await node.begin(connected=True)
    node.answer(UNAVAILABLE)
    await node.time.advance(STORE_TIMEOUT_US)
    with pytest.raises(LogUnavailable, match="no space"):
        await node.storing
    asked = len(node.asked)
    node.ends.connect(node.asked.append)
    assert len(node.asked) == asked


@in_loop
async def test_a_node_that_becomes_the_coordinator_decides_the_end_again() -> None:
    node = Node()
    await node.begin(connected=False)
    node.ends.decide_again()
    with pytest.raises(Conflict):
        await node.storing


@in_loop
async def test_no_end_waits_once_the_node_shuts_down() -> None:
    node = Node()
    await node.begin(connected=False)
    node.ends.close()
    for storing in (node.storing, node.ends.store(END)):
        with pytest.raises(LogUnavailable, match="shutting down"):
            await storing
