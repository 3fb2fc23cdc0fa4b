"""Members of a cluster: readiness, metrics, and notifications."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee.cluster.bus.port import Bus, DropReason
from referee.cluster.bus.signed_bus import SignedBus
from referee.cluster.cluster_member import MAX_TIME_WITHOUT_STREAM_US
from referee.cluster.cluster_metrics import ClusterCollector
from referee.cluster.membership.membership import ClusterStatus
from referee.cluster.node import EntryNotifier, EntryReceiver, subject
from referee.cluster.node_stream.node_link import NodeStreamCounts
from referee.cluster.shared_matches import SharedMatches
from referee.live.ports import Entry
from referee.match.clock import SECOND
from referee.observability.event_log_metrics import ignore_outage
from referee.observability.metrics import Metrics
from referee.observability.tracing import UNTRACED
from referee.server.application import Application
from referee.server.cluster_wiring import create_member
from referee.server.grpc_frontend import VERSION, play_tools
from referee.server.stores import open_stores
from referee.transport.wire.wire_errors import NodeUnavailable
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.forwarding.nodes import SETTINGS
from tests.cluster.live_nodes import LiveCluster, with_match_apart
from tests.cluster.membership.members import MemoryNodes, profile
from tests.live.fake_time import FakeTime, settle
from tests.observability.exposition import Page

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


async def test_the_coordinator_accepts_streams_of_members_only() -> None:
    node = MemberUnderTest()
    node.member.node.serve()
    with pytest.raises(NodeUnavailable):
        node.member.connect("stranger", lambda _message: None)
    node.member.on_nodes([profile("127.0.0.1:1", node_id="stranger")])
    node.member.connect("stranger", lambda _message: None)
    await node.member.close()


STATUS = ClusterStatus(nodes=3, is_coordinator=True, epoch=7, failed_renewals=2)


def collector(bus: Bus, streams: NodeStreamCounts | None = None) -> ClusterCollector:
    return ClusterCollector(bus, streams or NodeStreamCounts(), lambda: STATUS, lambda: 5)


def test_membership_streams_and_forwarded_calls_are_exported() -> None:
    metrics, streams = Metrics("1.2.3"), NodeStreamCounts(opened=1, sent=3, received=4)
    metrics.register(collector(LocalBusHub().bus(), streams))
    page = Page(metrics)
    assert page.value("referee_cluster_nodes") == 3
    assert page.value("referee_coordinator") == 1
    assert page.value("referee_cluster_epoch") == 7
    assert page.value("referee_lease_renewals_failed_total") == 2
    assert page.value("referee_node_streams_opened_total") == 1
    assert page.all("referee_node_stream_messages_total") == {("sent",): 3, ("received",): 4}
    assert page.value("referee_forwarded_calls_total") == 5


async def test_the_counts_of_the_bus_are_exported() -> None:
    hub, metrics = LocalBusHub(), Metrics("1.2.3")
    node = SignedBus(hub.bus(), bytes(range(32)))
    stranger = hub.bus()
    metrics.register(collector(node))
    await stranger.open()
    assert Page(metrics).value("referee_bus_connected") == 0
    node.publish("news", b"lost")
    await node.open()
    node.subscribe("news", lambda _: None)
    node.publish("news", b"sent")
    node.publish("news", b"sent again")
    stranger.publish("news", b"forged")
    await stranger.flush()
    page = Page(metrics)
    assert page.value("referee_bus_connected") == 1
    assert page.value("referee_bus_sent_total") == 2
    assert page.value("referee_bus_received_total") == 1
    assert page.all("referee_bus_dropped_total") == {("disconnected",): 1, ("forged",): 1}
    assert len(page.families["referee_bus_dropped"].samples) == len(DropReason)


ONE_ENTRY_BYTES = 400


class Received:
    """Stands in for the matches of the node that is notified."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.live = SimpleNamespace(log=None)

    def receive(self, entries: list[Entry]) -> None:
        self.entries += entries


async def notified(entries: list[Entry], match: Any, limit_bytes: int) -> tuple[list[Entry], int]:
    """Return what another node receives of entries that are stored at once, and in how many messages."""
    hub, received = LocalBusHub(), Received()
    sender, receiver = hub.bus(), hub.bus()
    await sender.open()
    await receiver.open()
    receiver.subscribe(subject("x"), EntryReceiver(cast("Any", received), cast("Any", None)).receive)
    sender.max_payload_bytes = limit_bytes
    EntryNotifier(cast("Bus", sender), lambda _match, _over: ["x"]).on_entries(None, entries, match)
    await settle()
    return received.entries, sender.counts.sent


@with_match_apart
async def test_entries_that_do_not_fit_into_one_message_are_sent_in_several(cluster: LiveCluster) -> None:
    for number in range(4):
        await cluster.answer((cluster.b, cluster.c)[number % 2], number % 2)
    entries, match = await cluster.stored.read(cluster.match_id), await cluster.b.match(cluster.match_id)
    assert await notified(entries, match, 100_000) == (entries, 1)
    received, messages = await notified(entries, match, ONE_ENTRY_BYTES)
    missing = [entry.number for entry in entries if entry not in received]
    assert missing == [1]  # The first one has all terms of the match, and is too large alone.
    assert received == [entry for entry in entries if entry.number not in missing]
    assert messages > 1


class PlayedMeanwhile:
    """Stands in for matches of which one is notified while their logs are compared, and for the log."""

    def __init__(self) -> None:
        self.live = SimpleNamespace(log=self)
        self.followed = {"notified": 1, "lost": 1, "quiet": 1}
        self.read: list[str] = []

    async def heads(self, _: list[str]) -> dict[str, int]:
        self.followed = {**self.followed, "notified": 2}
        return {"notified": 2, "lost": 2, "quiet": 1}

    def catch_up(self, match_ids: list[str]) -> None:
        self.read += match_ids


async def test_only_logs_with_entries_that_were_not_notified_until_now_are_read() -> None:
    matches = cast("Any", PlayedMeanwhile())
    await EntryReceiver(matches, cast("Any", None)).compare(coordinates=False)
    assert matches.read == ["lost"]
