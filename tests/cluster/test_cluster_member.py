"""A node that cannot reach the coordinator: it says so, takes no bots, and leaves the cluster at last."""

from dataclasses import replace

import pytest

from referee.cluster.cluster_member import MAX_TIME_WITHOUT_STREAM_US
from referee.cluster.shared_matches import SharedMatches
from referee.match.clock import SECOND
from referee.observability.event_log_metrics import ignore_outage
from referee.observability.metrics import Metrics
from referee.observability.tracing import UNTRACED
from referee.server.application import Application
from referee.server.cluster_wiring import create_member
from referee.server.grpc_frontend import VERSION, play_tools
from referee.server.stores import open_stores
from referee.transport.wire.wire_errors import NodeUnavailable
from tests.cluster.forwarding.nodes import SETTINGS
from tests.cluster.membership.members import profile
from tests.cluster.membership.memory_nodes import MemoryNodes
from tests.live.fake_time import FakeTime
from tests.live.runner_harness import in_loop

COORDINATOR = profile("127.0.0.1:1", node_id="coordinator")  # Nothing listens there.
WHY = "the coordinator of the cluster cannot be reached"


class MemberUnderTest:
    """A member that is not open: the test stands in for its membership and its stream."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.restarts: list[str] = []
        stores = open_stores(SETTINGS, self.time, lambda _appends: None)
        application = Application(SETTINGS, stores, Metrics(VERSION), self.time, UNTRACED, ignore_outage, SharedMatches)
        assert isinstance(application.others, SharedMatches)
        tools = play_tools(application, application.others.is_online)
        self.member = create_member(
            SETTINGS, replace(stores, nodes=MemoryNodes()), application, application.others, tools, self.end
        )

    def end(self, why: str, restart: bool) -> None:
        assert restart
        self.restarts.append(why)

    def assert_takes_no_bots(self) -> None:
        assert self.member.not_ready == WHY
        with pytest.raises(NodeUnavailable, match=WHY):
            self.member.check_takes_bots()

    def assert_takes_bots(self) -> None:
        assert self.member.not_ready == ""
        self.member.check_takes_bots()


@in_loop
async def test_a_member_is_not_ready_and_takes_no_bots_until_it_has_reached_the_coordinator() -> None:
    node = MemberUnderTest()
    node.assert_takes_no_bots()
    node.member.on_coordinator(COORDINATOR)
    node.assert_takes_no_bots()
    node.member.connected(lambda _message: None)
    node.assert_takes_bots()
    node.member.disconnected()
    await node.time.advance(2 * SECOND)
    node.assert_takes_bots()
    await node.time.advance(SECOND)
    node.assert_takes_no_bots()
    await node.member.close()


@in_loop
async def test_a_member_without_a_stream_for_a_minute_leaves_and_joins_as_another_one() -> None:
    node = MemberUnderTest()
    node.member.on_coordinator(COORDINATOR)
    node.member.connected(lambda _message: None)
    await node.time.advance(2 * MAX_TIME_WITHOUT_STREAM_US)
    node.member.disconnected()
    await node.time.advance(MAX_TIME_WITHOUT_STREAM_US - SECOND)
    assert node.restarts == []
    node.member.connected(lambda _message: None)
    node.member.disconnected()
    await node.time.advance(MAX_TIME_WITHOUT_STREAM_US - SECOND)
    assert node.restarts == []
    await node.time.advance(SECOND)
    assert node.restarts == [f"{WHY} for 60 s"]
    await node.member.close()


@in_loop
async def test_a_member_that_has_never_reached_the_coordinator_leaves_too_unless_it_is_elected() -> None:
    node, elected = MemberUnderTest(), MemberUnderTest()
    node.member.on_coordinator(COORDINATOR)
    elected.member.on_coordinator(COORDINATOR)
    elected.member.on_coordinator(profile(node_id=elected.member.node_id))
    for each in (node, elected):
        await each.time.advance(MAX_TIME_WITHOUT_STREAM_US)
    assert (node.restarts, elected.restarts) == ([f"{WHY} for 60 s"], [])
    for each in (node, elected):
        await each.member.close()


@in_loop
async def test_the_coordinator_accepts_streams_of_members_only() -> None:
    node = MemberUnderTest()
    node.member.node.serve()
    with pytest.raises(NodeUnavailable):
        node.member.connect("stranger", lambda _message: None)
    node.member.on_nodes([profile("127.0.0.1:1", node_id="stranger")])
    node.member.connect("stranger", lambda _message: None)
    await node.member.close()
