"""Nodes that cannot reach the coordinator: no clock runs for a bot that may be connected there and gets no turns."""

import pytest

from referee.live.outbox import MatchEnded
from referee.live.sessions import Session
from referee.match.clock import MS, SECOND
from referee.transport.wire.wire_errors import NodeUnavailable
from tests.cluster.live_nodes import RETURN_WITHIN_US, LiveCluster, LiveNode, Stream, connect
from tests.cluster.test_nodes import FIRST, SECOND_BOT, answer_elsewhere, start_apart
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, drain_outbox, drain_turns
from tests.live.runner_harness import in_loop

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
