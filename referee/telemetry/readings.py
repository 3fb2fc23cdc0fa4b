"""What can be asked at any time, and is asked when somebody looks."""

import os
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from referee.app.contests.queue import Queue
from referee.app.lag import STALLS_US
from referee.core.clock import SECOND, Micros
from referee.core.match import Match, Phase
from referee.telemetry.contest_metrics import families


@dataclass(frozen=True, slots=True)
class Readings:
    """Everything is asked on the event loop, and answers at once."""

    matches: Callable[[], Iterable[Match]]
    """Those that this process runs. Who is over does not count."""
    sessions: Callable[[], Collection[str]]
    """The bot of each Play session that is open."""
    lag_us: Callable[[], Micros]
    """How late the event loop has been, all in all."""
    stalls: Callable[[], Sequence[int]]
    """See `Lag.stalls`."""
    ready: Callable[[], bool]
    """Does it serve, and is not about to go?"""
    certificate_ends_s: Callable[[], float | None] = lambda: None
    """Until when the certificate holds, as Unix time; None: there is none, or it cannot be read."""
    data_dir: Path | None = None
    """Whose disk fills. None: everything is in memory."""
    queues: Callable[[], Mapping[str, Queue]] = dict
    """Of ladders and of tournaments, by kind."""


class Asking:
    """A collector that asks when it is looked at."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        live = [match for match in self._readings.matches() if not match.result]
        sessions = self._readings.sessions()
        yield _matches(live)
        yield _bots(live, sessions)
        yield GaugeMetricFamily("referee_sessions", "Play sessions that are open.", len(sessions))
        yield CounterMetricFamily(
            "referee_event_loop_lag_seconds", "How late the event loop was.", self._readings.lag_us() / SECOND
        )
        yield _stalls(self._readings.stalls(), self._readings.lag_us())
        yield GaugeMetricFamily(
            "referee_ready", "1: it takes new matches. 0: it is about to go.", self._readings.ready()
        )
        ends_s = self._readings.certificate_ends_s()
        if ends_s is not None:
            yield GaugeMetricFamily(
                "referee_certificate_expiry_timestamp_seconds", "Until when the certificate holds (Unix time).", ends_s
            )
        yield from families(self._readings.queues())
        if self._readings.data_dir:
            yield from _disk(self._readings.data_dir)


def _stalls(stalls: Sequence[int], lag_us: Micros) -> Metric:
    family = HistogramMetricFamily("referee_event_loop_stall_seconds", "How long the event loop was held at once.")
    bounds = [*(str(us / SECOND) for us in STALLS_US), "+Inf"]
    family.add_metric((), list(zip(bounds, accumulate(stalls), strict=True)), lag_us / SECOND)
    return family


def _matches(live: Iterable[Match]) -> Metric:
    family = GaugeMetricFamily("referee_matches", "Matches that are not over.", labels=("game", "phase"))
    tally = Tally((match.setup.game, match.phase.value) for match in live)
    for labels, count in sorted(tally.items()):
        family.add_metric(labels, count)
    return family


def _bots(live: Iterable[Match], sessions: Iterable[str]) -> Metric:
    here = set(sessions)
    play = {player.bot for match in live if match.phase is Phase.PLAYING for player in match.players}
    family = GaugeMetricFamily("referee_bots", "Bots, by whether they are there.", labels=("presence",))
    for presence, bots in (("playing", here & play), ("idle", here - play), ("away", play - here)):
        family.add_metric((presence,), len(bots))
    return family


def _disk(data_dir: Path) -> Iterator[Metric]:
    disk = os.statvfs(data_dir)
    yield GaugeMetricFamily(
        "referee_disk_free_bytes", "What can be written still where the database lies.", disk.f_bavail * disk.f_frsize
    )
    yield GaugeMetricFamily(
        "referee_disk_size_bytes", "The whole disk on which the database lies.", disk.f_blocks * disk.f_frsize
    )
    kept = sum(file.stat().st_size for file in data_dir.glob("*.db*"))
    yield GaugeMetricFamily("referee_database_bytes", "The database, with what is still beside it.", kept)
