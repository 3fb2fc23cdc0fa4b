"""How to come, when to come back, and when not to."""

from asyncio import get_running_loop

from google.rpc.code_pb2 import Code
from referee_api.v1 import play_pb2

from referee.conformance.clause import ANY_GAME, answered, expect, first_board
from referee.conformance.failed import NotForThisBot
from referee.conformance.stage import Stage, away
from referee.transport.refusals import Said

RETURN_AFTER_MS = 1_500
GONE_AFTER_MS = 1_500
EARLY_S = 0.1
"""Clocks of two processes are read at two moments."""
PAUSES_S = (0.5, 1.0, 2.0)
CHANCE_AT_LEAST = 0.5
GONE_FOR_GOOD_S = 3.0
TAKEN_OVER_STATUS = 3
NOT_ALLOWED_STATUS = 4


async def draining(stage: Stage) -> None:
    """Told that the referee drains, the bot answers what it is asked, and comes back no sooner than it may."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say_all(
        play_pb2.FromReferee(draining=play_pb2.Draining(closes_in_ms=5_000, return_after_ms=RETURN_AFTER_MS)),
        play_pb2.FromReferee(turn=turn),
    )
    await answered(visit, board, turn)
    visit.end(away("drained"))
    left = get_running_loop().time()
    await stage.visit()
    away_s = get_running_loop().time() - left
    expect(away_s > RETURN_AFTER_MS / 1_000 - EARLY_S, f"it came back after {away_s:.2f} s")


async def patience_with_a_broken_referee(stage: Stage) -> None:
    """Streams that break before the Welcome, or soon after it, are opened again after longer and longer pauses: .5, 1,
    2 s, about."""
    visit = await stage.visit()
    visit.end(away("broken"))
    gaps: list[float] = []
    for _ in PAUSES_S:
        left = get_running_loop().time()
        visit = await stage.arrival()
        gaps.append(get_running_loop().time() - left)
        if len(gaps) > 1:
            stage.welcome(visit, await visit.hello())
        visit.end(away("broken"))
    short = [gap for gap, pause in zip(gaps, PAUSES_S, strict=True) if gap < pause * CHANCE_AT_LEAST - EARLY_S]
    expect(not short, f"the pauses were {', '.join(f'{gap:.2f} s' for gap in gaps)}")


async def silence_is_a_break(stage: Stage) -> None:
    """When nothing was received for `gone_after_ms`, the bot gives the connection up, and comes back on a new one."""
    (await stage.visit()).end(away("the next Welcome names another time"))
    visit = await stage.arrival()
    stage.welcome(visit, await visit.hello(), GONE_AFTER_MS)
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say(turn=turn)
    await answered(visit, board, turn)
    visit.fall_silent()
    left = get_running_loop().time()
    again = await stage.visit()
    silent_s = get_running_loop().time() - left
    expect(silent_s > GONE_AFTER_MS / 1_000 - EARLY_S, f"it came back after {silent_s:.2f} s")
    expect(again.peer != visit.peer, "it opened the new stream on the same connection")
    again.say(turn=board.turn(again=True))
    await answered(again, board, turn)


async def a_token_in_a_file(stage: Stage) -> None:
    """Started with BOT_TOKEN_FILE and without BOT_TOKEN, the bot reads its token there. It may be a pipe."""
    await stage.visit()  # The session of the program that is now replaced; it must not be taken for the new one.
    token = await stage.program.begin_with_token_file()
    visit = await stage.arrival()
    stage.welcome(visit, await visit.hello())
    said = visit.metadata.get("authorization", "")
    await stage.program.end()  # So that the next clause starts it as usual.
    expect(said == f"Bearer {token}", "it came with another token than that in the file")


async def asked_to_stop(stage: Stage) -> None:
    """SIGTERM ends the program, with exit status 0."""
    await stage.visit()
    stage.program.ask_to_go()
    status = await stage.program.exits(stage.patience_s)
    expect(status == 0, f"it ended with status {status}")


async def taken_over(stage: Stage) -> None:
    """When a newer session has taken over, the bot does not come back; the program ends with exit status 3."""
    visit = await stage.visit()
    visit.say(taken_over=play_pb2.TakenOver(by_session_id="a-newer-one"))
    why = {"bot": "bot-on-trial", "version": "1", "session_id": "a-newer-one"}
    visit.end(Said("SESSION_TAKEN_OVER", Code.ABORTED, "a newer session owns the seats", why))
    await _gone_for_good(stage, TAKEN_OVER_STATUS)


async def a_token_that_is_no_good(stage: Stage) -> None:
    """When its token is refused, the bot does not come back; the program says why and ends with exit status 4."""
    visit = await stage.visit()
    visit.end(Said("BAD_TOKEN", Code.UNAUTHENTICATED, "this token is good for nothing here"))
    await _gone_for_good(stage, NOT_ALLOWED_STATUS)


async def _gone_for_good(stage: Stage, wanted: int) -> None:
    await stage.nobody_comes(GONE_FOR_GOOD_S)
    try:
        status = await stage.program.exits(stage.patience_s)
    except NotForThisBot:
        return  # That it stays away is all that can be seen.
    expect(status == wanted, f"it ended with status {status}, and {wanted} is right")


STORIES = (
    draining,
    patience_with_a_broken_referee,
    silence_is_a_break,
    a_token_in_a_file,
    asked_to_stop,
    taken_over,
    a_token_that_is_no_good,
)
