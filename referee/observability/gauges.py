"""Gauges that are read from the running server at scrape time."""

import os
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from referee.hosting.match_queue import MatchQueue, WaitReason
from referee.live.loop_lag import STALL_BUCKETS_US
from referee.match.clock import MS, SECOND, Micros
from referee.match.state import Match, MatchPhase


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
            "referee_ready", "1: the server accepts new matches. 0: it is draining.", self._sources.ready()
        )
        ends_s = self._sources.certificate_ends_s()
        if ends_s is not None:
            yield GaugeMetricFamily(
                "referee_certificate_expiry_timestamp_seconds", "End of the certificate's validity (Unix time).", ends_s
            )
        yield from _queues(self._sources.queues())
        if self._sources.data_dir:
            yield from _disk(self._sources.data_dir)


def _stalls(stalls: Sequence[int], lag_us: Micros) -> Metric:
    family = HistogramMetricFamily("referee_event_loop_stall_seconds", "How long the event loop was blocked.")
    bounds = [*(str(us / SECOND) for us in STALL_BUCKETS_US), "+Inf"]
    family.add_metric((), list(zip(bounds, accumulate(stalls), strict=True)), lag_us / SECOND)
    return family


def _matches(live: Iterable[Match]) -> Metric:
    family = GaugeMetricFamily("referee_matches", "Unfinished matches.", labels=("game", "phase"))
    tally = Tally((match.setup.game, match.phase.value) for match in live)
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
            ages_ms = [it.age_ms for it in queue.waiting if it.waits_for is waits_for]
            waiting.add_metric((kind, waits_for.value), len(ages_ms))
            oldest.add_metric((kind, waits_for.value), max(ages_ms, default=0) * MS / SECOND)
    yield from (contests, waiting, oldest)
