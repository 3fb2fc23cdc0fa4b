"""All metrics of one process, in a registry of their own, as Prometheus reads them.

They are measured from outside: calls by an interceptor, matches by reading entries, the log by standing in
front of it, and what can be asked at any time is asked when somebody looks. No label ever holds what a
stranger chose, nor anything of which there are more with every match: `docs/metrics.md` lists them all.
"""

import platform
from collections.abc import Collection, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Info, ProcessCollector, generate_latest
from prometheus_client.metrics_core import Metric

from referee.app.contests.log import ContestLog
from referee.app.ports import EventLog, Time
from referee.core.clock import SECOND, Micros
from referee.telemetry.append_metrics import AppendMetrics, MeasuredLog
from referee.telemetry.contest_metrics import ContestMetrics, MeasuredContests
from referee.telemetry.match_metrics import MatchMetrics
from referee.telemetry.outages import Outage, untold
from referee.telemetry.readings import Asking, Readings
from referee.telemetry.rpc_metrics import RpcMetrics
from referee.telemetry.said_metrics import SaidMetrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

FAULTS = ("ENGINE_FAULT", "REFEREE_FAULT")
"""The refusals that somebody wants to be woken for."""


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
        self._contests = ContestMetrics(self._registry)
        self._refusals = Counter(
            "referee_refusals",
            "Refusals that were sent, in calls and in streams.",
            ("reason",),
            registry=self._registry,
        )
        for reason in FAULTS:
            self._refusals.labels(reason)  # From 0 on: a series that begins with 1 has not risen.
        self._recovery = Gauge(
            "referee_recovery_seconds", "How long the last start took to take up its matches.", registry=self._registry
        )
        self._recovered = Gauge(
            "referee_recovered_matches", "Matches that the last start took up.", registry=self._registry
        )

    def recovered(self, matches: int, took_us: Micros) -> None:
        """The start is done."""
        self._recovered.set(matches)
        self._recovery.set(took_us / SECOND)

    def measured(self, log: EventLog, time: Time, outage: Outage = untold) -> MeasuredLog:
        """The same log, measured; `outage` hears when it cannot be written, and when it can again."""
        return MeasuredLog(log, time, self._appends, outage)

    def measured_contests(self, log: ContestLog) -> MeasuredContests:
        """The same log, measured."""
        return MeasuredContests(log, self._contests)

    def committed(self, appends: int) -> None:
        """So many appends to the log became durable in one transaction. To be told from any thread."""
        self._appends.group.observe(appends)

    def interceptor(self, time: Time, methods: Collection[str]) -> RpcMetrics:
        """What the server's calls are measured by: the first of its interceptors. To be asked for once."""
        return RpcMetrics(self._registry, time, methods, SaidMetrics(self._registry))

    def refused(self, reason: str) -> None:
        """A refusal goes out, in a call or in a stream; `reason` is the contract's word, such as ILLEGAL_MOVE."""
        self._refusals.labels(reason).inc()

    def read(self, readings: Readings) -> None:
        """Ask these whenever somebody looks. To be called once."""
        self._registry.register(Asking(readings))

    def text(self) -> bytes:
        """Everything as it is now, in Prometheus' text format (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)


class _WithoutBirthdays(CollectorRegistry):
    """The client tells of each series when it was born. Nobody asks, and it doubles the page."""

    def collect(self) -> Iterator[Metric]:
        for family in super().collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family
