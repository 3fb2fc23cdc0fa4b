"""An outage of the event log is reported at its start and its end, and not with every move in between."""

from collections.abc import Sequence
from typing import Any

import pytest

from referee.live.ports import CoAppend, Entry, LogUnavailable, Request
from referee.match.events import Event
from referee.observability.metrics import Metrics
from referee.storage.memory import MemoryEventLog
from tests.live.fake_time import StoppedTime
from tests.live.runner_harness import in_loop
from tests.storage.stores import at_noon, events_of, notes


class Failing(MemoryEventLog):
    """Event log whose disk can be full."""

    full = False

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        co_append: CoAppend[Any] | None = None,
    ) -> list[Entry]:
        if self.full:
            raise LogUnavailable("the disk is full")
        return await super().append(match_id, after, events, request, co_append)


@in_loop
async def test_it_is_told_once_that_nothing_can_be_written_and_once_that_it_can_again() -> None:
    heard: list[str] = []
    failing = Failing(at_noon)
    log = Metrics("test").meter_event_log(failing, StoppedTime(), heard.append)
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
