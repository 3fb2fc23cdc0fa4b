"""Nodes that cannot reach the coordinator, and what a node learns late."""

import asyncio

import pytest

from referee.cluster.messages import CONFLICT, STORED, UNAVAILABLE, EndRated, EndStored
from referee.cluster.rated_ends import RETRY_US, STORE_TIMEOUT_US, RemoteRatedEnds
from referee.live.outbox import MatchEnded
from referee.live.ports import Append, Conflict, Entry, StoreUnavailable
from referee.live.sessions import Session
from referee.match.clock import MS, SECOND
from referee.match.state import MatchPhase
from referee.transport.wire.wire_errors import NodeUnavailable
from tests.cluster.live_nodes import (
    FIRST,
    IDLE_BOT,
    RETURN_WITHIN_US,
    SECOND_BOT,
    LiveCluster,
    in_cluster,
    with_match_apart,
)
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import drain_outbox, drain_turns
from tests.storage.memory import MemoryEventLog


def cut_off_and_kill(cluster: LiveCluster) -> None:
    """Kill the node of a bot that owes a turn, while a fourth node is cut off."""
    cluster.cut("d")
    cluster.kill(cluster.b)


@with_match_apart
async def test_no_clock_runs_for_a_bot_at_a_node_that_cannot_reach_the_coordinator(cluster: LiveCluster) -> None:
    cut_off_and_kill(cluster)
    cluster.d.connect(FIRST)
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    assert await cluster.forfeits() == []
    assert "SeatDisconnected" not in await cluster.events()
    await cluster.d.leave(FIRST)
    (session,) = cluster.d.connect(FIRST)
    await cluster.mend(cluster.d)
    assert len(drain_turns(session)) == 1
    await cluster.time.advance(SECOND)
    await cluster.answer(cluster.d, 0)
    assert await cluster.charges() == [SECOND]


@pytest.mark.parametrize("left", [False, True], ids=["all nodes are heard again", "the node has left the cluster"])
@with_match_apart
async def test_a_bot_that_does_not_come_back_forfeits_once_no_other_node_can_have_it(
    cluster: LiveCluster, *, left: bool
) -> None:
    cut_off_and_kill(cluster)
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    if left:
        cluster.a.node.coordinator.remove_node("d")
    else:
        await cluster.mend(cluster.d)
    await cluster.time.advance(RETURN_WITHIN_US)
    assert await cluster.forfeits() == []  # Until now it may have been on its way from that node.
    await cluster.time.advance(16 * SECOND)
    assert await cluster.forfeits() == [0]


@with_match_apart
async def test_a_new_coordinator_waits_for_the_reports_of_all_members(cluster: LiveCluster) -> None:
    cluster.cut(*cluster.streams)
    cluster.b.log.make_unavailable()  # So that only the coordinator could let a flag fall.
    await cluster.c.node.coordinate(["b"])
    await cluster.pass_time(2 * RETURN_WITHIN_US)
    assert not {"SeatDisconnected", "FlagFell", "PlayEnded"} & set(await cluster.events())


@pytest.mark.parametrize(
    ("offline_first", "charged_us"), [(True, 7 * SECOND), (False, 5 * SECOND)], ids=["before", "while"]
)
@with_match_apart
async def test_a_bot_that_goes_offline_keeps_the_time_that_it_had_used_although_a_node_is_cut_off(
    cluster: LiveCluster, *, offline_first: bool, charged_us: int
) -> None:
    if not offline_first:
        cluster.cut("d")
    await cluster.time.advance(4 * SECOND)
    await cluster.b.leave(FIRST)
    if offline_first:
        await cluster.time.advance(2 * SECOND)
        cluster.cut("d")
    await cluster.time.advance(20 * SECOND)
    assert await cluster.answer_elsewhere(cluster.c) == charged_us


@with_match_apart
async def test_time_in_which_a_node_was_silent_before_its_stream_ended_is_not_charged_either(
    cluster: LiveCluster,
) -> None:
    await cluster.b.leave(FIRST)
    await cluster.time.advance(4 * SECOND)
    cluster.streams["d"].silent_us = 3 * SECOND
    cluster.cut("d")
    assert await cluster.answer_elsewhere(cluster.c) == 2 * SECOND


@with_match_apart
async def test_a_node_that_is_cut_off_takes_no_bots(cluster: LiveCluster) -> None:
    cluster.cut("b")
    took_bots = []
    for _ in range(2):
        await cluster.time.advance(3 * SECOND // 2)
        took_bots.append(cluster.b.node.takes_bots)
    assert took_bots == [True, False]
    assert cluster.c.node.takes_bots


def ended(session: Session) -> bool:
    return isinstance(session.outbox.closed, NodeUnavailable)


@with_match_apart
async def test_a_node_that_is_cut_off_ends_the_sessions_that_it_cannot_serve(cluster: LiveCluster) -> None:
    b, c = cluster.b, cluster.c
    playing = b.session(FIRST)
    (idle,) = b.connect(IDLE_BOT)
    await settle()
    cluster.cut("b")
    (late,) = b.connect(SECOND_BOT)
    await cluster.time.advance(2 * SECOND)
    assert not ended(idle)
    await cluster.time.advance(SECOND)
    assert [ended(session) for session in (playing, idle, late)] == [False, True, True]
    b.referee.sessions.close(late)
    for number in range(21):
        await cluster.answer((b, c)[number % 2], number % 2)
    assert MatchEnded(cluster.match_id, 0) in drain_outbox(playing)
    await cluster.time.advance(SECOND)
    assert ended(playing)


@pytest.mark.parametrize("seconds", [2, 10])
@with_match_apart
async def test_a_node_takes_bots_again_when_it_reaches_the_coordinator(cluster: LiveCluster, *, seconds: int) -> None:
    cluster.cut("b")
    await cluster.time.advance(seconds * SECOND)
    await cluster.mend(cluster.b)
    await cluster.time.advance(10 * SECOND)
    assert cluster.b.node.takes_bots


async def test_a_node_takes_no_bots_before_it_has_reached_a_coordinator_or_is_the_coordinator() -> None:
    cluster = LiveCluster()
    assert not any(node.node.takes_bots for node in cluster.nodes)
    await cluster.open()
    assert all(node.node.takes_bots for node in cluster.nodes)
    cluster.cut("b")
    await cluster.b.node.coordinate([])
    cluster.a.node.follow("b")
    await cluster.time.advance(10 * SECOND)
    assert cluster.b.node.takes_bots
    assert not cluster.a.node.takes_bots
    await cluster.close()


@with_match_apart
async def test_no_flag_falls_before_the_coordinator_would_know_that_it_does_not_hear_a_node(
    cluster: LiveCluster,
) -> None:
    await cluster.time.advance(8 * SECOND)
    await cluster.b.leave(FIRST)
    cluster.streams["d"].broken = True  # Nothing arrives any more, which no side has noticed.
    cluster.d.connect(FIRST)
    await cluster.time.advance(3_900 * MS)
    assert await cluster.forfeits() == []
    cluster.streams["d"].silent_us = 3_900 * MS
    cluster.streams["d"].cut()
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    assert await cluster.forfeits() == []


@pytest.mark.parametrize("elected", [False, True], ids=["reports to the coordinator", "becomes the coordinator"])
@with_match_apart
async def test_an_end_reaches_a_session_that_was_opened_before_its_node_could_learn_of_it(
    cluster: LiveCluster, *, elected: bool
) -> None:
    await cluster.b.leave(FIRST)
    cluster.cut("d")
    (session,) = cluster.d.connect(FIRST)
    await settle()
    await cluster.c.referee.resign(cluster.match_id, 1)
    await settle()
    assert MatchEnded(cluster.match_id, 0) not in drain_outbox(session)
    if elected:
        await cluster.elect(cluster.d)
    else:
        await cluster.mend(cluster.d)
    assert drain_outbox(session).count(MatchEnded(cluster.match_id, 0)) == 1


@with_match_apart
async def test_a_session_gets_undelivered_ends_once_at_a_node_that_does_not_coordinate(cluster: LiveCluster) -> None:
    cluster.b.referee.sessions.close(cluster.b.session(FIRST))
    await cluster.c.referee.resign(cluster.match_id, 1)
    await settle()
    (session,) = cluster.b.connect(FIRST)
    await settle()
    assert drain_outbox(session).count(MatchEnded(cluster.match_id, 0)) == 1
    await settle()
    assert MatchEnded(cluster.match_id, 0) not in drain_outbox(session)


@in_cluster
async def test_the_coordinator_adopts_a_match_that_an_earlier_one_has_created_since(cluster: LiveCluster) -> None:
    a, b, c = cluster.a, cluster.b, cluster.c
    a.connect(FIRST, SECOND_BOT)
    await settle()
    await cluster.elect(c, without=[a])
    match_id = await a.create()
    waiting_id = await a.create(players=(FIRST, SECOND_BOT))
    cluster.lose_node(a)
    await cluster.pass_time(4 * SECOND)
    assert {match.setup.match_id for match in c.referee.live_matches} == {match_id, waiting_id}
    first, _ = b.connect(FIRST, SECOND_BOT)
    await settle()
    assert len(drain_turns(first)) == 2
    await b.answer(match_id, 0, "1")
    assert (await b.match(match_id)).phase is MatchPhase.PLAYING


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


async def test_an_end_waits_until_there_is_a_coordinator() -> None:
    node = Node()
    await node.begin(connected=False)
    await node.time.advance(STORE_TIMEOUT_US - 1)
    assert not node.storing.done()
    node.ends.connect(node.asked.append)
    assert [(asked.match_id, asked.after) for asked in node.asked] == [("m1", 4)]
    node.answer(STORED)
    assert await node.storing == []


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


async def test_an_end_does_not_wait_for_ever() -> None:
    node = Node()
    await node.begin(connected=True)
    node.answer(UNAVAILABLE)
    await node.time.advance(STORE_TIMEOUT_US)
    with pytest.raises(StoreUnavailable, match="no space"):
        await node.storing
    asked = len(node.asked)
    node.ends.connect(node.asked.append)
    assert len(node.asked) == asked


async def test_a_node_that_becomes_the_coordinator_decides_the_end_again() -> None:
    node = Node()
    await node.begin(connected=False)
    node.ends.decide_again()
    with pytest.raises(Conflict):
        await node.storing


async def test_no_end_waits_once_the_node_shuts_down() -> None:
    node = Node()
    await node.begin(connected=False)
    node.ends.close()
    for storing in (node.storing, node.ends.store(END)):
        with pytest.raises(StoreUnavailable, match="shutting down"):
            await storing
