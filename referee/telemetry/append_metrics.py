"""What is measured of the log of the matches: by standing in front of it, and by what it tells of its transactions."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram

from referee.app.contests.log import Beside
from referee.app.ports import Conflict, Entry, EventLog, LogUnavailable, Request, Summaries, Time
from referee.app.wish import EVERY_MATCH, MatchFilter
from referee.core.clock import SECOND
from referee.core.events import Event
from referee.telemetry.outages import Outage, Outages

APPEND_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
GROUP = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class AppendMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.seconds = Histogram(
            "referee_append_seconds",
            "From an append to the log until it was durable.",
            buckets=APPEND_S,
            registry=registry,
        )
        self.group = Histogram(
            "referee_append_group",
            "Appends that became durable together, in one transaction of the file.",
            buckets=GROUP,
            registry=registry,
        )
        self.failed = Counter(
            "referee_appends_failed", "Appends to the log that wrote nothing.", ("reason",), registry=registry
        )
        for reason in ("conflict", "unavailable"):
            self.failed.labels(reason)  # From 0 on: a series that begins with 1 has not risen.


class MeasuredLog:
    """An EventLog that is another one, measured; and its outages are told."""

    def __init__(self, log: EventLog, time: Time, metrics: AppendMetrics, outage: Outage) -> None:
        self._log = log
        self._time = time
        self._metrics = metrics
        self._outages = Outages(outage)

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        began_us = self._time.monotonic_us()
        try:
            entries = await self._log.append(match_id, after, events, request, beside)
        except Conflict:
            self._metrics.failed.labels("conflict").inc()
            raise
        except LogUnavailable as why:
            self._metrics.failed.labels("unavailable").inc()
            self._outages.failed(str(why))
            raise
        self._outages.written()
        self._metrics.seconds.observe((self._time.monotonic_us() - began_us) / SECOND)
        return entries

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        return await self._log.read(match_id, after, at_most)

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        return await self._log.summaries(wanted, before, at_most)

    async def unfinished(self) -> list[str]:
        return await self._log.unfinished()

    async def close(self) -> None:
        await self._log.close()
