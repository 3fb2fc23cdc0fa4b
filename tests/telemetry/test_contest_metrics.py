"""What is told of ladders and tournaments: their queue, and how often something came of it that was void."""

from referee.app.contests.log import LADDER, TOURNAMENT
from referee.app.contests.queue import Queue, Waiting, WaitsFor
from referee.contest.ladder_events import Closing
from referee.contest.match_events import Voided
from referee.storage.memory import MemoryEventLog
from referee.telemetry.metrics import Metrics
from referee.telemetry.readings import Readings
from tests.app.scene import in_loop
from tests.app.stopped_time import StoppedTime
from tests.telemetry.exposition import Page


def page(**queues: Queue) -> Page:
    metrics = Metrics("1.2.3")
    metrics.read(Readings(list, list, lambda: 0, lambda: [0] * 7, lambda: True, queues=lambda: queues))
    return Page(metrics)


def test_the_queue_is_told_by_kind_and_by_what_is_waited_for() -> None:
    waiting = (Waiting(WaitsFor.BOTS, 5_000), Waiting(WaitsFor.BOTS, 7_500), Waiting(WaitsFor.NOTHING, 10))
    told = page(ladder=Queue(2, ()), tournament=Queue(1, waiting))
    assert told.all("referee_contests") == {("ladder",): 2, ("tournament",): 1}
    assert told.all("referee_pairings_waiting") == {("tournament", "bots"): 2, ("tournament", "nothing"): 1}
    assert told.all("referee_pairings_oldest_seconds") == {("tournament", "bots"): 7.5, ("tournament", "nothing"): 0.01}


def test_an_empty_queue_is_told_as_such() -> None:
    samples = page(ladder=Queue(0, ())).families["referee_pairings_oldest_seconds"].samples
    assert {sample.labels["waits_for"]: sample.value for sample in samples} == {"bots": 0, "place": 0, "nothing": 0}


@in_loop
async def test_pairings_that_became_void_are_counted_by_kind() -> None:
    metrics = Metrics("1.2.3")
    contests = metrics.measured_contests(MemoryEventLog(StoppedTime().wall_ms).contests)
    await contests.append(f"{TOURNAMENT}/cup", 0, [Voided("1.1", 1), Voided("1.2", 1)])
    await contests.append(f"{LADDER}/main", 0, [Closing(), Voided("1", 1)])
    assert Page(metrics).all("referee_pairings_voided_total") == {("ladder",): 1, ("tournament",): 2}
