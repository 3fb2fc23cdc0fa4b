"""The free capacity of a bot, as the code that creates matches needs it."""

from referee.live.live_match import FreeCapacity
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.setup import Player
from tests.live.referee_harness import BOTS, Hall
from tests.live.runner_harness import in_loop


@in_loop
async def test_who_is_not_there_or_does_not_take_the_game_is_not_free() -> None:
    hall = Hall()
    hall.come(BOTS[0], hello=Hello(frozenset({"toc"}), 2))
    assert hall.referee.free_capacity(BOTS[0], "toc") == FreeCapacity(BOTS[0], 2)
    assert hall.referee.free_capacity(Player("bot0"), "toc") == FreeCapacity(BOTS[0], 2)
    assert hall.referee.free_capacity(BOTS[0], "nim") is None
    assert hall.referee.free_capacity(Player("bot0", "2"), "toc") is None
    assert hall.referee.free_capacity(BOTS[1], "toc") is None
    await hall.referee.close()


@in_loop
async def test_a_match_in_play_takes_room_and_so_does_one_that_only_waits_for_nonces() -> None:
    hall = Hall()
    hall.come(*BOTS[:2], hello=Hello(max_matches=3))
    await hall.create()
    assert hall.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 2)
    await hall.create(nonce_within_us=10 * SECOND)
    assert hall.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await hall.create(players=(BOTS[0], BOTS[2]))  # It is unknown whether bot2 will connect.
    assert hall.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await hall.time.passes(10 * SECOND)
    assert hall.referee.free_capacity(BOTS[0], "nim") == FreeCapacity(BOTS[0], 1)
    await hall.referee.close()
