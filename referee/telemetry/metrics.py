"""All metrics of one process, in a registry of their own, as Prometheus reads them.

They are measured from outside: calls by an interceptor, matches by reading entries, the log by standing in
front of it, and what can be asked at any time is asked when somebody looks. No label ever holds what a
stranger chose, nor anything of which there are more with every match: `docs/operations.md` lists them all.
"""

import platform
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Info, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from referee.app.ports import EventLog, Time
from referee.core.clock import SECOND, Micros
from referee.core.match import Match
from referee.telemetry.append_metrics import AppendMetrics, MeasuredLog
from referee.telemetry.match_metrics import MatchMetrics
from referee.telemetry.rpc_metrics import RpcMetrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Readings:
    """What can be asked at any time, on the event loop."""

    matches: Callable[[], Iterable[Match]]
    """Those that this process runs. Who is over does not count."""
    sessions: Callable[[], int]
    """Play sessions that are open."""
    lag_us: Callable[[], Micros]
    """How late the event loop has been, all in all."""


class Metrics:
    """For one process. Nothing is global: two in one process do not hear of each other."""

    def __init__(self, version: str) -> None:
        self._registry = _WithoutBirthdays()
        Info("referee_build", "What is running.", registry=self._registry).info(
            {"version": version, "python": platform.python_version()}
        )
        ProcessCollector(registry=self._registry)
        self.matches = MatchMetrics(self._registry)
        """To be told all that happens in matches."""
        self._appends = AppendMetrics(self._registry)
        self._refusals = Counter(
            "referee_refusals",
            "Refusals that were sent, in calls and in streams.",
            ("reason",),
            registry=self._registry,
        )

    def measured(self, log: EventLog, time: Time) -> MeasuredLog:
        """The same log, measured."""
        return MeasuredLog(log, time, self._appends)

    def committed(self, appends: int) -> None:
        """So many appends to the log became durable in one transaction. To be told from any thread."""
        self._appends.group.observe(appends)

    def interceptor(self, time: Time, methods: Collection[str]) -> RpcMetrics:
        """What the server's calls are measured by: the first of its interceptors. To be asked for once."""
        return RpcMetrics(self._registry, time, methods)

    def refused(self, reason: str) -> None:
        """A refusal goes out, in a call or in a stream; `reason` is the contract's word, such as ILLEGAL_MOVE."""
        self._refusals.labels(reason).inc()

    def read(self, readings: Readings) -> None:
        """Ask these whenever somebody looks. To be called once."""
        self._registry.register(_Asking(readings))

    def text(self) -> bytes:
        """Everything as it is now, in Prometheus' text format (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)


class _WithoutBirthdays(CollectorRegistry):
    """The client tells of each series when it was born. Nobody asks, and it doubles the page."""

    def collect(self) -> Iterator[Metric]:
        for family in super().collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family


class _Asking:
    """A collector that asks when it is looked at."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        matches = GaugeMetricFamily("referee_matches", "Matches that are not over.", labels=("game", "phase"))
        live = Tally((match.setup.game, match.phase.value) for match in self._readings.matches() if not match.result)
        for labels, count in sorted(live.items()):
            matches.add_metric(labels, count)
        yield matches
        yield GaugeMetricFamily("referee_sessions", "Play sessions that are open.", self._readings.sessions())
        yield CounterMetricFamily(
            "referee_event_loop_lag_seconds", "How late the event loop was.", self._readings.lag_us() / SECOND
        )
