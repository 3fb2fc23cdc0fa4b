"""The story of a match: what is kept at hand of it."""

from engines.api import SPECTATOR
from referee.app.story import STEPS_KEPT, Story, folded, retold
from referee.core.clock import Untimed
from tests.app.hall import GAMES, Hall
from tests.app.scene import in_loop


async def told(plies: int) -> Story:
    """The story of a match of Nim of so many plies, as its log tells it."""
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": plies + 1}, controls=(Untimed(),))
    for ply in range(plies):
        await hall.played(match_id, ply % 2, "1")
    story = await retold(await hall.stored.read(match_id), GAMES.__getitem__)
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
    match_id, _ = await hall.begun(chosen={"heap": 2 * STEPS_KEPT}, controls=(Untimed(),))
    for ply in range(STEPS_KEPT + 2):
        await hall.played(match_id, ply % 2, "1")
    first, *steps = folded(await hall.stored.read(match_id), GAMES.__getitem__)
    story = Story(first)
    story.steps_after(1)
    for step in steps:
        story.goes_on([step])
    last = story.match.number
    assert len(story.steps_after(last - STEPS_KEPT) or ()) == STEPS_KEPT
    assert story.steps_after(last - STEPS_KEPT - 1) is None
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
