"""When the absence of a bot is written to the log."""

import asyncio
from collections.abc import Callable

import pytest

from referee.live.sessions import ABSENCE_DELAY_US, Absences
from referee.match.clock import Micros
from tests.live.fake_time import SetAlarm, StoppedTime


class HastyTime(StoppedTime):
    """Clock whose alarms ring slightly early, as on an event loop with a timer resolution of one millisecond."""

    EARLY_US = 900

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> SetAlarm:
        return super().call_at(at_us - self.EARLY_US, ring)


@pytest.mark.parametrize("kind", [StoppedTime, HastyTime])
def test_an_absence_is_written_although_its_alarm_rings_early(kind: type[StoppedTime]) -> None:
    time = kind()
    written: list[Micros | None] = []
    absences = Absences(time, lambda bot: written.append(absences.absent_since_us(bot)))
    began_us = time.monotonic_us()
    absences.update("anna", online=False)
    asyncio.run(time.passes(ABSENCE_DELAY_US))
    assert written == [began_us]
