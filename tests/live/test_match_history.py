"""The match history: which steps it caches."""

from engines.api import SPECTATOR
from referee.live.log_history import replay
from referee.live.match_history import MAX_CACHED_STEPS, MatchFold, MatchHistory
from referee.live.stored_matches import replay_log
from referee.match.clock import Untimed
from tests.live.referee_harness import GAMES, RefereeHarness
from tests.live.runner_harness import in_loop


async def history_of(plies: int) -> MatchHistory:
    """Return the history of a match of Nim with this number of plies, folded from its log."""
    harness = RefereeHarness()
    match_id, _ = await harness.start_match(chosen={"heap": plies + 1}, controls=(Untimed(),))
    for ply in range(plies):
        await harness.submit_move(match_id, ply % 2, "1")
    history = await replay_log(await harness.stored.read(match_id), GAMES.__getitem__)
    await harness.referee.close()
    return history


@in_loop
async def test_only_the_last_step_of_an_unwatched_match_is_cached() -> None:
    history = await history_of(plies=5)
    last = history.match.number
    assert history.steps_after(last) == []
    assert [step.entry.number for step in history.steps_after(last - 1) or ()] == [last]
    assert history.steps_after(last - 2) is None


@in_loop
async def test_a_watched_match_caches_a_limited_number_of_steps() -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match(chosen={"heap": 2 * MAX_CACHED_STEPS}, controls=(Untimed(),))
    for ply in range(MAX_CACHED_STEPS + 2):
        await harness.submit_move(match_id, ply % 2, "1")
    first, *steps = replay(MatchFold(GAMES.__getitem__), await harness.stored.read(match_id))
    history = MatchHistory(first)
    history.steps_after(1)
    for step in steps:
        history.extend([step])
    last = history.match.number
    assert len(history.steps_after(last - MAX_CACHED_STEPS) or ()) == MAX_CACHED_STEPS
    assert history.steps_after(last - MAX_CACHED_STEPS - 1) is None
    await harness.referee.close()


@in_loop
async def test_watchers_with_the_same_view_share_one_entry_object() -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match()
    await harness.submit_move(match_id, 0, "1")
    received = []
    for viewer in (SPECTATOR, SPECTATOR, 0):
        _, watch = await harness.referee.watch(match_id, 2, viewer)
        received += await anext(watch)
    assert received[0] is received[1]
    assert received[2] is not received[1]
    await harness.referee.close()
