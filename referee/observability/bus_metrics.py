"""Metrics of the bus between the nodes of a cluster, read from its counts at scrape time."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from referee.bus.port import Bus


class BusCollector:
    """A Prometheus collector. A signed bus shares the counts of the bus that it wraps: register one of the two."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def collect(self) -> Iterator[Metric]:
        counts = self._bus.counts
        yield GaugeMetricFamily(
            "referee_bus_connected", "1: connected to the bus between nodes. 0: disconnected.", self._bus.connected
        )
        yield CounterMetricFamily("referee_bus_sent", "Messages that were sent to other nodes.", counts.sent)
        yield CounterMetricFamily(
            "referee_bus_received", "Messages of other nodes, including those that were then dropped.", counts.received
        )
        dropped = CounterMetricFamily("referee_bus_dropped", "Messages that were dropped.", labels=("reason",))
        for reason, count in counts.dropped.items():
            dropped.add_metric((reason.value,), count)
        yield dropped
