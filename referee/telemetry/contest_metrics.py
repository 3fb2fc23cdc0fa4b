"""What is measured of ladders and tournaments: by standing in front of their log, and by asking for their queue."""

from collections.abc import Iterator, Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from referee.app.contests.events import ContestEvent
from referee.app.contests.log import LADDER, TOURNAMENT, ContestEntry, ContestLog, Unreadable
from referee.app.contests.queue import Queue, WaitsFor
from referee.contest.match_events import Voided
from referee.core.clock import MS, SECOND


class ContestMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.voided = Counter(
            "referee_pairings_voided",
            "Matches of contests that became void, and are to be played again.",
            ("kind",),
            registry=registry,
        )
        for kind in (LADDER, TOURNAMENT):
            self.voided.labels(kind)  # From 0 on: a series that begins with 1 has not risen.


class MeasuredContests:
    """A ContestLog that is another one, measured."""

    def __init__(self, log: ContestLog, metrics: ContestMetrics) -> None:
        self._log = log
        self._metrics = metrics

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        entries = await self._log.append(contest, after, events)
        for event in events:
            if isinstance(event, Voided):
                self._metrics.voided.labels(contest.partition("/")[0]).inc()
        return entries

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        return await self._log.read(contest, after, at_most)

    async def contests(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        return await self._log.contests(kind)

    async def lasts(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        return await self._log.lasts(kind)


def families(queues: Mapping[str, Queue]) -> Iterator[Metric]:
    """The queues of contests by kind, as they are now."""
    contests = GaugeMetricFamily("referee_contests", "Ladders and tournaments that are not over.", labels=("kind",))
    waiting = GaugeMetricFamily(
        "referee_pairings_waiting",
        "Matches of contests that are planned and have not begun, by what they wait for.",
        labels=("kind", "waits_for"),
    )
    oldest = GaugeMetricFamily(
        "referee_pairings_oldest_seconds",
        "How long ago the oldest of them was planned; 0: there is none.",
        labels=("kind", "waits_for"),
    )
    for kind, queue in queues.items():
        contests.add_metric((kind,), queue.contests)
        for waits_for in WaitsFor:
            ages_ms = [it.age_ms for it in queue.waiting if it.waits_for is waits_for]
            waiting.add_metric((kind, waits_for.value), len(ages_ms))
            oldest.add_metric((kind, waits_for.value), max(ages_ms, default=0) * MS / SECOND)
    yield from (contests, waiting, oldest)
