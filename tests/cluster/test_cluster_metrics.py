"""Metrics of a node of a cluster."""

from referee.cluster.bus.port import Bus, DropReason
from referee.cluster.bus.signed_bus import SignedBus
from referee.cluster.cluster_metrics import ClusterCollector, ClusterSources, NodeStreamCounts
from referee.cluster.membership.membership import ClusterStatus
from referee.observability.metrics import Metrics
from tests.cluster.bus.local_bus import LocalBusHub
from tests.live.runner_harness import in_loop
from tests.observability.exposition import Page

STATUS = ClusterStatus(nodes=3, is_coordinator=True, epoch=7, failed_renewals=2, lost_memberships=0)


def sources(bus: Bus, streams: NodeStreamCounts | None = None) -> ClusterSources:
    return ClusterSources(bus, streams or NodeStreamCounts(), lambda: STATUS, lambda: 5)


def test_membership_streams_and_forwarded_calls_are_exported() -> None:
    metrics, streams = Metrics("1.2.3"), NodeStreamCounts()
    streams.count_opened()
    streams.count_sent(3)
    streams.count_received(4)
    metrics.register(ClusterCollector(sources(LocalBusHub().bus(), streams)))
    page = Page(metrics)
    assert page.value("referee_cluster_nodes") == 3
    assert page.value("referee_coordinator") == 1
    assert page.value("referee_cluster_epoch") == 7
    assert page.value("referee_lease_renewals_failed_total") == 2
    assert page.value("referee_node_streams_opened_total") == 1
    assert page.all("referee_node_stream_messages_total") == {("sent",): 3, ("received",): 4}
    assert page.value("referee_forwarded_calls_total") == 5


@in_loop
async def test_the_counts_of_the_bus_are_exported() -> None:
    hub, metrics = LocalBusHub(), Metrics("1.2.3")
    node = SignedBus(hub.bus(), bytes(range(32)))
    stranger = hub.bus()
    metrics.register(ClusterCollector(sources(node)))
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
