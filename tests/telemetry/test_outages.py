"""An outage of the log is heard of when it begins and when it is over, and not with every move in between."""

from collections.abc import Sequence

import pytest

from referee.app.contests.log import Beside
from referee.app.ports import Entry, LogUnavailable, Request
from referee.core.events import Event
from referee.storage.memory import MemoryEventLog
from referee.telemetry.metrics import Metrics
from tests.app.scene import in_loop
from tests.app.stopped_time import StoppedTime
from tests.storage.stores import at_noon, events_of, notes


class Failing(MemoryEventLog):
    """Its disk may be full."""

    full = False

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        if self.full:
            raise LogUnavailable("the disk is full")
        return await super().append(match_id, after, events, request, beside)


@in_loop
async def test_it_is_told_once_that_nothing_can_be_written_and_once_that_it_can_again() -> None:
    heard: list[str] = []
    failing = Failing(at_noon)
    log = Metrics("test").measured(failing, StoppedTime(), heard.append)
    await log.append("m", 0, notes(1, 1))
    assert heard == []
    failing.full = True
    for _ in range(3):
        with pytest.raises(LogUnavailable):
            await log.append("m", 1, notes(2, 2))
    assert heard == ["the disk is full"]
    failing.full = False
    await log.append("m", 1, notes(2, 2))
    await log.append("m", 2, notes(3, 3))
    assert heard == ["the disk is full", ""]
    assert await events_of(log, "m") == notes(1, 3)
