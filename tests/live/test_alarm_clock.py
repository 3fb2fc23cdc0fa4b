"""One alarm for many deadlines: it rings in time for the next one."""

from referee.live.match_timing import DeadlineTimer
from tests.live.fake_time import StoppedTime
from tests.live.runner_harness import in_loop


class Bell:
    def __init__(self) -> None:
        self.time = StoppedTime()
        self.rung_us: list[int] = []
        self.clock = DeadlineTimer(self.time, lambda: self.rung_us.append(self.time.us))


@in_loop
async def test_it_rings_at_the_moment_it_was_set_for() -> None:
    bell = Bell()
    at_us = bell.time.us + 50
    bell.clock.set(at_us)
    await bell.time.passes(100)
    assert bell.rung_us == [at_us]


def test_a_nearer_deadline_takes_the_place_of_a_farther_one() -> None:
    bell = Bell()
    bell.clock.set(bell.time.us + 100)
    bell.clock.set(bell.time.us + 50)
    assert bell.time.alarms_us == [bell.time.us + 50]


def test_a_farther_deadline_leaves_the_alarm_as_it_is() -> None:
    bell = Bell()
    bell.clock.set(bell.time.us + 50)
    bell.clock.set(bell.time.us + 100)
    assert bell.time.alarms_us == [bell.time.us + 50]


def test_without_a_deadline_nothing_rings() -> None:
    bell = Bell()
    bell.clock.set(bell.time.us + 50)
    bell.clock.set(None)
    bell.clock.set(None)
    assert bell.time.alarms_us == []


@in_loop
async def test_it_is_set_again_only_when_the_ring_was_heard() -> None:
    bell = Bell()
    bell.clock.set(bell.time.us + 50)
    await bell.time.passes(50)
    bell.clock.set(bell.time.us + 10)
    assert bell.time.alarms_us == []
    bell.clock.stop()
    bell.clock.set(bell.time.us + 10)
    assert bell.time.alarms_us == [bell.time.us + 10]
