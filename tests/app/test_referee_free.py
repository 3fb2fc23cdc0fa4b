"""How much room a bot has for more matches, as those who make them want to know it."""

from referee.app.lobby import Free
from referee.app.sessions import Hello
from referee.core.clock import SECOND
from referee.core.setup import Player
from tests.app.hall import BOTS, Hall
from tests.app.scene import in_loop


@in_loop
async def test_who_is_not_there_or_does_not_take_the_game_is_not_free() -> None:
    hall = Hall()
    hall.come(BOTS[0], hello=Hello(frozenset({"toc"}), 2))
    assert hall.referee.free(BOTS[0], "toc") == Free(BOTS[0], 2)
    assert hall.referee.free(Player("bot0"), "toc") == Free(BOTS[0], 2)
    assert hall.referee.free(BOTS[0], "nim") is None
    assert hall.referee.free(Player("bot0", "2"), "toc") is None
    assert hall.referee.free(BOTS[1], "toc") is None
    await hall.referee.close()


@in_loop
async def test_a_match_in_play_takes_room_and_so_does_one_that_only_waits_for_nonces() -> None:
    hall = Hall()
    hall.come(*BOTS[:2], hello=Hello(matches_at_most=3))
    await hall.create()
    assert hall.referee.free(BOTS[0], "nim") == Free(BOTS[0], 2)
    await hall.create(nonce_within_us=10 * SECOND)
    assert hall.referee.free(BOTS[0], "nim") == Free(BOTS[0], 1)
    await hall.create(players=(BOTS[0], BOTS[2]))  # Who knows whether bot2 will come.
    assert hall.referee.free(BOTS[0], "nim") == Free(BOTS[0], 1)
    await hall.time.passes(10 * SECOND)
    assert hall.referee.free(BOTS[0], "nim") == Free(BOTS[0], 1)
    await hall.referee.close()
