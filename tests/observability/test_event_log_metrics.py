"""Metrics of an event log: the duration of appends and the size of their groups."""

import asyncio

import pytest

from referee.contests.ladder.events import LadderClosureFinished
from referee.live.ports import CoAppend, Conflict, LogUnavailable
from referee.match.clock import MS
from referee.match.events import MatchCreated
from referee.observability.metrics import Metrics
from tests.live.runner_harness import Scene, in_loop, terms
from tests.observability.exposition import Page


def opened(match_id: str) -> list[MatchCreated]:
    return [MatchCreated(0, terms(match_id=match_id))]


@in_loop
async def test_an_append_takes_until_it_is_durable() -> None:
    scene, metrics = Scene(), Metrics("1.2.3")
    log = metrics.meter_event_log(scene.log, scene.time)
    scene.log.after.clear()
    append = asyncio.create_task(log.append("m1", 0, opened("m1")))
    await scene.time.passes(3 * MS)
    scene.log.after.set()
    await append
    page = Page(metrics)
    assert page.value("referee_append_seconds_count") == 1
    assert page.value("referee_append_seconds_sum") == pytest.approx(0.003)


def test_what_one_transaction_makes_durable_is_one_group() -> None:
    metrics = Metrics("1.2.3")
    for appends in (1, 5, 1):
        metrics.committed(appends)
    page = Page(metrics)
    assert page.value("referee_append_group_sum") == 7
    assert page.value("referee_append_group_bucket", le="1.0") == 2
    assert page.value("referee_append_group_bucket", le="8.0") == 3


@in_loop
async def test_an_append_that_wrote_nothing_is_counted_apart() -> None:
    scene, metrics = Scene(), Metrics("1.2.3")
    log = metrics.meter_event_log(scene.log, scene.time)
    with pytest.raises(Conflict):
        await log.append("m1", 5, opened("m1"))
    scene.log.goes_away()
    with pytest.raises(LogUnavailable):
        await log.append("m1", 0, opened("m1"))
    page = Page(metrics)
    assert page.all("referee_appends_failed_total") == {("conflict",): 1, ("unavailable",): 1}
    assert page.value("referee_append_seconds_count") == 0


@in_loop
async def test_a_measured_log_reads_and_closes_as_the_log_does() -> None:
    scene, metrics = Scene(), Metrics("1.2.3")
    log = metrics.meter_event_log(scene.log, scene.time)
    entries = await log.append("m1", 0, opened("m1"))
    assert await log.read("m1") == entries
    assert await log.read("m1", after=1) == []
    assert await log.unfinished() == ["m1"]
    await log.close()
    with pytest.raises(LogUnavailable):
        await scene.stored.read("m1")


@in_loop
async def test_what_stands_beside_an_append_is_written_through_it_too() -> None:
    scene, metrics = Scene(), Metrics("1.2.3")
    log = metrics.meter_event_log(scene.log, scene.time)
    await log.append("m1", 0, opened("m1"), None, CoAppend("ladder/main", 0, (LadderClosureFinished(),)))
    assert [entry.event for entry in await scene.stored.contests.read("ladder/main")] == [LadderClosureFinished()]
