"""A finished match: it can be read without its log, and is freed without the garbage collector."""

import gc

from referee.live.live_match import LiveMatch
from referee.live.runner import MatchRunner
from referee.match.state import MatchPhase
from tests.live.referee_harness import USUAL, Hall
from tests.live.runner_harness import in_loop


@in_loop
async def test_how_it_ended_can_be_told_though_its_log_is_away() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 1})
    await hall.played(match_id, 0, "1")
    hall.log.goes_away()
    assert (await hall.match(match_id)).phase is MatchPhase.OVER
    hall.log.comes_back()
    await hall.referee.close()


@in_loop
async def test_it_leaves_no_circle_that_only_the_collector_could_free() -> None:
    hall = Hall()
    gc.collect()
    gc.disable()
    try:
        match_id, _ = await hall.begun(chosen={"heap": 1})
        await hall.played(match_id, 0, "1")
        await hall.time.passes(2 * USUAL.start_within_us)  # Until then the test's clock holds cancelled alarms.
        left = [type(one) for one in gc.get_objects() if isinstance(one, LiveMatch | MatchRunner)]
    finally:
        gc.enable()
    assert left == []
    await hall.referee.close()
