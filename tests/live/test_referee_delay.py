"""The referee delay of a turn is the union of all intervals in which the referee held it up, in any order."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engines.api import Seat
from referee.live.loop_lag import MessageArrival
from referee.live.ports import LogUnavailable, SeatDelays
from referee.live.runner import LAST_RETRY_US
from referee.match.clock import MS, SECOND, Micros, Untimed
from referee.match.clock_charge import ClockCharge
from referee.match.decision import Decision
from referee.match.events import MovePlayed, MoveRefused
from referee.match.setup import Policies
from tests.live.runner_harness import NotingKeeper, Scene, answer, in_loop, played, terms

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
            refused = trouble is None and isinstance(attempt.verdict.result().events[0], MoveRefused)
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
