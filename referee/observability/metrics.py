"""All metrics of one server, in a registry of its own, in the format of Prometheus.

Metrics are recorded outside of the code that they measure: of calls by an interceptor, of matches by an observer, of
logs by a wrapper, and of everything else by gauges that are read at scrape time. No label holds a value that callers
choose, or one of which there are more with every match. `docs/metrics.md` lists all metrics.
"""

import os
import platform
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, Info, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from referee.hosting.contest_log import ContestLog
from referee.hosting.match_factory import MatchQueue, WaitReason
from referee.live.loop_lag import STALL_BUCKETS_US
from referee.live.ports import EventLog, Time
from referee.match.clock import MS, SECOND, Micros
from referee.match.state import Match, MatchPhase
from referee.observability.event_log_metrics import (
    AppendMetrics,
    ContestMetrics,
    MeteredContestLog,
    MeteredEventLog,
    OutageCallback,
    ignore_outage,
)
from referee.observability.match_metrics import MatchMetrics
from referee.observability.metric_families import CounterFamily
from referee.observability.rpc_metrics import ResponseMetrics, RpcMetrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

FAULTS = ("ENGINE_FAULT", "REFEREE_FAULT")
"""Reasons on which alerts fire."""

EDGE: Mapping[str, str] = {
    "up": "1: the front door is connected to the server. 0: it is not.",
    "links_total": "Connections of the front door to the server.",
    "open_connections": "Open connections of clients to the front door.",
    "connections_total": "Connections that clients made to the front door.",
    "connections_refused_total": "Connections closed because of a limit.",
    "connections_silent_total": "Connections closed because they began no call.",
    "connections_idle_total": "Connections closed because too many were idle.",
    "connections_unread_total": "Connections closed because an answer was not read.",
    "open_calls": "Open calls at the front door.",
    "calls_total": "Calls that the front door passed on.",
    "calls_refused_total": "Calls refused because too many waited.",
    "memory_bytes": "Memory of the front door.",
}
"""Metrics of the front door (`deploy/edge/counts.go`): counters end with `_total`."""


@dataclass(frozen=True, slots=True)
class GaugeSources:
    """Functions that return current values. They are called on the event loop, and must not block."""

    matches: Callable[[], Iterable[Match]]
    """Live matches of this process; finished ones are not counted."""
    sessions: Callable[[], Collection[str]]
    """The bot of each open Play session."""
    lag_us: Callable[[], Micros]
    """Total lateness of the event loop."""
    stalls: Callable[[], Sequence[int]]
    """Stalls by length; see `LoopLag.stalls`."""
    ready: Callable[[], bool]
    """Whether the server accepts new matches: false while it drains."""
    certificate_ends_s: Callable[[], float | None] = lambda: None
    """End of the certificate's validity as Unix time; None without a readable certificate."""
    data_dir: Path | None = None
    """The data directory; None if everything is in memory."""
    queues: Callable[[], Mapping[str, MatchQueue]] = dict
    """Queues of matches of ladders and of tournaments, by kind."""
    edge: Callable[[], Mapping[str, Mapping[str, int]]] = dict
    """What each front door counts, by its name and the names in `EDGE`."""


class Metrics:
    """Metrics of one server. Nothing is global: two servers in one process have separate metrics."""

    def __init__(self, version: str) -> None:
        self._registry = CollectorRegistry()
        Info("referee_build", "The running version.", registry=self._registry).info(
            {"version": version, "python": platform.python_version()}
        )
        ProcessCollector(registry=self._registry)
        self.matches = MatchMetrics(self._registry)
        """A MatchObserver."""
        self._appends = AppendMetrics(self._registry)
        self._contests = ContestMetrics(self._registry)
        self._responses = ResponseMetrics(self._registry)
        self._refusals = CounterFamily(
            self._registry, "referee_refusals", "Errors that were sent to callers, in calls and streams.", "reason"
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
        """Record that this many appends were committed in one transaction. May be called from one other thread."""
        self._appends.group.observe(appends)

    def interceptor(self, time: Time, methods: Collection[str]) -> RpcMetrics:
        """Return the interceptor that records calls; it can be created only once.

        It must precede the one that aborts rejected calls.
        """
        return RpcMetrics(self._registry, time, methods, self._responses)

    def repeated(self) -> None:
        """Record that an item of a Play stream was repeated, and got its original verdict."""
        self._responses.duplicates.labels("PlayService/Play").inc()

    def refused(self, reason: str) -> None:
        """Record an error that is sent to a caller; `reason` is that of the contract, such as ILLEGAL_MOVE."""
        self._refusals.labels(reason).inc()

    def register_gauges(self, sources: GaugeSources) -> None:
        """Read these sources at every scrape. To be called once."""
        self._registry.register(GaugeCollector(sources))

    def register(self, collector: Collector) -> None:
        """Read another collector at every scrape. To be called once for each."""
        self._registry.register(collector)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)


class GaugeCollector:
    """A Prometheus collector that calls the sources at each scrape."""

    def __init__(self, sources: GaugeSources) -> None:
        self._sources = sources

    def collect(self) -> Iterator[Metric]:
        live = [match for match in self._sources.matches() if not match.result]
        sessions = self._sources.sessions()
        yield _matches(live)
        yield _bots(live, sessions)
        yield GaugeMetricFamily("referee_sessions", "Open Play sessions.", len(sessions))
        yield CounterMetricFamily(
            "referee_event_loop_lag_seconds", "Total lateness of the event loop.", self._sources.lag_us() / SECOND
        )
        yield _stalls(self._sources.stalls(), self._sources.lag_us())
        yield GaugeMetricFamily(
            "referee_ready",
            "1: the server takes bots and matches. 0: it drains, or cannot reach the coordinator.",
            self._sources.ready(),
        )
        ends_s = self._sources.certificate_ends_s()
        if ends_s is not None:
            yield GaugeMetricFamily(
                "referee_certificate_expiry_timestamp_seconds", "End of the certificate's validity (Unix time).", ends_s
            )
        yield from _queues(self._sources.queues())
        yield from _edge(self._sources.edge())
        if self._sources.data_dir:
            yield from _disk(self._sources.data_dir)


def _stalls(stalls: Sequence[int], lag_us: Micros) -> Metric:
    family = HistogramMetricFamily("referee_event_loop_stall_seconds", "How long the event loop was blocked.")
    bounds = [*(str(us / SECOND) for us in STALL_BUCKETS_US), "+Inf"]
    family.add_metric((), list(zip(bounds, accumulate(stalls), strict=True)), lag_us / SECOND)
    return family


def _matches(live: Iterable[Match]) -> Metric:
    family = GaugeMetricFamily("referee_matches", "Unfinished matches.", labels=("game", "phase"))
    tally = Tally((match.terms.game, match.phase.value) for match in live)
    for labels, count in sorted(tally.items()):
        family.add_metric(labels, count)
    return family


def _bots(live: Iterable[Match], sessions: Iterable[str]) -> Metric:
    online = set(sessions)
    playing = {player.bot for match in live if match.phase is MatchPhase.PLAYING for player in match.players}
    family = GaugeMetricFamily("referee_bots", "Bots, by presence.", labels=("presence",))
    for presence, bots in (("playing", online & playing), ("idle", online - playing), ("away", playing - online)):
        family.add_metric((presence,), len(bots))
    return family


def _disk(data_dir: Path) -> Iterator[Metric]:
    disk = os.statvfs(data_dir)
    yield GaugeMetricFamily(
        "referee_disk_free_bytes", "Free space on the disk of the database.", disk.f_bavail * disk.f_frsize
    )
    yield GaugeMetricFamily(
        "referee_disk_size_bytes", "Size of the disk of the database.", disk.f_blocks * disk.f_frsize
    )
    kept = sum(file.stat().st_size for file in data_dir.glob("*.db*"))
    yield GaugeMetricFamily("referee_database_bytes", "Size of the database, including its write-ahead log.", kept)


def _edge(doors: Mapping[str, Mapping[str, int]]) -> Iterator[Metric]:
    for name, help_text in EDGE.items():
        kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        family = kind(f"referee_edge_{name}", help_text, labels=("door",))
        for door, counts in doors.items():
            if name in counts:  # A door that is not connected counts nothing.
                family.add_metric((door,), counts[name])
        if family.samples:
            yield family


def _queues(queues: Mapping[str, MatchQueue]) -> Iterator[Metric]:
    """Return the queues of contests, by kind."""
    contests = GaugeMetricFamily("referee_contests", "Unfinished ladders and tournaments.", labels=("kind",))
    waiting = GaugeMetricFamily(
        "referee_pairings_waiting",
        "Matches of contests that are planned and have not started, by what they wait for.",
        labels=("kind", "waits_for"),
    )
    oldest = GaugeMetricFamily(
        "referee_pairings_oldest_seconds",
        "Age of the oldest of them; 0 if there is none.",
        labels=("kind", "waits_for"),
    )
    for kind, queue in queues.items():
        contests.add_metric((kind,), queue.contests)
        for waits_for in WaitReason:
            ages_ms = [match.age_ms for match in queue.waiting if match.waits_for is waits_for]
            waiting.add_metric((kind, waits_for.value), len(ages_ms))
            oldest.add_metric((kind, waits_for.value), max(ages_ms, default=0) * MS / SECOND)
    yield from (contests, waiting, oldest)
