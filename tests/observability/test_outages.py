"""An outage of the event log is reported at its start and its end, and not with every move in between."""

import pytest

from referee.live.ports import Append, StoreUnavailable
from referee.observability.metrics import Metrics
from tests.live.fake_time import FakeTime
from tests.live.runner_harness import in_loop
from tests.storage.memory_log import MemoryEventLog
from tests.storage.stores import events_of, noon_ms, notes


class FailingEventLog(MemoryEventLog):
    """Event log whose disk can be full."""

    full = False

    def _check(self, append: Append) -> None:
        if self.full:
            raise StoreUnavailable("the disk is full")
        super()._check(append)


@in_loop
async def test_an_outage_of_the_log_is_reported_once_at_its_start_and_once_at_its_end() -> None:
    reports: list[str] = []
    failing_log = FailingEventLog(noon_ms)
    log = Metrics("test").meter_event_log(failing_log, FakeTime(), reports.append)
    await log.append("m", 0, notes(1, 1))
    assert reports == []
    failing_log.full = True
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            await log.append("m", 1, notes(2, 2))
    assert reports == ["the disk is full"]
    failing_log.full = False
    await log.append("m", 1, notes(2, 2))
    await log.append("m", 2, notes(3, 3))
    assert reports == ["the disk is full", ""]
    assert await events_of(log, "m") == notes(1, 3)
