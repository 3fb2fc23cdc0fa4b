"""Match time, timers, and delays caused by the server."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engines.api import Seat
from referee.live.loop_lag import MessageArrival
from referee.live.match_timing import DeadlineTimer, LoopTime, MatchTime
from referee.live.ports import LogUnavailable, SeatDelays
from referee.live.runner import LAST_RETRY_US
from referee.match.clock import MS, SECOND, Micros, Untimed
from referee.match.clock_charge import ClockCharge
from referee.match.decision import Decision
from referee.match.events import MovePlayed, MoveRefused
from referee.match.setup import Policies
from tests.live.fake_time import StoppedTime
from tests.live.runner_harness import NotingKeeper, Scene, answer, in_loop, played, terms


def test_it_goes_on_from_where_it_was() -> None:
    time = StoppedTime()
    match_time = MatchTime(time, 7 * SECOND)
    time.us += 2 * SECOND
    assert match_time.now_us() == 9 * SECOND
    assert not match_time.stopped


def test_it_stands_still_while_it_is_stopped_and_says_for_how_long() -> None:
    time = StoppedTime()
    match_time = MatchTime(time, 0)
    time.us += SECOND
    match_time.stop()
    time.us += 3 * SECOND
    assert match_time.stopped
    assert match_time.now_us() == SECOND
    assert match_time.stopped_ms() == 3000
    match_time.stop()
    assert match_time.now_us() == SECOND


def test_it_goes_on_from_where_it_was_stopped() -> None:
    time = StoppedTime()
    match_time = MatchTime(time, 0)
    time.us += SECOND
    match_time.stop()
    time.us += 3 * SECOND
    match_time.resume()
    time.us += SECOND
    assert match_time.now_us() == 2 * SECOND
    assert match_time.monotonic_us(2 * SECOND) == time.us
    assert not match_time.stopped


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


def test_monotonic_time_never_goes_back() -> None:
    time = LoopTime()
    looks = [time.monotonic_us() for _ in range(100)]
    assert looks == sorted(looks)


def test_the_wall_shows_a_time_of_this_millennium_in_milliseconds() -> None:
    assert 1_700_000_000_000 < LoopTime().wall_ms() < 32_503_680_000_000


@in_loop
async def test_alarms_ring_on_the_loop_in_order_those_of_the_past_at_once() -> None:
    time = LoopTime()
    heard: list[str] = []
    done = asyncio.Event()
    now_us = time.monotonic_us()
    time.call_at(now_us + 2_000, done.set)
    time.call_at(now_us + 1_000, lambda: heard.append("future"))
    time.call_at(now_us - 1_000, lambda: heard.append("past"))
    await done.wait()
    assert heard == ["past", "future"]


@in_loop
async def test_a_cancelled_alarm_does_not_ring() -> None:
    time = LoopTime()
    heard: list[str] = []
    done = asyncio.Event()
    time.call_at(time.monotonic_us(), lambda: heard.append("cancelled")).cancel()
    time.call_at(time.monotonic_us() + 1_000, done.set)
    await done.wait()
    assert heard == []


STEPS = st.sampled_from(["read", "attempt", "late attempt", "hold", "release", "away", "back", "withhold", "crash"])
TIMES = st.integers(1, 3_000).map(lambda ms: ms * MS)
INTERLEAVINGS = st.lists(st.one_of(STEPS, st.tuples(st.sampled_from(["passes", "lags"]), TIMES)), max_size=25)


class LaggingKeeper(NotingKeeper):
    lag_us: Micros = 0

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        return SeatDelays(0, self.lag_us)


@dataclass
class Attempt:
    arrived_us: Micros
    token: str
    verdict: "asyncio.Future[Decision]"


@dataclass
class Turn:
    """One turn of one seat, and everything that delays it. The reference computation keeps plain intervals."""

    scene: Scene = field(default_factory=Scene)
    keeper: LaggingKeeper = field(default_factory=LaggingKeeper)
    intervals: list[tuple[Micros, Micros]] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    arrival: MessageArrival | None = None
    withheld_us: Micros | None = None

    async def begin(self) -> None:
        self.scene.keeper = self.keeper
        self.runner = await self.scene.begun(terms(control=Untimed(), policies=Policies(attempts=1000)))

    async def do(self, step: str | tuple[str, Micros]) -> None:
        name, us = (step, 0) if isinstance(step, str) else step
        await getattr(self, name.replace(" ", "_"))(us)
        await self.scene.time.passes(0)
        self.take_note()

    async def passes(self, us: Micros) -> None:
        await self.scene.time.passes(us)

    async def lags(self, us: Micros) -> None:
        before_us = self.runner.match_now()
        self.scene.time.us += us
        self.keeper.lag_us += us
        self.intervals.append((before_us, self.runner.match_now()))

    async def read(self, _: Micros) -> None:
        self.arrival = self.arrives()

    async def attempt(self, _: Micros) -> None:
        self.attempts_at(self.arrives())

    async def late_attempt(self, _: Micros) -> None:
        self.attempts_at(self.arrival or self.arrives())

    async def hold(self, _: Micros) -> None:
        self.scene.log.before.clear()

    async def release(self, _: Micros) -> None:
        self.scene.log.before.set()

    async def away(self, _: Micros) -> None:
        self.scene.log.goes_away()
        self.arrival = None  # An answer read before an outage and decided after it is measured less precisely.

    async def back(self, _: Micros) -> None:
        self.scene.log.comes_back()

    async def withhold(self, _: Micros) -> None:
        self.runner.withhold(0, self.token)
        self.withheld_us = self.runner.match_now() if self.withheld_us is None else self.withheld_us

    def arrives(self) -> MessageArrival:
        return MessageArrival(self.scene.time.us, self.keeper.lag_us)

    def attempts_at(self, arrival: MessageArrival) -> None:
        measured = self.runner.measure(0, arrival)
        assert measured.stall_us <= self.union_us(measured.arrived_us)
        verdict = self.runner.submit(answer(self.runner, 0, "nonsense", measured=measured))
        self.attempts.append(Attempt(measured.arrived_us, self.token, verdict))

    def take_note(self) -> None:
        """Record the waiting time of attempts that are rejected by now: until now, they waited for the referee."""
        for attempt in [one for one in self.attempts if one.verdict.done()]:
            self.attempts.remove(attempt)
            trouble = attempt.verdict.exception()
            # The decision on a repeated answer has no events.
            refused = trouble is None and isinstance(next(iter(attempt.verdict.result().events), None), MoveRefused)
            if refused or (isinstance(trouble, LogUnavailable) and attempt.token == self.token):
                self.intervals.append((attempt.arrived_us, self.runner.match_now()))

    async def calm(self) -> None:
        """End all faults of the log."""
        await self.do("release")
        await self.do("back")
        await self.do(("passes", LAST_RETRY_US))

    async def crash(self, _: Micros) -> None:
        """Let another process take over, which knows no earlier interval."""
        await self.calm()
        await self.runner.close()
        self.scene = Scene(self.scene)
        self.scene.keeper = self.keeper
        self.runner = await self.scene.resumed()
        self.intervals, self.arrival, self.withheld_us = [], None, None

    @property
    def token(self) -> str:
        turn = self.runner.match.turns[0]
        assert turn
        return turn.token

    def union_us(self, until_us: Micros) -> Micros:
        turn = self.runner.match.turns[0]
        assert turn
        intervals = [*self.intervals]
        if self.withheld_us is not None:
            intervals.append((self.withheld_us, until_us))
        total_us, counted_us = 0, turn.asked_us
        for interval in sorted(intervals):
            begin_us, end_us = max(interval[0], counted_us), min(interval[1], until_us)
            if end_us > begin_us:
                total_us, counted_us = total_us + end_us - begin_us, end_us
        return total_us

    async def rows(self) -> list[ClockCharge]:
        return [event.row for event in await self.scene.events() if isinstance(event, MovePlayed) and event.row]


@settings(max_examples=60, deadline=None)
@given(INTERLEAVINGS)
@example([("passes", SECOND), "hold", "attempt", ("lags", 1_170 * MS), "release"])
@example(["hold", "attempt", ("lags", SECOND), "away", "release", ("lags", SECOND), "back", ("passes", SECOND)])
@example(["away", "attempt", ("lags", SECOND), "back", ("passes", SECOND), "attempt"])
@example(["hold", "attempt", "attempt"])
@example(["read", ("lags", SECOND), "late attempt", ("passes", SECOND), "withhold", ("lags", SECOND)])
def test_every_moment_of_a_stall_counts_once(steps: list[str | tuple[str, Micros]]) -> None:
    @in_loop
    async def play() -> None:
        turn = Turn()
        await turn.begin()
        for step in steps:
            await turn.do(step)
        await turn.calm()
        measured = turn.runner.measure(0)
        assert measured.stall_us == turn.union_us(measured.arrived_us)
        await played(turn.runner, 0, "1")
        rows = await turn.rows()
        assert rows[-1].stall_us == measured.stall_us
        for row in rows:
            assert 0 <= row.stall_us <= max(0, row.arrived_us - row.asked_us)
        await turn.runner.close()

    play()


@in_loop
async def test_an_answer_is_timed_when_it_was_read_and_lag_after_that_is_not_given_back_again() -> None:
    turn = Turn()
    await turn.begin()
    for step in (("lags", 200 * MS), ("passes", 300 * MS), ("read", 0), ("lags", SECOND), ("passes", SECOND)):
        await turn.do(step)
    await turn.runner.submit(answer(turn.runner, 0, "1", measured=turn.runner.measure(0, turn.arrival)))
    (row,) = await turn.rows()
    assert (row.arrived_us, row.stall_us, row.charged_us) == (500 * MS, 200 * MS, 300 * MS)
    await turn.runner.close()


@in_loop
async def test_an_answer_that_was_read_before_its_turn_was_asked_has_no_stall() -> None:
    turn = Turn()
    await turn.begin()
    await turn.do(("lags", SECOND))
    measured = turn.runner.measure(1, turn.arrives())
    await turn.do(("passes", SECOND))
    await played(turn.runner, 0, "1")
    await turn.runner.submit(answer(turn.runner, 1, "1", measured=measured))
    assert [(row.stall_us, row.charged_us) for row in (await turn.rows())[1:]] == [(0, 0)]
    await turn.runner.close()
