"""Match time, timers, loop lag, and delays caused by the server."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from referee_values import IllegalMovePolicy, Policies

from engines.api import Seat
from referee.live.loop_lag import HOLDER, INTERVAL_US, MIN_LAG_US, LoopLag, MessageArrival
from referee.live.match_timing import DeadlineTimer, LoopTime, MatchTime
from referee.live.ports import Entry, Lag, SeatDelays, StoreUnavailable
from referee.live.runner import LAST_RETRY_US
from referee.match.clock import MS, SECOND, Micros, Untimed
from referee.match.decision import Decision
from referee.match.events import MoveRejected
from referee.match.state import Match
from tests.live.fake_time import FakeAlarm, FakeTime
from tests.live.referee_harness import Recorder, RefereeHarness
from tests.live.runner_harness import RecordingObserver, RunnerHarness, answer, in_loop, match_setup, submit_move


def test_match_time_continues_from_its_initial_value_and_stands_still_while_it_is_stopped() -> None:
    time = FakeTime()
    match_time = MatchTime(time, 7 * SECOND)
    time.us += SECOND
    assert (match_time.now_us(), match_time.stopped) == (8 * SECOND, False)
    match_time.stop()
    time.us += 3 * SECOND
    assert (match_time.now_us(), match_time.stopped, match_time.stopped_ms()) == (8 * SECOND, True, 3000)
    match_time.stop()
    assert match_time.now_us() == 8 * SECOND
    match_time.resume()
    time.us += SECOND
    assert (match_time.now_us(), match_time.stopped) == (9 * SECOND, False)
    assert match_time.monotonic_us(9 * SECOND) == time.us


@pytest.mark.parametrize(
    ("deadlines", "alarms"), [((100, 50), [50]), ((50, 100), [50]), ((50, None, None), [])], ids=str
)
def test_the_alarm_of_a_timer_is_at_its_earliest_deadline(deadlines: tuple[int | None, ...], alarms: list[int]) -> None:
    time = FakeTime()
    timer = DeadlineTimer(time, lambda: None)
    for deadline in deadlines:
        timer.set(None if deadline is None else time.us + deadline)
    assert time.alarms_us == [time.us + at_us for at_us in alarms]


async def test_a_timer_runs_at_its_deadline_and_is_set_again_only_after_it_was_stopped() -> None:
    time, rings_us = FakeTime(), list[int]()
    timer = DeadlineTimer(time, lambda: rings_us.append(time.us))
    at_us = time.us + 50
    timer.set(at_us)
    await time.advance(100)
    assert rings_us == [at_us]
    timer.set(time.us + 10)
    assert time.alarms_us == []
    timer.stop()
    timer.set(time.us + 10)
    assert time.alarms_us == [time.us + 10]


def test_wall_time_is_in_milliseconds_since_1970() -> None:
    assert 1_700_000_000_000 < LoopTime().wall_ms() < 32_503_680_000_000


async def test_alarms_run_on_the_loop_in_order_and_past_ones_at_once() -> None:
    time = LoopTime()
    rung: list[str] = []
    done = asyncio.Event()
    now_us = time.monotonic_us()
    time.call_at(now_us + 2_000, done.set)
    time.call_at(now_us + 1_000, lambda: rung.append("future"))
    time.call_at(now_us - 1_000, lambda: rung.append("past"))
    await done.wait()
    assert rung == ["past", "future"]


async def test_a_cancelled_alarm_does_not_run() -> None:
    time = LoopTime()
    rung: list[str] = []
    done = asyncio.Event()
    time.call_at(time.monotonic_us(), lambda: rung.append("cancelled")).cancel()
    time.call_at(time.monotonic_us() + 1_000, done.set)
    await done.wait()
    assert rung == []


STEPS = st.sampled_from(["read", "attempt", "late attempt", "hold", "release", "away", "back", "withhold", "crash"])
TIMES = st.integers(1, 3_000).map(lambda ms: ms * MS)
INTERLEAVINGS = st.lists(st.one_of(STEPS, st.tuples(st.sampled_from(["advance", "lag"]), TIMES)), max_size=25)


class LaggingObserver(RecordingObserver):
    lag_us: Micros = 0

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        return SeatDelays(0, Lag(self.lag_us))


@dataclass
class PendingAttempt:
    arrived_us: Micros
    token: str
    verdict: "asyncio.Future[Decision]"


@dataclass
class TurnSimulation:
    """One turn of one seat, and everything that delays it. The reference computation keeps plain intervals."""

    harness: RunnerHarness = field(default_factory=RunnerHarness)
    observer: LaggingObserver = field(default_factory=LaggingObserver)
    intervals: list[tuple[Micros, Micros]] = field(default_factory=list)
    attempts: list[PendingAttempt] = field(default_factory=list)
    arrival: MessageArrival | None = None
    withheld_since_us: Micros | None = None

    async def begin(self) -> None:
        self.harness.observer = self.observer
        self.runner = await self.harness.start_match(
            match_setup(control=Untimed(), policies=Policies(illegal_move=IllegalMovePolicy(max_attempts=1000)))
        )

    async def do(self, step: str | tuple[str, Micros]) -> None:
        name, us = (step, 0) if isinstance(step, str) else step
        await getattr(self, name.replace(" ", "_"))(us)
        await self.harness.time.advance(0)
        self.record_refusals()

    async def advance(self, us: Micros) -> None:
        await self.harness.time.advance(us)

    async def lag(self, us: Micros) -> None:
        before_us = self.runner.match_now()
        self.harness.time.us += us
        self.observer.lag_us += us
        self.intervals.append((before_us, self.runner.match_now()))

    async def read(self, _: Micros) -> None:
        self.arrival = self.arrival_now()

    async def attempt(self, _: Micros) -> None:
        self.attempt_at(self.arrival_now())

    async def late_attempt(self, _: Micros) -> None:
        self.attempt_at(self.arrival or self.arrival_now())

    async def hold(self, _: Micros) -> None:
        self.harness.log.before.clear()

    async def release(self, _: Micros) -> None:
        self.harness.log.before.set()

    async def away(self, _: Micros) -> None:
        self.harness.log.make_unavailable()
        self.arrival = None  # An answer read before an outage and decided after it is measured less precisely.

    async def back(self, _: Micros) -> None:
        self.harness.log.make_available()

    async def withhold(self, _: Micros) -> None:
        self.runner.withhold(0, self.token)
        self.withheld_since_us = self.runner.match_now() if self.withheld_since_us is None else self.withheld_since_us

    def arrival_now(self) -> MessageArrival:
        return MessageArrival(self.harness.time.us, Lag(self.observer.lag_us))

    def attempt_at(self, arrival: MessageArrival) -> None:
        measured = self.runner.measure(0, arrival)
        assert measured.stall_us <= self.union_us(measured.arrived_us)
        verdict = self.runner.submit(answer(self.runner, 0, "nonsense", measured=measured))
        self.attempts.append(PendingAttempt(measured.arrived_us, self.token, verdict))

    def record_refusals(self) -> None:
        """Record the waiting time of attempts that are rejected by now: until now, they waited for the referee."""
        for attempt in [pending for pending in self.attempts if pending.verdict.done()]:
            self.attempts.remove(attempt)
            error = attempt.verdict.exception()
            # The decision on a repeated answer has no events.
            refused = error is None and isinstance(next(iter(attempt.verdict.result().events), None), MoveRejected)
            if refused or (isinstance(error, StoreUnavailable) and attempt.token == self.token):
                self.intervals.append((attempt.arrived_us, self.runner.match_now()))

    async def end_faults(self) -> None:
        """End all faults of the log."""
        await self.do("release")
        await self.do("back")
        await self.do(("advance", LAST_RETRY_US))

    async def crash(self, _: Micros) -> None:
        """Let another process take over, which does not know how the time before was used, and charges none of it."""
        await self.end_faults()
        await self.runner.close()
        self.harness = RunnerHarness(self.harness)
        self.harness.observer = self.observer
        self.runner = await self.harness.resume_match()
        self.intervals = [(0, self.runner.match_now())]
        self.arrival, self.withheld_since_us = None, None

    @property
    def token(self) -> str:
        turn = self.runner.match.turns[0]
        assert turn
        return turn.token

    def union_us(self, until_us: Micros) -> Micros:
        turn = self.runner.match.turns[0]
        assert turn
        intervals = [*self.intervals]
        if self.withheld_since_us is not None:
            intervals.append((self.withheld_since_us, until_us))
        total_us, counted_us = 0, turn.asked_us
        for interval in sorted(intervals):
            begin_us, end_us = max(interval[0], counted_us), min(interval[1], until_us)
            if end_us > begin_us:
                total_us, counted_us = total_us + end_us - begin_us, end_us
        return total_us


@settings(max_examples=60, deadline=None)
@given(INTERLEAVINGS)
@example([("advance", SECOND), "hold", "attempt", ("lag", 1_170 * MS), "release"])
@example(["hold", "attempt", ("lag", SECOND), "away", "release", ("lag", SECOND), "back", ("advance", SECOND)])
@example(["away", "attempt", ("lag", SECOND), "back", ("advance", SECOND), "attempt"])
@example(["hold", "attempt", "attempt"])
@example(["read", ("lag", SECOND), "late attempt", ("advance", SECOND), "withhold", ("lag", SECOND)])
def test_every_microsecond_of_delay_counts_once(steps: list[str | tuple[str, Micros]]) -> None:
    @in_loop
    async def play() -> None:
        turn = TurnSimulation()
        await turn.begin()
        for step in steps:
            await turn.do(step)
        await turn.end_faults()
        measured = turn.runner.measure(0)
        assert measured.stall_us == turn.union_us(measured.arrived_us)
        await submit_move(turn.runner, 0, "1")
        rows = await turn.harness.move_rows()
        assert rows[-1].stall_us == measured.stall_us
        for row in rows:
            assert 0 <= row.stall_us <= max(0, row.arrived_us - row.asked_us)

    play()


async def test_an_answer_is_timed_when_it_is_read_and_later_lag_earns_no_credit() -> None:
    turn = TurnSimulation()
    await turn.begin()
    for step in (("lag", 200 * MS), ("advance", 300 * MS), ("read", 0), ("lag", SECOND), ("advance", SECOND)):
        await turn.do(step)
    await turn.runner.submit(answer(turn.runner, 0, "1", measured=turn.runner.measure(0, turn.arrival)))
    (row,) = await turn.harness.move_rows()
    assert (row.arrived_us, row.stall_us, row.charged_us) == (500 * MS, 200 * MS, 300 * MS)


async def test_an_answer_that_was_read_before_its_turn_began_has_no_referee_delay() -> None:
    turn = TurnSimulation()
    await turn.begin()
    await turn.do(("lag", SECOND))
    measured = turn.runner.measure(1, turn.arrival_now())
    await turn.do(("advance", SECOND))
    await submit_move(turn.runner, 0, "1")
    await turn.runner.submit(answer(turn.runner, 1, "1", measured=measured))
    assert [(row.stall_us, row.charged_us) for row in (await turn.harness.move_rows())[1:]] == [(0, 0)]


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


@pytest.mark.parametrize("timer_has_fired", [False, True])
def test_lag_after_the_arrival_at_the_front_door_is_not_that_of_the_answer(timer_has_fired: bool) -> None:
    time = LateAlarmTime()
    lag = LoopLag(time)
    lag.start()
    time.us += INTERVAL_US + 2 * SECOND
    time.ring()
    before = lag.read("anna")
    arrived_us = time.us
    time.us += INTERVAL_US + 3 * SECOND
    if timer_has_fired:
        time.ring()
    arrival = lag.arrival("anna", arrived_us=arrived_us)
    assert (arrival.at_us, arrival.lag) == (arrived_us, before)
    assert lag.read("anna").since_us(before) >= 3 * SECOND
    assert lag.arrival("anna", arrived_us=time.us + SECOND).at_us == time.us


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


async def test_what_a_stored_move_costs_in_a_callback_of_the_log_is_not_charged_to_the_next_task() -> None:
    machine = Machine()
    harness = RefereeHarness(time=machine.time, lag=machine.lag, observers=[SlowObserver(machine)])
    match_id, _ = await harness.start_match()
    await machine.time.advance(SECOND)
    await harness.referee.submit(match_id, 0, "0.0.1", "1")
    machine.run_step("ada", 0)
    credits_us = machine.credits("ada", "bob")
    assert credits_us[0] == credits_us[1] > 200 * MS


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


async def test_time_without_cpu_during_its_own_request_is_credited_to_a_holder() -> None:
    machine = Machine()
    machine.time.us += INTERVAL_US
    machine.run_step("ada", 20 * MS, blocked_us=2 * SECOND)
    assert machine.credits("ada", "bob") == [2 * SECOND, 2 * SECOND + 20 * MS]
    machine.lag.stop()
    assert machine.credits("ada", "bob") == [2 * SECOND, 2 * SECOND + 20 * MS]


async def test_cpu_time_between_two_steps_is_charged_to_the_second_step() -> None:
    machine = Machine()
    machine.time.us += INTERVAL_US
    machine.time.us += 30 * MS
    machine.cpu_us += 30 * MS
    machine.run_step("ada", 20 * MS)
    assert machine.credits("ada", "bob") == [0, 50 * MS]


async def test_cpu_time_that_causes_no_lag_is_charged_to_no_holder() -> None:
    machine = Machine()
    machine.run_step("ada", 9 * MS)
    await machine.time.advance(MS)
    machine.time.us += INTERVAL_US
    machine.run_step("bob", 100 * MS)
    assert machine.credits("ada", "bob") == [100 * MS, 0]


def test_continuous_requests_earn_their_holder_no_credit() -> None:
    time = LateAlarmTime()
    machine = Machine(time)
    for _ in range(100):
        machine.run_step("ada", 20 * MS)
        time.ring()
    assert machine.credits("ada", "bob") == [0, 1_990 * MS]


async def test_every_step_of_every_task_is_charged_to_its_holder() -> None:
    machine = Machine()

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

    machine.time.us += INTERVAL_US
    machine.lag.charge_tasks(asyncio.get_running_loop())
    await asyncio.gather(asyncio.create_task(serve("ada", 100 * MS)), asyncio.create_task(serve("bob", 10 * MS)))
    assert machine.credits("ada", "bob", "eve") == [70 * MS, 250 * MS, 320 * MS]
    machine.lag.stop()


async def test_stalls_are_counted_by_their_length() -> None:
    machine = Machine()
    for ms in (5, 6, 10, 11, 500, 501, 9_000):
        machine.time.us += INTERVAL_US + ms * MS
        await machine.time.advance(0)
    assert machine.lag.stalls == [2, 1, 0, 1, 1, 0, 1]


async def test_any_thread_can_read_how_long_the_loop_has_been_unresponsive() -> None:
    machine = Machine()
    assert machine.lag.unresponsive_us() == 0
    machine.time.us += INTERVAL_US + 3 * SECOND
    assert await asyncio.to_thread(machine.lag.unresponsive_us) == 3 * SECOND
    machine.lag.stop()
    assert machine.lag.unresponsive_us() == 0
