"""A match that is over: it can be told of without its log, and is freed without the garbage collector."""

import gc

from referee.app.boards import Board
from referee.app.runner import MatchRunner
from referee.core.match import Phase
from tests.app.hall import USUAL, Hall
from tests.app.scene import in_loop


@in_loop
async def test_how_it_ended_can_be_told_though_its_log_is_away() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 1})
    await hall.played(match_id, 0, "1")
    hall.log.goes_away()
    assert (await hall.match(match_id)).phase is Phase.OVER
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
        await hall.time.passes(2 * USUAL.start_within_us)  # Until then the clock of the test holds alarms taken back.
        left = [type(one) for one in gc.get_objects() if isinstance(one, Board | MatchRunner)]
    finally:
        gc.enable()
    assert left == []
    await hall.referee.close()
