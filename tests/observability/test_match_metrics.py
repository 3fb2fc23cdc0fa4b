"""Metrics of whole matches that are played by runners; the number of series does not grow with the matches."""

import sys
from collections.abc import Callable, Sequence
from types import FrameType

import pytest
from referee_values import NetworkCredit

from referee.contests.ladder.events import LadderClosureFinished, LadderClosureStarted
from referee.contests.pairing import ContestMatchVoided
from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason
from referee.live.create import open_match
from referee.live.ports import CoAppend, Entry, Lag, SeatDelays, StoreUnavailable
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RunnerDependencies
from referee.match.clock import MS, SECOND
from referee.match.commands import Resign, StartPlay
from referee.match.events import MatchCreated
from referee.match.setup import Player
from referee.match.state import Match
from referee.observability.metrics import GaugeSources, Metrics
from tests.live.fake_rating_writer import FakeRatingWriter
from tests.live.fake_time import FakeTime
from tests.live.runner_harness import RecordingObserver, RunnerHarness, answer, match_setup, submit_move
from tests.observability.exposition import Page, gauge_sources
from tests.storage.memory import MemoryEventLog
from tests.third_party_games.third_party_games import FINGERS, NIM


class MeasuredRunnerHarness(RunnerHarness):
    """A runner harness whose observer updates the metrics, with a ladder."""

    def __init__(self) -> None:
        super().__init__()
        self.metrics = Metrics("1.2.3")
        self.observer = MetricsObserver(self.metrics)
        self._ladder = FakeRatingWriter(self.stored.contests)

    @property
    def dependencies(self) -> RunnerDependencies:
        return RunnerDependencies(self.log, self.time, self.observer, self._ladder)

    @property
    def page(self) -> Page:
        return Page(self.metrics)


class MetricsObserver(RecordingObserver):
    def __init__(self, metrics: Metrics) -> None:
        super().__init__()
        self._metrics = metrics

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        super().on_entries(before, entries, match)
        self._metrics.matches.on_entries(before, entries, match)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        super().on_fault(match_id, fault)
        self._metrics.matches.on_fault(match_id, fault)


async def test_decision_time_includes_waiting_in_the_queue() -> None:
    harness = MeasuredRunnerHarness()
    runner = await harness.start_match(match_setup(FINGERS))
    harness.log.before.clear()
    first, second = runner.submit(answer(runner, 0, "1")), runner.submit(answer(runner, 1, "1"))
    await harness.time.advance(40 * MS)
    harness.log.before.set()
    await first
    await second
    assert harness.page.value("referee_decision_seconds_sum", game="fingers") == pytest.approx(0.04)
    assert harness.page.value("referee_decision_seconds_count", game="fingers") == 2
    await runner.close()


async def test_matches_sessions_and_lag_are_read_at_scrape_time() -> None:
    harness, live = MeasuredRunnerHarness(), list[MatchRunner]()
    online_bots = ["bot0", "bot0", "other"]
    harness.metrics.register_gauges(
        GaugeSources(
            lambda: [runner.match for runner in live],
            lambda: online_bots,
            lambda: 2_500_000,
            lambda: [3, 0, 0, 0, 0, 1, 1],
            lambda: True,
        )
    )
    live.append(await open_match(match_setup(match_id="m1"), NIM, harness.dependencies))
    live.append(await harness.start_match(match_setup(match_id="m2")))
    live.append(await harness.start_match(match_setup(FINGERS, "m3")))
    page = harness.page
    assert page.all("referee_matches") == {("nim", "waiting"): 1, ("nim", "playing"): 1, ("fingers", "playing"): 1}
    assert page.value("referee_sessions") == 3
    assert page.all("referee_bots") == {("playing",): 1, ("idle",): 1, ("away",): 2}
    assert page.value("referee_ready") == 1
    assert page.value("referee_event_loop_lag_seconds_total") == 2.5
    assert page.value("referee_event_loop_stall_seconds_bucket", le="0.01") == 3
    assert page.value("referee_event_loop_stall_seconds_bucket", le="5.0") == 4
    assert page.value("referee_event_loop_stall_seconds_count") == 5
    assert page.value("referee_event_loop_stall_seconds_sum") == 2.5
    await live[1].submit(Resign(0))
    await live[0].submit(StartPlay())
    assert harness.page.all("referee_matches") == {("nim", "playing"): 1, ("fingers", "playing"): 1}
    for runner in live:
        await runner.close()


async def test_the_number_of_series_depends_on_games_only() -> None:
    harness, live, online_bots = MeasuredRunnerHarness(), list[MatchRunner](), list[str]()
    waiting: list[QueuedMatch] = []
    harness.metrics.register_gauges(
        gauge_sources(
            matches=lambda: [runner.match for runner in live],
            sessions=lambda: online_bots,
            queues=lambda: {"ladder": MatchQueue(1, tuple(waiting))},
        )
    )

    async def play(number: int) -> None:
        players = tuple(Player(f"bot-{number}-{seat}", str(number)) for seat in range(3))
        for game in (NIM, FINGERS):
            seated = players[: len(game.table(game.settings()).seats)]
            live.append(await harness.start_match(match_setup(game, f"{game.name}-{number}", players=seated)))
            await submit_move(live[-1], 0, "1")
        await live[-2].submit(Resign(1))
        online_bots.append(players[0].bot)
        waiting.append(QueuedMatch(list(WaitReason)[number % len(WaitReason)], number))

    for number in range(2):
        await play(number)
    line_count = harness.metrics.text().count(b"\n")
    for number in range(2, 40):
        await play(number)
    assert harness.metrics.text().count(b"\n") == line_count
    assert b"bot-" not in harness.metrics.text()


def functions_called_by(function: Callable[[], None]) -> list[str]:
    """Return the names of the Python functions that `function` calls, directly or not."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return called[1:]


async def test_a_move_is_recorded_in_three_calls() -> None:
    harness = MeasuredRunnerHarness()
    runner = await harness.start_match(match_setup(credit=NetworkCredit(per_move_ms=50, per_match_ms=1_000)))
    harness.observer.delays_of[0] = SeatDelays(network_us=80 * MS, lag=Lag(200 * MS))
    await harness.time.advance(SECOND)
    await submit_move(runner, 0, "1")
    before, entries, match = harness.observer.announced[-1]
    assert functions_called_by(lambda: harness.metrics.matches.on_entries(before, entries, match)) == [
        "MatchMetrics.on_entries",
        "MatchMetrics._move_played",
        "HistogramSeries.observe",
        "HistogramSeries.observe",
    ]
    await runner.close()


def queue_page(**queues: MatchQueue) -> Page:
    metrics = Metrics("1.2.3")
    metrics.register_gauges(gauge_sources(queues=lambda: queues))
    return Page(metrics)


def test_the_queue_is_counted_by_kind_and_wait_reason() -> None:
    waiting = (
        QueuedMatch(WaitReason.BOTS, 5_000),
        QueuedMatch(WaitReason.BOTS, 7_500),
        QueuedMatch(WaitReason.NOTHING, 10),
    )
    metrics_page = queue_page(ladder=MatchQueue(2, ()), tournament=MatchQueue(1, waiting))
    assert metrics_page.all("referee_contests") == {("ladder",): 2, ("tournament",): 1}
    assert metrics_page.all("referee_pairings_waiting") == {("tournament", "bots"): 2, ("tournament", "nothing"): 1}
    assert metrics_page.all("referee_pairings_oldest_seconds") == {
        ("tournament", "bots"): 7.5,
        ("tournament", "nothing"): 0.01,
    }


def test_an_empty_queue_is_exported_with_zero_values() -> None:
    samples = queue_page(ladder=MatchQueue(0, ())).families["referee_pairings_oldest_seconds"].samples
    assert {sample.labels["waits_for"]: sample.value for sample in samples} == {"bots": 0, "place": 0, "nothing": 0}


async def test_void_pairings_are_counted_by_kind() -> None:
    metrics = Metrics("1.2.3")
    contests = metrics.meter_contest_log(MemoryEventLog(FakeTime().wall_ms).contests)
    await contests.append("tournament/cup", 0, [ContestMatchVoided("1.1", 1), ContestMatchVoided("1.2", 1)])
    await contests.append("ladder/main", 0, [LadderClosureStarted(), ContestMatchVoided("1", 1)])
    assert Page(metrics).all("referee_pairings_voided_total") == {("ladder",): 1, ("tournament",): 2}


def creation(match_id: str) -> list[MatchCreated]:
    return [MatchCreated(0, match_setup(match_id=match_id))]


async def test_a_measured_log_reads_and_closes_the_log() -> None:
    harness, metrics = RunnerHarness(), Metrics("1.2.3")
    log = metrics.meter_event_log(harness.log, harness.time)
    entries = await log.append("m1", 0, creation("m1"))
    assert await log.read("m1") == entries
    assert await log.read("m1", after=1) == []
    assert await log.unfinished() == ["m1"]
    await log.close()
    with pytest.raises(StoreUnavailable):
        await harness.stored.read("m1")


async def test_a_measured_log_passes_on_co_appends() -> None:
    harness, metrics = RunnerHarness(), Metrics("1.2.3")
    log = metrics.meter_event_log(harness.log, harness.time)
    await log.append("m1", 0, creation("m1"), None, CoAppend("ladder/main", 0, (LadderClosureFinished(),)))
    assert [entry.event for entry in await harness.stored.contests.read("ladder/main")] == [LadderClosureFinished()]


async def test_an_outage_of_the_log_is_reported_once_at_its_start_and_once_at_its_end() -> None:
    harness, reports = RunnerHarness(), list[str]()
    log = Metrics("1.2.3").meter_event_log(harness.log, harness.time, reports.append)
    await log.append("m1", 0, creation("m1"))
    assert reports == []
    harness.log.make_unavailable()
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            await log.append("m2", 0, creation("m2"))
    assert reports == ["the disk is full"]
    harness.log.make_available()
    for match_id in ("m2", "m3"):
        await log.append(match_id, 0, creation(match_id))
    assert reports == ["the disk is full", ""]
    assert [entry.event for entry in await log.read("m2")] == creation("m2")
