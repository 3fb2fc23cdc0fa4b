"""A finished match: it can be read without its log, and is freed without the garbage collector."""

import gc

from referee.live.live_match import LiveMatch
from referee.live.runner import MatchRunner
from referee.match.state import MatchPhase
from tests.live.referee_harness import DEFAULT_LIMITS, RefereeHarness
from tests.live.runner_harness import in_loop


@in_loop
async def test_the_result_of_a_finished_match_can_be_read_while_the_log_is_unavailable() -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match(chosen={"heap": 1})
    await harness.submit_move(match_id, 0, "1")
    harness.log.make_unavailable()
    assert (await harness.match(match_id)).phase is MatchPhase.OVER
    harness.log.make_available()
    await harness.referee.close()


@in_loop
async def test_a_finished_match_leaves_no_reference_cycle() -> None:
    harness = RefereeHarness()
    gc.collect()
    gc.disable()
    try:
        match_id, _ = await harness.start_match(chosen={"heap": 1})
        await harness.submit_move(match_id, 0, "1")
        await harness.time.advance(
            2 * DEFAULT_LIMITS.start_timeout_us
        )  # Until then the test's clock holds cancelled alarms.
        leaked = [type(it) for it in gc.get_objects() if isinstance(it, LiveMatch | MatchRunner)]
    finally:
        gc.enable()
    assert leaked == []
    await harness.referee.close()
