"""The lag of the front door, which is nobody's thinking time."""

import pytest

from referee.live.door_lag import BEAT_US, MIN_LATE_US, RETURN_US, DoorLag
from referee.live.loop_lag import LoopLag
from referee.live.outbox import EndDelivery
from referee.live.sessions import Sessions
from referee.match.clock import SECOND, Micros
from referee.match.setup import Player
from tests.live.fake_time import FakeTime
from tests.storage.memory_log import MemoryEventLog, MemoryUndeliveredEnds


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


@pytest.mark.parametrize("beaten", [False, True])
async def test_lag_after_the_arrival_of_an_answer_is_not_credited(time: FakeTime, beaten: bool) -> None:
    lag = LoopLag(time)
    lag.door.connect()
    await time.advance(BEAT_US + SECOND)
    arrived_us = time.us
    await time.advance(2 * SECOND)
    if beaten:
        lag.door.beat()
    assert lag.arrival("", arrived_us=arrived_us).lag.total_us == SECOND
    assert lag.read("").total_us == 3 * SECOND


def test_silence_during_an_outage_of_the_door_is_not_that_of_a_bot(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect()
    log = MemoryEventLog(int)
    ends = EndDelivery(MemoryUndeliveredEnds(log), lambda work: work.close())
    session = Sessions(time, lambda: "s", lambda _: None, ends, outage_us=lag.so_far_us).open(Player("anna"))
    time.us += BEAT_US + 20 * SECOND
    assert session.silent_us == BEAT_US
