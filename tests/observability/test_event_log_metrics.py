"""Metrics of an event log, and the reports of its outages."""

import asyncio

import pytest

from referee.contests.ladder.events import LadderClosureFinished
from referee.live.ports import CoAppend, Conflict, StoreUnavailable
from referee.match.clock import MS
from referee.match.events import MatchCreated
from referee.observability.metrics import Metrics
from tests.live.runner_harness import RunnerHarness, match_setup
from tests.observability.exposition import Page


def creation(match_id: str) -> list[MatchCreated]:
    return [MatchCreated(0, match_setup(match_id=match_id))]


async def test_the_duration_of_an_append_ends_when_it_is_durable() -> None:
    harness, metrics = RunnerHarness(), Metrics("1.2.3")
    log = metrics.meter_event_log(harness.log, harness.time)
    harness.log.after.clear()
    append = asyncio.create_task(log.append("m1", 0, creation("m1")))
    await harness.time.advance(3 * MS)
    harness.log.after.set()
    await append
    page = Page(metrics)
    assert page.value("referee_append_seconds_count") == 1
    assert page.value("referee_append_seconds_sum") == pytest.approx(0.003)


def test_the_appends_of_one_transaction_are_one_group() -> None:
    metrics = Metrics("1.2.3")
    for appends in (1, 5, 1):
        metrics.committed(appends)
    page = Page(metrics)
    assert page.value("referee_append_group_sum") == 7
    assert page.value("referee_append_group_bucket", le="1.0") == 2
    assert page.value("referee_append_group_bucket", le="8.0") == 3


async def test_a_failed_append_is_counted_separately() -> None:
    harness, metrics = RunnerHarness(), Metrics("1.2.3")
    log = metrics.meter_event_log(harness.log, harness.time)
    with pytest.raises(Conflict):
        await log.append("m1", 5, creation("m1"))
    harness.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await log.append("m1", 0, creation("m1"))
    page = Page(metrics)
    assert page.all("referee_appends_failed_total") == {("conflict",): 1, ("unavailable",): 1}
    assert page.value("referee_append_seconds_count") == 0


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
