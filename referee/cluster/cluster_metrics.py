"""Metrics of a node of a cluster, read from its own counts at scrape time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from referee.cluster.bus.port import Bus
from referee.cluster.membership.membership import ClusterStatus
from referee.cluster.node_stream.node_link import NodeStreamCounts


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCollector(Collector):
    """A Prometheus collector."""

    bus: Bus
    """A signed bus shares the counts of the bus that it wraps: give one of the two."""
    streams: NodeStreamCounts
    status: Callable[[], ClusterStatus]
    forwarded_calls: Callable[[], int]

    def collect(self) -> Iterator[Metric]:
        yield from _bus_metrics(self.bus)
        yield from _membership_metrics(self.status())
        yield from _stream_metrics(self.streams)
        yield CounterMetricFamily(
            "referee_forwarded_calls",
            "Calls of clients that this node has passed on to another one.",
            self.forwarded_calls(),
        )


def _bus_metrics(bus: Bus) -> Iterator[Metric]:
    counts = bus.counts
    yield GaugeMetricFamily(
        "referee_bus_connected", "1: connected to the bus between nodes. 0: disconnected.", bus.connected
    )
    yield CounterMetricFamily("referee_bus_sent", "Messages that were sent to other nodes.", counts.sent)
    yield CounterMetricFamily(
        "referee_bus_received", "Messages of other nodes, including those that were then dropped.", counts.received
    )
    dropped = CounterMetricFamily("referee_bus_dropped", "Messages that were dropped.", labels=("reason",))
    for reason, count in counts.dropped.items():
        dropped.add_metric((reason.value,), count)
    yield dropped


def _membership_metrics(status: ClusterStatus) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "referee_cluster_nodes", "Nodes of the cluster that this one knows, itself included.", status.nodes
    )
    yield GaugeMetricFamily(
        "referee_coordinator", "1: this node is the coordinator of the cluster. 0: it is not.", status.is_coordinator
    )
    yield GaugeMetricFamily("referee_cluster_epoch", "Coordinators that the cluster has had so far.", status.epoch)
    yield CounterMetricFamily(
        "referee_lease_renewals_failed", "Renewals of the lease of this node that failed.", status.failed_renewals
    )


def _stream_metrics(counts: NodeStreamCounts) -> Iterator[Metric]:
    yield CounterMetricFamily(
        "referee_node_streams_opened", "Streams that were opened between this node and others.", counts.opened
    )
    messages = CounterMetricFamily(
        "referee_node_stream_messages", "Messages of streams between nodes.", labels=("direction",)
    )
    messages.add_metric(("sent",), counts.sent)
    messages.add_metric(("received",), counts.received)
    yield messages
