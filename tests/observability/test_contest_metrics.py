"""Metrics of ladders and tournaments: their queues, and void matches."""

from referee.contests.ladder.events import LadderClosureStarted
from referee.contests.pairing import ContestMatchVoided
from referee.hosting.contest_log import LADDER, TOURNAMENT
from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason
from referee.observability.metrics import Metrics
from tests.live.fake_time import FakeTime
from tests.observability.exposition import Page, gauge_sources
from tests.storage.memory_log import MemoryEventLog


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
    await contests.append(f"{TOURNAMENT}/cup", 0, [ContestMatchVoided("1.1", 1), ContestMatchVoided("1.2", 1)])
    await contests.append(f"{LADDER}/main", 0, [LadderClosureStarted(), ContestMatchVoided("1", 1)])
    assert Page(metrics).all("referee_pairings_voided_total") == {("ladder",): 1, ("tournament",): 2}
