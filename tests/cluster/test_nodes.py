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
from referee.match.state import MatchPhase
from tests.cluster.live_nodes import (
    FIRST,
    RETURN_WITHIN_US,
    SECOND_BOT,
    LiveCluster,
    LiveNode,
    in_cluster,
    with_match_apart,
)
from tests.live.fake_time import settle
from tests.live.referee_harness import drain_outbox, drain_turns


@with_match_apart
async def test_bots_on_two_nodes_play_a_match_that_a_third_node_has_started(cluster: LiveCluster) -> None:
    first, second = cluster.b.session(FIRST), cluster.c.session(SECOND_BOT)
    assert [type(item) for item in drain_outbox(first)] == [MatchStarted, TurnNotice]
    assert [type(item) for item in drain_outbox(second)] == [MatchStarted]
    for number in range(21):
        await cluster.answer((cluster.b, cluster.c)[number % 2], number % 2)
    assert (await cluster.a.match(cluster.match_id)).result
    assert MatchEnded(cluster.match_id, 0) in drain_outbox(first)
    assert MatchEnded(cluster.match_id, 1) in drain_outbox(second)
    assert [node.referee.live_matches for node in cluster.nodes] == [[], [], [], []]
    assert (await cluster.events()).count("MovePlayed") == 21


@pytest.mark.parametrize("too_large", [False, True], ids=["lost", "too large for the bus"])
@with_match_apart
async def test_a_notification_that_does_not_arrive_delays_a_turn_and_costs_no_time(
    cluster: LiveCluster, *, too_large: bool
) -> None:
    session = cluster.c.session(SECOND_BOT)
    if too_large:
        cluster.b.bus.max_payload_bytes = 10
    else:
        cluster.hub.losing = True
    await cluster.answer(cluster.b, 0)
    assert drain_turns(session) == []
    await cluster.pass_time(2 * SECOND)
    assert len(drain_turns(session)) == 1
    await cluster.time.advance(3 * SECOND)
    await cluster.answer(cluster.c, 1)
    assert (await cluster.charges())[-1] == 3 * SECOND


@with_match_apart
async def test_a_result_is_known_at_a_node_that_was_not_notified_of_it(cluster: LiveCluster) -> None:
    for number in range(20):
        await cluster.answer((cluster.b, cluster.c)[number % 2], number % 2)
    cluster.hub.losing = True
    await cluster.answer(cluster.b, 0)
    assert (await cluster.c.match(cluster.match_id)).result is None
    assert (await cluster.c.referee.ended_match(cluster.match_id)).result


@with_match_apart
async def test_the_node_of_a_bot_decides_its_flag_and_no_other_node_does(cluster: LiveCluster) -> None:
    cluster.hub.losing = True
    await cluster.answer(cluster.b, 0)
    await cluster.time.advance(1 * SECOND)  # The turn has not reached the other node yet.
    await cluster.pass_time(9 * SECOND)
    # By its own clock it has had less than ten seconds.
    assert await cluster.phase(cluster.c) is MatchPhase.PLAYING
    await cluster.pass_time(3 * SECOND)
    assert [forfeit.seat for forfeit in (await cluster.c.match(cluster.match_id)).forfeits] == [1]


@with_match_apart
async def test_a_bot_that_connects_to_another_node_keeps_its_turn_and_the_time_it_has_used(
    cluster: LiveCluster,
) -> None:
    await cluster.time.advance(4 * SECOND)
    await cluster.b.leave(FIRST)
    assert cluster.b.referee.live_matches == []
    await cluster.time.advance(SECOND // 2)
    assert await cluster.answer_elsewhere(cluster.c) == 11 * SECOND // 2


@with_match_apart
async def test_the_coordinator_looks_after_a_bot_that_is_offline(cluster: LiveCluster) -> None:
    await cluster.time.advance(4 * SECOND)
    await cluster.b.leave(FIRST)
    await cluster.pass_time(2 * SECOND)
    assert "SeatDisconnected" in await cluster.events()
    await cluster.pass_time(9 * SECOND)
    assert await cluster.forfeits() == [0]
    assert [type(item) for item in drain_outbox(cluster.c.session(SECOND_BOT))][-1] is MatchEnded


@with_match_apart
async def test_the_opponent_of_an_offline_bot_plays_on_and_the_offline_bot_gets_its_turn_when_it_is_back(
    cluster: LiveCluster,
) -> None:
    await cluster.c.leave(SECOND_BOT)
    await cluster.answer(cluster.b, 0)
    await cluster.time.advance(3 * SECOND)
    (again,) = cluster.a.connect(SECOND_BOT)
    await settle()
    assert len(drain_turns(again)) == 1
    await cluster.answer(cluster.a, 1)
    assert (await cluster.charges())[-1] == 3 * SECOND


@with_match_apart
async def test_a_bot_gains_no_time_by_changing_to_a_node_that_did_not_run_its_match(cluster: LiveCluster) -> None:
    await cluster.time.advance(3 * SECOND)
    assert await cluster.answer_elsewhere(cluster.d) == 4 * SECOND
    await cluster.answer(cluster.c, 1)
    assert (await cluster.charges())[1] == 0


@with_match_apart
async def test_time_stands_still_for_bots_that_have_lost_their_node(cluster: LiveCluster) -> None:
    await cluster.time.advance(3 * SECOND)
    cluster.kill(cluster.b)
    await cluster.pass_time(20 * SECOND)
    assert await cluster.phase(cluster.c) is MatchPhase.PLAYING
    assert await cluster.answer_elsewhere(cluster.c) <= SECOND


@pytest.mark.parametrize("after_us", [5 * SECOND, RETURN_WITHIN_US + 5 * SECOND], ids=["soon", "late"])
@with_match_apart
async def test_a_bot_that_leaves_a_node_without_a_stream_is_never_charged_for_what_nobody_knows(
    cluster: LiveCluster, *, after_us: int
) -> None:
    cluster.b.log.make_unavailable()
    cluster.cut("b")
    await cluster.time.advance(after_us)
    assert await cluster.answer_elsewhere(cluster.c) == SECOND


@pytest.mark.parametrize("new_node", [0, 2], ids=["coordinator", "other"])
@pytest.mark.parametrize(("silent_us", "charged_us"), [(2 * SECOND, SECOND), (SECOND, 4 * SECOND)])
@with_match_apart
async def test_a_bot_is_not_charged_for_a_node_that_stands_still(
    cluster: LiveCluster, *, silent_us: int, charged_us: int, new_node: int
) -> None:
    await cluster.time.advance(3 * SECOND)
    cluster.streams["b"].silent_us = silent_us
    assert await cluster.answer_elsewhere(cluster.nodes[new_node]) == charged_us


@pytest.mark.parametrize("closed", [False, True], ids=["takeover", "closed before"])
@pytest.mark.parametrize("new_node", [0, 2], ids=["coordinator", "other"])
@with_match_apart
async def test_a_bot_that_leaves_a_draining_node_is_not_charged_for_a_turn_that_it_did_not_get_there(
    cluster: LiveCluster, *, new_node: int, closed: bool
) -> None:
    cluster.b.node.gateway.announce_drain()
    await settle()
    await cluster.time.advance(3 * SECOND)
    if closed:
        await cluster.b.leave(FIRST)
        await cluster.time.advance(3 * SECOND)
    assert await cluster.answer_elsewhere(cluster.nodes[new_node]) == SECOND
    assert "SeatDisconnected" not in await cluster.events()


@with_match_apart
async def test_a_match_can_be_released_while_a_decision_is_being_stored(cluster: LiveCluster) -> None:
    b = cluster.b
    b.log.after.clear()
    answering = asyncio.create_task(cluster.answer(b, 0))
    await settle()
    b.referee.sessions.close(b.session(FIRST))
    assert b.referee.live_matches == []
    b.log.after.set()
    await asyncio.wait([answering])
    await settle()
    assert len(await cluster.charges()) == 1
    assert len(drain_turns(cluster.c.session(SECOND_BOT))) == 1


@with_match_apart
async def test_an_end_that_an_earlier_coordinator_has_stored_is_a_conflict_for_the_next_one(
    cluster: LiveCluster,
) -> None:
    fifth = LiveNode("e", cluster.hub, cluster.b)
    last = (await cluster.stored.heads([cluster.match_id]))[cluster.match_id]
    with pytest.raises(MatchMoving):
        await fifth.shared.end_rated(Append(cluster.match_id, last, ()))
    await cluster.answer(cluster.b, 0)
    with pytest.raises(Conflict) as conflict:
        await fifth.shared.end_rated(Append(cluster.match_id, last, ()))
    assert conflict.value.last == last + 1


@with_match_apart
async def test_an_end_is_stored_although_the_coordinator_is_notified_while_it_reads_the_moves_before(
    cluster: LiveCluster, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = cluster.a, cluster.b
    cluster.hub.losing = True
    await cluster.answer(b, 0)
    match = await b.match(cluster.match_id)
    read = a.log.read

    async def read_slowly(match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        entries = await read(match_id, after, limit)
        a.shared.receive(entries)
        return entries

    monkeypatch.setattr(a.log, "read", read_slowly)
    end = decide(match, Resign(0), match.at_us).events
    stored = await a.shared.end_rated(Append(cluster.match_id, match.number, end))
    assert tuple(entry.event for entry in stored) == end
    assert (await a.match(cluster.match_id)).result


@in_cluster
async def test_a_match_that_is_released_while_it_is_being_restored_does_not_run(cluster: LiveCluster) -> None:
    b = cluster.b
    await cluster.start_match(cluster.a, cluster.a)
    b.log.after.clear()  # The entry that says that the match goes on.
    b.connect(FIRST, SECOND_BOT)
    electing = asyncio.create_task(cluster.elect(b, without=[cluster.a]))
    await settle()
    b.node.follow("c")
    b.log.after.set()
    await electing
    await settle()
    assert cluster.match_id not in b.shared.followed
    entries = await cluster.stored.read(cluster.match_id)
    await cluster.pass_time(12 * SECOND)  # Longer than the bot has for its moves.
    assert await cluster.stored.read(cluster.match_id) == entries


@with_match_apart
async def test_the_next_coordinator_knows_that_a_node_is_draining(cluster: LiveCluster) -> None:
    cluster.b.node.gateway.announce_drain()
    await cluster.elect(cluster.c)
    await cluster.time.advance(3 * SECOND)
    await cluster.return_to(cluster.a)
    await cluster.answer(cluster.a, 0)
    assert await cluster.charges() == [0]


@with_match_apart
async def test_a_bot_that_does_not_come_back_after_its_node_was_lost_forfeits_at_last(cluster: LiveCluster) -> None:
    cluster.kill(cluster.b)
    await cluster.pass_time(30 * SECOND)
    assert await cluster.phase(cluster.c) is MatchPhase.PLAYING
    await cluster.pass_time(16 * SECOND)
    assert await cluster.forfeits() == [0]


@pytest.mark.parametrize("next_coordinator", ["b", "c"], ids=["restores the match", "follows the match"])
@in_cluster
async def test_a_bot_that_was_connected_to_the_lost_coordinator_is_not_charged(
    cluster: LiveCluster, *, next_coordinator: str
) -> None:
    await cluster.start_match(cluster.a, cluster.c)
    cluster.lose_coordinator()
    await cluster.elect({"b": cluster.b, "c": cluster.c}[next_coordinator])
    await cluster.pass_time(12 * SECOND)  # Longer than the bot has for its moves.
    assert await cluster.answer_elsewhere(cluster.b) <= SECOND
    await cluster.answer(cluster.c, 1)


@in_cluster
async def test_a_match_goes_on_at_once_if_its_bots_are_at_the_next_coordinator_already(cluster: LiveCluster) -> None:
    await cluster.start_match(cluster.a, cluster.a)
    cluster.lose_coordinator()
    first, _ = cluster.b.connect(FIRST, SECOND_BOT)
    await cluster.time.advance(2 * SECOND)
    await cluster.elect(cluster.b)
    assert len(drain_turns(first)) == 1
    await cluster.answer(cluster.b, 0)
    assert await cluster.charges() == [0]


@in_cluster
async def test_a_move_that_the_lost_coordinator_stores_late_does_not_cost_the_opponent_its_turn(
    cluster: LiveCluster,
) -> None:
    a, b = cluster.a, cluster.b
    await cluster.start_match(a, a)
    cluster.hub.divide([a.bus])
    await cluster.elect(b, without=[a])
    await cluster.answer(a, 0)
    b.log.after.clear()  # The entry that says that the match goes on.
    _, second = b.connect(FIRST, SECOND_BOT)
    await settle()
    assert drain_turns(second) == []  # It could not be written yet.
    b.log.after.set()
    await settle()
    assert len(drain_turns(second)) == 1
    await cluster.answer(b, 1)
    assert len(await cluster.charges()) == 2


@in_cluster
async def test_a_bot_that_is_back_before_the_node_of_its_opponent_has_reported_gets_its_turn(
    cluster: LiveCluster,
) -> None:
    await cluster.start_match(cluster.a, cluster.c)
    cluster.lose_coordinator()
    (first,) = cluster.b.connect(FIRST)
    await cluster.time.advance(2 * SECOND)
    await cluster.elect(cluster.d)
    assert len(drain_turns(first)) == 1
    await cluster.answer(cluster.b, 0)
    assert await cluster.charges() == [0]
    await cluster.answer(cluster.c, 1)
    assert "RefereeRecovered" not in await cluster.events()


@with_match_apart
async def test_matches_go_on_without_a_coordinator_and_the_next_one_knows_them(cluster: LiveCluster) -> None:
    a, b, c = cluster.a, cluster.b, cluster.c
    cluster.cut(*cluster.streams)
    cluster.hub.divide([a.bus])
    await cluster.answer(b, 0)
    await cluster.answer(c, 1)
    await cluster.elect(b, without=[a])
    assert [match.setup.match_id for match in b.referee.live_matches] == [cluster.match_id]
    await cluster.answer(b, 0)
    await cluster.answer(c, 1)
    assert len(await cluster.charges()) == 4
    assert "RefereeRecovered" not in await cluster.events()
    other = await b.create()
    await settle()
    assert (await c.match(other)).phase is MatchPhase.PLAYING
    await c.answer(other, 1, "1") if (await c.match(other)).turns[1] else await b.answer(other, 0, "1")


@with_match_apart
async def test_a_coordinator_that_was_replaced_unnoticed_does_no_harm(cluster: LiveCluster) -> None:
    outdated, b, c = cluster.a, cluster.b, cluster.c
    cluster.cut(*cluster.streams)
    for name in "bcd":
        outdated.node.coordinator.remove_node(name)
    await cluster.elect(b, without=[outdated])
    await cluster.answer(b, 0)
    await cluster.time.advance(5 * SECOND)  # The outdated coordinator believes that both bots have left.
    outdated.node.follow("b")
    assert outdated.referee.live_matches == []
    await cluster.time.advance(3 * SECOND)
    await cluster.answer(c, 1)
    assert (await cluster.events())[2:] == ["MovePlayed", "MovePlayed"]


@with_match_apart
async def test_a_newer_session_on_another_node_takes_over(cluster: LiveCluster) -> None:
    older = cluster.b.session(FIRST)
    drain_outbox(older)
    (newer,) = cluster.c.connect(FIRST)
    await settle()
    assert isinstance(older.outbox.closed, SessionTakenOver)
    assert [item for item in drain_outbox(older) if isinstance(item, TakeoverNotice)] == [TakeoverNotice(newer.id)]


@with_match_apart
async def test_every_node_knows_which_bots_are_online(cluster: LiveCluster) -> None:
    assert all(node.shared.is_online(player) for node in cluster.nodes for player in (FIRST, SECOND_BOT))
    await cluster.b.leave(FIRST)
    assert not any(node.shared.is_online(FIRST) for node in cluster.nodes)


@pytest.mark.parametrize("reconnected", [False, True])
@with_match_apart
async def test_a_broken_stream_to_the_coordinator_costs_nobody_anything(
    cluster: LiveCluster, *, reconnected: bool
) -> None:
    cluster.cut("b")
    await cluster.pass_time(5 * SECOND)
    assert "SeatDisconnected" not in await cluster.events()
    if reconnected:
        await cluster.elect(cluster.a)
    await cluster.answer(cluster.b, 0)
    await cluster.answer(cluster.c, 1)
    assert len(await cluster.charges()) == 2


@with_match_apart
async def test_a_node_keeps_what_it_has_measured_when_its_stream_to_the_coordinator_begins_again(
    cluster: LiveCluster,
) -> None:
    b = cluster.b
    cluster.cut("b")
    await cluster.time.advance(5 * SECOND)
    (turn,) = (await b.match(cluster.match_id)).owing
    b.shared.set_uses([(cluster.match_id, TurnUse(turn.token, SECOND))])
    await cluster.mend(b)
    await cluster.answer(b, 0)
    assert await cluster.charges() == [SECOND]


@with_match_apart
async def test_a_match_of_other_nodes_is_watched_at_the_coordinator_entry_by_entry(cluster: LiveCluster) -> None:
    a, b, c = cluster.a, cluster.b, cluster.c
    await cluster.answer(b, 0)
    assert (await a.match(cluster.match_id)).ply == 1
    start, watching = await a.referee.watch(cluster.match_id, None, SPECTATOR)
    assert start.state
    assert start.state.ply == 1
    await settle()
    await cluster.answer(c, 1)
    await settle()
    (entry,) = await anext(watching)
    assert entry.match.ply == 2
    c.referee.sessions.close(c.session(SECOND_BOT))  # The new node is told as well.
    b.connect(SECOND_BOT)
    await settle()
    await cluster.answer(b, 0)
    await settle()
    assert (await anext(watching))[-1].match.ply == 3


@with_match_apart
async def test_the_coordinator_is_notified_of_no_moves_of_a_match_of_other_nodes_that_nobody_watches_there(
    cluster: LiveCluster,
) -> None:
    a = cluster.a
    received = a.bus.counts.received
    assert await a.referee.watch_number(cluster.match_id, SPECTATOR) == (await a.match(cluster.match_id)).number
    await settle()
    await cluster.answer(cluster.b, 0)
    await cluster.answer(cluster.c, 1)
    await settle()
    assert a.bus.counts.received == received
    await a.referee.watch(cluster.match_id, None, SPECTATOR)
    await settle()
    await cluster.answer(cluster.b, 0)
    await settle()
    assert a.bus.counts.received > received
