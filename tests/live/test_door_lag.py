"""The lag of the front door, which is nobody's thinking time."""

import pytest

from referee.live.door_lag import BEAT_US, MIN_LATE_US, RETURN_US, DoorLag
from referee.live.loop_lag import LoopLag
from referee.match.clock import SECOND, Micros
from tests.live.fake_time import FakeTime


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def lag_of(lag: DoorLag, time: FakeTime) -> Micros:
    return lag.total_us(time.monotonic_us())


async def test_without_a_door_there_is_no_lag(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    await time.advance(SECOND)
    assert lag_of(lag, time) == 0


async def test_beats_in_time_add_nothing(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect()
    for _ in range(3):
        await time.advance(BEAT_US + MIN_LATE_US)
        assert lag_of(lag, time) == 0
        lag.beat()


async def test_a_door_that_stands_still_is_late_at_once_and_afterwards(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect()
    await time.advance(BEAT_US + 10 * SECOND)
    assert lag_of(lag, time) == 10 * SECOND
    lag.beat()
    await time.advance(BEAT_US)
    assert lag_of(lag, time) == 10 * SECOND


async def test_beats_that_wait_for_the_loop_are_not_counted_twice(time: FakeTime) -> None:
    loop_us = 0
    lag = DoorLag(time, lambda _: loop_us)
    lag.connect()
    loop_us = 3 * SECOND
    await time.advance(BEAT_US + 3 * SECOND)
    assert lag_of(lag, time) == 0
    lag.beat()
    await time.advance(BEAT_US + SECOND)
    assert lag_of(lag, time) == SECOND


async def test_a_lost_door_is_late_until_bots_can_be_back(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect()
    await time.advance(BEAT_US + SECOND)
    lag.connect()
    assert lag_of(lag, time) == SECOND + RETURN_US


async def test_the_lag_of_the_loop_includes_that_of_the_door(time: FakeTime) -> None:
    lag = LoopLag(time)
    lag.door.connect()
    await time.advance(BEAT_US + SECOND)
    assert lag.read("").total_us == SECOND
