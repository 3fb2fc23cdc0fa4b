"""Lag: how long this process stood still, seen at once and counted once."""

from collections.abc import Callable

from referee.app.lag import EVERY_US, GRAIN_US, Lag
from referee.core.clock import MS, SECOND, Micros
from tests.app.scene import in_loop
from tests.app.stopped_time import SetAlarm, StoppedTime


@in_loop
async def test_a_loop_that_rings_in_time_has_no_lag() -> None:
    time = StoppedTime()
    lag = Lag(time)
    assert lag.total_us() == 0
    lag.start()
    await time.passes(SECOND)
    assert lag.total_us() == 0
    lag.stop()
    assert time.alarms_us == []
    lag.stop()


@in_loop
async def test_a_stall_is_seen_before_the_alarm_rings_and_counted_once_after() -> None:
    time = StoppedTime()
    lag = Lag(time)
    lag.start()
    time.us += EVERY_US + 500 * MS
    assert lag.total_us() == 500 * MS
    await time.passes(0)
    assert lag.total_us() == 500 * MS
    await time.passes(SECOND)
    assert lag.total_us() == 500 * MS
    time.us += EVERY_US + GRAIN_US
    assert lag.total_us() == 500 * MS
    time.us += 1
    assert lag.total_us() == 500 * MS + GRAIN_US + 1
    lag.stop()
    time.us += SECOND
    assert lag.total_us() == 500 * MS + GRAIN_US + 1


def test_a_loop_that_is_busy_for_long_is_late_for_all_of_that_time() -> None:
    time = BusyTime()
    lag = Lag(time)
    lag.start()
    began_us = time.us
    for _ in range(100):
        time.us += 2 * EVERY_US
        time.ring()
    assert lag.total_us() == time.us - began_us - EVERY_US


class BusyTime(StoppedTime):
    """It has come to the alarm only when a round of much else is done."""

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> SetAlarm:
        self.ring = ring
        return super().call_at(at_us, ring)
