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
from tests.cluster.live_nodes import RETURN_WITHIN_US, LiveCluster, LiveNode, Stream, connect
from tests.cluster.test_nodes import FIRST, SECOND_BOT, answer_elsewhere, start_apart
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import BOTS, drain_outbox, drain_turns
from tests.live.runner_harness import in_loop
from tests.storage.memory_log import MemoryEventLog

IDLE_BOT = BOTS[2]


async def start_with_node_cut_off() -> tuple[LiveCluster, str, LiveNode]:
    """Let a bot owe a turn when its node is killed, and a fourth node be cut off at that moment."""
    cluster = LiveCluster(4)
    match_id, b, _ = await start_apart(cluster)
    cut_off = cluster.nodes[3]
    cluster.streams["d"].cut()
    cluster.kill(b, cluster.nodes[0])
    return cluster, match_id, cut_off


async def forfeits(cluster: LiveCluster, match_id: str) -> list[int]:
    await settle()
    return [forfeit.seat for forfeit in (await cluster.nodes[0].match(match_id)).forfeits]


@in_loop
async def test_no_clock_runs_for_a_bot_at_a_node_that_cannot_reach_the_coordinator() -> None:
    cluster, match_id, cut_off = await start_with_node_cut_off()
    (session,) = connect(cut_off, FIRST)
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    assert await forfeits(cluster, match_id) == []
    assert "SeatDisconnected" not in await cluster.nodes[0].event_kinds(match_id)
    cut_off.referee.sessions.close(session)
    (session,) = connect(cut_off, FIRST)
    cluster.streams["d"] = Stream(cluster.nodes[0], cut_off)
    await settle()
    assert len(drain_turns(session)) == 1
    await cluster.time.advance(SECOND)
    await cut_off.answer(match_id, 0, "1")
    assert await charges(cluster, match_id) == [SECOND]
    await cluster.close()


async def charges(cluster: LiveCluster, match_id: str) -> list[int]:
    """Return what each move was charged."""
    rows = [getattr(entry.event, "row", None) for entry in await cluster.stored.read(match_id)]
    return [row.charged_us for row in rows if row]


@in_loop
async def test_a_bot_that_does_not_come_back_forfeits_when_all_nodes_are_heard_again() -> None:
    cluster, match_id, cut_off = await start_with_node_cut_off()
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    cluster.streams["d"] = Stream(cluster.nodes[0], cut_off)
    await settle()
    await cluster.time.advance(RETURN_WITHIN_US)
    assert await forfeits(cluster, match_id) == []  # Until now it may have been on its way from that node.
    await cluster.time.advance(16 * SECOND)
    assert await forfeits(cluster, match_id) == [0]
    await cluster.close()


@in_loop
async def test_a_bot_that_does_not_come_back_forfeits_when_the_node_has_left_the_cluster() -> None:
    cluster, match_id, cut_off = await start_with_node_cut_off()
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    cluster.nodes[0].node.coordinator.remove_node(cut_off.name)
    await cluster.time.advance(RETURN_WITHIN_US)
    assert await forfeits(cluster, match_id) == []
    await cluster.time.advance(16 * SECOND)
    assert await forfeits(cluster, match_id) == [0]
    await cluster.close()


@in_loop
async def test_a_new_coordinator_waits_for_the_reports_of_all_members() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    for stream in cluster.streams.values():
        stream.cut()
    b.log.make_unavailable()  # So that only the coordinator could let a flag fall.
    await c.node.coordinate([b.name])
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    await settle()
    kinds = await c.event_kinds(match_id)
    assert "SeatDisconnected" not in kinds
    assert "FlagFell" not in kinds
    assert "PlayEnded" not in kinds
    await cluster.close()


@in_loop
async def test_a_bot_keeps_the_time_that_it_had_used_before_a_node_was_cut_off() -> None:
    cluster = LiveCluster(4)
    match_id, b, _ = await start_apart(cluster)
    await cluster.time.advance(4 * SECOND)
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await settle()
    await cluster.time.advance(2 * SECOND)
    cluster.streams["d"].cut()
    await cluster.time.advance(20 * SECOND)
    assert await answer_elsewhere(cluster, cluster.nodes[2], match_id) == 7 * SECOND
    await cluster.close()


@in_loop
async def test_a_bot_that_goes_offline_while_a_node_is_cut_off_keeps_the_time_that_it_had_used() -> None:
    cluster = LiveCluster(4)
    match_id, b, _ = await start_apart(cluster)
    cluster.streams["d"].cut()
    await cluster.time.advance(4 * SECOND)
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await settle()
    await cluster.time.advance(20 * SECOND)
    assert await answer_elsewhere(cluster, cluster.nodes[2], match_id) == 5 * SECOND
    await cluster.close()


@in_loop
async def test_time_in_which_a_node_was_silent_before_its_stream_ended_is_not_charged_either() -> None:
    cluster = LiveCluster(4)
    match_id, b, _ = await start_apart(cluster)
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await settle()
    await cluster.time.advance(4 * SECOND)
    cluster.streams["d"].silent_us = 3 * SECOND
    cluster.streams["d"].cut()
    assert await answer_elsewhere(cluster, cluster.nodes[2], match_id) == 2 * SECOND
    await cluster.close()


@in_loop
async def test_a_bot_that_leaves_a_node_without_a_stream_is_never_charged_for_what_nobody_knows() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    b.log.make_unavailable()
    cluster.streams["b"].cut()
    await cluster.time.advance(RETURN_WITHIN_US + 5 * SECOND)
    assert await answer_elsewhere(cluster, c, match_id) == SECOND
    await cluster.close()


def ended(session: Session) -> bool:
    return isinstance(session.outbox.closed, NodeUnavailable)


@in_loop
async def test_a_node_that_is_cut_off_takes_no_bots() -> None:
    cluster = LiveCluster()
    _, b, c = await start_apart(cluster)
    cluster.streams["b"].cut()
    took_bots = []
    for _ in range(2):
        await cluster.time.advance(3 * SECOND // 2)
        took_bots.append(b.node.takes_bots)
    assert took_bots == [True, False]
    assert c.node.takes_bots
    await cluster.close()


@in_loop
async def test_a_node_that_is_cut_off_ends_the_sessions_that_it_cannot_serve() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (playing,) = b.referee.sessions.of_bot("bot0")
    (idle,) = connect(b, IDLE_BOT)
    await settle()
    cluster.streams["b"].cut()
    (late,) = connect(b, SECOND_BOT)
    await cluster.time.advance(2 * SECOND)
    assert not ended(idle)
    await cluster.time.advance(SECOND)
    assert [ended(session) for session in (playing, idle, late)] == [False, True, True]
    b.referee.sessions.close(late)
    for number in range(21):
        await ((b, c)[number % 2]).answer(match_id, number % 2, "1")
    assert MatchEnded(match_id, 0) in drain_outbox(playing)
    await cluster.time.advance(SECOND)
    assert ended(playing)
    await cluster.close()


@pytest.mark.parametrize("seconds", [2, 10])
@in_loop
async def test_a_node_takes_bots_again_when_it_reaches_the_coordinator(seconds: int) -> None:
    cluster = LiveCluster()
    _, b, _ = await start_apart(cluster)
    cluster.streams["b"].cut()
    await cluster.time.advance(seconds * SECOND)
    cluster.streams["b"] = Stream(cluster.nodes[0], b)
    await cluster.time.advance(10 * SECOND)
    assert b.node.takes_bots
    await cluster.close()


@in_loop
async def test_a_node_takes_no_bots_before_it_has_reached_a_coordinator_or_is_the_coordinator() -> None:
    cluster = LiveCluster()
    before = [node.node.takes_bots for node in cluster.nodes]
    a, b, _ = await cluster.open()
    after = [node.node.takes_bots for node in cluster.nodes]
    assert (before, after) == ([False, False, False], [True, True, True])
    cluster.streams["b"].cut()
    await b.node.coordinate([])
    a.node.follow("b")
    await cluster.time.advance(10 * SECOND)
    assert b.node.takes_bots
    assert not a.node.takes_bots
    await cluster.close()


@in_loop
async def test_no_flag_falls_before_the_coordinator_would_know_that_it_does_not_hear_a_node() -> None:
    cluster = LiveCluster(4)
    match_id, b, _ = await start_apart(cluster)
    await cluster.time.advance(8 * SECOND)
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await settle()
    cluster.streams["d"].broken = True  # Nothing arrives any more, which no side has noticed.
    connect(cluster.nodes[3], FIRST)
    await cluster.time.advance(3_900 * MS)
    assert await forfeits(cluster, match_id) == []
    cluster.streams["d"].silent_us = 3_900 * MS
    cluster.streams["d"].cut()
    await cluster.time.advance(2 * RETURN_WITHIN_US)
    assert await forfeits(cluster, match_id) == []
    await cluster.close()


@pytest.mark.parametrize("elected", [False, True], ids=["reports to the coordinator", "becomes the coordinator"])
@in_loop
async def test_an_end_reaches_a_session_that_was_opened_before_its_node_could_learn_of_it(elected: bool) -> None:
    cluster = LiveCluster(4)
    match_id, b, c = await start_apart(cluster)
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await settle()
    cluster.streams["d"].cut()
    d = cluster.nodes[3]
    (session,) = connect(d, FIRST)
    await settle()
    await c.referee.resign(match_id, 1)
    await settle()
    assert MatchEnded(match_id, 0) not in drain_outbox(session)
    if elected:
        await cluster.elect(d)
    else:
        cluster.streams["d"] = Stream(cluster.nodes[0], d)
    await settle()
    assert drain_outbox(session).count(MatchEnded(match_id, 0)) == 1
    await cluster.close()


@in_loop
async def test_a_session_gets_undelivered_ends_once_at_a_node_that_does_not_coordinate() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await c.referee.resign(match_id, 1)
    await settle()
    (session,) = connect(b, FIRST)
    await settle()
    assert drain_outbox(session).count(MatchEnded(match_id, 0)) == 1
    await settle()
    assert MatchEnded(match_id, 0) not in drain_outbox(session)
    await cluster.close()


@in_loop
async def test_the_coordinator_adopts_a_match_that_an_earlier_one_has_created_since() -> None:
    cluster = LiveCluster()
    a, b, c = await cluster.open()
    connect(a, FIRST, SECOND_BOT)
    await settle()
    await cluster.elect(c, without=[a])
    match_id = await a.create()
    waiting_id = await a.create(players=(FIRST, SECOND_BOT))
    cluster.hub.divide([a.bus])
    a.log.make_unavailable()
    await cluster.time.advance(4 * SECOND)
    await settle()
    assert {match.setup.match_id for match in c.referee.live_matches} == {match_id, waiting_id}
    first, _ = connect(b, FIRST, SECOND_BOT)
    await settle()
    assert len(drain_turns(first)) == 2
    await b.answer(match_id, 0, "1")
    assert (await b.match(match_id)).phase is MatchPhase.PLAYING
    cluster.nodes.remove(a)
    a.node.close()
    await cluster.close()


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
    with pytest.raises(StoreUnavailable, match="no space"):
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
        with pytest.raises(StoreUnavailable, match="shutting down"):
            await storing
