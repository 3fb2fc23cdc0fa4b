"""When the absence of a bot is written."""

import asyncio
from collections.abc import Callable

import pytest

from referee.app.absences import WRITTEN_AFTER_US, Absences
from referee.core.clock import Micros
from tests.app.stopped_time import SetAlarm, StoppedTime


class HastyTime(StoppedTime):
    """Its alarms ring a little early, as those of an event loop with timers of a millisecond do."""

    EARLY_US = 900

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> SetAlarm:
        return super().call_at(at_us - self.EARLY_US, ring)


@pytest.mark.parametrize("kind", [StoppedTime, HastyTime])
def test_an_absence_is_written_although_its_alarm_rings_early(kind: type[StoppedTime]) -> None:
    time = kind()
    written: list[Micros | None] = []
    absences = Absences(time, lambda bot: written.append(absences.written_from(bot)))
    began_us = time.monotonic_us()
    absences.note("anna", here=False)
    asyncio.run(time.passes(WRITTEN_AFTER_US))
    assert written == [began_us]
