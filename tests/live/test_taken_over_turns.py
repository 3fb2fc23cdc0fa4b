"""Turns that a process has taken over: time in which it could not serve is charged to no bot.

A bot may connect before the match runs here or after it, and its holder is not known before it connects.
"""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.cluster.shared_matches import SharedMatches
from referee.live.loop_lag import INTERVAL_US, MIN_LAG_US
from referee.live.match_request import LiveLimits
from referee.live.sessions import Session
from referee.match.clock import MS, SECOND, Micros, Untimed
from referee.match.clock_charge import ClockCharge
from referee.match.events import MovePlayed
from tests.live.referee_harness import BOTS, MANY_MATCHES, RefereeHarness
from tests.live.runner_harness import in_loop
from tests.live.test_loop_lag import Machine

LIMITS = LiveLimits(return_within_us=50 * MS)
TIMES = st.integers(20, 3_000).map(lambda ms: ms * MS)
THINKING = st.integers(1, 80).map(lambda ms: ms * MS)
STEPS = st.one_of(
    st.tuples(st.just("think"), THINKING),
    st.tuples(st.sampled_from(["stall", "own", "others"]), TIMES),
    st.sampled_from([("connect", 0), ("leave", 0)]),
)
Steps = list[tuple[str, Micros]]


class TakenOver:
    """A process that takes over a match with a turn of the first seat, and what happens until its bot answers.

    `served_us` is the time in which it can serve, or which requests of the bot's own holder take, by plain sums.
    """

    def __init__(self, before: RefereeHarness, **around: Any) -> None:
        """`around`: fields of MatchSurroundings."""
        self.machine = Machine(before.time)
        self.harness = RefereeHarness(after=before, lag=self.machine.lag, limits=LIMITS, **around)
        self.sessions: list[Session] = []
        self.served_us = 0

    async def do(self, steps: Steps) -> None:
        for name, us in steps:
            await getattr(self, name)(us)
            await self.harness.time.advance(0)

    async def think(self, us: Micros) -> None:
        await self.harness.time.advance(us)
        self.served_us += us

    async def stall(self, us: Micros) -> None:
        self.machine.run_step("", 0, blocked_us=us)
        self.served_us += INTERVAL_US + MIN_LAG_US

    async def own(self, us: Micros) -> None:
        self.machine.run_step("ada", us)
        self.served_us += us

    async def others(self, us: Micros) -> None:
        self.machine.run_step("bob", us)
        self.served_us += INTERVAL_US + MIN_LAG_US

    async def connect(self, _: Micros = 0) -> None:
        self.sessions.append(self.harness.referee.sessions.open(BOTS[0], MANY_MATCHES, "ada"))

    async def leave(self, _: Micros) -> None:
        for session in self.sessions:
            self.harness.referee.sessions.close(session)
        self.sessions.clear()

    async def close(self) -> None:
        self.machine.lag.stop()
        await self.harness.referee.close()


async def answer(process: TakenOver, match_id: str) -> ClockCharge:
    """Let the bot answer by a call, connected or not; return the charge."""
    token = (await process.harness.match(match_id)).owing[0].token
    await process.harness.referee.submit(match_id, 0, token, "1", arrival=process.machine.lag.arrival("ada"))
    (row,) = [
        entry.event.row
        for entry in await process.harness.stored.read(match_id)
        if isinstance(entry.event, MovePlayed) and entry.event.row
    ]
    return row


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, max_size=6), st.lists(STEPS, max_size=6), st.booleans())
@example([("own", 3 * SECOND)], [("think", 80 * MS), ("stall", 3 * SECOND)], True)
@example([("own", 3 * SECOND)], [("think", 80 * MS), ("connect", 0), ("stall", 3 * SECOND)], True)
@example([("own", 3 * SECOND)], [("think", 80 * MS), ("stall", 3 * SECOND), ("connect", 0)], True)
@example([("own", 3 * SECOND), ("connect", 0)], [("think", 80 * MS), ("stall", 3 * SECOND)], False)
def test_time_in_which_the_referee_could_not_serve_is_charged_to_no_bot(
    before: Steps, after: Steps, restarted: bool
) -> None:
    @in_loop
    async def play() -> None:
        harness = RefereeHarness()
        match_id, _ = await harness.start_match(controls=(Untimed(),))
        if restarted:
            await harness.referee.close()
        process = TakenOver(harness) if restarted else TakenOver(harness, connect=SharedMatches)
        await process.do(before)
        if isinstance(process.harness.live.others, SharedMatches):
            await process.harness.live.others.follow(match_id, (), began=False)
        else:
            await process.harness.referee.recover()
        process.served_us = 0
        await process.do(after)
        row = await answer(process, match_id)
        assert row.charged_us <= process.served_us
        await process.close()
        await harness.referee.close()

    play()


@pytest.mark.parametrize("known", [True, False])
@in_loop
async def test_lag_that_its_holder_causes_after_a_bot_is_back_is_charged_to_it(known: bool) -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match(controls=(Untimed(),))
    await harness.referee.close()
    process = TakenOver(harness)
    await process.do([("connect", 0)] if known else [])
    await process.harness.referee.recover()
    await process.do([("think", 100 * MS), ("connect", 0), ("own", 2 * SECOND)])
    row = await answer(process, match_id)
    assert row.charged_us >= 2 * SECOND
    await process.close()


def test_what_a_process_computed_before_it_served_delays_nobody_later() -> None:
    machine = Machine(started_after_us=3 * SECOND)
    machine.time.us += INTERVAL_US
    machine.run_step("ada", 20 * MS, blocked_us=3 * SECOND)
    (ada, other) = machine.credits("ada", "bob")
    assert (ada, other) == (3 * SECOND, 3 * SECOND + 20 * MS)
    machine.lag.stop()
