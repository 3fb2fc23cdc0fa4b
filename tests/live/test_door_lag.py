"""The lag of the front door, which is nobody's thinking time."""

import pytest

from referee.live.door_lag import BEAT_US, MIN_LATE_US, RECENT_BEATS, RETURN_US, Door, DoorLag
from referee.live.loop_lag import LoopLag
from referee.live.outbox import EndDelivery
from referee.live.ports import Lag
from referee.live.sessions import Sessions
from referee.match.clock import SECOND, Micros
from referee.match.setup import Player
from tests.live.fake_time import FakeTime
from tests.storage.memory import MemoryEventLog, MemoryUndeliveredEnds


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def lag_of(lag: DoorLag, time: FakeTime) -> Micros:
    assert lag.read("", time.monotonic_us())[0] == lag.so_far_us()
    return lag.so_far_us()


async def test_without_a_door_there_is_no_lag(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    await time.advance(SECOND)
    assert lag_of(lag, time) == 0


async def test_beats_in_time_add_nothing(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect(lag.own)
    for _ in range(3):
        await time.advance(BEAT_US + MIN_LATE_US)
        assert lag_of(lag, time) == 0
        lag.beat(lag.own, 0)


async def test_a_door_that_stands_still_is_late_at_once_and_afterwards(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect(lag.own)
    await time.advance(BEAT_US + 10 * SECOND)
    assert lag_of(lag, time) == 10 * SECOND
    lag.beat(lag.own, 0)
    await time.advance(BEAT_US)
    assert lag_of(lag, time) == 10 * SECOND


async def test_beats_that_wait_for_the_loop_are_not_counted_twice(time: FakeTime) -> None:
    loop_us = 0
    lag = DoorLag(time, lambda _: loop_us)
    lag.connect(lag.own)
    loop_us = 3 * SECOND
    await time.advance(BEAT_US + 3 * SECOND)
    assert lag_of(lag, time) == 0
    lag.beat(lag.own, 0)
    await time.advance(BEAT_US + SECOND)
    assert lag_of(lag, time) == SECOND


async def test_a_lost_door_is_late_until_bots_can_be_back(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect(lag.own)
    await time.advance(BEAT_US + SECOND)
    lag.connect(lag.own)
    assert lag_of(lag, time) == SECOND + RETURN_US


async def test_the_lag_of_the_loop_includes_that_of_the_door(time: FakeTime) -> None:
    lag = LoopLag(time)
    lag.door.connect(lag.door.own)
    await time.advance(BEAT_US + SECOND)
    assert lag.read("").total_us == SECOND


@pytest.mark.parametrize("beaten", [False, True])
async def test_lag_after_the_arrival_of_an_answer_is_not_credited(time: FakeTime, beaten: bool) -> None:
    lag = LoopLag(time)
    lag.door.connect(lag.door.own)
    await time.advance(BEAT_US + SECOND)
    arrived_us = time.us
    await time.advance(2 * SECOND)
    if beaten:
        lag.door.beat(lag.door.own, 0)
    assert lag.arrival("", arrived_us=arrived_us).lag.total_us == SECOND
    assert lag.read("").total_us == 3 * SECOND


def test_silence_during_an_outage_of_the_door_is_not_that_of_a_bot(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect(lag.own)
    log = MemoryEventLog(int)
    ends = EndDelivery(MemoryUndeliveredEnds(log), lambda work: work.close())
    session = Sessions(time, lambda: "s", lambda _: None, ends, outage_us=lag.so_far_us).open(Player("anna"))
    time.us += BEAT_US + 20 * SECOND
    assert session.silent_us == BEAT_US


def remote_door(lag: LoopLag, *holders: str) -> Door:
    """Return a door on another machine through which bots of these holders have come."""
    door = Door(set(holders))
    lag.door.connect(door)
    return door


def credited_us(lag: LoopLag, holder: str) -> Micros:
    return lag.read(holder).since_us(Lag(holder=holder))


async def test_a_door_on_another_machine_is_late_for_its_holders_only(time: FakeTime) -> None:
    lag = LoopLag(time)
    door = remote_door(lag, "ada")
    await time.advance(BEAT_US // 2)
    other = remote_door(lag, "bob")
    await time.advance(BEAT_US)
    for _ in range(2):
        lag.door.beat(other, 0)
        assert credited_us(lag, "ada") == BEAT_US // 2
        assert credited_us(lag, "bob") == 0
        assert credited_us(lag, "") == 0
        lag.door.beat(door, 0)
    assert lag.read("ada").since_us(Lag()) == BEAT_US // 2  # If it was not known who plays.


async def test_the_own_door_is_late_for_everybody(time: FakeTime) -> None:
    lag = LoopLag(time)
    lag.door.connect(lag.door.own)
    door = remote_door(lag, "ada")
    await time.advance(BEAT_US + SECOND)
    lag.door.beat(door, 0)
    assert (credited_us(lag, "ada"), credited_us(lag, "bob")) == (2 * SECOND, SECOND)


async def test_a_holder_that_comes_through_a_door_gets_none_of_its_earlier_lag(time: FakeTime) -> None:
    lag = LoopLag(time)
    door = remote_door(lag, "ada")
    await time.advance(BEAT_US + SECOND)
    lag.door.beat(door, 0)
    door.add_holder("bob")
    assert (credited_us(lag, "ada"), credited_us(lag, "bob")) == (SECOND, 0)


async def test_a_door_that_is_gone_for_good_gives_its_bots_time_to_return_and_nothing_more(time: FakeTime) -> None:
    lag = LoopLag(time)
    door = remote_door(lag, "ada")
    await time.advance(BEAT_US + SECOND)
    lag.door.lose(door)
    assert (credited_us(lag, "ada"), credited_us(lag, "bob")) == (SECOND + RETURN_US, 0)
    await time.advance(60 * SECOND)
    assert (credited_us(lag, "ada"), credited_us(lag, "bob")) == (SECOND + RETURN_US, 0)


@pytest.mark.parametrize("beaten", [False, True])
@pytest.mark.parametrize(("holder", "credit_us"), [("ada", SECOND), ("bob", 0)])
async def test_lag_after_an_arrival_at_a_door_on_another_machine_is_not_credited(
    time: FakeTime, holder: str, credit_us: Micros, beaten: bool
) -> None:
    lag = LoopLag(time)
    door = remote_door(lag, "ada")
    await time.advance(BEAT_US + SECOND)
    arrived_us = time.us
    await time.advance(2 * SECOND)
    if beaten:
        lag.door.beat(door, 0)
    assert lag.arrival(holder, arrived_us=arrived_us).lag.since_us(Lag(holder=holder)) == credit_us


async def beat_after(lag: DoorLag, door: Door, time: FakeTime, clock_us: Micros, way_us: Micros) -> None:
    """Let a beat be sent when it is due, by a clock that is ahead by `clock_us`, and arrive after `way_us`."""
    sent_us = (door.due_us or 0) + clock_us
    await time.advance((door.due_us or 0) + way_us - time.us)
    lag.beat(door, sent_us)


@pytest.mark.parametrize("clock_us", [-5 * SECOND, 0, 70 * SECOND])
async def test_the_offset_of_a_clock_follows_from_the_fastest_of_the_recent_beats(
    time: FakeTime, clock_us: Micros
) -> None:
    lag, door = DoorLag(time, lambda _: 0), Door(set())
    lag.connect(door)
    assert door.offset_us > 1_000 * SECOND  # Nothing arrives before now yet.
    for way_us in (9_000, 3_000, 5_000):
        await beat_after(lag, door, time, clock_us, way_us)
    assert door.offset_us == 3_000 - clock_us
    for _ in range(RECENT_BEATS - 1):
        await beat_after(lag, door, time, clock_us, 5_000)
    assert door.offset_us == 5_000 - clock_us


async def test_a_clock_is_compared_anew_after_a_beat_that_was_late(time: FakeTime) -> None:
    """The clock of a machine that was suspended has stood still."""
    lag, door = DoorLag(time, lambda _: 0), Door(set())
    lag.connect(door)
    await beat_after(lag, door, time, 0, 1_000)
    await time.advance(BEAT_US + 60 * SECOND)
    lag.beat(door, time.us - 60 * SECOND)
    assert door.offset_us == 60 * SECOND


def test_the_own_door_has_the_clock_of_the_server(time: FakeTime) -> None:
    lag = DoorLag(time, lambda _: 0)
    lag.connect(lag.own)
    lag.beat(lag.own, 0)
    assert lag.own.offset_us == 0
