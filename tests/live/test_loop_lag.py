"""Loop lag: how long the process was blocked, noticed at once, counted once, and credited to the right holders."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context

import pytest

from referee.live.loop_lag import HOLDER, INTERVAL_US, MIN_LAG_US, LoopLag, thread_cpu_us
from referee.live.ports import Entry, Lag
from referee.match.clock import MS, SECOND, Micros
from referee.match.state import Match
from tests.live.fake_time import FakeAlarm, FakeTime
from tests.live.referee_harness import Recorder, RefereeHarness
from tests.live.runner_harness import in_loop


@in_loop
async def test_a_loop_whose_alarms_run_on_time_has_no_lag() -> None:
    time = FakeTime()
    lag = LoopLag(time)
    assert lag.total_us() == 0
    lag.start()
    await time.advance(SECOND)
    assert lag.total_us() == 0
    lag.stop()
    assert time.alarms_us == []
    lag.stop()


@in_loop
async def test_a_stall_is_noticed_before_the_alarm_runs_and_counted_once() -> None:
    time = FakeTime()
    lag = LoopLag(time)
    lag.start()
    time.us += INTERVAL_US + 500 * MS
    assert lag.total_us() == 500 * MS
    await time.advance(0)
    assert lag.total_us() == 500 * MS
    await time.advance(SECOND)
    assert lag.total_us() == 500 * MS
    time.us += INTERVAL_US + MIN_LAG_US
    assert lag.total_us() == 500 * MS
    time.us += 1
    assert lag.total_us() == 500 * MS + MIN_LAG_US + 1
    lag.stop()
    time.us += SECOND
    assert lag.total_us() == 500 * MS + MIN_LAG_US + 1


def test_the_whole_time_of_a_long_busy_period_counts_as_lag() -> None:
    time = LateAlarmTime()
    lag = LoopLag(time)
    lag.start()
    began_us = time.us
    for _ in range(100):
        time.us += 2 * INTERVAL_US
        time.ring()
    assert lag.total_us() == time.us - began_us - INTERVAL_US


@pytest.mark.parametrize("reading", range(1, 5))
def test_a_suspension_right_after_any_reading_of_the_clock_counts_as_lag(reading: int) -> None:
    time = SuspendedTime()
    lag = LoopLag(time)
    lag.start()
    time.us += 2 * INTERVAL_US
    time.until_suspension = reading
    for _ in range(4):
        time.ring()
        time.us += MS
    assert lag.total_us() >= SECOND - INTERVAL_US


class LateAlarmTime(FakeTime):
    """Clock whose alarm a test can run late, as an event loop does that is busy for long."""

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> FakeAlarm:
        self.ring = ring
        return super().call_at(at_us, ring)


class SuspendedTime(LateAlarmTime):
    """Clock of a process that is suspended for a second, right after the clock was read for a number of times."""

    until_suspension = 0

    def monotonic_us(self) -> Micros:
        us = self.us
        self.until_suspension -= 1
        if self.until_suspension == 0:
            self.us += SECOND
        return us


class Machine:
    """A clock and a CPU time that a test advances by hand, and the lag of an event loop on them."""

    def __init__(self, time: FakeTime | None = None, started_after_us: Micros = 0) -> None:
        """`started_after_us`: CPU time that the process has used before."""
        self.time = time or FakeTime()
        self.cpu_us = started_after_us
        self.lag = LoopLag(self.time, lambda: self.cpu_us)
        self.lag.start()

    def run_step(self, holder: str, cpu_us: Micros, blocked_us: Micros = 0) -> None:
        """Run a step for a holder, during which the machine may also be blocked."""
        copy_context().run(self._step, holder, cpu_us, blocked_us)

    def _step(self, holder: str, cpu_us: Micros, blocked_us: Micros) -> None:
        HOLDER.set(holder)
        self.time.us += cpu_us + blocked_us
        self.cpu_us += cpu_us
        self.lag.charge()

    def credits(self, *holders: str) -> list[Micros]:
        """Return the lag that has been credited to each holder."""
        return [self.lag.arrival(holder).lag.since_us(Lag(holder=holder)) for holder in holders]


class SlowObserver(Recorder):
    """Observer that needs CPU time for each entry."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        self._machine.time.us += 300 * MS
        self._machine.cpu_us += 300 * MS


@in_loop
async def test_what_a_stored_move_costs_in_a_callback_of_the_log_is_not_charged_to_the_next_task() -> None:
    machine = Machine()
    harness = RefereeHarness(time=machine.time, lag=machine.lag, observers=[SlowObserver(machine)])
    match_id, _ = await harness.start_match()
    await machine.time.advance(SECOND)
    await harness.referee.submit(match_id, 0, "0.0.1", "1")
    machine.run_step("ada", 0)
    credits_us = machine.credits("ada", "bob")
    assert credits_us[0] == credits_us[1] > 200 * MS
    machine.lag.stop()
    await harness.referee.close()


@in_loop
async def test_lag_caused_by_the_requests_of_a_holder_is_credited_to_all_others() -> None:
    machine = Machine()
    machine.run_step("ada", 300 * MS)
    machine.run_step("bob", 200 * MS)
    machine.run_step("", 100 * MS)
    during_the_interval = machine.credits("ada", "bob", "eve", "")
    assert during_the_interval == [300 * MS, 390 * MS, 590 * MS, 590 * MS], (
        "of the first step, ten milliseconds are no lag"
    )
    await machine.time.advance(0)
    assert machine.credits("ada", "bob", "eve", "") == during_the_interval
    await machine.time.advance(SECOND)
    assert machine.credits("ada", "bob", "eve", "") == during_the_interval
    machine.lag.stop()


@in_loop
async def test_time_without_cpu_during_its_own_request_is_credited_to_a_holder() -> None:
    machine = Machine()
    machine.time.us += INTERVAL_US
    machine.run_step("ada", 20 * MS, blocked_us=2 * SECOND)
    assert machine.credits("ada", "bob") == [2 * SECOND, 2 * SECOND + 20 * MS]
    machine.lag.stop()
    assert machine.credits("ada", "bob") == [2 * SECOND, 2 * SECOND + 20 * MS]


@in_loop
async def test_cpu_time_between_two_steps_is_charged_to_the_second_step() -> None:
    machine = Machine()
    machine.time.us += INTERVAL_US
    machine.time.us += 30 * MS
    machine.cpu_us += 30 * MS
    machine.run_step("ada", 20 * MS)
    assert machine.credits("ada", "bob") == [0, 50 * MS]
    machine.lag.stop()


@in_loop
async def test_cpu_time_that_causes_no_lag_is_charged_to_no_holder() -> None:
    machine = Machine()
    machine.run_step("ada", 9 * MS)
    await machine.time.advance(MS)
    machine.time.us += INTERVAL_US
    machine.run_step("bob", 100 * MS)
    assert machine.credits("ada", "bob") == [100 * MS, 0]
    machine.lag.stop()


def test_continuous_requests_earn_their_holder_no_credit() -> None:
    time = LateAlarmTime()
    machine = Machine(time)
    for _ in range(100):
        machine.run_step("ada", 20 * MS)
        time.ring()
    assert machine.credits("ada", "bob") == [0, 1_990 * MS]
    machine.lag.stop()


def test_every_step_of_every_task_is_charged_to_its_holder() -> None:
    machine: Machine

    async def compute(us: Micros) -> None:
        for _ in range(2):
            await asyncio.sleep(0)
            machine.time.us += us
            machine.cpu_us += us

    async def fail() -> None:
        try:
            await asyncio.sleep(SECOND)
        finally:
            machine.time.us += 50 * MS
            machine.cpu_us += 50 * MS

    async def serve(holder: str, us: Micros) -> None:
        HOLDER.set(holder)
        await asyncio.create_task(compute(us))
        failing = asyncio.create_task(fail())
        await asyncio.sleep(0)
        failing.cancel()
        with suppress(asyncio.CancelledError):
            await failing

    async def serve_all() -> None:
        nonlocal machine
        machine = Machine()
        machine.time.us += INTERVAL_US
        machine.lag.charge_tasks(asyncio.get_running_loop())
        await asyncio.gather(asyncio.create_task(serve("ada", 100 * MS)), asyncio.create_task(serve("bob", 10 * MS)))
        assert machine.credits("ada", "bob", "eve") == [70 * MS, 250 * MS, 320 * MS]
        machine.lag.stop()

    asyncio.run(serve_all())


@in_loop
async def test_stalls_are_counted_by_their_length() -> None:
    machine = Machine()
    for ms in (5, 6, 10, 11, 500, 501, 9_000):
        machine.time.us += INTERVAL_US + ms * MS
        await machine.time.advance(0)
    assert machine.lag.stalls == [2, 1, 0, 1, 1, 0, 1]
    machine.lag.stop()


@in_loop
async def test_any_thread_can_read_how_long_the_loop_has_been_unresponsive() -> None:
    machine = Machine()
    assert machine.lag.unresponsive_us() == 0
    machine.time.us += INTERVAL_US + 3 * SECOND
    assert await asyncio.to_thread(machine.lag.unresponsive_us) == 3 * SECOND
    machine.lag.stop()
    assert machine.lag.unresponsive_us() == 0


def test_cpu_time_is_measured_for_the_current_thread() -> None:
    before_us = thread_cpu_us()
    while thread_cpu_us() == before_us:
        pass
    assert thread_cpu_us() > before_us
