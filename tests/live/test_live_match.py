"""The free capacity of a bot, as the code that creates matches needs it, and the release of a finished match."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from referee.live.live_match import FreeCapacity
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.setup import Player
from tests.live.referee_harness import BOTS, RefereeHarness
from tests.live.runner_harness import in_loop


@pytest.fixture
def _without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@in_loop
async def test_a_bot_that_is_offline_or_does_not_accept_the_game_has_no_capacity() -> None:
    harness = RefereeHarness()
    harness.connect(BOTS[0], hello=Hello(frozenset({"toc"}), 2))
    assert harness.referee.free_capacity(BOTS[0], "toc") == FreeCapacity(BOTS[0], 2)
    assert harness.referee.free_capacity(Player("bot0"), "toc") == FreeCapacity(BOTS[0], 2)
    assert harness.referee.free_capacity(BOTS[0], "nim") is None
    assert harness.referee.free_capacity(Player("bot0", "2"), "toc") is None
    assert harness.referee.free_capacity(BOTS[1], "toc") is None
    await harness.referee.close()


@in_loop
async def test_matches_in_play_and_matches_waiting_for_nonces_use_capacity() -> None:
    harness = RefereeHarness()
    harness.connect(*BOTS[:2], hello=Hello(max_matches=3))
    await harness.create()
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 2)
    await harness.create(nonce_timeout_us=10 * SECOND)
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await harness.create(players=(BOTS[0], BOTS[2]))  # It is unknown whether bot2 will connect.
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await harness.time.advance(10 * SECOND)
    assert harness.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await harness.referee.close()


@pytest.mark.usefixtures("_without_collector")
@in_loop
async def test_a_finished_match_is_freed_without_the_garbage_collector() -> None:
    """A server freezes what survives a collection, so a reference cycle in each match would be a leak."""
    harness = RefereeHarness()
    match_id, _ = await harness.start_match()
    runner = weakref.ref(await harness.referee._live.runner(match_id))
    await harness.submit_move(match_id, 0, "1")
    assert runner()
    await harness.referee.resign(match_id, 0)
    await harness.time.advance(3600 * SECOND)  # The harness keeps cancelled timers until they are due.
    assert runner() is None
    await harness.referee.close()
