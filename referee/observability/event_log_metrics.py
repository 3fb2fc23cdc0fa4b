"""Metrics of the match log and the contest log, and notification of outages of the match log.

Both logs are wrapped: a wrapper implements the same port and counts what passes through it.
"""

from collections.abc import Callable, Sequence
from functools import partial

from prometheus_client import CollectorRegistry

from referee.contests.pairing import ContestMatchVoided
from referee.hosting.contest_log import LADDER, TOURNAMENT, ContestEntry, ContestEvent, ContestLog, UnreadableContest
from referee.live.match_request import EVERY_MATCH, MatchFilter
from referee.live.ports import (
    Append,
    AppendCallback,
    Conflict,
    Entry,
    EventLog,
    LogDamaged,
    StoreUnavailable,
    Summaries,
    Time,
)
from referee.match.clock import SECOND, Micros
from referee.observability.metric_families import CounterFamily, HistogramFamily

APPEND_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
GROUP = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

OutageCallback = Callable[[str], None]
"""Called with a reason when the match log becomes unavailable, and with "" when it is available again."""


def ignore_outage(_: str) -> None:
    """An OutageCallback that does nothing."""


class AppendMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.seconds = HistogramFamily(
            registry, "referee_append_seconds", "Time until an append to the match log was durable.", APPEND_S
        ).labels()
        self.group = HistogramFamily(
            registry, "referee_append_group", "Appends that were committed in one transaction.", GROUP
        ).labels()
        self.failed = CounterFamily(
            registry, "referee_appends_failed", "Appends to the match log that failed.", "reason"
        )
        for reason in ("conflict", "unavailable"):
            self.failed.labels(reason)  # Initialised with 0, so that `increase` sees the first one.


class WrappedEventLog(EventLog):
    """An EventLog that passes everything on to another one."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        self._log.begin_append(append, done)

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        return await self._log.read(match_id, after, limit)

    async def read_matches(self, match_ids: Sequence[str], max_entries: int) -> list[list[Entry] | LogDamaged]:
        return await self._log.read_matches(match_ids, max_entries)

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        return await self._log.summaries(wanted, before, limit)

    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        return await self._log.heads(match_ids)

    async def unfinished(self) -> list[str]:
        return await self._log.unfinished()

    async def bots_in_play(self) -> dict[str, list[str]]:
        return await self._log.bots_in_play()

    async def close(self) -> None:
        await self._log.close()


class MeteredEventLog(WrappedEventLog):
    """Counts the appends to a log, and reports its outages."""

    def __init__(self, log: EventLog, time: Time, metrics: AppendMetrics, outage: OutageCallback) -> None:
        super().__init__(log)
        self._time = time
        self._metrics = metrics
        self._outage = outage
        self._unavailable = False

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        self._log.begin_append(append, partial(self._appended, self._time.monotonic_us(), done))

    def _appended(self, began_us: Micros, done: AppendCallback, written: list[Entry] | Exception) -> None:
        if isinstance(written, Conflict):
            self._metrics.failed.labels("conflict").inc()
        elif isinstance(written, StoreUnavailable):
            self._metrics.failed.labels("unavailable").inc()
            self._report(str(written))
        elif not isinstance(written, Exception):
            if self._unavailable:
                self._report("")
            self._metrics.seconds.observe((self._time.monotonic_us() - began_us) / SECOND)
        done(written)

    def _report(self, reason: str) -> None:
        """Call the callback only when the availability has changed."""
        if bool(reason) != self._unavailable:
            self._unavailable = bool(reason)
            self._outage(reason)


class ContestMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.voided = CounterFamily(
            registry, "referee_pairings_voided", "Matches of contests that became void and will be replayed.", "kind"
        )
        for kind in (LADDER, TOURNAMENT):
            self.voided.labels(kind)  # Initialised with 0, so that `increase` sees the first one.


class MeteredContestLog:
    """A ContestLog that counts void matches appended to another one."""

    def __init__(self, log: ContestLog, metrics: ContestMetrics) -> None:
        self._log = log
        self._metrics = metrics

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        entries = await self._log.append(contest, after, events)
        for event in events:
            if isinstance(event, ContestMatchVoided):
                self._metrics.voided.labels(contest.partition("/")[0]).inc()
        return entries

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        return await self._log.read(contest, after, limit)

    async def first_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        return await self._log.first_entries(kind)

    async def last_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        return await self._log.last_entries(kind)
