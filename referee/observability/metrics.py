"""All metrics of one server, in a registry of its own, in the format of Prometheus.

Metrics are recorded outside of the code that they measure: of calls by an interceptor, of matches by a listener, of
logs by a wrapper, and of everything else by gauges that are read at scrape time. No label holds a value that callers
choose, or one of which there are more with every match. `docs/metrics.md` lists all metrics.
"""

import platform
from collections.abc import Collection, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Info, ProcessCollector, generate_latest
from prometheus_client.metrics_core import Metric

from referee.hosting.contest_log import ContestLog
from referee.live.ports import EventLog, Time
from referee.match.clock import SECOND, Micros
from referee.observability.event_log_metrics import (
    AppendMetrics,
    ContestMetrics,
    MeteredContestLog,
    MeteredEventLog,
    OutageCallback,
    ignore_outage,
)
from referee.observability.gauges import GaugeCollector, GaugeSources
from referee.observability.match_metrics import MatchMetrics
from referee.observability.rpc_metrics import ResponseMetrics, RpcMetrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

FAULTS = ("ENGINE_FAULT", "REFEREE_FAULT")
"""Reasons on which alerts fire."""


class Metrics:
    """Metrics of one server. Nothing is global: two servers in one process have separate metrics."""

    def __init__(self, version: str) -> None:
        self._registry = _RegistryWithoutCreated()
        Info("referee_build", "The running version.", registry=self._registry).info(
            {"version": version, "python": platform.python_version()}
        )
        ProcessCollector(registry=self._registry)
        self.matches = MatchMetrics(self._registry)
        """A MatchListener."""
        self._appends = AppendMetrics(self._registry)
        self._contests = ContestMetrics(self._registry)
        self._refusals = Counter(
            "referee_refusals",
            "Errors that were sent to callers, in calls and streams.",
            ("reason",),
            registry=self._registry,
        )
        for reason in FAULTS:
            self._refusals.labels(reason)  # Initialised with 0, so that `increase` sees the first one.
        self._recovery = Gauge(
            "referee_recovery_seconds", "Time that the last start needed to recover its state.", registry=self._registry
        )
        self._recovered = Gauge(
            "referee_recovered_matches", "Matches that the last start recovered.", registry=self._registry
        )

    def recovered(self, matches: int, took_us: Micros) -> None:
        """Record the recovery at start."""
        self._recovered.set(matches)
        self._recovery.set(took_us / SECOND)

    def meter_event_log(self, log: EventLog, time: Time, outage: OutageCallback = ignore_outage) -> MeteredEventLog:
        """Return a log that records metrics of `log`, and calls `outage` when its availability changes."""
        return MeteredEventLog(log, time, self._appends, outage)

    def meter_contest_log(self, log: ContestLog) -> MeteredContestLog:
        """Return a log that records metrics of `log`."""
        return MeteredContestLog(log, self._contests)

    def committed(self, appends: int) -> None:
        """Record that this many appends were committed in one transaction. May be called from any thread."""
        self._appends.group.observe(appends)

    def interceptor(self, time: Time, methods: Collection[str]) -> RpcMetrics:
        """Return the interceptor that records calls. It must be the first one, and can be created only once."""
        return RpcMetrics(self._registry, time, methods, ResponseMetrics(self._registry))

    def refused(self, reason: str) -> None:
        """Record an error that is sent to a caller; `reason` is that of the contract, such as ILLEGAL_MOVE."""
        self._refusals.labels(reason).inc()

    def register_gauges(self, sources: GaugeSources) -> None:
        """Read these sources at every scrape. To be called once."""
        self._registry.register(GaugeCollector(sources))

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)


class _RegistryWithoutCreated(CollectorRegistry):
    """Omits the `_created` samples of the client library, which would double the size of the page."""

    def collect(self) -> Iterator[Metric]:
        for family in super().collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family
