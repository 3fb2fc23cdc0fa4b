"""The match history: which steps it keeps in memory."""

from engines.api import SPECTATOR
from referee.live.log_history import replay
from referee.live.match_history import MAX_CACHED_STEPS, MatchFold, MatchHistory
from referee.live.stored_matches import replay_log
from referee.match.clock import Untimed
from tests.live.referee_harness import GAMES, Hall
from tests.live.runner_harness import in_loop


async def told(plies: int) -> MatchHistory:
    """Return the history of a match of Nim with this number of plies, folded from its log."""
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": plies + 1}, controls=(Untimed(),))
    for ply in range(plies):
        await hall.played(match_id, ply % 2, "1")
    story = await replay_log(await hall.stored.read(match_id), GAMES.__getitem__)
    await hall.referee.close()
    return story


@in_loop
async def test_of_a_match_that_nobody_watches_only_the_last_step_is_at_hand() -> None:
    story = await told(plies=5)
    last = story.match.number
    assert story.steps_after(last) == []
    assert [step.entry.number for step in story.steps_after(last - 1) or ()] == [last]
    assert story.steps_after(last - 2) is None


@in_loop
async def test_once_somebody_watches_so_many_steps_are_at_hand_and_no_more() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 2 * MAX_CACHED_STEPS}, controls=(Untimed(),))
    for ply in range(MAX_CACHED_STEPS + 2):
        await hall.played(match_id, ply % 2, "1")
    first, *steps = replay(MatchFold(GAMES.__getitem__), await hall.stored.read(match_id))
    story = MatchHistory(first)
    story.steps_after(1)
    for step in steps:
        story.extend([step])
    last = story.match.number
    assert len(story.steps_after(last - MAX_CACHED_STEPS) or ()) == MAX_CACHED_STEPS
    assert story.steps_after(last - MAX_CACHED_STEPS - 1) is None
    await hall.referee.close()


@in_loop
async def test_who_watches_with_the_same_eyes_hears_of_a_move_that_is_made_once() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    await hall.played(match_id, 0, "1")
    heard = []
    for viewer in (SPECTATOR, SPECTATOR, 0):
        _, watching = await hall.referee.watch(match_id, 2, viewer)
        heard += await anext(watching)
    assert heard[0] is heard[1]
    assert heard[2] is not heard[1]
    await hall.referee.close()
