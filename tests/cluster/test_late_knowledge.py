"""What a node learns late, because there was no stream to the coordinator or another coordinator: it is not lost."""

import pytest

from referee.live.outbox import MatchEnded
from referee.match.clock import SECOND
from referee.match.state import MatchPhase
from tests.cluster.live_nodes import LiveCluster, Stream, connect
from tests.cluster.test_nodes import FIRST, SECOND_BOT, start_apart
from tests.live.fake_time import settle
from tests.live.referee_harness import drain_outbox, drain_turns
from tests.live.runner_harness import in_loop


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
