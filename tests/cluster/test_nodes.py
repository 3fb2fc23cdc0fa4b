"""Nodes that share a log: bots on different nodes play one match, whatever fails between the nodes."""

import asyncio

import pytest

from engines.api import SPECTATOR
from referee.live.match_timing import TurnUse
from referee.live.outbox import MatchEnded, MatchStarted, TakeoverNotice, TurnNotice
from referee.live.ports import Append, Conflict, Entry
from referee.live.queued_command import MatchMoving
from referee.live.sessions import SessionTakenOver
from referee.match.clock import SECOND
from referee.match.commands import Resign
from referee.match.decide import decide
from referee.match.events import MovePlayed
from referee.match.state import MatchPhase
from tests.cluster.live_nodes import LiveCluster, LiveNode, Stream, connect
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, drain_outbox, drain_turns
from tests.live.runner_harness import in_loop

FIRST, SECOND_BOT = BOTS[:2]


async def start_apart(cluster: LiveCluster) -> tuple[str, LiveNode, LiveNode]:
    """Start a match between bots on two nodes that do not coordinate; return its id and the nodes."""
    a, b, c, *_ = await cluster.open()
    connect(b, FIRST)
    connect(c, SECOND_BOT)
    await settle()
    match_id = await a.create()
    await settle()
    return match_id, b, c


async def moves(cluster: LiveCluster, match_id: str) -> list[MovePlayed]:
    return [entry.event for entry in await cluster.stored.read(match_id) if isinstance(entry.event, MovePlayed)]


async def answer_elsewhere(cluster: LiveCluster, node: LiveNode, match_id: str) -> int:
    """Let the first bot connect to this node, and answer there after a second; return how much time it is charged."""
    (again,) = connect(node, FIRST)
    await settle()
    assert len(drain_turns(again)) == 1
    await cluster.time.advance(SECOND)
    await node.answer(match_id, 0, "1")
    (played,) = await moves(cluster, match_id)
    assert played.row
    return played.row.charged_us


@in_loop
async def test_bots_on_two_nodes_play_a_match_that_a_third_node_has_started() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (first,), (second,) = b.referee.sessions.of_bot("bot0"), c.referee.sessions.of_bot("bot1")
    assert [type(item) for item in drain_outbox(first)] == [MatchStarted, TurnNotice]
    assert [type(item) for item in drain_outbox(second)] == [MatchStarted]
    for number in range(21):
        node, seat = ((b, 0), (c, 1))[number % 2]
        await node.answer(match_id, seat, "1")
    assert (await cluster.nodes[0].match(match_id)).result
    assert MatchEnded(match_id, 0) in drain_outbox(first)
    assert MatchEnded(match_id, 1) in drain_outbox(second)
    assert [node.referee.live_matches for node in cluster.nodes] == [[], [], []]
    assert [event.seat for event in await moves(cluster, match_id)] == [0, 1] * 10 + [0]
    await cluster.close()


@in_loop
async def test_a_lost_notification_delays_a_turn_and_costs_no_time() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (session,) = c.referee.sessions.of_bot("bot1")
    cluster.hub.losing = True
    await b.answer(match_id, 0, "1")
    assert drain_turns(session) == []
    await cluster.time.advance(2 * SECOND)
    await settle()
    assert len(drain_turns(session)) == 1
    await cluster.time.advance(3 * SECOND)
    await c.answer(match_id, 1, "1")
    played = (await moves(cluster, match_id))[-1]
    assert played.row
    assert played.row.charged_us == 3 * SECOND
    await cluster.close()


@in_loop
async def test_a_result_is_known_at_a_node_that_was_not_notified_of_it() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    for number in range(20):
        await (b, c)[number % 2].answer(match_id, number % 2, "1")
    cluster.hub.losing = True
    await b.answer(match_id, 0, "1")
    assert (await c.match(match_id)).result is None
    assert (await c.referee.ended_match(match_id)).result
    await cluster.close()


@in_loop
async def test_entries_too_large_for_the_bus_are_read_from_the_log() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (session,) = c.referee.sessions.of_bot("bot1")
    b.bus.max_payload_bytes = 10
    await b.answer(match_id, 0, "1")
    assert drain_turns(session) == []
    await cluster.time.advance(2 * SECOND)
    await settle()
    assert len(drain_turns(session)) == 1
    await cluster.close()


@in_loop
async def test_the_node_of_a_bot_decides_its_flag_and_no_other_node_does() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    cluster.hub.losing = True
    await b.answer(match_id, 0, "1")
    await cluster.time.advance(1 * SECOND)  # The turn has not reached the other node yet.
    await cluster.time.advance(9 * SECOND)
    await settle()
    assert (await c.match(match_id)).phase is MatchPhase.PLAYING  # By its own clock it has had less than ten seconds.
    await cluster.time.advance(3 * SECOND)
    await settle()
    assert [forfeit.seat for forfeit in (await c.match(match_id)).forfeits] == [1]
    await cluster.close()


@in_loop
async def test_a_bot_that_connects_to_another_node_keeps_its_turn_and_the_time_it_has_used() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (session,) = b.referee.sessions.of_bot("bot0")
    await cluster.time.advance(4 * SECOND)
    b.referee.sessions.close(session)
    await settle()
    assert b.referee.live_matches == []
    await cluster.time.advance(SECOND // 2)
    (again,) = connect(c, FIRST)
    await settle()
    assert len(drain_turns(again)) == 1
    await cluster.time.advance(SECOND)
    await c.answer(match_id, 0, "1")
    played = (await moves(cluster, match_id))[-1]
    assert played.row
    assert played.row.charged_us == 11 * SECOND // 2
    await cluster.close()


@in_loop
async def test_the_coordinator_looks_after_a_bot_that_is_offline() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (session,) = b.referee.sessions.of_bot("bot0")
    await cluster.time.advance(4 * SECOND)
    b.referee.sessions.close(session)
    await settle()
    await cluster.time.advance(2 * SECOND)
    await settle()
    assert "SeatDisconnected" in await c.event_kinds(match_id)
    await cluster.time.advance(9 * SECOND)
    await settle()
    assert [forfeit.seat for forfeit in (await c.match(match_id)).forfeits] == [0]
    (other,) = c.referee.sessions.of_bot("bot1")
    assert [type(item) for item in drain_outbox(other)][-1] is MatchEnded
    await cluster.close()


@in_loop
async def test_the_opponent_of_an_offline_bot_plays_on_and_the_offline_bot_gets_its_turn_when_it_is_back() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (session,) = c.referee.sessions.of_bot("bot1")
    c.referee.sessions.close(session)
    await settle()
    await b.answer(match_id, 0, "1")
    await cluster.time.advance(3 * SECOND)
    (again,) = connect(cluster.nodes[0], SECOND_BOT)
    await settle()
    assert len(drain_turns(again)) == 1
    await cluster.nodes[0].answer(match_id, 1, "1")
    played = (await moves(cluster, match_id))[-1]
    assert played.row
    assert played.row.charged_us == 3 * SECOND
    await cluster.close()


@in_loop
async def test_a_bot_gains_no_time_by_changing_to_a_node_that_did_not_run_its_match() -> None:
    cluster = LiveCluster(4)
    match_id, *_ = await start_apart(cluster)
    fourth = cluster.nodes[3]
    await cluster.time.advance(3 * SECOND)
    assert await answer_elsewhere(cluster, fourth, match_id) == 4 * SECOND
    await cluster.nodes[2].answer(match_id, 1, "1")
    assert (await moves(cluster, match_id))[1].row.charged_us == 0  # type: ignore[union-attr]
    await cluster.close()


@in_loop
async def test_time_stands_still_for_bots_that_have_lost_their_node() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    await cluster.time.advance(3 * SECOND)
    cluster.kill(b, cluster.nodes[0])
    await cluster.time.advance(20 * SECOND)
    await settle()
    assert (await c.match(match_id)).phase is MatchPhase.PLAYING
    (again,) = connect(c, FIRST)
    await settle()
    assert len(drain_turns(again)) == 1
    await cluster.time.advance(SECOND)
    await c.answer(match_id, 0, "1")
    played = (await moves(cluster, match_id))[-1]
    assert played.row
    assert played.row.charged_us <= SECOND
    await cluster.close()


@in_loop
async def test_a_bot_that_leaves_a_node_without_a_stream_is_not_charged_for_what_nobody_knows() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    b.log.make_unavailable()
    cluster.streams["b"].cut()
    await cluster.time.advance(5 * SECOND)
    assert await answer_elsewhere(cluster, c, match_id) == SECOND
    await cluster.close()


@pytest.mark.parametrize("new_node", [0, 2], ids=["coordinator", "other"])
@pytest.mark.parametrize(("silent_us", "charged_us"), [(2 * SECOND, SECOND), (SECOND, 4 * SECOND)])
@in_loop
async def test_a_bot_is_not_charged_for_a_node_that_stands_still(
    silent_us: int, charged_us: int, new_node: int
) -> None:
    cluster = LiveCluster()
    match_id, *_ = await start_apart(cluster)
    await cluster.time.advance(3 * SECOND)
    cluster.streams["b"].silent_us = silent_us
    node = cluster.nodes[new_node]
    assert await answer_elsewhere(cluster, node, match_id) == charged_us
    await cluster.close()


@pytest.mark.parametrize("closed", [False, True], ids=["takeover", "closed before"])
@pytest.mark.parametrize("new_node", [0, 2], ids=["coordinator", "other"])
@in_loop
async def test_a_bot_that_leaves_a_draining_node_is_not_charged_for_a_turn_that_it_did_not_get_there(
    new_node: int, closed: bool
) -> None:
    cluster = LiveCluster()
    match_id, b, _ = await start_apart(cluster)
    (former,) = b.referee.sessions.of_bot("bot0")
    b.node.gateway.announce_drain()
    await settle()
    await cluster.time.advance(3 * SECOND)
    if closed:
        b.referee.sessions.close(former)
        await settle()
        await cluster.time.advance(3 * SECOND)
    node = cluster.nodes[new_node]
    assert await answer_elsewhere(cluster, node, match_id) == SECOND
    assert "SeatDisconnected" not in await node.event_kinds(match_id)
    await cluster.close()


@in_loop
async def test_a_match_can_be_released_while_a_decision_is_being_stored() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    (session,) = b.referee.sessions.of_bot("bot0")
    (other,) = c.referee.sessions.of_bot("bot1")
    b.log.after.clear()
    answering = asyncio.create_task(b.answer(match_id, 0, "1"))
    await settle()
    b.referee.sessions.close(session)
    assert b.referee.live_matches == []
    b.log.after.set()
    await asyncio.wait([answering])
    await settle()
    assert len(await moves(cluster, match_id)) == 1
    assert len(drain_turns(other)) == 1
    assert b.recorder.faults == []
    await cluster.close()


@in_loop
async def test_an_end_that_an_earlier_coordinator_has_stored_is_a_conflict_for_the_next_one() -> None:
    cluster = LiveCluster()
    match_id, b, _ = await start_apart(cluster)
    fourth = LiveNode("d", cluster.hub, b)
    last = (await cluster.stored.heads([match_id]))[match_id]
    with pytest.raises(MatchMoving):
        await fourth.shared.end_rated(Append(match_id, last, ()))
    await b.answer(match_id, 0, "1")
    with pytest.raises(Conflict) as conflict:
        await fourth.shared.end_rated(Append(match_id, last, ()))
    assert conflict.value.last == last + 1
    await cluster.close()


@in_loop
async def test_an_end_is_stored_although_the_coordinator_is_notified_while_it_reads_the_moves_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = LiveCluster()
    match_id, b, _ = await start_apart(cluster)
    a = cluster.nodes[0]
    cluster.hub.losing = True
    await b.answer(match_id, 0, "1")
    match = await b.match(match_id)
    read = a.log.read

    async def read_slowly(match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        entries = await read(match_id, after, limit)
        a.shared.receive(entries)
        return entries

    monkeypatch.setattr(a.log, "read", read_slowly)
    end = decide(match, Resign(0), match.at_us).events
    stored = await a.shared.end_rated(Append(match_id, match.number, end))
    assert tuple(entry.event for entry in stored) == end
    assert (await a.match(match_id)).result
    await cluster.close()


@in_loop
async def test_a_match_that_is_released_while_it_is_being_restored_does_not_run() -> None:
    cluster = LiveCluster()
    a, b, _ = await cluster.open()
    connect(a, FIRST, SECOND_BOT)
    await settle()
    match_id = await a.create()
    await settle()
    b.log.after.clear()  # The entry that says that the match goes on.
    connect(b, FIRST, SECOND_BOT)
    electing = asyncio.create_task(cluster.elect(b, without=[a]))
    await settle()
    b.node.follow("c")
    b.log.after.set()
    await electing
    await settle()
    assert match_id not in b.shared.followed
    entries = await cluster.stored.read(match_id)
    await cluster.time.advance(12 * SECOND)  # Longer than the bot has for its moves.
    await settle()
    assert await cluster.stored.read(match_id) == entries
    await cluster.close()


@in_loop
async def test_the_next_coordinator_knows_that_a_node_is_draining() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    b.node.gateway.announce_drain()
    await cluster.elect(c)
    await cluster.time.advance(3 * SECOND)
    (again,) = connect(cluster.nodes[0], FIRST)
    await settle()
    assert len(drain_turns(again)) == 1
    await cluster.nodes[0].answer(match_id, 0, "1")
    (played,) = await moves(cluster, match_id)
    assert played.row
    assert played.row.charged_us == 0
    await cluster.close()


@in_loop
async def test_a_bot_that_does_not_come_back_after_its_node_was_lost_forfeits_at_last() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    cluster.kill(b, cluster.nodes[0])
    await cluster.time.advance(30 * SECOND)
    await settle()
    assert (await c.match(match_id)).phase is MatchPhase.PLAYING
    await cluster.time.advance(16 * SECOND)
    await settle()
    assert [forfeit.seat for forfeit in (await c.match(match_id)).forfeits] == [0]
    await cluster.close()


@pytest.mark.parametrize("next_coordinator", [1, 2], ids=["restores the match", "follows the match"])
@in_loop
async def test_a_bot_that_was_connected_to_the_lost_coordinator_is_not_charged(next_coordinator: int) -> None:
    cluster = LiveCluster()
    a, b, c = await cluster.open()
    connect(a, FIRST)
    connect(c, SECOND_BOT)
    await settle()
    match_id = await a.create()
    await settle()
    for stream in cluster.streams.values():
        stream.cut()
    cluster.hub.divide([a.bus])
    a.log.make_unavailable()
    await cluster.elect((a, b, c)[next_coordinator], without=[a])
    await cluster.time.advance(12 * SECOND)  # Longer than the bot has for its moves.
    await settle()
    assert await answer_elsewhere(cluster, b, match_id) <= SECOND
    await c.answer(match_id, 1, "1")
    cluster.nodes.remove(a)
    a.node.close()
    await cluster.close()


@in_loop
async def test_a_match_goes_on_at_once_if_its_bots_are_at_the_next_coordinator_already() -> None:
    cluster = LiveCluster()
    a, b, _ = await cluster.open()
    connect(a, FIRST, SECOND_BOT)
    await settle()
    match_id = await a.create()
    await settle()
    for stream in cluster.streams.values():
        stream.cut()
    cluster.hub.divide([a.bus])
    a.log.make_unavailable()
    first, _ = connect(b, FIRST, SECOND_BOT)
    await cluster.time.advance(2 * SECOND)
    await cluster.elect(b, without=[a])
    assert len(drain_turns(first)) == 1
    await b.answer(match_id, 0, "1")
    (played,) = await moves(cluster, match_id)
    assert played.row
    assert played.row.charged_us == 0
    cluster.nodes.remove(a)
    a.node.close()
    await cluster.close()


@in_loop
async def test_a_move_that_the_lost_coordinator_stores_late_does_not_cost_the_opponent_its_turn() -> None:
    cluster = LiveCluster()
    a, b, _ = await cluster.open()
    connect(a, FIRST, SECOND_BOT)
    await settle()
    match_id = await a.create()
    await settle()
    cluster.hub.divide([a.bus])
    await cluster.elect(b, without=[a])
    await a.answer(match_id, 0, "1")
    b.log.after.clear()  # The entry that says that the match goes on.
    _, second = connect(b, FIRST, SECOND_BOT)
    await settle()
    assert drain_turns(second) == []  # It could not be written yet.
    b.log.after.set()
    await settle()
    assert len(drain_turns(second)) == 1
    await b.answer(match_id, 1, "1")
    assert len(await moves(cluster, match_id)) == 2
    await cluster.close()


@in_loop
async def test_a_bot_that_is_back_before_the_node_of_its_opponent_has_reported_gets_its_turn() -> None:
    cluster = LiveCluster(4)
    a, b, c, d = await cluster.open()
    connect(a, FIRST)
    connect(c, SECOND_BOT)
    await settle()
    match_id = await a.create()
    await settle()
    for stream in cluster.streams.values():
        stream.cut()
    cluster.hub.divide([a.bus])
    a.log.make_unavailable()
    (first,) = connect(b, FIRST)
    await cluster.time.advance(2 * SECOND)
    await cluster.elect(d, without=[a])
    assert len(drain_turns(first)) == 1
    await b.answer(match_id, 0, "1")
    (played,) = await moves(cluster, match_id)
    assert played.row
    assert played.row.charged_us == 0
    await c.answer(match_id, 1, "1")
    assert "RefereeRecovered" not in await c.event_kinds(match_id)
    cluster.nodes.remove(a)
    a.node.close()
    await cluster.close()


@in_loop
async def test_matches_go_on_without_a_coordinator_and_the_next_one_knows_them() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    coordinator = cluster.nodes[0]
    for stream in cluster.streams.values():
        stream.cut()
    cluster.hub.divide([coordinator.bus])
    await b.answer(match_id, 0, "1")
    await c.answer(match_id, 1, "1")
    await cluster.elect(b, without=[coordinator])
    assert [match.setup.match_id for match in b.referee.live_matches] == [match_id]
    await b.answer(match_id, 0, "1")
    await c.answer(match_id, 1, "1")
    assert len(await moves(cluster, match_id)) == 4
    assert "RefereeRecovered" not in await b.event_kinds(match_id)
    other = await b.create()
    await settle()
    assert (await c.match(other)).phase is MatchPhase.PLAYING
    await c.answer(other, 1, "1") if (await c.match(other)).turns[1] else await b.answer(other, 0, "1")
    await cluster.close()


@in_loop
async def test_a_coordinator_that_was_replaced_unnoticed_does_no_harm() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    outdated = cluster.nodes[0]
    for stream in cluster.streams.values():
        stream.cut()
    outdated.node.coordinator.remove_node("b")
    outdated.node.coordinator.remove_node("c")
    await cluster.elect(b, without=[outdated])
    await b.answer(match_id, 0, "1")
    await cluster.time.advance(5 * SECOND)  # The outdated coordinator believes that both bots have left.
    outdated.node.follow("b")
    assert outdated.referee.live_matches == []
    await cluster.time.advance(3 * SECOND)
    await c.answer(match_id, 1, "1")
    assert [type(entry.event) for entry in await cluster.stored.read(match_id)][2:] == [MovePlayed, MovePlayed]
    await cluster.close()


@in_loop
async def test_a_newer_session_on_another_node_takes_over() -> None:
    cluster = LiveCluster()
    _, b, c = await start_apart(cluster)
    (older,) = b.referee.sessions.of_bot("bot0")
    drain_outbox(older)
    (newer,) = connect(c, FIRST)
    await settle()
    assert isinstance(older.outbox.closed, SessionTakenOver)
    assert [item for item in drain_outbox(older) if isinstance(item, TakeoverNotice)] == [TakeoverNotice(newer.id)]
    await cluster.close()


@in_loop
async def test_every_node_knows_which_bots_are_online() -> None:
    cluster = LiveCluster()
    _, b, _ = await start_apart(cluster)
    assert all(node.shared.is_online(player) for node in cluster.nodes for player in (FIRST, SECOND_BOT))
    b.referee.sessions.close(b.referee.sessions.of_bot("bot0")[0])
    await settle()
    assert not any(node.shared.is_online(FIRST) for node in cluster.nodes)
    await cluster.close()


@pytest.mark.parametrize("reconnected", [False, True])
@in_loop
async def test_a_broken_stream_to_the_coordinator_costs_nobody_anything(reconnected: bool) -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    cluster.streams["b"].cut()
    await cluster.time.advance(5 * SECOND)
    await settle()
    assert "SeatDisconnected" not in await b.event_kinds(match_id)
    if reconnected:
        await cluster.elect(cluster.nodes[0])
    await b.answer(match_id, 0, "1")
    await c.answer(match_id, 1, "1")
    assert len(await moves(cluster, match_id)) == 2
    await cluster.close()


@in_loop
async def test_a_node_keeps_what_it_has_measured_when_its_stream_to_the_coordinator_begins_again() -> None:
    cluster = LiveCluster()
    match_id, b, _ = await start_apart(cluster)
    cluster.streams["b"].cut()
    await cluster.time.advance(5 * SECOND)
    (turn,) = (await b.match(match_id)).owing
    b.shared.set_uses([(match_id, TurnUse(turn.token, SECOND))])
    cluster.streams["b"] = Stream(cluster.nodes[0], b)
    await settle()
    await b.answer(match_id, 0, "1")
    (played,) = await moves(cluster, match_id)
    assert played.row
    assert played.row.charged_us == SECOND
    await cluster.close()


@in_loop
async def test_the_coordinator_shows_the_current_state_of_matches_that_other_nodes_run() -> None:
    cluster = LiveCluster()
    match_id, b, _ = await start_apart(cluster)
    await b.answer(match_id, 0, "1")
    assert (await cluster.nodes[0].match(match_id)).ply == 1
    assert (await cluster.nodes[0].referee.status(match_id)).match.ply == 1
    await cluster.close()


@in_loop
async def test_a_match_of_other_nodes_is_watched_at_the_coordinator_entry_by_entry() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    await b.answer(match_id, 0, "1")
    start, watching = await cluster.nodes[0].referee.watch(match_id, None, SPECTATOR)
    assert start.state
    assert start.state.ply == 1
    await settle()
    await c.answer(match_id, 1, "1")
    await settle()
    (entry,) = await anext(watching)
    assert entry.match.ply == 2
    (session,) = c.referee.sessions.of_bot("bot1")
    c.referee.sessions.close(session)  # The new node is told as well.
    connect(b, SECOND_BOT)
    await settle()
    await b.answer(match_id, 0, "1")
    await settle()
    assert (await anext(watching))[-1].match.ply == 3
    await cluster.close()


@in_loop
async def test_the_coordinator_is_notified_of_no_moves_of_a_match_of_other_nodes_that_nobody_watches_there() -> None:
    cluster = LiveCluster()
    match_id, b, c = await start_apart(cluster)
    coordinator = cluster.nodes[0]
    received = coordinator.bus.counts.received
    assert await coordinator.referee.watch_number(match_id, SPECTATOR) == (await coordinator.match(match_id)).number
    await settle()
    await b.answer(match_id, 0, "1")
    await c.answer(match_id, 1, "1")
    await settle()
    assert coordinator.bus.counts.received == received
    await coordinator.referee.watch(match_id, None, SPECTATOR)
    await settle()
    await b.answer(match_id, 0, "1")
    await settle()
    assert coordinator.bus.counts.received > received
    await cluster.close()
